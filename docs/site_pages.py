"""The generated pages of the documentation site as Markdown: pages of the app, lessons, the gallery, the Python API.

Nothing is written by hand here: words come from the tables that the app itself is drawn from. `docs.build_site` writes
the files, beside copies of the documents at their own paths, so that links between documents hold on the site too.
"""

from __future__ import annotations

import functools
import re
from pathlib import Path
from typing import Any
from urllib.parse import urljoin, urlsplit

import tlmviz
from pages import ALL, FIRST, HOME, SECTIONS, Page
from tlmviz.shots import read_link
from tlmviz.site import pages as site_pages
from tlmviz.ui.gallery import Card
from tlmviz.ui.handoff import address
from tlmviz.ui.lessons import runner
from tlmviz.ui.lessons.parts import Lesson
from tlmviz.ui.lessons.table import LESSONS
from tlmviz.ui.menu import MENUS

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


def page_text(app: str, page: Page, taken: frozenset[str] = frozenset()) -> str:
    """One page of the app: its claim, its picture, what it shows, the lessons that lead to it, and its examples."""
    link = app_link(app, page, query_of(pictures(page)[0]))
    parts = [
        f"# {page.title}",
        f"*{page.claim}*",
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
    if lessons := [lesson for lesson in LESSONS.values() if page.path in pages_behind(lesson)]:
        parts.append("Lessons: " + ", ".join(f"[{each.title}](../lessons/{each.name}.md)" for each in lessons) + ".")
    if page.path == runner.PATH:
        parts.append("All of them are [here](../lessons/index.md).")
    if cards := cards_of(page):
        parts.append("## Examples\n\n" + grid([card_text(app, page, each) for each in cards]))
    return "\n\n".join(parts) + "\n"


def try_text() -> str:
    """The way to the pages that run in the browser."""
    rows = [
        f"| [{plain(each.page.title)}]({TRIED}/{each.page.path}/index.html) | {plain(each.page.claim)} |"
        for each in pages_tried()
    ]
    return (
        f"# Try it\n\n[Start]({TRIED}/index.html){{ .md-button .md-button--primary }}\n\n"
        "These pages run real models where you read this: nothing is installed, and nothing that you type leaves the "
        "page. They are what [`tlmviz site`](docs/static.md) writes, and ask for a server: from a disk browsers load "
        "no scripts.\n\n| page | what it shows |\n| --- | --- |\n" + "\n".join(rows) + "\n"
    )


def pages_tried() -> list[site_pages.SitePage]:
    """The pages that run in the browser, but for Start."""
    return [each for each in site_pages.site_pages() if each.page.folder != FIRST]


@functools.cache
def scenes_of(name: str) -> list[dict[str, Any]]:
    """The scenes of a lesson as the app has them, measured on its model."""
    scenes: list[dict[str, Any]] = runner.payload(LESSONS[name])["scenes"]
    return scenes


def pages_behind(lesson: Lesson) -> set[str]:
    """The paths of the pages that a lesson's scenes are of."""
    home = HOME.rpartition("/")[2]
    return {urlsplit(scene["behind"]).path.strip("./") or home for scene in scenes_of(lesson.name)}


def scene_text(app: str, lesson: Lesson, number: int) -> str:
    """One scene of a lesson; its answer is measured in the app and stands nowhere."""
    scene = scenes_of(lesson.name)[number - 1]
    parts = [f"## {number}", scene["says"]]
    if scene["act"]["kind"] == "choose":
        parts.append("\n".join(f"- {plain(answer)}" for answer in scene["answers"]))
    query = {"lesson": lesson.name} | ({"scene": str(number)} if number > 1 else {})
    parts.append(f"[Open this scene]({app_link(app, PATHS[runner.PATH], query)})")
    return "\n\n".join(parts)


def lesson_text(app: str, lesson: Lesson) -> str:
    """A lesson as a page."""
    scenes = len(scenes_of(lesson.name))
    head = f"# {lesson.title}\n\n{lesson.says}\n\n*{scenes} scenes, about five minutes.*"
    begin = f"[Begin]({app_link(app, PATHS[runner.PATH], {'lesson': lesson.name})}){{ .md-button .md-button--primary }}"
    note = "Answers are not on this page: the app measures them on the models when you give yours."
    return "\n\n".join([head, begin, note, *(scene_text(app, lesson, n) for n in range(1, scenes + 1))]) + "\n"


def lessons_text() -> str:
    """The list of lessons."""
    cards = [f"**[{each.title}]({each.name}.md)**\n\n{each.says}" for each in LESSONS.values()]
    return "# Lessons\n\nOne picture, one sentence and one question at a time, about five minutes each.\n\n" + grid(
        cards
    )


def gallery_text(app: str) -> str:
    """All cards of all pages."""
    parts = ["# Gallery", "Every picture is drawn from the models, and leads to the page in the state that it shows."]
    for chapter, pages in SECTIONS.items():
        shown = [(each, cards) for each in pages if (cards := cards_of(each))]
        if shown:
            parts.append(f"## {chapter}")
        for each, cards in shown:
            parts.append(
                f"### [{each.title}](../pages/{each.path}.md)\n\n" + grid([card_text(app, each, one) for one in cards])
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
    files |= {"lessons/index.md": lessons_text(), "api/index.md": names_text()}
    files |= {f"pages/{each.path}.md": page_text(app, each, taken) for each in ALL}
    files |= {f"lessons/{each.name}.md": lesson_text(app, each) for each in LESSONS.values()}
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
        {"Lessons": ["lessons/index.md", *({each.title: f"lessons/{each.name}.md"} for each in LESSONS.values())]},
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
