"""The Python side of a lab page: opens one lab and answers the page's messages about it.

The page draws only the lab's figure with Bokeh, so the document here holds the figure alone. Values go to the lab as
plain data and come back as plain data; of the document only changes travel, numbers as bytes.
"""

import importlib
import json

from bokeh.core.json_encoder import serialize_json
from bokeh.core.serialization import Serializer
from bokeh.document import Document
from bokeh.document.events import DocumentChangedEvent
from bokeh.document.json import PatchJson

from labs._app import answer

Answer = tuple[str, list[tuple[str, bytes]]]


class Session:
    """One lab, open on one page."""

    def __init__(self, slug: str) -> None:
        module = importlib.import_module(f"labs.{slug.replace('-', '_')}")
        self.app = module.app
        # The figure shows the default state from here on, in the browser as in the prerendered page.
        self.first = self.app.set({})
        figure = self.app.figure.object
        self.root_id: str = figure.id
        self.document = Document()
        self.document.add_root(figure)
        self._changes: list[DocumentChangedEvent] = []
        # The page has the document from the build. Serialised once, its models are known to be there.
        self._drawn = self.document.to_json(deferred=False)
        self.document.on_change(self._changes.append)

    def prerendered(self) -> str:
        """Everything the page shows before Python starts."""
        # Only the build draws pictures: a reader's Python need not load what does.
        from labs._picture import picture

        spec = self.app.spec()
        docs_json = {"figure": self._drawn}
        page = {
            "state": self.first,
            "view": self.app.view() | {"figure_html": picture(self.document.roots[0])},
            "spec": spec,
            "docs_json": docs_json,
            "root_id": self.root_id,
        }
        return json.dumps(page, allow_nan=False)

    def ready(self) -> str:
        about = {"slug": self.app.lab.slug, "root_id": self.root_id, "version": self.app.spec()["version"]}
        return json.dumps({"type": "ready"} | about)

    def answer(self, text: str) -> Answer:
        """Answer one message; the second part of the answer is the numbers that its patch refers to."""
        message = json.loads(text)
        # Several changes of one attribute in one move become one.
        self.document.hold("combine")
        try:
            reply = answer(self.app, message)
        finally:
            self.document.unhold()
        patch, buffers = self._patch()
        body = json.dumps(reply, allow_nan=False)
        return f'{body[:-1]}, "patch": {patch}}}', buffers

    def _patch(self) -> tuple[str, list[tuple[str, bytes]]]:
        """What has changed in the document since the last patch, as JSON and the bytes it refers to."""
        changes, self._changes[:] = self._changes[:], []
        if not changes:
            return "null", []
        models = self.document.models
        serializer = Serializer(references=models.synced_references)
        patch = PatchJson(events=serializer.encode(changes))
        models.flush_synced(lambda model: not serializer.has_ref(model))
        return serialize_json(patch), [(buffer.id, buffer.to_bytes()) for buffer in serializer.buffers]
