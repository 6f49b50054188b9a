"""Pictures of the inside of a block: what they hold, and that they survive the smallest and oddest inputs."""

import numpy as np
import pytest

from tlmviz.analysis.attention.matrices import Panel
from tlmviz.figures import DARK, LIGHT
from tlmviz.figures.attention import block
from tlmviz.figures.attention import residual_stream as stream

THEMES = pytest.mark.parametrize("theme", [LIGHT, DARK], ids=["light", "dark"])


def panel(values, **changes):
    values = np.asarray(values, np.float32)
    rows, cols = (np.arange(size) for size in values.shape)
    fields = dict(
        name="x",
        shape="[B=1, T=2, C=3]",
        note="",
        values=values,
        rows=rows,
        cols=cols,
        kind="signed",
        x="channel",
        y="token",
        row_labels=tuple("abcdefgh"[: len(rows)]),
        col_labels=(),
        edges=(),
        outline=None,
        limit=None,
    )
    return Panel(**{**fields, **changes})


@THEMES
def test_signed_values_are_centred_on_zero(theme):
    heatmap = block.matrix(panel([[1, -3, 2], [0, 1, 1]]), theme).data[0]
    assert heatmap.zmin == -heatmap.zmax < 0
    assert heatmap.colorscale[0][1] == theme.diverging[0]
    assert heatmap.z.dtype == np.float32


@THEMES
def test_probabilities_start_at_zero_and_hidden_cells_stand_out(theme):
    figure = block.matrix(panel([[1, np.nan], [0.4, 0.6]], kind="probability"), theme)
    assert figure.data[0].zmin == 0 and figure.data[0].colorscale[-1][1] == theme.sequential[-1]
    assert figure.layout.plot_bgcolor == theme.missing and not figure.data[0].hoverongaps
    assert block.matrix(panel([[1.0, 0.0]]), theme).layout.plot_bgcolor != theme.missing


def test_a_matrix_names_its_shape_and_what_was_left_out():
    title = block.matrix(panel(np.ones((2, 3)), note="1 in 8 tokens drawn"), LIGHT).layout.title.text
    assert "[B=1, T=2, C=3]" in title and "1 in 8 tokens drawn" in title


def test_marks_edges_and_outline_lie_where_they_should():
    figure = block.matrix(
        panel(np.ones((4, 6)), rows=np.arange(0, 32, 8), edges=(3,), outline=(3, 6)), LIGHT, marked=17
    )
    line, box, row = figure.layout.shapes
    assert line.x0 == line.x1 == 2.5 and (box.x0, box.x1) == (2.5, 5.5)
    assert (row.y0, row.y1) == (12, 20)  # position 17 is nearest to 16


def test_tokens_cannot_inject_markup_and_empty_labels_leave_no_tick():
    figure = block.matrix(panel(np.ones((2, 3)), row_labels=("<b>x</b>", "b"), col_labels=("", "q", "")), LIGHT)
    assert "<" not in "".join(figure.layout.yaxis.ticktext) and tuple(figure.layout.xaxis.tickvals) == (1,)


@pytest.mark.parametrize("values", [[[0.0]], [[0.0, 0.0]], np.full((1, 2), np.nan)])
def test_degenerate_matrices_are_drawn(values):
    assert block.matrix(panel(values), LIGHT).data[0].zmax > 0


def test_running_sum_ends_at_the_product():
    left, right = np.array([1.0, -2.0, 3.0]), np.array([0.5, 0.25, 2.0])
    figure = block.product_cell(left, right, LIGHT, names=("x", "W"), inner="channel")
    bars, line = figure.data[2:]
    assert np.allclose(bars.y, left * right) and np.isclose(line.y[-1], left @ right)
    assert f"{left @ right:+.4f}" in figure.layout.annotations[0].text


@THEMES
def test_curves_losses_norms_and_shares(theme):
    x = np.linspace(-1, 1, 5, dtype=np.float32)
    curves = block.activation_curves("GELU", x, {"ReLU": x, "GELU": x}, np.array([1, 2]), np.array([-0.5, 0.5]), theme)
    assert [trace.name for trace in curves.data] == ["inputs of this text", "ReLU", "GELU (this model)"]
    losses = block.token_losses(["a", "b", "c"], np.array([1.0, 3.0]), theme)
    assert list(losses.data[0].x) == [1, 2] and losses.layout.annotations[0].text == "mean 2.00"
    assert len(block.token_losses(["a"], np.zeros(0), theme).data[0].x) == 0
    norms = stream.norms(["embedding", "MLP 0"], np.array([[1.0, 3.0], [2.0, 4.0]]), 1, "b", theme)
    assert list(norms.data[0].y) == [2, 3] and list(norms.data[1].y) == [3, 4]
    assert "+0.50" in stream.shares(["embedding", "MLP 0"], np.array([1.0, -0.5]), "b", theme).layout.title.text


def test_words_are_written_into_their_cells():
    p = np.array([[0.25, 0.5]])
    figure = stream.words([["<a>", "b"]], p, DARK, title="t", columns=["1", "2"], rows=["r"], y="token", marked=0)
    assert list(figure.data[0].text[0]) == ["&lt;a&gt;", "b"] and (figure.data[0].zmin, figure.data[0].zmax) == (0, 1)
    assert (figure.layout.shapes[0].y0, figure.layout.shapes[0].y1) == (-0.5, 0.5)
