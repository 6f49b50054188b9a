"""Tokens and numbers are written alike in Python and in the browser."""

import pytest

from tests.javascript.node import evaluate
from tlmviz import figures

TEXT = "tlmviz/ui/components/canvas/text.js"
TOKENS = [
    *(
        "<|endoftext|>",
        "⟨end⟩",
        "",
        " ",
        "   ",
        " " * 9,
        "\n",
        " \n",
        "\n\n",
        "\r\n",
        "\t",
        " \t",
        "a",
        " a",
        "  a",
        "a ",
    ),
    *("\u202eb", "\x00", "\u00a0", "\u200b", "é", " 犬", "👩‍👩‍👧", "�", "<b>", " &", "'s", "-3", "S", " S", " s"),
]


def test_both_write_every_token_alike():
    imports = {TEXT: "visible, visibleAll"}
    body = "result = [given.map((t) => visible(t)), given.map((t) => visible(t, true)), visibleAll(given)];"
    alone, spaced, together = evaluate(imports, body, TOKENS)
    assert alone == [figures.readable(token) for token in TOKENS]
    assert spaced == [figures.readable(token, spaced=True) for token in TOKENS]
    assert together == figures.readable_all(TOKENS)


@pytest.mark.parametrize("tokens", [["S", " S"], ["\n", " \n", "  \n"], [" ", "  "], ["a", " a", "  a"], ["a", "a "]])
def test_tokens_of_one_picture_are_told_apart(tokens):
    assert len(set(figures.readable_all(tokens))) == len(set(figures.token_labels(tokens))) == len(tokens)


def test_a_text_without_collisions_shows_no_spaces():
    tokens = ["<|endoftext|>", "Lily", " had", " a", " ball", ".", " a"]
    assert figures.readable_all(tokens) == ["⟨start⟩", "Lily", "had", "a", "ball", ".", "a"]
    assert figures.placed(4, " ball") == "4 · ball"
