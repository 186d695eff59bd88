"""Lab 7: the bill for a longer context. `panel serve labs/context_growth.py`, or `app` in a notebook."""

import panel as pn

from labs._app import LabApp

app = LabApp("context-growth")

if pn.state.served:
    app.servable()
