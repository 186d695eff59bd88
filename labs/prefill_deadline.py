"""Lab 4: how big a bite before someone notices. `panel serve labs/prefill_deadline.py`, or `app` in a notebook."""

import panel as pn

from labs._app import LabApp

app = LabApp("prefill-deadline")

if pn.state.served:
    app.servable()
