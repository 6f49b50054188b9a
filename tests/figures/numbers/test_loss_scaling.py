"""Pictures of the page Loss scaling show the numbers they are given."""

import numpy as np
import pytest

from tlmviz.figures import THEMES
from tlmviz.figures.numbers import loss_scaling as figures


@pytest.mark.parametrize("theme", THEMES.values(), ids=str)
def test_errors_end_in_crosses(theme):
    line, crosses = figures.errors(np.array([0, 4, 8]), np.array([0.5, 0.1, np.inf]), theme, title="t").data
    assert list(line.x) == [0, 4] and list(line.y) == pytest.approx([0.5, 0.1]) and list(crosses.x) == [8]


@pytest.mark.parametrize("theme", THEMES.values(), ids=str)
def test_a_run_s_scale_and_its_skipped_steps(theme):
    scale, skipped = np.array([16.0, 17, 16]), np.array([False, True, False])
    line, crosses = figures.scale_of_run(scale, skipped, np.array([0, 0.5, 0]), theme, title="t").data
    assert list(line.y) == [16, 17, 16] and list(crosses.x) == [2] and list(crosses.y) == [17]
    assert list(line.customdata) == [0, 0.5, 0]
    fixed = figures.scale_of_run(np.zeros(2), np.ones(2, bool), np.zeros(2), theme, title="t")
    assert fixed.layout.yaxis.ticktext == ("2⁰",)


@pytest.mark.parametrize("theme", THEMES.values(), ids=str)
def test_losses_are_means_of_the_last_steps(theme):
    figure = figures.losses({"a": np.array([4.0, 2, 0, 6]), "b": np.ones(4)}, theme, title="t", chosen="b", smooth=2)
    assert list(figure.data[0].y) == [4, 3, 1, 3]
    assert figure.data[1].line.width > figure.data[0].line.width


@pytest.mark.parametrize("theme", THEMES.values(), ids=str)
def test_sums_keep_their_digits_and_leave_out_what_is_infinite(theme):
    exact, other = figures.sums(
        {"exact": np.array([0.1, 0.1 + 1e-9]), "BF16": np.array([1.0, np.inf])}, theme, title="t"
    ).data
    assert exact.y[1] - exact.y[0] == pytest.approx(1e-9) and np.isnan(other.y[1])


@pytest.mark.parametrize("theme", THEMES.values(), ids=str)
def test_shares_left_unchanged(theme):
    [line] = figures.unchanged(np.array([1e-5, 1e-4]), {"BF16": np.array([0.9, 0.25])}, theme, title="t").data
    assert list(line.y) == pytest.approx([90, 25])
    assert figures.power_of_two(-14) == "2⁻¹⁴"
