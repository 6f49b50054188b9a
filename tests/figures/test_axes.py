"""Axes: short wavelengths, few round ticks, tokens named where they fit."""

import numpy as np
import pytest

from tlmviz.figures import LIGHT, log_ticks, named_axes, ticks, turn


@pytest.mark.parametrize(
    "tokens, text",
    [
        (6.2832, "6.28"),
        (628.3, "628"),
        (999.6, "1k"),
        (1117, "1.12k"),
        (35333, "35.3k"),
        (2e6, "2M"),
        (198.7e6, "199M"),
        (2.2e12, "2·10¹²"),
    ],
)
def test_wavelengths_are_short(tokens, text):
    assert turn(tokens) == text


@pytest.mark.parametrize(
    "low, high, words",
    [
        (1, 415, ["1", "10", "100"]),
        (0.5, 9, ["0.5", "1", "2", "5", "10"]),
        (1e-12, 1, ["10<sup>-12</sup>", "10<sup>-8</sup>"]),
        (0.0008, 0.8, ["0.001", "0.01", "0.1", "1"]),
        (1.0, 1.001, None),
        (1e-300, 1e300, None),
    ],
)
def test_logarithmic_axes_have_a_few_round_ticks(low, high, words):
    found = log_ticks(np.array([low, np.nan, 0.0]), np.array([[high]]))
    assert found.get("ticktext", [])[: len(words or [])] == (words or [])
    if found:
        assert len(found["tickvals"]) == len(found["ticktext"]) <= 6


def test_no_numbers_no_ticks():
    assert log_ticks(np.array([np.nan, 0.0])) == {}


def test_tokens_are_named_where_they_fit_and_escaped():
    few = named_axes([" a", "<b>", " c"], 3, LIGHT)
    assert list(few.x["ticktext"]) == ["a", "&lt;b&gt;", "c"] and few.pairs[1][0] == "1 “&lt;b&gt;”, key 0 “a”"
    some = named_axes(["x"] * 30, 30, LIGHT)
    assert "ticktext" in some.y and "ticktext" not in some.x and some.pairs
    many = named_axes(["x"] * 60, 60, LIGHT)
    assert "ticktext" not in many.y and many.pairs is None and (many.first, many.step) == (0, 1)


def test_labels_are_thinned_out_and_plotly_places_its_own_ticks_without_any():
    marks = ticks(np.arange(10) * 3, tuple("abcdefghi") + ("",), 5)
    assert marks == {"tickvals": [0, 6, 12, 18, 24], "ticktext": ["a", "c", "e", "g", "i"]}
    assert ticks(np.arange(3), ("", "", ""), 60) == {"nticks": 12}
