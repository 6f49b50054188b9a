"""What rows and columns are called."""

from types import SimpleNamespace

import torch
from tokenizers import Tokenizer, decoders, models, pre_tokenizers
from transformers import PreTrainedTokenizerFast

import tlmviz
from tlmviz.watching.names import token_names

from .families import FAMILIES

PIECES = ["<pad>", "<s>", "</s>", "Ġthe", "Ġcat", "s", "Ã©", "Ċ"]  # GPT-2's spelling of bytes: Ã© is é, Ċ a new line


def byte_level():
    tokenizer = Tokenizer(models.WordLevel({piece: number for number, piece in enumerate(PIECES)}, unk_token="<pad>"))
    tokenizer.pre_tokenizer, tokenizer.decoder = pre_tokenizers.ByteLevel(), decoders.ByteLevel()
    return PreTrainedTokenizerFast(tokenizer_object=tokenizer)


def test_bytes_are_read_and_spaces_kept():
    assert token_names([1, 3, 4, 5, 6, 7, 50], byte_level()) == ["<s>", " the", " cat", "s", "é", "\n", "50"]


def test_sentencepieces_space_is_kept():
    pieces = ["▁the", "▁", "cat"]
    tokenizer = SimpleNamespace(convert_ids_to_tokens=pieces.__getitem__, decode=lambda ids: pieces[ids[0]])
    assert token_names([0, 1, 2], tokenizer) == [" the", " ", "cat"]


def test_without_a_tokenizer_they_are_numbers():
    assert token_names([4, 0], None) == ["4", "0"]


def test_a_watched_trace_has_them():
    model = FAMILIES["llama"].make()
    with torch.no_grad(), tlmviz.watch(model, byte_level(), check=False) as watched:
        model(input_ids=torch.tensor([[3, 4, 5]]))
    assert watched.trace.tokens == [" the", " cat", "s"]
