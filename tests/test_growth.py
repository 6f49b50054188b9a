"""Tokenizers that make texts longer: bounded when they are read, and text by text."""

import json

import pytest
import tokenizers
from tokenizers import Regex, models, normalizers, pre_tokenizers, processors
from tokenizers import Tokenizer as HFTokenizer

from tests.tiny import sentence
from tlmviz.errors import BadCheckpoint, BadText
from tlmviz.tokens import growth
from tlmviz.tokens.tokenizer import read_json

LONGER = normalizers.Replace("a", "aa")
KNOWN = {  # what makes nothing longer
    "Nmt",
    "Strip",
    "StripAccents",
    "BertPreTokenizer",
    "CharDelimiterSplit",
    "Digits",
    "FixedLength",
    "Punctuation",
    "Split",
    "UnicodeScripts",
    "Whitespace",
    "WhitespaceSplit",
    "BertProcessing",
    "RobertaProcessing",
}


def file(folder, normalizer=None, pre_tokenizer=None, post_processor=None):
    """A tokenizer.json with these parts."""
    inner = HFTokenizer(models.WordLevel({"a": 0}, unk_token="a"))
    for name, part in (
        ("normalizer", normalizer),
        ("pre_tokenizer", pre_tokenizer),
        ("post_processor", post_processor),
    ):
        if part is not None:
            setattr(inner, name, part)
    inner.save(str(folder / "tokenizer.json"))
    return folder / "tokenizer.json"


@pytest.mark.parametrize(
    "parts",
    [
        {"normalizer": normalizers.Replace("a", "a" * 1000)},
        {"normalizer": normalizers.Replace("", "a" * 41)},
        {"normalizer": normalizers.Replace(Regex("b*"), "a" * 41)},
        {"normalizer": normalizers.Prepend("a" * 1000)},
        {"pre_tokenizer": pre_tokenizers.Sequence([pre_tokenizers.ByteLevel()] * 40)},
        {"post_processor": processors.TemplateProcessing(single=" ".join(["$A"] * 41))},
        {"post_processor": processors.Sequence([processors.TemplateProcessing(single="$A $A")] * 40)},
    ],
    ids=lambda parts: str(*parts.values())[:40],
)
def test_a_file_of_which_a_step_lengthens_texts_is_refused(tmp_path, parts):
    with pytest.raises(BadCheckpoint) as error:
        read_json(file(tmp_path, **parts))
    assert "times as long; a tokenizer of which each" in sentence(error)


def test_a_sequence_in_a_sequence_is_one_step(tmp_path):
    path = file(tmp_path)
    values = json.loads(path.read_text())
    step = json.loads(LONGER.__getstate__())
    for _ in range(6):
        step = {"type": "Sequence", "normalizers": [step, step]}
    path.write_text(json.dumps(values | {"normalizer": {"type": "Sequence", "normalizers": [step]}}))
    with pytest.raises(BadCheckpoint):
        read_json(path)


def test_many_steps_are_tried_on_each_text(tmp_path):
    guard = growth.guard(read_json(file(tmp_path, normalizers.Sequence([LONGER] * 40))))
    guard("hello, " * 1000)
    for text in ("a", "a" * 100_000, "hello, a"):
        with pytest.raises(BadText, match="more than 12 times as long"):
            guard(text)


def test_what_a_file_says_of_padding_is_not_done(tmp_path):
    inner = read_json(file(tmp_path))
    inner.enable_padding(length=1000)
    inner.save(str(tmp_path / "tokenizer.json"))
    assert len(read_json(tmp_path / "tokenizer.json").encode("a").ids) == 1


@pytest.mark.parametrize("text", ["plain", " two  spaces", "\ufdfa" * 50, "İ" * 50, "好" * 50, "e\u0301\u0390" * 50])
@pytest.mark.parametrize(
    "step",
    [
        *(
            kind()
            for kind in (normalizers.NFC, normalizers.NFD, normalizers.NFKC, normalizers.NFKD, normalizers.Lowercase)
        ),
        normalizers.BertNormalizer(),
        normalizers.ByteLevel(),
        normalizers.Prepend("▁"),
        normalizers.Replace(" ", "▁"),
        normalizers.Replace(Regex(" {2,}"), "▁"),
        pre_tokenizers.ByteLevel(),
        pre_tokenizers.Metaspace(),
    ],
    ids=str,
)
def test_no_step_makes_more_than_is_said_of_it(step, text):
    normalizes = isinstance(step, normalizers.Normalizer)
    found = step.normalize_str(text) if normalizes else "".join(piece for piece, _ in step.pre_tokenize_str(text))
    assert len(found.encode()) <= growth.growth(json.loads(step.__getstate__())) * len(text.encode())


def test_every_step_of_the_library_is_known():
    """When this fails, the library has a step more: it makes texts longer, and has a line in STEPS, or it is KNOWN not
    to."""
    parts = (
        (tokenizers.normalizers, normalizers.Normalizer),
        (tokenizers.pre_tokenizers, pre_tokenizers.PreTokenizer),
        (tokenizers.processors, processors.PostProcessor),
    )
    every = {
        name
        for module, base in parts
        for name, kind in vars(module).items()
        if isinstance(kind, type) and issubclass(kind, base) and kind is not base
    }
    assert every == KNOWN | growth.STEPS.keys()
