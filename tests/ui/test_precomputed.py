"""The badge of shipped figures: green where they are computed again alike, else red."""

import numpy as np
import pytest

from tlmviz.ui.precomputed import TOLERANCE, precomputed_equals_live

SHOWN = np.array([1.0, 2.0, 3.0])


@pytest.mark.parametrize(
    ("again", "passed"),
    [
        (SHOWN, True),
        (SHOWN + TOLERANCE / 2, True),
        (SHOWN + 2 * TOLERANCE, False),
        (SHOWN[:2], False),
        (np.array([1.0, np.nan, 3.0]), False),
    ],
    ids=["equal", "rounded", "different", "shorter", "undefined"],
)
def test_the_badge_is_green_only_where_both_are_the_same(again, passed):
    assert precomputed_equals_live("a curve", SHOWN, again).passed == passed
