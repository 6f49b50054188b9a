"""The engine's tokenizer against Python's: the same ids, names and texts, whatever is typed."""

import random
import unicodedata

import pytest

from tests.javascript.node import ROOT, evaluate
from tlmviz.tokens import Tokenizer

COUNT = 10_000
WORDS = [
    "once",
    "upon",
    "a",
    "time",
    "Lily",
    "l'hôtel",
    "don't",
    "we'll",
    "naïve",
    "été",
    "3.14",
    "1,000",
    "<b>x</b>",
    "&amp;",
    "{}",
    "<|endoftext|>",
    "’s",
    "'S",
]
SPACES = " \t\n\r\x0b\x0c\x1c\x85\xa0\u1680\u2000\u200a\u200b\u2028\u202f\u205f\u3000\ufeff\u180e"
ODD = "\x00\x7f\u00ad\u0301\u0e33\ufe0f\u200d\U0001f1eb\U0001f1f7\U0001f469\U000e0001\uffff\ufffd\ud83d\ude00\ud800"
BODY = "\n".join(
    [
        "const tokenizer = new Tokenizer(readFileSync(given.path, 'utf8'), 'test');",
        "const ids = given.texts.map((text) => tokenizer.encode(text));",
        "const named = Array.from({ length: tokenizer.size + 1 }, (_, id) => tokenizer.nameOf(id));",
        "result = { ids, named, decoded: given.drawn.map((each) => tokenizer.decode(each)) };",
    ]
)


def strings(seed: int) -> list[str]:
    """Random texts: words, white space, letters of any script, emoji, parts of them, and halves of surrogate pairs."""
    draw = random.Random(seed)
    assigned = [chr(c) for c in range(0x30000) if unicodedata.category(chr(c)) not in ("Cn", "Cs", "Co")]
    kinds = [
        lambda: draw.choice(WORDS),
        lambda: draw.choice(SPACES) * draw.randint(1, 4),
        lambda: "".join(draw.choices("abcdefghij '’.,!?0123456789", k=draw.randint(1, 6))),
        lambda: "".join(draw.choices("éèàùçœÀÉŒ«»—…", k=draw.randint(1, 3))),
        lambda: draw.choice(assigned),
        lambda: chr(draw.randint(0x1F300, 0x1FAFF)),
        lambda: draw.choice(ODD),
    ]
    return ["".join(draw.choice(kinds)() for _ in range(draw.randint(1, 8))) for _ in range(COUNT)]


@pytest.mark.parametrize("name", ["stories-rope", "eng-fra", "stories-encoder"])
def test_the_same_ids_and_names_as_in_python(name):
    path = ROOT / "models" / name / "tokenizer.json"
    tokenizer, texts, draw = Tokenizer.load(path), strings(len(name)), random.Random(0)
    plain = range(tokenizer.vocab_size - len(tokenizer.special) + 1)
    drawn = [draw.choices(plain, k=draw.randint(0, 8)) for _ in range(2_000)]
    given = {"path": str(path), "texts": texts, "drawn": drawn}
    found = evaluate({"tlmviz/browser/tokenizer.js": "Tokenizer"}, BODY, given)
    expected = [tokenizer.encode(text) for text in texts]
    wrong = [text for text, ids, own in zip(texts, found["ids"], expected, strict=True) if ids != own]
    assert not wrong, [ascii(text) for text in wrong[:5]]
    assert found["named"] == [tokenizer.name(i) for i in range(tokenizer.vocab_size + 1)]
    assert found["decoded"] == [tokenizer.decode(ids) for ids in drawn]


@pytest.mark.parametrize(
    "text, part",
    [
        ("{", "cannot be read as a tokenizer"),
        ('{"model": {"type": "WordLevel", "vocab": {}}}', "type WordLevel"),
        ('{"model": {"type": "BPE"}, "pre_tokenizer": {"type": "Metaspace"}}', "byte-level BPE"),
        (
            '{"model": {"type": "BPE", "vocab": {"a": 0}, "merges": []}, "pre_tokenizer": {"type": "ByteLevel"}}',
            "no <|endoftext|> token",
        ),
    ],
)
def test_other_tokenizers_are_refused_in_one_sentence(text, part):
    body = "try { new Tokenizer(given, 'mine'); } catch (error) { result = error.message; }"
    found = evaluate({"tlmviz/browser/tokenizer.js": "Tokenizer"}, body, text)
    assert part in found and found.endswith(".")
