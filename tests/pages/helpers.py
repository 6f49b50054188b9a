"""What tests of pages do alike: open one, look at its pictures and words, run its snippet, stand in for its models."""

import contextlib
import functools
import importlib
import json
from collections.abc import Callable, Iterable
from contextvars import ContextVar
from pathlib import Path

import numpy as np
import pandas as pd
import plotly.graph_objects as go
import pytest
from streamlit.runtime.caching import cache_data_api, cache_resource_api
from streamlit.testing.v1 import AppTest

import pages
from pages import HOME
from tlmviz.checkpoints import native as zoo
from tlmviz.checks import Check
from tlmviz.ui import compute, frame, language
from tlmviz.ui.address import OWNER, SLOT
from tlmviz.ui.components.attention_view import pack
from tlmviz.ui.components.chart import NAME as CHART
from tlmviz.ui.deferred import PAINTED
from tlmviz.ui.live import Picture
from tlmviz.ui.state import UNREADABLE, Control, Menu, State
from tlmviz.ui.visit import ARRIVED

from ..packed import unpacked

ROOT = Path(__file__).resolve().parents[2]
MAIN = ROOT / "pages" / "main.py"
PATIENCE = 300  # seconds: a busy machine is slow, not broken
SENT = 1_500_000  # bytes that the pictures of a page may have
SHOWN = "figures shown"
READING = "_link_read"  # the slot of the reading level
PLAIN = "start/lessons"  # the page that an app of the tests begins at: it draws no picture
PARTED = "View", "Part"  # what menus of a page's parts are labelled
# Pages whose menu of parts has another label.
OTHERWISE = {"workbench/compare": "cmpview", "workbench/doctor": "drview"}
# What a link may say of any field.
HOSTILE = ("", "x", "-1", "1e400", "nan", "9" * 30, "<b>", "[]", "\u0663", "None", "5.5", "99.99", "99999", "😀" * 50)


def _app(file: Path, query: dict | None, session: dict) -> AppTest:
    app = AppTest.from_file(file, default_timeout=PATIENCE)
    app.session_state[PAINTED] = True  # no browser will say so
    app.session_state[ARRIVED] = True  # as if the page Start had been left
    app.session_state[READING] = "maths"  # all that a page has to say
    for name, value in session.items():
        app.session_state[name] = value
    app.query_params.update(query or {})
    return app


def _begun(page: str, query: dict | None, session: dict) -> AppTest:
    """The app at its first page, on the way to another. Drawing the explorer first would cost more than most pages
    do."""
    app = _app(MAIN, query, _chosen(page, session))
    with pytest.MonkeyPatch.context() as patch:
        if page != pages.HOME:
            patch.setattr(pages, "HOME", PLAIN)
        return app.run()


def states_of(page: str) -> list[type[State]]:
    """The states' classes of a declared page, its parts' too; none of another page."""
    found: list[type[State]] = []
    for file in sorted((ROOT / "pages" / page).rglob("state.py")):
        module = importlib.import_module(".".join(file.relative_to(ROOT).with_suffix("").parts))
        own = [each for each in vars(module).values() if isinstance(each, type) and each.__module__ == module.__name__]
        found += [each for each in own if issubclass(each, State)]
    return found


def controls_of(page: str) -> dict[str, Control]:
    """Key -> control of a declared page."""
    return {control.key: control for state in states_of(page) for control in state.controls.values()}


def part_menus(page: str) -> list[Menu]:
    """The menus by which a page and its parts choose what is open, the page's own first; none of a page without
    parts."""
    own = f"pages.{page.replace('/', '.')}.state"
    states = sorted(states_of(page), key=lambda state: state.__module__ != own)
    controls = [control for state in states for control in state.controls.values()]
    return [
        each
        for each in controls
        if isinstance(each, Menu) and (each.label in PARTED or each.key == OTHERWISE.get(page))
    ]


