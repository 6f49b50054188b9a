"""Numbers as text: the minus sign, and what is missing."""

import pytest

from tlmviz.figures import minus, number


@pytest.mark.parametrize(
    ("value", "spec", "text"),
    [
        (-0.5, "+.2f", "−0.50"),
        (1e-5, ".1e", "1.0e−05"),
        (3, "", "3"),
        (None, ".2f", "–"),
        (float("nan"), ".2f", "–"),
        (float("-inf"), ".2f", "−∞"),
    ],
)
def test_a_number_has_a_minus_sign_or_a_dash(value, spec, text):
    assert number(value, spec) == text


def test_only_signs_of_numbers_become_minus_signs():
    assert minus("-0.5, (-3) and 1e-05 of -∞") == "−0.5, (−3) and 1e−05 of −∞"
    same = "256-512 tokens, zoo-3, previous-token, tlmviz --data -x, 2026-01-02"
    assert minus(same) == same
