"""Views in links: what goes out comes back, and nonsense comes back as the default."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tlmviz.ui import link
from tlmviz.ui.link import FIELDS, ORDERS, STAGES, Field, View

heads = st.tuples(st.integers(0, 40), st.integers(0, 40))
views = st.builds(
    View,
    head=heads,
    query=st.none() | st.integers(0, 2000),
    key=st.none() | st.integers(0, 2000),
    stage=st.sampled_from(STAGES),
    log=st.booleans(),
    mode=st.sampled_from(["map", "arcs"]),
    order=st.sampled_from(ORDERS),
    overlay=st.lists(heads, max_size=8).map(tuple),
    find=st.text(st.characters(codec="utf-8"), max_size=40),
    mute=st.sets(heads, max_size=8).map(sorted).map(tuple),
)


class Params(dict):
    """A link's keys, each with one value or a list of several."""

    def get_all(self, key: str) -> list[str]:
        value = self.get(key, [])
        return value if isinstance(value, list) else [value]


@pytest.fixture
def session(monkeypatch):
    """A session whose state and link are dictionaries; returns the link."""
    params = Params()
    monkeypatch.setattr(link.st, "session_state", {})
    monkeypatch.setattr(link.st, "query_params", params)
    return params


def opened(params: dict[str, str]) -> View:
    """The view of a session that was opened by a link."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(link.st, "session_state", {})
        patch.setattr(link.st, "query_params", Params(params))
        return link.view()


@given(views)
def test_a_view_survives_the_link(view):
    with pytest.MonkeyPatch.context() as patch:
        params = Params()
        patch.setattr(link.st, "session_state", {})
        patch.setattr(link.st, "query_params", params)
        link.remember(view)
        link.share()
    assert opened(params) == view


def test_a_key_that_a_menu_of_several_repeats_is_read_whole():
    assert opened({"mute": ["5.4", "3.0"]}).mute == opened({"mute": "3.0,5.4,5.4"}).mute == ((3, 0), (5, 4))


def test_defaults_stay_out_of_the_link(session):
    link.remember(View(log=True))
    link.share()
    assert session == {"log": "1"}
    link.remember(View())
    link.share()
    assert session == {}


def test_a_link_is_read_once(session):
    field = Field("step", 0, link.whole(0, 80))
    session["step"] = "200"
    assert field.get() == 80
    field.set(3)
    session["step"] = "7"
    assert field.get() == 3
    field.share(hide=True)
    assert session == {}


@pytest.mark.parametrize("text", ["", "x", "-1", "1.5", "٣", "9" * 30, "nan", "\x00"])
def test_nonsense_in_a_link_is_the_default(session, text):
    session["step"] = text
    assert Field("step", 4, link.whole(0, 80)).get() == 4
    session["word"] = text
    assert Field("word", "a", link.choice(("a", "b"))).get() == "a"


@pytest.mark.parametrize(("text", "value"), [("2.5", 2.5), ("1e9", 10.0), ("-inf", 0.0), ("nan", 1.0), ("two", 1.0)])
def test_numbers_are_clipped(session, text, value):
    session["alpha"] = text
    assert Field("alpha", 1.0, link.real(0, 10)).get() == value


@given(views)
def test_a_view_survives_the_browser(view):
    assert View.received(view.sent()) == view


SENT = View().sent()


@pytest.mark.parametrize(
    "sent",
    [
        None,
        "view",
        [1],
        {},
        {"layer": 1},
        SENT | {"query": "first"},
        SENT | {"mute": [[1]]},
        SENT | {"head": float("inf")},
    ],
    ids=str,
)
def test_what_is_no_view_changes_nothing(monkeypatch, sent):
    kept = []
    monkeypatch.setattr(link, "remember", kept.append)
    for found in (sent, SENT | {"query": 3}):
        monkeypatch.setattr(link.st, "session_state", {"picture": {"view": found}})
        link.remember_sent("picture")
    assert kept == [View(query=3)]


@given(st.dictionaries(st.sampled_from(list(FIELDS)), st.text(max_size=12)))
def test_any_link_gives_a_view_that_fits(params):
    fitted = opened(params).fitted(layers=4, heads=4, tokens=10)
    assert fitted.head[0] < 4 and fitted.head[1] < 4
    assert fitted.query is None or 0 <= fitted.query < 10
    assert fitted.key is None or fitted.query is not None
    assert fitted.stage in STAGES and fitted.order in ORDERS and fitted.mode in ("map", "arcs")


def test_pins_outside_the_text_are_dropped():
    assert View(query=12, key=3).fitted(2, 2, tokens=10) == View()
    assert View(query=3, key=12).fitted(2, 2, tokens=10) == View(query=3)
