"""Every part of every page in one session: at both levels, its snippet run, in the pseudo-language, and by a hostile
link."""

import contextlib
import io
import random
import re
from collections.abc import Iterator

import pytest

from pages import ALL
from tlmviz.ui import link
from tlmviz.ui.language import LANGUAGE
from tlmviz.ui.state import UNREADABLE

from .helpers import (
    HOSTILE,
    OTHERWISE,
    ROOT,
    SHOWN,
    arrive,
    assert_healthy,
    badges,
    change,
    charts,
    controls_of,
    link_of,
    open_page,
    part_menus,
    parts_of,
    run_snippet,
    views,
    words,
)
from .states import offered, to_do

SCHOLARLY = re.compile(r"\bEq\. ?\d|\bsections? \d|\b[Tt]he (?:lecture )?notes\b|et al\.")
NAMED = re.compile(r"(?<!\*)\*([^*]+)\*(?!\*)")  # in a hint: a control, or what it offers
SPEECHLESS = {"start/glossary", "start/lessons", "start/room", "start/start", "start/train"}  # pages without a snippet


def _cases():
    """A page and what a link to one of its parts says; the part that a page opens at is its launch."""
    for page in ALL:
        for number, part in enumerate(parts_of(page.folder)):
            name = "-".join((page.folder, *part.values()))
            yield pytest.param(page, part, id=name, marks=[] if number else pytest.mark.launch)


@pytest.mark.parametrize("page, part", list(_cases()))
def test_a_part_opens_as_whatever_it_is_asked_for(page, part, tmp_path, monkeypatch):
    monkeypatch.setattr("tlmviz.ui.guess.Question", None)  # nobody guesses: who made a question would fail
    app = open_page(page.folder, part)
    charts(app)  # without an error, few bytes, and every property of them valid
    [heading] = [each.value for each in app.markdown if each.value.startswith("# ")]
    assert page.title.lower() in heading.lower()
    assert "red-badge" not in badges(app) and "✗" not in badges(app)
    _hints_at_what_is_there(app, page)
    assert not [*_above_their_picture(app.main, ())], "on a phone these stand before the picture"
    assert bool(app.code) == (page.folder not in SPEECHLESS)
    if app.code:
        with contextlib.redirect_stdout(io.StringIO()) as printed:
            shown = run_snippet(app, tmp_path)[SHOWN]
        assert shown or printed.getvalue().strip() or [*tmp_path.iterdir()], "it says nothing"
    _is_plain(change(app, read="plain"), page)
    _is_translated(change(app, lang="en-XA"))
    _refuses(app, page, part)


def _hints_at_what_is_there(app, page) -> None:
    """What a hint names is a control of the page, an option that is not chosen, or a text of its pictures."""
    names, chosen = offered(app)
    scripts = [script.read_text(encoding="utf-8") for script in (ROOT / "pages" / page.folder).rglob("*.js")]
    drawn = [part.proto.bytes.decode(errors="ignore") for part in views(app)]
    for name in NAMED.findall(to_do(app)):
        there = name not in chosen if name in names else any(name in text for text in (*scripts, *drawn))
        assert there, (name, to_do(app))


def _above_their_picture(block, around: tuple[str, ...]) -> Iterator[str]:
    """Controls that a first look can do without, outside of the container in which a phone has them last."""
    for child in getattr(block, "children", {}).values():
        name = getattr(child.proto, "id", "")
        if "-after-picture" in name and not any(each.endswith("-picture-first") for each in around):
            yield name
        yield from _above_their_picture(child, (*around, name))


def _is_plain(app, page) -> None:
    """No equation, no number of one, nor what some notes print."""
    assert_healthy(app)
    told = words(app)
    subject = page.folder.startswith("notation/")  # formulas are what these pages show
    assert (subject or not app.latex) and not SCHOLARLY.findall(told), SCHOLARLY.findall(told)


def _is_translated(app) -> None:
    """Claims, labels and tables are in the pseudo-language."""
    assert_healthy(app)
    assert "í" in words(app)
    assert not [slider.label for slider in app.slider if slider.label.isascii()]


def _refuses(app, page, part) -> None:
    """A link with another hostile text for every key is said to be one, and nothing is raised.

    The part stays, but for the one that a page opens at, whose key is hostile too.
    """
    controls = controls_of(page.folder)
    chance = random.Random(f"{page.folder} {part}")
    texts = {key: chance.choice(_cheap(controls.get(key))) for key in sorted({*controls, *link.FIELDS})}
    if part != parts_of(page.folder)[0]:
        texts |= part
    arrive(app, texts | {LANGUAGE.key: "en"})
    assert not app.exception, [error.message for error in app.exception]
    assert len(app.error) <= 1
    said = link_of(app)
    for key, control in controls.items():
        assert key not in said or control.write(control.parse(said[key])) == said[key], key
    if any(_unreadable(control, texts[key]) for key, control in controls.items()):
        assert any("cannot be shown here" in warning.value for warning in app.warning)


def _cheap(control) -> list[str]:
    """The texts but those that a number's field reads as its largest, with which a page may compute for minutes."""
    most = control.ends[-1] if control and control.ends else None
    if not isinstance(most, (int, float)) or isinstance(most, bool):
        return list(HOSTILE)
    return [text for text in HOSTILE if _unreadable(control, text) or control.parse(text) < most]


def _unreadable(control, text: str) -> bool:
    try:
        control.parse(text)
    except UNREADABLE:
        return True
    return False


def test_every_part_is_found():
    """A folder with a view inside a page's is a part of it, and a menu with a label of its own is the one of its
    page."""
    for page in ALL:
        inside = {file.parent for file in (ROOT / "pages" / page.folder).glob("*/view.py")}
        assert len(inside) <= len(parts_of(page.folder)), (page.folder, inside)
    assert {page: [menu.key for menu in part_menus(page)] for page in OTHERWISE} == {
        page: [key] for page, key in OTHERWISE.items()
    }


@pytest.mark.parametrize("page", [page.folder for page in ALL])
def test_a_model_with_steps_of_its_training_opens_wherever_it_can(page):
    """Its slider stands above the page's own controls."""
    app = open_page(page, {"model": "stories-induction@1350"})
    assert not app.exception, [error.message for error in app.exception]
