"""The indexer's figures show their input, in both themes, as arrays."""

import json

import numpy as np
import pytest

from tlmviz.figures import DARK, LIGHT, THEMES
from tlmviz.figures.kernels import indexer

MAP = np.array([[1, np.nan], [0.25, 0.75]], np.float32)
FIRST = {"indexer": 0.5, "attention": 0.6, "recent": 0.4, "random": 0.3}
CURVES = {name: np.array([at_one, 1.0]) for name, at_one in FIRST.items()}
LOSSES = {"dense": 2.0, "indexer": 2.25, "attention": 2.1, "recent": 2.5, "random": 4.0}
FIGURES = {
    "weight_map": lambda theme: indexer.weight_map(MAP, 2.5, "Scores", theme, limit=1, position=3),
    "chosen_row": lambda theme: indexer.chosen_row(
        ["a", "<b>", "c"], np.array([0.5, 0.3, 0.2]), np.array([1, 0, 1]), theme
    ),
    "recall_curves": lambda theme: indexer.recall_curves(CURVES, np.array([0.45, 1.0]), 1, 2, theme),
    "losses": lambda theme: indexer.losses(LOSSES, 8, theme),
    "value_histograms": lambda theme: indexer.value_histograms(
        np.array([0.0, 0, 3]), np.array([1.0, -1, 1]), "q", theme, 3
    ),
}


@pytest.mark.parametrize("theme", THEMES.values(), ids=THEMES)
@pytest.mark.parametrize("make", FIGURES.values(), ids=FIGURES)
def test_every_figure_has_a_title_and_sends_its_numbers_as_binary(make, theme):
    sent = json.loads(make(theme).to_json())
    assert sent["layout"]["title"]["text"] and sent["layout"]["xaxis"]["title"]["text"] or make is FIGURES["chosen_row"]
    for trace in sent["data"]:
        values = (
            trace["z"] if trace["type"] == "heatmap" else trace["x"] if trace.get("orientation") == "h" else trace["y"]
        )
        assert set(values) >= {"dtype", "bdata"}


def test_a_map_keeps_hidden_cells_and_counts_tokens():
    drawn = FIGURES["weight_map"](LIGHT)
    np.testing.assert_array_equal(drawn.data[0].z, MAP)
    assert list(drawn.data[0].x) == [0, 2.5] and drawn.data[0].zmax == 1
    assert drawn.layout.shapes[0].y0 == 3


def test_a_row_parts_its_keys_and_adds_up_what_is_covered():
    drawn = FIGURES["chosen_row"](DARK)
    chosen, left = drawn.data
    assert list(chosen.x) == [0, 2] and list(left.x) == [1] and left.y[0] == pytest.approx(0.3)
    assert "2 of 3 keys, 70.0%" in drawn.layout.title.text
    assert list(left.customdata) == ["&lt;b&gt;"]


def test_recall_counts_from_one_key():
    lines = {line.name: line for line in FIGURES["recall_curves"](LIGHT).data}
    assert len(lines) == 5 and all(list(line.x) == [1, 2] for line in lines.values())
    assert list(lines["indexer, layer 1"].y) == pytest.approx([0.45, 1.0])


def test_losses_say_how_much_is_lost():
    [bars] = FIGURES["losses"](LIGHT).data
    assert list(bars.x) == pytest.approx(list(LOSSES.values())) and bars.text[:2] == ("2.000", "2.250 (+0.250)")


def test_histograms_are_shares_over_common_bins():
    before, after = FIGURES["value_histograms"](LIGHT).data
    np.testing.assert_allclose(before.x, [-2, 0, 2])
    np.testing.assert_allclose(before.y, [np.nan, 2 / 3, 1 / 3])
    np.testing.assert_allclose(after.y, [np.nan, 1 / 3, 2 / 3])
    indexer.value_histograms(np.zeros(3), np.zeros(3), "k", LIGHT)  # nothing to scale by
