"""Byte-level BPE: every text comes back, whatever is in it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tlmviz.errors import BadCheckpoint
from tlmviz.tokens import END_OF_TEXT, Tokenizer, output_names

from .tiny import SENTENCES, sentence
from .tiny import tokenizer as make_tokenizer

TOKENIZER = make_tokenizer()
ODD = [
    "",
    " ",
    "👩‍👩‍👧 and 😀",
    "שלום עולם",
    "مرحبا",
    "\x00\x01\x7f\x85",
    "a\r\n\tb  c",
    "é vs é",
    "<b>&amp;</b>",
    "\ufeff�",
]


@pytest.mark.parametrize("text", [*ODD, *SENTENCES])
def test_round_trip(text):
    assert TOKENIZER.decode(TOKENIZER.encode(text)) == text


@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_round_trip_of_any_text(text):
    ids = TOKENIZER.encode(text)
    assert TOKENIZER.decode(ids) == text
    assert b"".join(TOKENIZER.token_bytes(i) for i in ids) == text.encode()
    assert TOKENIZER.end_of_text not in ids and max(ids, default=0) < TOKENIZER.vocab_size


@given(st.lists(st.text(st.characters()), max_size=5))
def test_many_equals_one_by_one(texts):
    assert TOKENIZER.encode_many(texts) == [TOKENIZER.encode(text) for text in texts]


@pytest.mark.parametrize("text, read", [("a\ud83d b", "a� b"), ("\udc00", "�"), ("\ud83d\ude00", "😀")])
def test_lone_surrogates_become_the_replacement_character(text, read):
    assert TOKENIZER.decode(TOKENIZER.encode(text)) == read
    assert TOKENIZER.decode(TOKENIZER.encode_many([text])[0]) == read


def test_the_special_token_cannot_be_typed():
    ids = TOKENIZER.encode(f"a{END_OF_TEXT}b")
    assert TOKENIZER.end_of_text not in ids
    assert TOKENIZER.decode(ids) == f"a{END_OF_TEXT}b"
    assert TOKENIZER.end_of_text not in TOKENIZER.encode_many([END_OF_TEXT])[0]


def test_further_special_tokens_stand_at_the_end_and_cannot_be_typed():
    special = TOKENIZER.with_special("[CLS]", "[MASK]")
    size = TOKENIZER.vocab_size
    assert special.vocab_size == size + 2 and [special.name(size + at) for at in (0, 1)] == ["[CLS]", "[MASK]"]
    for text in ("[CLS] a [MASK]", *SENTENCES):
        assert special.encode(text) == TOKENIZER.encode(text) and special.decode(special.encode(text)) == text
    assert TOKENIZER.vocab_size == size  # the one it was made of is left as it was


def test_further_special_tokens_are_saved(tmp_path):
    special = TOKENIZER.with_special("[CLS]", "[MASK]")
    file = tmp_path / "tokenizer.json"
    file.write_text(special.to_json(), encoding="utf-8")
    again = Tokenizer.load(file)
    assert again.vocab_size == special.vocab_size and again.name(again.vocab_size - 1) == "[MASK]"
    assert again.encode("[CLS] a") == TOKENIZER.encode("[CLS] a") and again.end_of_text == TOKENIZER.end_of_text


def test_bos_is_the_special_token_and_decodes_to_nothing():
    assert TOKENIZER.encode("a", bos=True) == [TOKENIZER.end_of_text, *TOKENIZER.encode("a")]
    assert TOKENIZER.decode([TOKENIZER.end_of_text]) == "" and TOKENIZER.token_bytes(TOKENIZER.end_of_text) == b""


def test_names_are_readable():
    assert TOKENIZER.name(TOKENIZER.end_of_text) == END_OF_TEXT
    assert [TOKENIZER.name(i) for i in TOKENIZER.encode(" Lily")] == [" Lily"]
    assert "".join(TOKENIZER.name(i) for i in TOKENIZER.encode("😀")) == "<0xF0><0x9F><0x98><0x80>"


def test_common_words_are_one_token():
    """Merges were learned: the text is shorter in tokens than in bytes."""
    assert TOKENIZER.vocab_size == 320
    assert len(TOKENIZER.encode(SENTENCES[0])) < len(SENTENCES[0]) * 0.7


def test_file_round_trip(tmp_path):
    path = tmp_path / "tokenizer.json"
    path.write_text(TOKENIZER.to_json())
    again = Tokenizer.load(path)
    assert again.encode(SENTENCES[1]) == TOKENIZER.encode(SENTENCES[1]) and again.end_of_text == TOKENIZER.end_of_text


def test_the_special_token_ends_a_text_where_it_is_written():
    assert output_names(TOKENIZER, [TOKENIZER.end_of_text, *TOKENIZER.encode("a")]) == ["⟨end⟩", "a"]


WORDS = '"model": {"type": "WordLevel", "vocab": {%s}, "unk_token": "w"}'
SPECIAL = (
    '"added_tokens": [{"id": 0, "content": "<|endoftext|>", "single_word": false, "lstrip": false, "rstrip": false, '
    '"normalized": false, "special": true}]'
)


@pytest.mark.parametrize(
    "content",
    [
        "",
        "{}",
        "not json",
        "{" + WORDS % '"w": 0' + "}",
        "{" + SPECIAL + "," + WORDS % '"<|endoftext|>": 0, "w": 1, "two words": 2' + "}",
    ],
    ids=["empty", "object", "text", "no end of text", "not byte-level"],
)
def test_foreign_files_are_refused(content, tmp_path):
    path = tmp_path / "tokenizer.json"
    path.write_text(content)
    with pytest.raises(BadCheckpoint) as error:
        Tokenizer.load(path)
    sentence(error)
