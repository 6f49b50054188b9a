"""What tests of pages do alike: open one, look at its pictures and words, run its snippet, stand in for its models."""

import contextlib
import json
from pathlib import Path

import plotly.graph_objects as go
import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from tlmviz.checkpoints import native as zoo
from tlmviz.ui.below import PAINTED
from tlmviz.ui.visit import ARRIVED

ROOT = Path(__file__).resolve().parents[2]
MAIN = ROOT / "pages" / "main.py"
PATIENCE = 300  # seconds: a busy machine is slow, not broken
SENT = 1_500_000  # characters that the pictures of a page may have
SHOWN = "figures shown"
READING = "_link_read"  # the slot of the reading level


def _app(file: Path, query: dict | None, session: dict) -> AppTest:
    app = AppTest.from_file(file, default_timeout=PATIENCE)
    app.session_state[PAINTED] = True  # no browser will say so
    app.session_state[ARRIVED] = True  # as if the page Start had been left
    app.session_state[READING] = "maths"  # all that a page has to say
    for name, value in session.items():
        app.session_state[name] = value
    app.query_params.update(query or {})
    return app


def open_page(page: str, query: dict | None = None, **session) -> AppTest:
    """A page of the app, gone to from the app's first page; the link has `query` from the start."""
    return _app(MAIN, query, session).run().switch_page(f"{page}/page.py").run()


def open_alone(page: str, query: dict | None = None, **session) -> AppTest:
    """A page without the app around it."""
    return _app(ROOT / "pages" / page / "page.py", query, session).run()


def follow_link(page: str, query: dict, from_the_start: bool = False, **session) -> AppTest:
    """A page of the open app with `query` in its link, which the app was opened with too if `from_the_start`."""
    app = _app(MAIN, query if from_the_start else None, session).run().switch_page(f"{page}/page.py")
    app.query_params.update(query)
    return app.run()


def assert_healthy(app: AppTest) -> None:
    """Neither a traceback nor an error message."""
    assert not app.exception, [error.message for error in app.exception]
    assert not app.error, [error.value for error in app.error]


def charts(app: AppTest) -> list[dict]:
    """Every figure of a page that has no error, as sent, in the page's order."""
    assert_healthy(app)
    specs = [element.proto.spec for element in app.get("plotly_chart")]
    assert sum(map(len, specs)) < SENT
    return [json.loads(spec) for spec in specs]


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
    """Run a page's last code in `folder`; returns its variables, and under SHOWN the figures it would have shown."""
    shown: list[go.Figure] = []
    scope: dict = {SHOWN: shown}
    with pytest.MonkeyPatch.context() as patch, contextlib.chdir(folder):
        patch.setattr(go.Figure, "show", lambda figure: shown.append(figure))
        exec(app.code[-1].value, scope)
    return scope


@contextlib.contextmanager
def only_models(networks: dict, tokenizer, folder: Path):
    """Folders of these networks, by name, in place of the bundled models; what was cached of either is forgotten."""
    for name, network in networks.items():
        zoo.save_network(folder / name, network, tokenizer)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TLMVIZ_MODELS", str(folder))
        _forget()
        yield folder
    _forget()


def _forget() -> None:
    st.cache_data.clear()
    st.cache_resource.clear()