def parts_of(page: str) -> list[dict[str, str]]:
    """What a link says to open each part of a page, the one that it opens at first; of a page without parts,
    nothing."""
    menu, *_ = part_menus(page) or [None]
    if menu is None:
        return [{}]
    return [{menu.key: menu.write(each)} for each in sorted(menu.options, key=lambda each: each != menu.default)]


def _chosen(page: str, session: dict) -> dict:
    """What a session holds where a user has set these widgets: a declared page's values lie under names of their own.

    A value may be spelled as a link spells it.
    """
    controls, found = controls_of(page), {}
    for key, value in session.items():
        if key in controls:
            with contextlib.suppress(*UNREADABLE):
                value = controls[key].parse(value) if isinstance(value, str) else value
        found[f"{SLOT}{key}" if key in controls else key] = value
    return found


def link_of(app: AppTest) -> dict[str, str]:
    """What the address of a declared page says."""
    said = app.session_state["_address"]
    return {key: text for key, (text, default, _) in said.items() if not default}


def open_page(page: str, query: dict | None = None, **session) -> AppTest:
    """A page of the app, gone to from the app's first page; the link has `query` from the start."""
    if page == HOME:  # it is there from the start
        return _begun(page, query, session)
    app = _begun(page, None if states_of(page) else query, session).switch_page(f"{page}/page.py")
    app.query_params.update(query or {})
    return app.run()


def open_alone(page: str, query: dict | None = None, **session) -> AppTest:
    """A page without the app around it."""
    return _app(ROOT / "pages" / page / "page.py", query, _chosen(page, session)).run()


def change(app: AppTest, read: str = "maths", lang: str = "en") -> AppTest:
    """An open page at another reading level or in another language, in the same session."""
    app.session_state[READING] = read
    app.session_state[f"{SLOT}{language.LANGUAGE.key}"] = lang
    return app.run()


def arrive(app: AppTest, query: dict) -> AppTest:
    """An open page that is gone to once more, by a link that says `query`, in the same session."""
    spoken = app.session_state[f"{SLOT}{language.LANGUAGE.key}"]
    del app.session_state[OWNER]
    app.query_params.update(query)
    with pytest.MonkeyPatch.context() as patch:  # AppTest looks for what menus hold among the words that they show
        patch.setattr(language, "_CHOSEN", ContextVar("spoken", default=language._CATALOGUES[spoken]))
        return app.run()


def follow_link(page: str, query: dict, from_the_start: bool = False, **session) -> AppTest:
    """A page of the open app with `query` in its link, which the app was opened with too if `from_the_start`."""
    if page == HOME:
        return open_page(page, query, **session)
    app = _begun(page, query if from_the_start else None, session).switch_page(f"{page}/page.py")
    app.query_params.update(query)
    return app.run()


def assert_healthy(app: AppTest) -> None:
    """Neither a traceback nor an error message."""
    assert not app.exception, [error.message for error in app.exception]
    assert not app.error, [error.value for error in app.error]


def charts(app: AppTest) -> list[dict]:
    """Every figure of a page that has no error, as sent, in the page's order."""
    assert_healthy(app)
    assert chart_size(app) < SENT
    return [json.loads(part.proto.bytes)["figure"] for part in chart_parts(app)]


def chart_parts(app: AppTest) -> list:
    """Every chart of a page, as the element that was sent."""
    return [part for part in app.get("bidi_component") if part.proto.component_name.endswith(CHART)]


def chart_size(app: AppTest) -> int:
    """Bytes that the charts of a page have together."""
    return sum(len(part.proto.bytes) for part in chart_parts(app))


def views(app: AppTest) -> list:
    """Every other component of a page."""
    return [part for part in app.get("bidi_component") if not part.proto.component_name.endswith(CHART)]


def sent(app: AppTest, *names: str) -> bytes:
    """What the one picture of a page without an error was sent; of several, the one of a component whose name ends
    so."""
    assert_healthy(app)
    [data] = [
        part.proto.bytes for part in views(app) if part.proto.bytes and part.proto.component_name.endswith(names or "")
    ]
    return data


