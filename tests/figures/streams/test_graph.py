"""Ribbons whose widths are coefficients, and maps of who reads whom."""

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from tlmviz.figures import DARK, LIGHT
from tlmviz.figures.streams import graph

THEMES = pytest.mark.parametrize("theme", [LIGHT, DARK], ids=["light", "dark"])
NAMES = ["embedding", *(f"{kind} {layer}" for layer in range(3) for kind in ("attention", "MLP"))]
TOKENS = ["<|endoftext|>", " a", " <b>", "\n"]


def panels(low=-1.0):
    drawn = np.random.default_rng(0)
    free, bound = (drawn.uniform(low, 2, (len(NAMES), len(TOKENS))), drawn.uniform(0, 2, (len(NAMES), len(TOKENS))))
    return [
        graph.Panel("plain", np.ones((len(NAMES), len(TOKENS)), np.float32)),
        graph.Panel("HC", free.astype(np.float32)),
        graph.Panel("mHC", bound.astype(np.float32)),
    ]


def widths(figure, panel: int, frame: int | None = None) -> dict[str, list[float]]:
    """Kind -> widths at the start of each ribbon that is drawn, of a panel."""
    axis = f"y{panel + 1}" if panel else "y"
    found, numbers = ({}, [i for i, trace in enumerate(figure.data) if trace.fill == "toself" and trace.yaxis == axis])
    for i in numbers:
        y = figure.data[i].y
        if frame is not None and i in figure.frames[frame].traces:
            y = figure.frames[frame].data[figure.frames[frame].traces.index(i)].y
        pieces = np.asarray(y)[1:].reshape(-1, len(graph.BEND) + 1) if len(y) > 1 else np.zeros((0, 1))
        kind = figure.data[i].name
        found[kind] = [float(piece[0] - piece[len(graph.BEND) - 1]) for piece in pieces if np.isfinite(piece[0])]
    return found


@THEMES
def test_every_ribbon_is_as_wide_as_its_coefficient_at_every_token(theme):
    drawn = panels()
    figure = graph.fans(drawn, NAMES, TOKENS, 2, theme, to="the mean", offset=5)
    unit = graph.ribbon_unit(drawn)
    for number, panel in enumerate(drawn):
        for frame in (None, *range(len(TOKENS))):
            values = panel.coefficients[:, 2 if frame is None else frame]
            found = widths(figure, number, frame)
            wanted = {"embedding": values[:1], "attention": values[1::2], "MLP": values[2::2]}
            for kind, every in wanted.items():
                assert found[kind] == pytest.approx([value * unit for value in every if value > 0], abs=1e-5)
            assert found["subtracted"] == pytest.approx([-value * unit for value in values if value < 0], abs=1e-5)
    assert [step.label for step in figure.layout.sliders[0].steps] == ["5 · ⟨start⟩", "6 · a", "7 · &lt;b&gt;", "8 · ⏎"]
    assert figure.layout.sliders[0].active == 2 and "the mean" in figure.layout.title.text


def test_a_panel_that_never_changes_is_sent_once_and_frames_stay_small():
    figure = graph.fans(panels(), NAMES, TOKENS, 0, LIGHT, to="the mean")
    still = {i for i, trace in enumerate(figure.data) if trace.yaxis == "y"}
    assert len(still) == 7 and not still & set(figure.frames[0].traces)
    size = len(json.dumps(json.loads(figure.to_json())["frames"])) / len(TOKENS)
    assert size < 1.6 * graph.fan_bytes(3, len(NAMES))
    plain = graph.fans(panels()[:1], NAMES, TOKENS, 0, LIGHT, to="the mean")
    assert not plain.frames and not plain.layout.sliders


def test_values_are_written_and_hovered():
    drawn = panels()
    figure = graph.fans(drawn, NAMES, TOKENS, 1, DARK, to="what MLP 1 reads")
    dots = [trace for trace in figure.data if trace.mode == "markers"]
    for dot, panel in zip(dots, drawn, strict=True):
        np.testing.assert_array_equal(np.asarray(dot.customdata, np.float32), panel.coefficients[:, 1])
        assert list(dot.text) == NAMES and "what MLP 1 reads" in dot.hovertemplate
    heads = [trace.text[0] for trace in figure.data if trace.mode == "text" and len(trace.text) == 1]
    assert heads[0] == "<b>plain</b><br>embedding × 1.000"
    absent = panels()[1]
    absent.coefficients[4:] = 0  # parts that do not exist yet
    [written] = [
        trace for trace in graph.fans([absent], NAMES, TOKENS, 1, DARK, to="x").data if len(trace.text or "") == 7
    ][:1]
    assert all(written.text[:4]) and not any(written.text[4:])


@given(arrays(np.float64, 12, elements=st.floats(-1e6, 1e6)))
def test_ribbons_stay_in_the_picture_and_meet_without_gaps(values):
    unit = graph.ribbon_unit([graph.Panel("x", values[:, None])])
    half, previous = len(graph.BEND) // 2, None
    for _, y in graph.ribbons(values, unit):
        top, bottom = y[half - 1], y[half]
        assert -1e-9 <= bottom <= top + 1e-12 and top <= 1 + 1e-9
        assert y[0] - y[-1] <= graph.CLIP / 12 + 1e-9
        assert previous is None or top == pytest.approx(previous, abs=1e-9)
        previous = bottom


@given(st.integers(1, 300), st.data(), st.integers(1, 2_000_000))
def test_the_window_holds_the_token_and_fits(tokens, data, each):
    at = data.draw(st.integers(0, tokens - 1))
    seen = graph.window(tokens, at, each)
    assert at in seen and seen.start >= 0 and seen.stop <= tokens
    assert len(seen) == 1 or len(seen) * each <= graph.BUDGET
    assert len(seen) == tokens or (len(seen) + 1) * each > graph.BUDGET


def test_many_sublayers_are_numbered_sparsely():
    many = ["embedding", *(f"{kind} {layer}" for layer in range(24) for kind in ("attention", "MLP"))]
    figure = graph.fans([graph.Panel("deep", np.ones((49, 2)))], many, TOKENS[:2], 0, LIGHT, to="x")
    assert len(figure.layout.yaxis.ticktext) == 13 and figure.layout.yaxis.ticktext[0] == "embedding"


@THEMES
def test_readers_are_a_triangle_of_the_given_numbers(theme):
    square = np.random.default_rng(1).normal(size=(len(NAMES), len(NAMES)))
    figure = graph.readers([graph.Panel("HC", square), graph.Panel("mHC", square / 2)], NAMES, theme, token=" <b>")
    shown = np.asarray(figure.data[0].z)
    lower = np.tril_indices(len(NAMES))
    np.testing.assert_allclose(shown[lower], square[lower], rtol=1e-6)
    assert np.isnan(shown[np.triu_indices(len(NAMES), 1)]).all()
    assert figure.data[0].zmax == figure.data[1].zmax == -figure.data[0].zmin
    assert (
        "&lt;b&gt;" in figure.layout.title.text
        and list(figure.data[0].x) == NAMES
        and list(figure.data[0].y)[-1] == "head"
    )
    assert {"dtype", "bdata"} <= set(json.loads(figure.to_json())["data"][0]["z"])
