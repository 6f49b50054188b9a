"""Bars of shares by kind of question."""

from tlmviz.facades.scenes.language import KINDS
from tlmviz.figures.beyond.scenes import NAMES, accuracy
from tlmviz.figures.theme import LIGHT


def test_each_kind_has_its_bars():
    answered = {kind: 0.1 * place for place, kind in enumerate(KINDS)}
    marked, usual = dict.fromkeys(KINDS, 0.5), dict.fromkeys(KINDS, 0.2)
    figure = accuracy(answered, marked, usual, LIGHT, title="shares").to_dict()
    first, second, ticks = figure["data"]
    assert list(first["x"]) == [NAMES[kind] for kind in KINDS] and list(first["y"]) == list(answered.values())
    assert set(second["y"]) == {0.5} and set(ticks["y"]) == {0.2}
