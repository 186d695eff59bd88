"""A lab as one Panel component, for `panel serve` and notebooks: the site's fragments, scripts and styles in a shadow root."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, ClassVar

import param
from panel.custom import Child, JSComponent

from labs import _views
from labs._app import LabApp, answer
from labs._scripts import bundle_module

STYLES = Path(__file__).parent.parent / "site" / "styles"


def styles() -> str:
    """The site's styles as one sheet, in the order of their names."""
    return "\n".join(path.read_text("utf-8") for path in sorted(STYLES.glob("*.css")))


class LabComponent(JSComponent):
    """The lab's fragments and scripts as one Panel component, the figure its child."""

    _esm = bundle_module()
    _stylesheets: ClassVar[list[str]] = [styles()]

    html = param.String(doc="The fragments, with what the scripts must know.")
    figure = Child(doc="The figure.")

    def __init__(self, app: LabApp, **params: Any) -> None:
        spec = app.spec() | {"state": app.message(), "figure": {}}
        data = json.dumps(spec, allow_nan=False).replace("<", "\\u003c")
        html = f'{_views.body(app.view(), on_page=False)}<script type="application/json" id="lab-spec">{data}</script>'
        super().__init__(html=html, figure=app.figure, sizing_mode="stretch_width", **params)
        self._app = app

    def _handle_msg(self, data: dict[str, Any]) -> None:
        self._send_msg(answer(self._app, data))
