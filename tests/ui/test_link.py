"""Views in links: what goes out comes back, and nonsense comes back as the default."""

from dataclasses import fields

from hypothesis import given
from hypothesis import strategies as st

from tlmviz.ui.link import ORDERS, STAGES, View, _parse, _write

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
)


@given(views)
def test_a_view_survives_the_link(view):
    texts = {field.name: _write(getattr(view, field.name)) for field in fields(View)}
    assert _parse({name: text for name, text in texts.items() if text}) == view


@given(views)
def test_a_view_survives_the_browser(view):
    assert View.received(view.sent()) == view


@given(st.dictionaries(st.sampled_from([field.name for field in fields(View)]), st.text(max_size=12)))
def test_any_link_gives_a_view_that_fits(params):
    fitted = _parse(params).fitted(layers=4, heads=4, tokens=10)
    assert fitted.head[0] < 4 and fitted.head[1] < 4
    assert fitted.query is None or 0 <= fitted.query < 10
    assert fitted.key is None or fitted.query is not None
    assert fitted.stage in STAGES and fitted.order in ORDERS and fitted.mode in ("map", "arcs")


def test_pins_outside_the_text_are_dropped():
    assert View(query=12, key=3).fitted(2, 2, tokens=10) == View()
    assert View(query=3, key=12).fitted(2, 2, tokens=10) == View(query=3)