def picture(app: AppTest, *names: str) -> tuple[dict, dict[str, np.ndarray]]:
    """Its header and arrays."""
    return unpacked(sent(app, *names))


def header_of(app: AppTest, *names: str) -> dict:
    """Its header."""
    return picture(app, *names)[0]


def title_of(chart: dict) -> str:
    """A figure's title; empty where it has none."""
    return chart["layout"].get("title", {}).get("text") or ""


def by_title(app: AppTest) -> dict[str, dict]:
    """Every figure of a page that has no error, by its title."""
    return {title_of(chart): chart for chart in charts(app)}


def words(app: AppTest) -> str:
    """All text and captions."""
    return " ".join(part.value for part in (*app.markdown, *app.caption))


def badges(app: AppTest) -> str:
    """The text that has badges in it."""
    return " ".join(markdown.value for markdown in app.markdown if "badge[" in markdown.value)


def run_snippet(app: AppTest, folder: Path = ROOT) -> dict:
    """Run a page's last code, as `run_code` does."""
    return run_code(app.code[-1].value, folder)


def run_code(code: str, folder: Path = ROOT) -> dict:
    """Run a snippet in `folder`; returns its variables, and under SHOWN the figures it would have shown."""
    shown: list[go.Figure] = []
    scope: dict = {SHOWN: shown}
    with pytest.MonkeyPatch.context() as patch, contextlib.chdir(folder):
        patch.setattr(go.Figure, "show", lambda figure: shown.append(figure))
        exec(code, scope)
    return scope


def drawn(draw: Callable[..., None], *data) -> bytes:
    """What the live picture of a view is sent of a page's data, without an app; `unpacked` has its header and
    arrays."""
    found: list[bytes] = []
    chosen = getattr(data[0], "chosen", None)
    values = {control.key: getattr(chosen, name) for name, control in getattr(chosen, "controls", {}).items()}

    def show(picture: Picture, header, arrays) -> None:
        state = {name: values.get(field.key, field.default) for name, field in picture.fields.items()}
        found.append(pack({**header, "state": state}, arrays))

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Picture, "show", show)
        draw(*data)
    [sent] = found
    return sent


def charted(draw: Callable[..., object], *data) -> dict[str, dict]:
    """The figures that a view draws of a page's data, without an app, by title, as `by_title` has those of an app."""
    found: list[dict] = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(frame, "chart", lambda figure, **_: found.append(json.loads(figure.to_json())))
        draw(*data)
    return {title_of(chart): chart for chart in found}


def tabled(draw: Callable[..., object], *data) -> list[pd.DataFrame]:
    """The tables that a view draws of a page's data, without an app."""
    found: list[pd.DataFrame] = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(frame, "table", lambda rows, *_, **__: found.append(pd.DataFrame(rows)))
        draw(*data)
    return found


def green(checks: Iterable[Check]) -> bool:
    """Whether identities were measured, and all hold."""
    found = list(checks)
    return bool(found) and all(check.passed for check in found)


@contextlib.contextmanager
def anew():
    """Nothing is cached at first; afterwards all is that was before, and nothing that came in between."""
    with pytest.MonkeyPatch.context() as patch:
        for caches in (cache_data_api._data_caches, cache_resource_api._resource_caches):
            patch.setattr(caches, "_function_caches", {})
        patch.setattr(compute, "size", functools.cache(compute.size.__wrapped__))
        yield


@contextlib.contextmanager
def only_models(networks: dict, tokenizer, folder: Path):
    """Folders of these networks, by name, in place of the bundled models, and nothing that was cached of those."""
    for name, network in networks.items():
        zoo.save_network(folder / name, network, tokenizer)
    with anew(), pytest.MonkeyPatch.context() as patch:
        patch.setenv("TLMVIZ_MODELS", str(folder))
        yield folder
