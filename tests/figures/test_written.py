"""Numbers as text: the minus sign, and what is missing."""

import pytest

from tlmviz.figures import minus, number
from tlmviz.figures.written import large


@pytest.mark.parametrize(
    ("value", "spec", "text"),
    [
        (-0.5, "+.2f", "−0.50"),
        (1e-5, ".1e", "1.0·10⁻⁵"),
        (3, "", "3"),
        (None, ".2f", "–"),
        (float("nan"), ".2f", "–"),
        (float("-inf"), ".2f", "−∞"),
    ],
)
def test_a_number_has_a_minus_sign_or_a_dash(value, spec, text):
    assert number(value, spec) == text


def test_only_signs_of_numbers_become_minus_signs():
    assert minus("-0.5, (-3) and 1e-05 of -∞") == "−0.5, (−3) and 1·10⁻⁵ of −∞"
    same = "256-512 tokens, zoo-3, previous-token, tlmviz --data -x, 2026-01-02"
    assert minus(same) == same


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (9.668e9, "9.67 billion"),
        (999_700, "1 million"),
        (12_340, "12.3 thousand"),
        (840, "840"),
        (0, "0"),
        (-2.5e6, "−2.5 million"),
        (4.2e15, "4,200 trillion"),
        (None, "–"),
        (float("nan"), "–"),
    ],
)
def test_large_numbers_are_written_with_a_word(value, text):
    assert large(value) == text


@pytest.mark.parametrize(("value", "text"), [(1.449e-8, "1.45·10⁻⁸"), (-2e-10, "−2.00·10⁻¹⁰"), (3.2e21, "3.20·10²¹")])
def test_powers_of_ten_are_raised(value, text):
    assert number(value, ".2e") == text
