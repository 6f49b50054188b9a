"""Where a hint leads."""

from dataclasses import dataclass, replace

from tlmviz.ui import state
from tlmviz.ui.hints import OWN_TEXT, first, to, where, within
from tlmviz.ui.inputs import DEFAULT_TEXT


class Inner(state.State):
    size = state.slider("Size", 1, 9, 3, key="hintsize")


class Outer(state.State):
    text: str
    inner: Inner
    name = state.text("Name", "ball", key="hintname")


@dataclass(frozen=True)
class Data:
    chosen: Outer
    most: int = 7


START = Outer(text=DEFAULT_TEXT, inner=Inner(size=3), name="ball")


def test_values_and_functions_of_the_data_are_put_into_the_state_or_what_it_holds():
    assert to(name="hat")(Data(START)) == replace(START, name="hat")
    larger = to("inner", size=lambda data: data.most)
    assert larger(Data(START)) == replace(START, inner=Inner(size=7))
    assert larger(Data(replace(START, inner=Inner(size=7)))) is None, "it is done"
    assert to("inner", size=5)(START) == replace(START, inner=Inner(size=5)), "a page may pass its state"


def test_what_somebody_chose_is_left():
    assert first(name="hat")(Data(START)) == replace(START, name="hat")
    assert first(name="hat")(Data(replace(START, name="cat"))) is None
    assert first("inner", size=1)(Data(replace(START, inner=Inner(size=2)))) is None
    assert OWN_TEXT.done(Data(START)).text != DEFAULT_TEXT
    assert OWN_TEXT.done(Data(replace(START, text="a"))) is None


def test_an_act_in_the_picture_leaves_the_state_as_it_is_and_none_is_named_where_it_cannot_be():
    data = Data(START)
    assert within(data) is START and within(START) is START
    assert where(lambda given: given.most > 5)(data) is START
    assert where(lambda given: given.most > 9)(data) is None
    assert where(lambda given: given.most > 5, to(name="ball"))(data) is None
