"""Lab 1: a bigger batch, a different bottleneck. `panel serve labs/batch_step.py`, or `app` in a notebook."""

import panel as pn

from labs._app import LabApp

app = LabApp("batch-step")

if pn.state.served:
    app.servable()
