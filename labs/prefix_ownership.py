"""Lab 5: who owns which block. `panel serve labs/prefix_ownership.py`, or `app` in a notebook."""

import panel as pn

from labs._app import LabApp

app = LabApp("prefix-ownership")

if pn.state.served:
    app.servable()
