"""FastText's n-grams against the paper's example, and the hash against published values."""

import pytest

from tlmviz.analysis.words.ngrams import bucket, ngrams


def test_the_papers_example():
    """Bojanowski et al. 2017 3.2: the 3-grams of where are <wh, whe, her, ere, re>; 004 section 4.1 drops the marks."""
    assert ngrams("where", 3, 3) == ["<wh", "whe", "her", "ere", "re>"]


def test_lengths_and_the_whole_word():
    assert set(ngrams("cat", 3, 6)) == {"<ca", "cat", "at>", "<cat", "cat>"}  # <cat> is the word's own row
    assert ngrams("a", 3, 6) == ["<a>"]  # nothing else is there
    assert ngrams("i", 4, 6) == []
    assert len(ngrams("x" * 30, 3, 6)) == sum(32 - n + 1 for n in range(3, 7))


@pytest.mark.parametrize("part, value", [("", 0x811C9DC5), ("a", 0xE40C292C), ("foobar", 0xBF9CF968)])
def test_the_hash_is_fnv_1a(part, value):
    """Test vectors of the FNV reference."""
    assert bucket(part, 2**32) == value
    assert bucket(part, 1000) == value % 1000
