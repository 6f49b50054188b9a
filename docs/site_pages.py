"""The generated pages of the documentation site as Markdown: pages of the app, tours, the gallery, the Python API.

Nothing is written by hand here: words come from the tables that the app itself is drawn from. `docs.build_site` writes the
files, beside copies of the documents at their own paths, so that links between documents hold on the site too.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any
from urllib.parse import urljoin

import tlmviz
from pages import ALL, FIRST, HOME, SECTIONS, Page
from tlmviz.shots import read_link
from tlmviz.site import pages as site_pages
from tlmviz.ui.gallery import Card
from tlmviz.ui.menu import MENUS
from tlmviz.ui.tours.bar import STEP, TOUR
from tlmviz.ui.tours.parts import Step, Tour, address
from tlmviz.ui.tours.table import TOURS

from .galleries import FOLDER, cards_of, picture_of
from .page_table import DOCUMENT, with_table
from .pictures import Picture, pictures

ROOT = Path(__file__).resolve().parents[1]
APP = "http://localhost:8501/"  # where `tlmviz run` shows the app
TRY, TRIED = "tryit.md", "try"  # the page that leads to the app's pages in the browser, and their folder
BARE = {"mode": "map"}  # the first page's own link names something, else it leads to Start
PATHS = {page.path: page for page in ALL}
Nav = list[dict[str, Any]]


def plain(text: str) -> str:
    """A text without markup, as Markdown."""
    return re.sub(r"([\\`*_\[\]<>#|~$^])", r"\\\1", text)


def app_link(app: str, page: Page, query: dict[str, Any]) -> str:
    """The link of a page of the app. Raises BadShot where the app has no such page or field."""
    home = HOME.rpartition("/")[2]
    if page.path == home:
        query = query or BARE
    link = address(page.path, home, query).rstrip("?")
    read_link(link.removeprefix("./"))
    return urljoin(app, link)


def card_link(app: str, page: Page, card: Card) -> str:
    """Where a card leads; it speaks of the default model, which has to be named where the page opens on another one."""
    menu = MENUS[page.models] if page.opens_on else None
    return app_link(app, page, {**({menu.key: menu.default} if menu else {}), **card.link})


def main_picture(page: Page, taken: frozenset[str]) -> str:
    """The path on the site of the picture that stands for a page."""
    own = f"pictures/{page.path}.svg"
    return own if own in taken else f"docs/{pictures(page)[0].file}"


def query_of(picture: Picture) -> dict[str, Any]:
    """The fields of the link that a picture shows."""
    return dict(picture.query)


def grid(cards: list[str]) -> str:
    """Cards side by side, each the Markdown of one."""
    items = "\n\n".join("-   " + card.replace("\n", "\n    ") for card in cards)
    return f'<div class="grid cards" markdown>\n\n{items}\n\n</div>\n' if cards else ""


def card_text(app: str, page: Page, shown: Card) -> str:
    """A card of a gallery: its picture and its title as links, and its sentence."""
    link = card_link(app, page, shown)
    file = picture_of(page, shown).relative_to(FOLDER.parent)
    return f"[![{plain(shown.alt)}](../{file})]({link})\n\n**[{plain(shown.title)}]({link})**\n\n{plain(shown.says)}"


def claim_of(page: Page) -> str:
    """The sentence beside a page's title."""
    return site_pages.claim_of(ROOT / "pages" / page.folder / "page.py")


def page_text(app: str, page: Page, taken: frozenset[str] = frozenset()) -> str:
    """One page of the app: its claim, its picture, what it shows, the tours that come by, and its examples."""
    link = app_link(app, page, query_of(pictures(page)[0]))
    parts = [
        f"# {page.title}",
        f"*{claim_of(page)}*",
        f"[Open the page]({link}){{ .md-button .md-button--primary }}"
        + (
            "".join(
                f" [Try it here](../{TRIED}/{page.path}/index.html){{ .md-button }}"
                for each in pages_tried()
                if each.page == page
            )
        ),
        f"[![The page {plain(page.title)}](../{main_picture(page, taken)})]({link})",
        f"## What it shows\n\n{page.shows[0].upper()}{page.shows[1:]}.",
    ]
    if tours := [tour for tour in TOURS.values() if any(step.page == page.path for step in tour.steps)]:
        parts.append(
            "Tours: " + ", ".join(f"[{tour.title}](../tours/{tour.name}.md)" for tour in tours) + "."
        )
    if page.path == "tours":
        parts.append("All of them are [here](../tours/index.md).")
    if cards := cards_of(page):
        parts.append("## Examples\n\n" + grid([card_text(app, page, each) for each in cards]))
    return "\n\n".join(parts) + "\n"


def try_text() -> str:
    """The way to the pages that run in the browser."""
    rows = [
        f"| [{plain(each.page.title)}]({TRIED}/{each.page.path}/index.html) | {plain(each.claim)} |"
        for each in pages_tried()
    ]
    return (
        f"# Try it\n\n[Start]({TRIED}/index.html){{ .md-button .md-button--primary }}\n\n"
        "These pages run real models where you read this: nothing is installed, and nothing that you type leaves the page. They "
        "are what [`tlmviz site`](docs/static.md) writes, and ask for a server: from a disk browsers load no scripts.\n\n"
        "| page | what it shows |\n| --- | --- |\n" + "\n".join(rows) + "\n"
    )


def pages_tried() -> list[site_pages.SitePage]:
    """The pages that run in the browser, but for Start."""
    return [each for each in site_pages.site_pages() if each.page.folder != FIRST]


