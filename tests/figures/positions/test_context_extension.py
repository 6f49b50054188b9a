"""Pictures of scaled RoPE: what they hold, that they travel as arrays, and that the smallest inputs are drawn."""

import json

import numpy as np
import pytest

from tlmviz.figures import DARK, LIGHT
from tlmviz.figures.positions import context_extension as figures

THEMES = pytest.mark.parametrize("theme", [LIGHT, DARK], ids=["light", "dark"])
NAMES = ["Unscaled", "Position interpolation", "NTK-aware"]
CURVES = {name: np.linspace(1, 3, 300) + i for i, name in enumerate(NAMES)}
RATIOS = {"Unscaled": np.ones(4), "NTK-aware": np.array([1, 0.8, 0.6, 0.5])}
WAVES = np.array([6.3, 60.0, 600.0, 6000.0])


def lines(theme=LIGHT, curves=CURVES, **options):
    colors = figures.palette(NAMES, theme, "Unscaled")
    return figures.loss_lines(curves, 200, theme, **{"width": 10, "colors": colors, "title": "Loss", **options})


@THEMES
def test_figures_have_titles_and_send_their_numbers_as_binary(theme):
    colors = figures.palette(NAMES, theme, "Unscaled")
    for figure in (lines(theme), figures.frequencies(RATIOS, WAVES, 256, theme, colors=colors)):
        sent = json.loads(figure.to_json())
        assert sent["layout"]["title"]["text"] and sent["layout"]["xaxis"]["title"]["text"]
        assert all(set(trace["y"]) >= {"dtype", "bdata"} for trace in sent["data"])


@pytest.mark.parametrize("start", [0, 40])
def test_a_mean_sits_in_the_middle_of_the_tokens_it_is_made_of(start):
    loss = np.arange(100.0) + 1 + start  # the loss of token t is t
    x, y = figures.running_mean(loss, 8, start)
    np.testing.assert_allclose(x, y)
    assert y[0] == pytest.approx(loss[:8].mean()) and y[-1] == pytest.approx(loss[-8:].mean())


@pytest.mark.parametrize("size", [0, 1, 3])
def test_short_curves_give_what_they_have(size):
    x, y = figures.running_mean(np.ones(size), 8)
    assert len(x) == len(y) == min(size, 1)
    assert len(lines(curves={"Unscaled": np.ones(size)}).data) == 1


def test_what_lies_beyond_is_shaded_and_named():
    figure = lines(end="one stops here")
    assert figure.layout.shapes[0].x0 == 200 and figure.layout.shapes[0].x1 == 301
    assert [note.text.strip() for note in figure.layout.annotations] == [
        "beyond training (200 tokens)",
        "one stops here",
    ]
    inside = lines(curves={"Unscaled": np.ones(100)}, end="never")
    assert not inside.layout.shapes and not inside.layout.annotations


def test_changes_are_taken_token_by_token_and_the_plain_curve_lies_on_top():
    figure = lines(dotted="Unscaled", change=True, curves={**CURVES, "NTK-aware": CURVES["NTK-aware"][:150]})
    by_name = {trace.name: trace for trace in figure.data}
    assert figure.data[-1].name == "Unscaled" and figure.data[-1].line.dash == "dot"
    np.testing.assert_allclose(by_name["Unscaled"].y, 0)
    np.testing.assert_allclose(by_name["Position interpolation"].y, 1, rtol=1e-6)
    np.testing.assert_allclose(by_name["NTK-aware"].y, 2, rtol=1e-6)
    assert len(by_name["NTK-aware"].y) == 141
    plain = {trace.name: trace for trace in lines(dotted="Unscaled").data}
    np.testing.assert_allclose(plain["Unscaled"].y[0], CURVES["Unscaled"][:10].mean())


def test_a_long_curve_is_thinned():
    figure = lines(curves={"Unscaled": np.ones(20_000)})
    assert len(figure.data[0].x) <= 1.1 * figures.POINTS


def test_slow_planes_are_shaded_and_hover_names_both_wavelengths():
    colors = figures.palette(NAMES, LIGHT, "Unscaled")
    figure = figures.frequencies(RATIOS, WAVES, 256, LIGHT, colors=colors)
    assert figure.layout.shapes[0].x0 == 1.5 and figure.layout.shapes[0].x1 == 3.5
    assert "600 → 1k tokens a turn" in figure.data[1].hovertext[2]
    assert not figures.frequencies(RATIOS, WAVES, 10_000, LIGHT, colors=colors).layout.shapes
    low, high = figure.layout.yaxis.range
    assert 10**low < 0.5 < 1 < 10**high


def test_every_name_has_a_colour_of_its_own_and_keeps_it():
    names = [f"scheme {i}" for i in range(7)]
    colors = figures.palette(names, DARK, "scheme 0")
    assert len(set(colors.values())) == 7


def test_no_curve_leaves_the_axis_and_no_curve_lies_under_the_words():
    rng = np.random.default_rng(0)
    plain = 2 + 0.1 * rng.standard_normal(400)
    curves = {"Plain": plain, "Worse": plain + 3}
    colors = dict.fromkeys(curves, "#123456")
    drawn = figures.loss_lines(curves, 200, LIGHT, width=20, colors=colors, title="Loss", dotted="Plain").layout
    [words] = drawn.annotations
    assert drawn.yaxis.range is None and words.text == " beyond training (200 tokens)"
    assert words.y == 1 and words.yanchor == "bottom" and drawn.margin.t > 40
