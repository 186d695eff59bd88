// Starts a page of the site that holds no lab.

import {keepForOffline} from './offline.js';
import {preparePage} from './page.js';

preparePage(() => {});
window.addEventListener('load', () => keepForOffline());