def step_link(app: str, tour: Tour, number: int) -> str:
    """The link of a step, counted from 1, as the app's own bar writes it."""
    step = tour.steps[number - 1]
    query = {**step.link, TOUR.key: tour.name} | ({STEP.key: str(number)} if number != STEP.default else {})
    return app_link(app, PATHS[step.page], query)


def step_text(app: str, tour: Tour, number: int) -> str:
    """One step of a tour; the answer to its question is measured in the app and stands nowhere."""
    shown: Step = tour.steps[number - 1]
    where = PATHS[shown.page]
    parts = [f"## {number}. {plain(shown.title)}", shown.says]
    if asked := shown.question:
        answers = "\n".join(f"    - {answer}" for answer in asked.answers)
        parts.append(f'!!! question "{plain(asked.asks).replace(chr(34), "”")}"\n\n{answers}')
    parts.append(
        f"[Open this step]({step_link(app, tour, number)}) on the page [{where.title}](../pages/{where.path}.md)"
    )
    return "\n\n".join(parts)


def tour_text(app: str, tour: Tour) -> str:
    """A tour as a page."""
    head = f"# {tour.title}\n\n{tour.says}\n\n*{len(tour.steps)} steps, about {tour.minutes} minutes.*"
    begin = f"[Begin]({step_link(app, tour, 1)}){{ .md-button .md-button--primary }}"
    note = "Answers are not on this page: the app measures them on the models when you give yours."
    steps = (step_text(app, tour, number) for number in range(1, len(tour.steps) + 1))
    return "\n\n".join([head, begin, note, *steps]) + "\n"


def tours_text() -> str:
    """The list of tours."""
    cards = [
        f"**[{tour.title}]({tour.name}.md)**\n\n{tour.says}\n\n{len(tour.steps)} steps, about {tour.minutes} minutes"
        for tour in TOURS.values()
    ]
    return "# Tours\n\nGuided walks through the pages of the app.\n\n" + grid(cards)


def gallery_text(app: str) -> str:
    """All cards of all pages."""
    parts = [
        "# Gallery",
        "Every picture is drawn from the models, and leads to the page in the state that it shows.",
    ]
    for chapter, pages in SECTIONS.items():
        shown = [(each, cards) for each in pages if (cards := cards_of(each))]
        if shown:
            parts.append(f"## {chapter}")
        for each, cards in shown:
            parts.append(
                f"### [{each.title}](../pages/{each.path}.md)\n\n"
                + grid([card_text(app, each, one) for one in cards])
            )
    return "\n\n".join(parts) + "\n"


def name_text(name: str) -> str:
    """The page of a public name, which mkdocstrings fills from its docstrings."""
    return f"::: tlmviz.{name}\n"


def names_text() -> str:
    """The list of public names, each with its docstring's first sentence."""
    rows = [f"| [`tlmviz.{name}`]({name}.md) | {plain(first_sentence(name))} |" for name in tlmviz.__all__]
    said = "All that is public, and the [errors](errors.md) it raises; the start page shows how it is used."
    return "# Python\n\n" + said + "\n\n| name | what it is |\n| --- | --- |\n" + "\n".join(rows) + "\n"


def first_sentence(name: str) -> str:
    """The first sentence of a public name's docstring."""
    text = " ".join((getattr(tlmviz, name).__doc__ or "").split())
    return re.split(r"(?<=[.:])\s", text)[0]


def table_text() -> str:
    """docs/pages.md, its table leading to the pages of the site."""
    return with_table(DOCUMENT.read_text(encoding="utf-8"), lambda page: f"../pages/{page.path}.md")


def site(app: str = APP, taken: frozenset[str] = frozenset()) -> dict[str, str]:
    """Every generated file: its path on the site -> its Markdown. Pages whose picture was `taken` show that one."""
    files = {"README.md": (ROOT / "README.md").read_text(encoding="utf-8"), "docs/pages.md": table_text()}
    files |= {"gallery/index.md": gallery_text(app)}
    files |= {"tours/index.md": tours_text(), "api/index.md": names_text()}
    files |= {f"pages/{each.path}.md": page_text(app, each, taken) for each in ALL}
    files |= {f"tours/{each.name}.md": tour_text(app, each) for each in TOURS.values()}
    files |= {f"api/{name}.md": name_text(name) for name in tlmviz.__all__}
    files[TRY] = try_text()
    files["api/errors.md"] = "::: tlmviz.errors\n"
    return files


def nav(documents: list[str]) -> Nav:
    """The site's menu; `documents` are the paths of the documents that are copied."""
    models = [path for path in documents if path.startswith("models/")]
    return [
        {"Start": "README.md"},
        {"Try it": TRY},
        {"Tours": ["tours/index.md", *({each.title: f"tours/{each.name}.md"} for each in TOURS.values())]},
        {
            "Pages": [
                "docs/pages.md",
                *(
                    {chapter: [{each.title: f"pages/{each.path}.md"} for each in some]}
                    for chapter, some in SECTIONS.items()
                ),
            ]
        },
        {"Gallery": "gallery/index.md"},
        {
            "Python": [
                "api/index.md",
                *({name: f"api/{name}.md"} for name in tlmviz.__all__),
                {"Errors": "api/errors.md"},
            ]
        },
        {"Guides": [path for path in documents if path not in models]},
        {"Models": [{Path(path).parent.name: path} for path in models]},
    ]
