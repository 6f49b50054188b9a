"""The documents of a site as text: a page of HTML for each page, and the scripts that they share, once each."""

from __future__ import annotations

import html
import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from tlmviz import figures
from tlmviz.figures.theme import DARK, LIGHT
from tlmviz.hosting.server import PACKAGE, app_file
from tlmviz.notebook.parts import document, inside, theme
from tlmviz.ui.components.scripts import CANVAS, EVERYONE, separate

from .models import Model
from .pages import ENTRY, SitePage, sections

START = "start"  # at the address without a path, too
# Scripts, models and the service worker come from the site itself, a worker that trains from its page.
POLICY = (
    "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'unsafe-inline'; img-src 'self' data: blob:; "
    "connect-src 'self'; worker-src 'self' blob:; base-uri 'none'; form-action 'none'"
)
STYLE = (Path(__file__).parent / "site.css").read_text(encoding="utf-8")
# Around views, beside the theme of notebooks.
LINKS = """:host { --st-link-color: #1f5fa8;
  --st-secondary-background-color: color-mix(in srgb, var(--st-text-color) 8%, transparent); }
@media (prefers-color-scheme: dark) { :host { --st-link-color: #6db3f2; } }
"""
# The key of the text that pages with such models share; Start reads it too.
CARRIED = {"language": "text", "streams": "text", "translation": "english"}
BODY = """<header><a class="home" href="{root}start/" data-carries="text">tlmviz</a><nav>{nav}</nav></header>
<main>
<h1>{title}</h1>
<p class="claim">{claim}</p>
<div id="models"></div>
{own}
<p id="status" role="status"></p>
<p id="waiting">This page runs scripts that browsers load from a server and not from a disk; in the folder of this site,
<code>python -m http.server</code> is one.</p>
{more}</main>
<noscript>This page runs its model with JavaScript, which is switched off here.</noscript>
<footer><p>Computed in this page, in float32. Nothing that is typed leaves it.</p></footer>
<script id="data" type="application/json">{data}</script>
<script type="module" src="{root}{entry}"></script>"""
PICTURE = """<div id="controls"></div>
<p id="problem" role="alert"></p>
<div id="view"></div>"""
APP = """<h2 id="app">Further pages, in the app</h2>
<p>These need Python: <code>pip install "tlmviz[app]"</code>, then <code>tlmviz run</code> shows them, and the pages
above with all that they have there.</p>
<ul class="further">{further}</ul>
"""


def written(pages: list[SitePage], models: list[Model]) -> dict[str, str]:
    """Path on the site -> text."""
    files: dict[str, str] = {"icon.svg": (app_file().parent / "pages" / "icon.svg").read_text(encoding="utf-8")}
    for page in pages:
        scripts = separate(page.folder / ENTRY, _address)
        files |= scripts
        files[f"{page.page.path}/index.html"] = _page(page, pages, models, scripts, "../")
        if page.own and hasattr(page.own, "files"):
            files |= {f"{page.page.path}/{name}": text for name, text in page.own.files().items()}
        if page.page.path == START:
            files["index.html"] = _page(page, pages, models, scripts, "./")
    return files


# --- parts ---------------------------------------------------------------------------------------


def _places() -> tuple[Path, ...]:
    """The folders that scripts come from."""
    return PACKAGE, app_file().resolve().parent / "pages"


def _address(file: Path) -> str:
    """Where a script lies on the site: as in the package, or in the app."""
    for place in _places():
        if file.is_relative_to(place):
            return f"scripts/{place.name}/{file.relative_to(place).as_posix()}"
    raise ValueError(f"{file} lies neither in the package nor in the app.")


def _source(address: str) -> Path:
    """The file that an `_address` is of."""
    _, name, *parts = address.split("/")
    return next(place for place in _places() if place.name == name).joinpath(*parts)


def _page(page: SitePage, pages: list[SitePage], models: list[Model], scripts: Iterable[str], root: str) -> str:
    """A page. `root` leads from it to the site's first address."""
    own = page.own
    nav = "".join(
        f"{_opened(each, root, each is page)}{html.escape(each.page.title)}</a>"
        for each in pages
        if each.page.path != START
    )
    given: dict[str, Any] = {
        "root": root,
        "title": page.page.title,
        "colors": figures.palette(),
        "accent": {"light": LIGHT.accent, "dark": DARK.accent},
        "models": {model.name: model.given for model in models},
        "controls": page.controls,
        "pages": [each.page.path for each in pages],
        "styles": _styles(scripts),
        "own": page.given | page.of_models(models),
    }
    is_start = page.page.path == START
    body = BODY.format(
        root=root,
        nav=nav,
        title=html.escape(page.page.title),
        claim=html.escape(page.page.claim),
        own=getattr(own, "BODY", PICTURE),
        more=_tiles(pages, root) if is_start else "",
        data=inside(json.dumps(given, ensure_ascii=False)),
        entry=_address(page.folder / ENTRY),
    )
    preloaded = "".join(f'\n<link rel="modulepreload" href="{root}{name}">' for name in scripts)
    head = f'\n<link rel="icon" href="{root}icon.svg">{preloaded}'
    title = "tlmviz" if is_start else f"{page.page.title}, tlmviz"
    return document(policy=POLICY, title=title, body=body, style=STYLE + getattr(own, "STYLE", ""), head=head)


def _opened(page: SitePage, root: str, current: bool = False) -> str:
    """The tag of a link to a page; to one that reads a text it takes that along (tlmviz/site/frame.js)."""
    key = CARRIED.get(page.page.models)
    carries = f' data-carries="{key}"' if key else ""
    return f'<a href="{root}{page.page.path}/"{carries}{" aria-current=page" if current else ""}>'


def _styles(scripts: Iterable[str]) -> dict[str, str]:
    """The styles of a page's views by the names of their folders, "" what is around any: the theme, and the kit's where
    one is of the kit."""
    kit = CANVAS / "live.css"
    shared = [theme(), LINKS, EVERYONE.read_text(encoding="utf-8")]
    if _address(kit.with_suffix(".js")) in scripts:
        shared.insert(1, kit.read_text(encoding="utf-8"))
    views = {_source(name).parent for name in scripts}
    own = {path.name: path / "view.css" for path in views if (path / "view.css").is_file()}
    return {"": "\n".join(shared)} | {name: own[name].read_text(encoding="utf-8") for name in sorted(own)}


def _tiles(pages: list[SitePage], root: str) -> str:
    """The way to the pages of the site, and the names of those that only the app has."""
    here = {page.page.path for page in pages}
    tiles = "".join(
        f"{_opened(each, root)}<b>{html.escape(each.page.title)}</b><span>{html.escape(each.page.claim)}</span></a>"
        for each in pages
        if each.page.path != START
    )
    further = ""
    for chapter, members in sections().items():
        if names := [html.escape(page.title) for page in members if page.path not in here]:
            further += f"<li><b>{html.escape(chapter)}:</b> {', '.join(names)}</li>"
    return f'<h2>Pages</h2>\n<div class="tiles">{tiles}</div>\n{APP.format(further=further)}'
