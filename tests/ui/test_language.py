"""Sentences in the visitor's language: names in a row."""

import pytest

from tlmviz.ui.language import listed


@pytest.mark.parametrize("names, said", [(["a"], "a"), (["a", "b"], "a and b"), (["a", "b", "c"], "a, b and c")])
def test_names_are_said_in_a_row(names, said):
    assert listed(names) == said
