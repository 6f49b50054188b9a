"""Pictures of the page One layer's bill: areas add up, bars and curves are the numbers given."""

import numpy as np
import pytest

from tlmviz.figures import THEMES
from tlmviz.figures.cost import layer as figures

LEAVES = [
    (("attention", "layer 0", "a"), 6, "attention"),
    (("attention", "layer 1", "b"), 4, "attention"),
    (("embedding", "c"), 10, "embedding"),
]


@pytest.mark.parametrize("theme", THEMES.values(), ids=THEMES)
def test_areas_are_the_sums_beneath_them(theme):
    figure = figures.treemap(LEAVES, "model", theme, title="t")
    [trace] = figure.data
    counts = dict(zip(trace.ids, trace.values))
    assert counts["model"] == 20 and counts["model/attention"] == 10 and counts["model/attention/layer 1/b"] == 4
    for name, parent in zip(trace.ids, trace.parents):
        if parent:
            assert counts[parent] == sum(
                value for child, value in counts.items() if child.rpartition("/")[0] == parent
            ), name
    colors = dict(zip(trace.ids, trace.marker.colors))
    assert colors["model"] == theme.missing and colors["model/attention/layer 0"] == figures.PARTS["attention"]


def test_a_tensor_is_named_word_under_word_and_a_group_in_one_line():
    leaves = [(("attention", "layer 0", "attn.qkv.weight 576×192"), 6, "attention"), (("norms", "n"), 2, "norms")]
    [trace] = figures.treemap(leaves, "model", THEMES["light"], title="t").data
    written = dict(zip(trace.labels, trace.text))
    assert written["attn.qkv.weight 576×192 · 75.0%"] == "attn.qkv.weight<br>576×192<br>75.0%"
    assert written["layer 0 · 75.0%"] == "layer 0 · 75.0%" and trace.texttemplate == "%{text}"


@pytest.mark.parametrize("theme", THEMES.values(), ids=THEMES)
def test_losses_slopes_units_and_ratios_are_drawn_as_given(theme):
    losses = {"feed-forward": (np.array([2.0, 0.6]), 3.0), "attention": (np.array([0.7, 0.6]), 1.2)}
    figure = figures.removal([0, 1], losses, 0.5, theme, title="t")
    assert list(figure.data[0].y) == pytest.approx([2.0, 0.6, 3.0]) and list(figure.data[0].x) == ["0", "1", "all"]
    assert figure.layout.shapes[0].y0 == 0.5

    at = np.linspace(-5, 5, 11)
    curves = {"ReLU": (at, (at > 0).astype(float)), "SiLU": (at, at / 5)}
    figure = figures.slopes(np.array([-9.0, 0.1, 9.0]), curves, "SiLU", theme, title="t")
    assert sum(figure.data[0].y) == pytest.approx(100) and figure.data[2].line.width > figure.data[1].line.width

    figure = figures.activity(np.array([0.0, 0.5, 1.0, 0.0]), theme, title="t")
    assert list(figure.data[0].y) == [100, 50, 0, 0]
    assert (figure.layout.shapes[0].x0, figure.layout.shapes[0].x1) == (2.5, 4.5)
    assert not figures.activity(np.ones(3), theme, title="t").layout.shapes

    figure = figures.ratios([("mine", 2.5, 0.65, True), ("other", 4.0, 2 / 3, False)], "mine", theme, title="t")
    assert list(figure.data[2].y) == pytest.approx([65, 200 / 3]) and figure.data[2].marker.symbol[0] == "star"
    plain = dict(zip(figure.data[0].x, figure.data[0].y))
    four = min(plain, key=lambda x: abs(x - 4))
    assert plain[four] == pytest.approx(200 / 3, abs=0.5)
