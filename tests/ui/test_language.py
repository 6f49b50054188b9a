"""Sentences in the visitor's language: names in a row, and the values of a sentence."""

import pytest

from tlmviz.ui.language import _, listed, ngettext


@pytest.mark.parametrize("names, said", [(["a"], "a"), (["a", "b"], "a and b"), (["a", "b", "c"], "a, b and c")])
def test_names_are_said_in_a_row(names, said):
    assert listed(names) == said


def test_a_sentence_knows_the_values_in_its_holes():
    one = _("{name} has {share:.0%} of {all}.", share=0.041, name="A", all=12, unused=1)
    assert (one, one.values) == ("A has 4% of 12.", ("A", "4%", 12))
    two = ngettext("{n} row, {size} wide.", "{n} rows, {size} wide.", 2, size=8)
    assert (two, two.values) == ("2 rows, 8 wide.", (2, 8))
    assert _("{first} And {name}.", name="B", first=one).values == ("A", "4%", 12, "B")
    assert (one + " " + two).values == (*one.values, *two.values)
    assert _("{a} of {b}").format(a=1, b=2).values == (1, 2)
    assert _("No {holes} here").values == ()
