"""The pages of the site: home, labs, each lab with its derivation, about, and the page for addresses that lead nowhere."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import jinja2
from markdown_it import MarkdownIt
from markdown_it.common.utils import escapeHtml
from mdit_py_plugins.front_matter import front_matter_plugin

import engine
from builder import policy
from builder.paths import LABS, SITE
from engine import mathml, text
from engine.formula import REGISTRY
from engine.labs import lab, labs
from engine.labs.state import trace

REPOSITORY = os.environ.get("RIDGEPOINT_REPOSITORY", "")
"""Where the source is kept, for links in the footer; a build that is not told has no such links."""

LONG = 30
"""Signs in a formula that fit on a phone's line."""

PLACEHOLDER = re.compile(r"\{\{ (formula|value):(\w+)((?: \w+=\S+)*) \}\}")
# A table wider than a phone scrolls by itself, by keyboard too.
SCROLLED = '<div class="scroll" tabindex="0" role="group" aria-label="Table"><table>'
COMING = (
    (2, "memory-fit", "What fits, and how many at once", "How many sequences a GPU can hold, and what takes the room."),
    (
        3,
        "tensor-parallel",
        "When one more GPU stops paying",
        "What communication costs, and when latency is most of it.",
    ),
    (
        4,
        "prefill-deadline",
        "How big a bite before someone notices",
        "How a prompt is cut up so that nobody waits too long.",
    ),
    (5, "prefix-ownership", "Who owns which block", "Which KV blocks requests share, and what an edit costs."),
    (6, "goodput", "Throughput that kept its promise", "How much of a trace met its contract; with your own file."),
    (
        7,
        "context-growth",
        "The bill for a longer context",
        "What grows with the context, and what grows with its square.",
    ),
    (8, "speculative", "Guess ahead, pay at high batch", "When draft tokens help, and where they stop helping."),
)
"""Labs that are planned: number, slug, title, and what each answers. One that exists is taken from the engine instead."""


@dataclass(frozen=True)
class Assets:
    """Addresses of the site's files, relative to its root, each with a hash of its content in its name."""

    styles: str
    icon: str
    lab_script: str
    plain_script: str
    bokeh: str
    worker: str
    python: tuple[str, ...]
    models: Mapping[str, str]


def environment() -> jinja2.Environment:
    """The site's templates, with the fragments of the labs."""
    loader = jinja2.FileSystemLoader([SITE / "templates", LABS / "templates"])
    made = jinja2.Environment(
        loader=loader, autoescape=True, trim_blocks=True, lstrip_blocks=True, undefined=jinja2.StrictUndefined
    )
    # A Bokeh document names a model in full where it comes first and by reference afterwards: the order of keys matters.
    made.policies["json.dumps_kwargs"] = {"sort_keys": False}
    return made


def write_site(prerendered: dict[str, Any], assets: Assets, out: Path) -> None:
    """Write every page below `out`, and `pages.json`, the map of the site: their addresses relative to the root.

    Parameters
    ----------
    prerendered : mapping
        By lab: its `state`, `view` with the figure's picture, `spec`, and the figure's `docs_json` and `root_id`.
    """
    pages = Pages(prerendered, assets, out)
    pages.write("", "home.html", "Ridgepoint", "Interactive labs on how large-language-model inference behaves.",
                view=prerendered[next(iter(labs()))]["view"], labs=listed(""))  # fmt: skip
    pages.write("labs/", "labs.html", "Labs", "Interactive labs on LLM inference, one question each.",
                labs=listed("../"))  # fmt: skip
    for slug in labs():
        pages.lab(slug)
    for source in sorted((SITE / "pages").glob("*.md")):
        pages.markdown(source)
    pages.not_found()
    (out / "pages.json").write_text(json.dumps(sorted(pages.addresses)), "utf-8")


def listed(root: str) -> list[dict[str, Any]]:
    """All labs by number: those there are, with a link, and those that are planned."""
    found = {
        made.number: {
            "number": made.number,
            "slug": slug,
            "title": made.title,
            "answers": made.question,
            "href": f"{root}labs/{slug}/",
        }
        for slug, made in labs().items()
    }
    planned = {
        number: {"number": number, "slug": slug, "title": title, "answers": answers, "href": None}
        for number, slug, title, answers in COMING
    }
    return [entry for _, entry in sorted((planned | found).items())]


