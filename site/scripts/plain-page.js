// Starts a page of the site that holds no lab.

import {preparePage} from './page.js';

preparePage(() => {});
