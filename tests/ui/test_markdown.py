"""Text within Markdown: it reads as it was, and what the browser would make a link of is none."""

import re

import pytest
from markdown_it import MarkdownIt

from tlmviz.ui import markdown

# As Streamlit's reader of Markdown has them, for any text that it has read.
ADDRESSES = re.compile(r"(https?://|www(?=\.))([-.\w]+)|[-.\w+]+@[-\w]+(\.[-\w]+)+", re.IGNORECASE)
HOSTILE = [
    "![a](http://e.vil/p)",
    "[a](//e.vil)",
    r"\[a](//e.vil)",
    "<img src=//e.vil>",
    "&#119;ww.e.vil",
    "&lt;b&gt;",
    "www.e.vil",
    "WWW.E.vil",
    r"http\://e.vil",
    "HTTPS://e.vil",
    "a@e.vil",
    "$x$",
    "`[a](//e.vil)",
    "[a]: //e.vil",
]


def read(text):
    """What a browser shows of Markdown as text, and the kinds of its other elements."""
    tokens = [child for token in MarkdownIt("commonmark", {"html": True}).parse(text) for child in token.children or ()]
    return "".join(token.content for token in tokens if token.type == "text"), {
        token.type for token in tokens if token.type != "text"
    }


@pytest.mark.parametrize("text", [*HOSTILE, "**bold** _it_ ~no~", "# head", "- a", "1. a", "a | b", ":red[b]"])
def test_plain_text_reads_as_it_was(text):
    shown, elements = read(f"“{markdown.plain(text)}”")
    assert shown.replace("\u2060", "") == f"“{text}”" and not elements
    assert not ADDRESSES.search(shown)


@pytest.mark.parametrize("text", HOSTILE)
def test_a_sentence_keeps_its_bold_words_and_nothing_else(text):
    shown, elements = read(markdown.sentence(f"**No** “{text}” here."))
    assert elements <= {"strong_open", "strong_close", "code_inline"} and not ADDRESSES.search(shown)
    if "`" not in text:
        assert shown.replace("\u2060", "") == f"No “{text}” here."


def test_a_token_is_quoted_with_its_place():
    assert read(markdown.quoted(" [cat](x)", 3))[0] == "“[cat](x)” (3)"
