"""Byte-pair encoding learnt in the browser is that of the package tokenizers: the same pieces, merges and ids."""

from __future__ import annotations

import json
import random
from pathlib import Path

from tokenizers import Tokenizer, models, pre_tokenizers, trainers

from pages.start.train.state import STORY
from tests.javascript.node import evaluate

ROOT = Path(__file__).resolve().parents[2]
VOCABULARY = "tlmviz/browser/training/vocabulary.js"


def drawn(signs: str, length: int, seed: int) -> str:
    rng = random.Random(seed)
    return "".join(rng.choice(signs) for _ in range(length))


TEXTS = [
    STORY,
    "abc " * 100,
    "aaaa bbbb aaaaaaa aaab " * 50,
    "Ein Äpfelchen, 日本, 🍎🍏 und ein Baum:\n" * 10,
    "It's we're I'll  two  spaces\t\ttabs\n\nlines 12 345\u0085\ufeff " * 8,
    (ROOT / "README.md").read_text(encoding="utf-8")[:20_000],
    "ab",
    "",
    *(drawn("ab c\n", 900, seed) for seed in range(8)),
    *(drawn("aaab", 900, seed) for seed in range(4)),
]
CASES = [[text, most] for text in TEXTS for most in (3, 64, 256, 512)]


def learnt(text: str, most: int) -> Tokenizer:
    """By the package, from what occurs in the text alone."""
    found = Tokenizer(models.BPE())
    found.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    trainer = trainers.BpeTrainer(vocab_size=most, min_frequency=2, show_progress=False)
    found.train_from_iterator([text], trainer)
    return found


def test_pieces_and_merges_are_those_of_the_package():
    body = "result = given.map(([text, most]) => learnPieces(text, most));"
    for (text, most), ours in zip(CASES, evaluate({VOCABULARY: "learnPieces"}, body, CASES), strict=True):
        theirs = json.loads(learnt(text, most).to_str())["model"]
        assert ours["pieces"] == sorted(theirs["vocab"], key=theirs["vocab"].get), text[:30]
        assert ours["merges"] == [" ".join(pair) for pair in theirs["merges"]], text[:30]


def test_the_file_reads_every_text_as_it_was_learnt_and_any_other():
    imports = {VOCABULARY: "learnPieces, readsAll, tokenizerFile", "tlmviz/browser/tokenizer.js": "Tokenizer"}
    body = """
result = given.map(([text, most, other]) => {
  const own = learnPieces(text, most);
  const file = tokenizerFile(readsAll(own));
  const tokenizer = new Tokenizer(file, "mine");
  const read = [text, other].map((each) => tokenizer.encode(each));
  return { file, read, text: read.map((ids) => tokenizer.decode(ids)), own: own.pieces.length };
});
"""
    other = "Something else: ßé日 🎈 123"
    cases = [[text, most, other] for text, most in CASES if most > 3]
    for (text, most, _), ours in zip(cases, evaluate(imports, body, cases), strict=True):
        file = Tokenizer.from_str(ours["file"])
        assert ours["text"] == [text, other]
        assert ours["read"] == [file.encode(each).ids for each in (text, other)]
        assert ours["read"][0] == learnt(text, most).encode(text).ids  # no token behind the network's own
        assert all(token < ours["own"] for token in ours["read"][0])
