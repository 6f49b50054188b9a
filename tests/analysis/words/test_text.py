"""One way to find words, whatever is typed."""

import pytest

from tlmviz.analysis.words.text import count_words, split_words


@pytest.mark.parametrize(
    "text, words",
    [
        ("I can't, really can’t!", ["i", "can't", "really", "can't"]),
        ("'Tom's dog' -- said \"Anna\".", ["tom's", "dog", "said", "anna"]),
        ("ice-cream at 5:30", ["ice", "cream", "at", "5", "30"]),
        ("Größe naïve ÉCOLE", ["größe", "naïve", "école"]),
        ("Где кот? हिन्दी 王", ["где", "кот", "हिन्दी", "王"]),
        ("", []),
        (" \n\t…!?''", []),
        ("🙂 a_b", ["a", "b"]),
    ],
)
def test_words_of_a_text(text, words):
    assert split_words(text) == words


def test_a_spelled_word_stays():
    for word in split_words("I can't see Tom's big naïve हिन्दी O'Brien's"):
        assert split_words(word) == [word]


def test_counts_by_frequency_then_alphabet():
    documents = [["b", "a", "c"], ["a", "b", "d", "d", "d"]]
    assert list(count_words(documents).items()) == [("d", 3), ("a", 2), ("b", 2), ("c", 1)]
    assert list(count_words(documents, 2)) == ["d", "a", "b"]
    assert count_words([]) == {}
