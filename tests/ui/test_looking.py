"""How much is said to hang on a head: three heads that look at one word, of which one does the work."""

import pytest

from tests.pages.states import left_without
from tlmviz.ui import looking
from tlmviz.ui.inputs import DEFAULT_TEXT, EXAMPLES

SECOND_RED = 25


@pytest.mark.parametrize(
    "text, head, at, begins",
    [
        (DEFAULT_TEXT, (5, 0), SECOND_RED, "Without this head the model gives 60%."),
        (DEFAULT_TEXT, (5, 4), SECOND_RED, "This head merely looks: without it 93% are left."),
        (DEFAULT_TEXT, (3, 2), SECOND_RED, "This head merely looks: without it 94% are left."),
        (EXAMPLES["Names"], (5, 0), 29, "Without this head it expects “her” instead, and “K” with 4%."),
    ],
)
def test_what_is_left_without_a_head_says_what_hangs_on_it(stories, text, head, at, begins):
    assert looking.hangs("stories-rope", text, head, at) == begins
    assert left_without(stories, text, head, at)[0] in begins


def test_where_a_pass_takes_long_nothing_is_said(monkeypatch):
    monkeypatch.setattr(looking, "WORK", 1.0)
    assert looking.hangs("stories-rope", DEFAULT_TEXT, (5, 0), SECOND_RED) == ""
