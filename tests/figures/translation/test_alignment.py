"""Pictures of alignment and coverage: what they hold, that they travel as arrays, and that the smallest inputs are
drawn."""

import json

import numpy as np
import pytest

from tlmviz.figures import DARK, LIGHT
from tlmviz.figures.translation import alignment as figures
from tlmviz.figures.translation import alignment_steps, copying

THEMES = pytest.mark.parametrize("theme", [LIGHT, DARK], ids=["light", "dark"])
RNG = np.random.default_rng(0)
A = RNG.dirichlet((3, 3, 0.2, 0.4), 6).astype(np.float32)  # [6 steps, 4 source tokens]
BEFORE = A.cumsum(0) - A
VECTORS = {"sum": BEFORE, "average": BEFORE / np.maximum(1, np.arange(6))[:, None]}
SHARES = 0.2 * np.log(np.clip(A.sum(0), 0.01, 1))
SOURCE, TARGET = ["The", " <b>", " cat", "."], [" Le", " chat", " noir", " dort", ".", "⟨end⟩"]


def drawn_map(theme=LIGHT, **options):
    return figures.coverage_map(A, SOURCE, TARGET, SHARES, 0.2 * np.log(0.01), theme, title="Attention", **options)


def drawn_steps(theme=LIGHT, at=2, a=A, vectors=VECTORS, source=SOURCE, target=TARGET):
    return alignment_steps.coverage_steps(a, vectors, source, target, at, theme)


FIGURES = {
    "map": drawn_map,
    "steps": drawn_steps,
    "errors": lambda theme: figures.head_errors(["mean", "0.1"], np.array([0.2, 0.4]), "mean", theme),
    "copied": lambda theme: copying.written_and_copied(
        A[:, 0], A[:, 1], A[:, 2], (SOURCE * 2)[: len(TARGET)], TARGET, theme, title="Copied"
    ),
    "lines": lambda theme: figures.overlap_lines({"a": A[:, 0], "b": A[:3, 1]}, {"a": TARGET, "b": TARGET[:3]}, theme),
}


@THEMES
@pytest.mark.parametrize("make", FIGURES.values(), ids=FIGURES)
def test_every_figure_has_a_title_and_sends_its_numbers_as_binary(make, theme):
    sent = json.loads(make(theme).to_json())
    assert sent["layout"]["title"]["text"]
    values = sent["data"][0].get("z", sent["data"][0].get("y"))
    assert set(values) >= {"dtype", "bdata"}


def test_the_map_shows_attention_column_sums_and_shares():
    cells, below, above, cost = drawn_map().data
    assert np.array_equal(cells.z, A) and (cells.zmin, cells.zmax) == (0, 1)
    assert np.allclose(below.y, np.minimum(A.sum(0), 1)) and np.allclose(below.y + above.y, A.sum(0))
    assert (above.y > 0).any() and (SHARES < 0).any() and np.allclose(cost.y, SHARES, atol=1e-6)
    assert [float(text[:-1]) for text in cost.text] == pytest.approx(100 * SHARES / SHARES.sum(), abs=0.5)
    assert cells.customdata[1][1].tolist() == ["chat", "&lt;b&gt;"]  # written, then looked at


def test_tokens_name_the_axes():
    axes = drawn_map().layout
    assert list(axes.xaxis.ticktext) == ["The", "&lt;b&gt;", "cat", "."] and list(axes.yaxis.ticktext)[0] == "Le"
    assert axes.yaxis.range[0] > axes.yaxis.range[1]  # the first step is on top


def test_the_cap_and_the_floor_are_drawn_and_said():
    shapes = drawn_map().layout.shapes
    assert {(shape.yref, round(shape.y0, 3)) for shape in shapes} == {("y2", 1), ("y3", -0.921)}
    assert any("−0.921" in note.text for note in drawn_map().layout.annotations)


def test_pins_are_framed_and_cells_can_be_clicked():
    figure = drawn_map(pins=((2, 3), (0, 1)), clickable=True)
    boxes = [(shape.y0 + 0.5, shape.x0 + 0.5) for shape in figure.layout.shapes if shape.type == "rect"]
    assert boxes == [(2, 3), (0, 1)]
    points = figure.data[-1]
    assert len(points.x) == A.size
    assert all([y, x] == list(cell) for x, y, cell in zip(points.x, points.y, points.customdata))


def test_steps_build_up_and_sum_to_covloss():
    figure = drawn_steps()
    assert len(figure.frames) == len(A)
    for t, frame in enumerate(figure.frames):
        c, a, both, c_mean, a_again, both_mean = (part.y for part in frame.data[:6])
        assert np.allclose(c, BEFORE[t]) and np.allclose(a, A[t]) and np.array_equal(a, a_again)
        assert np.allclose(both, np.minimum(A[t], BEFORE[t])) and np.allclose(c_mean, VECTORS["average"][t])
        cursor, words = frame.data[6:]
        assert list(cursor.x) == [t, t] and np.allclose(cursor.y, [both.sum(), both_mean.sum()])
        assert f"{both.sum():.4f}" in words.text[0] and f"{both_mean.sum():.4f}" in words.text[1]
    shown = figure.data[:8]
    assert np.allclose(shown[0].y, BEFORE[2]) and list(shown[6].x) == [2, 2]  # the first picture is frame `at`
    assert figure.layout.sliders[0].active == 2 and len(figure.layout.sliders[0].steps) == len(A)


def test_frames_change_only_what_moves():
    """A frame that carried axes or colours again would be many times as large."""
    figure = drawn_steps()
    assert all(
        set(part.to_plotly_json()) <= {"type", "x", "y", "text"} for frame in figure.frames for part in frame.data
    )
    assert all(list(frame.traces) == list(range(8)) for frame in figure.frames)


@THEMES
@pytest.mark.parametrize("shape", [(1, 1), (1, 5), (5, 1), (90, 70)])
def test_every_size_is_drawn(shape, theme):
    a = RNG.dirichlet(np.ones(shape[1]), shape[0])
    source, target = ["x"] * shape[1], ["y"] * shape[0]
    figures.coverage_map(a, source, target, np.zeros(shape[1]), 0.0, theme, title="A").to_json()
    sent = drawn_steps(theme, 0, a, {"sum": a.cumsum(0) - a, "average": a * 0}, source, target).to_json()
    assert len(sent) < 1_500_000


def test_the_default_head_stands_out_and_hover_is_exact():
    (bars,) = figures.head_errors(["1.2", "mean"], np.array([0.2, 0.4]), "mean", DARK).data
    assert bars.marker.color[0] != bars.marker.color[1] and ".4f" in bars.hovertemplate
    assert list(bars.customdata) == ["L1H2", "mean"]