class Pages:
    """Writes pages with what they have in common."""

    def __init__(self, prerendered: dict[str, Any], assets: Assets, out: Path) -> None:
        self.prerendered, self.assets, self.out = prerendered, assets, out
        self.templates = environment()
        self.addresses: list[str] = []

    def write(self, address: str, template: str, title: str, description: str, **context: Any) -> None:
        """Write the page at `address`, a folder relative to the root."""
        self.addresses.append(address)
        root = "../" * address.count("/")
        html = self.render(root, address, template, title, description, **context)
        folder = self.out / address
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "index.html").write_text(html, "utf-8")

    def render(self, root: str, address: str, template: str, title: str, description: str, **context: Any) -> str:
        """A page's HTML; `root` leads from it to the site's root."""
        script = root + (self.assets.lab_script if template == "lab.html" else self.assets.plain_script)
        nav = [("Labs", "labs/"), ("For teachers", "for-teachers/"), ("About", "about/")]
        site = {
            "version": engine.__version__,
            "styles": root + self.assets.styles,
            "icon": root + self.assets.icon,
            "script": script,
            "bokeh": root + self.assets.bokeh,
            "repository": REPOSITORY,
            "nav": [{"label": label, "href": root + href, "current": address == href} for label, href in nav],
        }
        page = {"title": title, "description": description}
        html = self.templates.get_template(template).render(
            site=site, root=root, policy=policy.MARK, page=page | context.pop("page", {}), **context
        )
        return policy.with_policy(html)

    def lab(self, slug: str) -> None:
        """A lab's page, complete in its default state, with what its scripts need."""
        found = self.prerendered[slug]
        root = "../../"
        spec = found["spec"] | {
            "state": found["state"],
            "figure": {"docs_json": found["docs_json"], "root_id": found["root_id"]},
            "assets": {
                "embed": f"{root}embed.js",
                "worker": root + self.assets.worker,
                "python": [root + name for name in (self.assets.worker, *self.assets.python)],
            },
        }
        view = found["view"]
        self.write(f"labs/{slug}/", "lab.html", view["title"], view["description"], view=view, spec=spec,
                   model=root + self.assets.models[slug] if slug in self.assets.models else None)  # fmt: skip

    def markdown(self, source: Path) -> None:
        """A page written in Markdown; formulas and values in it come from the engine."""
        matter, content = markdown_page(source)
        self.write(f"{matter['slug']}/", "page.html", matter["title"], matter["description"], page={"content": content})

    def not_found(self) -> None:
        """The page a server shows for addresses that lead nowhere; it may stand at any depth, so it needs no other file."""
        styles = (self.out / self.assets.styles).read_text("utf-8")
        html = self.templates.get_template("404.html").render(styles=styles, repository=REPOSITORY, policy=policy.MARK)
        (self.out / "404.html").write_text(policy.with_policy(html), "utf-8")


def markdown_page(source: Path) -> tuple[dict[str, str], str]:
    """Front matter and HTML of a Markdown page."""
    parser = MarkdownIt("commonmark", {"html": True}).enable("table").use(front_matter_plugin)
    written = source.read_text("utf-8")
    tokens = parser.parse(written)
    matter = dict(re.findall(r'^(\w+): "?(.*?)"?$', tokens[0].content, re.M))
    html = parser.render(PLACEHOLDER.sub(lambda match: engine_says(matter.get("lab", ""), *match.groups()), written))
    return matter, html.replace("<table>", SCROLLED).replace("</table>", "</table></div>")


def engine_says(slug: str, kind: str, name: str, settings: str) -> str:
    """A formula as MathML, or a value of the page's lab as text, for a placeholder of a page."""
    if kind == "formula":
        found = REGISTRY.get(name) or next(f for f in REGISTRY.values() if f.gives == name)
        inner = f"{mathml.symbol(found.gives)}<mo>=</mo>{mathml.expression(found.tree)}"
        formula = mathml.math(inner, block=True)
        # Formulas do not break their lines: a long one scrolls where the screen is narrow, by keyboard too.
        is_long = len(re.sub("<[^>]*>", "", inner)) > LONG
        return formula.replace("<math", '<math tabindex="0"', 1) if is_long else formula
    made = lab(slug)
    inputs = made.parse(dict(part.split("=", 1) for part in settings.split()))
    return escapeHtml(text.show(name, trace(made, inputs).values[name]))
