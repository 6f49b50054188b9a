"""The shared look: palettes that order by lightness, labels that hold no markup, figures that travel as arrays."""

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.javascript.node import evaluate
from tlmviz import figures
from tlmviz.figures import DARK, LIGHT, THEMES, predictions
from tlmviz.figures.attention import scores
from tlmviz.figures.caches import redundancy
from tlmviz.figures.streams import mixing


def lightness(color: str) -> float:
    """Relative luminance of #rrggbb (WCAG)."""
    channels = np.array([int(color[i : i + 2], 16) / 255 for i in (1, 3, 5)])
    linear = np.where(channels <= 0.04045, channels / 12.92, ((channels + 0.055) / 1.055) ** 2.4)
    return float(linear @ [0.2126, 0.7152, 0.0722])


@pytest.mark.parametrize("theme", THEMES.values(), ids=THEMES)
def test_sequential_scales_go_one_way_in_lightness(theme):
    steps = np.diff([lightness(color) for color in theme.sequential])
    assert (steps < 0).all() if theme.name == "light" else (steps > 0).all()


@pytest.mark.parametrize("theme", THEMES.values(), ids=THEMES)
def test_diverging_scales_are_monotonic_on_both_sides_of_the_middle(theme):
    values = [lightness(color) for color in theme.diverging]
    middle = len(values) // 2
    left, right = np.diff(values[: middle + 1]), np.diff(values[middle:])
    outward = -1 if theme.name == "light" else 1
    assert (left * -outward > 0).all() and (right * outward > 0).all()


@pytest.mark.parametrize("theme", THEMES.values(), ids=THEMES)
def test_text_is_readable_on_the_page(theme):
    page = lightness({"light": "#ffffff", "dark": "#10151d"}[theme.name])
    for color in (theme.ink, theme.muted, theme.accent):
        low, high = sorted((lightness(color), page))
        assert (high + 0.05) / (low + 0.05) >= 4.5


@pytest.mark.parametrize("theme", THEMES.values(), ids=THEMES)
def test_text_is_readable_on_every_colour_that_a_view_puts_behind_it(theme):
    share = evaluate({"tlmviz/ui/components/canvas/theme.js": "BEHIND_TEXT"}, "result = BEHIND_TEXT;")
    page = np.array(figures.rgb({"light": "#ffffff", "dark": "#10151d"}[theme.name]))
    for color in figures.HEADS:
        mixed = np.rint(share * np.array(figures.rgb(color)) + (1 - share) * page).astype(int)
        low, high = sorted((lightness(theme.ink), lightness("#" + bytes(mixed.tolist()).hex())))
        assert (high + 0.05) / (low + 0.05) >= 4.5, color


@given(st.text(max_size=30))
def test_labels_hold_no_markup_and_no_control_characters(text):
    label = figures.token_label(text, 14)
    assert "<" not in label and ">" not in label
    assert all(char.isprintable() for char in label)
    assert not text or label


def test_labels_show_what_cannot_be_seen():
    assert figures.token_label(" ") == "␣"
    assert figures.token_label("\n\n") == "⏎⏎"
    assert figures.token_label("<|endoftext|>") == "⟨start⟩"
    assert figures.token_label(" dog") == "dog"
    assert figures.token_label("<b>&") == "&lt;b&gt;&amp;"


P = np.array([0.5, 0.3, 0.2])
FIGURES = {
    "before_after": lambda theme: predictions.before_after(["a", "b", "c"], P, P[::-1], theme),
    "loss_change": lambda theme: predictions.loss_change(["a", "b", "c", "d"], P - 0.3, theme),
    "score_products": lambda theme: scores.score_products(P - 0.3, theme),
    "rescaled_row": lambda theme: scores.rescaled_row(["a", "b", "c"], {"one": P, "two": P[::-1]}, theme),
    "scale_curves": lambda theme: scores.scale_curves(np.array([0.5, 1, 2]), P, P, 1.0, theme),
}


@pytest.mark.parametrize("theme", THEMES.values(), ids=THEMES)
@pytest.mark.parametrize("make", FIGURES.values(), ids=FIGURES)
def test_every_figure_has_a_title_and_sends_its_numbers_as_binary(make, theme):
    sent = json.loads(make(theme).to_json())
    assert sent["layout"]["title"]["text"]
    for trace in sent["data"]:
        values = trace["x"] if trace.get("orientation") == "h" else trace["y"]
        assert set(values) >= {"dtype", "bdata"}


def test_figures_show_their_input():
    assert FIGURES["scale_curves"](LIGHT).layout.yaxis2.automargin  # its numbers are whole
    products = FIGURES["score_products"](LIGHT)
    assert list(products.data[1].y) == pytest.approx(np.cumsum(P - 0.3), abs=1e-6)
    before, after = FIGURES["before_after"](DARK).data
    assert list(before.y) == pytest.approx(P) and list(after.y) == pytest.approx(P[::-1])


@pytest.mark.parametrize("theme", THEMES.values(), ids=THEMES)
def test_a_change_of_the_loss_has_one_sign_of_better_everywhere(theme):
    change = np.array([[0.5, -0.5]], np.float32)
    maps = [redundancy.effects(change, theme), mixing.muted_map(change, (0, 0), ("attention 0", "MLP 0"), theme)]
    for drawn in maps:
        [heat] = [trace for trace in drawn.data if trace.type == "heatmap"]
        colors = [stop[1] for stop in heat.colorscale]
        assert (colors[0], colors[-1]) == (theme.diverging[-1], theme.diverging[0]), "orange is worse"
    bars = predictions.loss_change(["a", "b", "c"], change[0], theme).data[0]
    assert list(bars.marker.color) == [theme.worse, theme.better]


def test_the_colours_of_shared_heads_leave_orange_to_the_cache():
    assert set(figures.GROUPS) < set(figures.HEADS) and len(figures.GROUPS) == 6
    for red, green, blue in map(figures.rgb, figures.GROUPS):
        assert not (red > 200 and 60 < green < 160 and blue < 60)
