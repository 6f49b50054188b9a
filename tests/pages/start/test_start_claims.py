"""What the page Start claims, held against the model's own weights."""

import re

import numpy as np

import tlmviz
from pages.start.start import claims, data
from pages.start.start.state import Start
from tests.pages.helpers import ROOT
from tests.pages.states import each_speaks_and_is_silent, left_without
from tlmviz.figures import readable
from tlmviz.ui.inputs import DEFAULT_TEXT, EXAMPLES

FRENCH, LONG = "Le chat 😀 voit le chat. Le chien voit le", "The cat sat on the mat. " * 20
ZOE, MOON = "My name is Zoe and I like to swim in the sea.", "La lune 🌙 et la lune 🌙"
TEXTS = [
    DEFAULT_TEXT,
    *EXAMPLES.values(),
    "Hi",
    "cat",
    "a b c d",
    FRENCH,
    LONG,
    ZOE,
    MOON,
    "😀",
    "Zumi saw Kavo. Zumi saw Ka",
    "The cat sat on the mat. The dog ran",
]


def spelled(lm, ids: list[int]) -> list[list[int]]:
    """Places of tokens, those together whose bytes are one character."""
    found, raw = [[]], b""
    for place, token in enumerate(ids):
        found[-1].append(place)
        raw += lm.tokenizer.token_bytes(token)
        try:
            raw.decode("utf-8")
        except UnicodeDecodeError:
            continue
        found, raw = [*found, []], b""
    return [each for each in found if each]


def what_it_is(names: list[str], key: int) -> str:
    """A word, a piece of one or a sign, by the letters around it in the text."""
    before, own, behind = "".join(names[max(key - 1, 1) : key]), names[key], "".join(names[key + 1 : key + 2])
    if not own.strip().isalpha():
        return "sign"
    inside = own[0].isalpha() and before[-1:].isalpha()
    return "piece of a word" if inside or behind[:1].isalpha() else "word"


def test_every_claim_is_what_the_model_says_and_silent_elsewhere(stories):
    found = []
    for text in TEXTS:
        shown, veiled = (data.Data(Start(text=text, guessed=guessed)) for guessed in (1, 0))
        asked = claims.asks(veiled)
        said = {claim.__name__: claim(shown) for claim in claims.CLAIMS}
        trace, head = stories.trace(text), shown.heads[data.FINDER]
        places = spelled(stories, list(trace.ids[: data.MOST]))
        query = places[head.row][-1]
        weights = trace.attention(head.layer, head.head)[query]
        row = np.array([float(weights[each].sum()) for each in places])
        key, percent = int(row.argmax()), f"{100 * float(row.max()):.0f}%"
        looks_back = key != head.row and float(row.max()) >= 0.5
        likely = trace.probabilities(query)
        again = looks_back and [int(likely.argmax())] == [trace.ids[each] for each in places[key]]
        first = ("expects" if again else "finds") if looks_back else "spreads"
        assert [name for name in ("expects", "finds", "spreads") if said[name]] == [first]
        assert claims.asks(shown) is None and bool(asked) == looks_back
        if asked:  # and nothing gives it away
            assert f"has read “{veiled.word(head.row)}”" in asked.replace("\\", "")
            assert not [claim(veiled) for claim in (claims.expects, claims.finds, claims.spreads) if claim(veiled)]
        if again:
            left, still = left_without(stories, text, (head.layer, head.head), query)
            assert f"with {100 * float(likely.max()):.0f}%," in said["expects"]
            assert left in (end := said["expects"].rpartition("ithout")[2]) and ("expects" in end) != still
        first = said[first].replace("\\", "")
        names = [
            b"".join(stories.tokenizer.token_bytes(trace.ids[at]) for at in each).decode() or trace.tokens[each[0]]
            for each in places
        ]
        for position in (head.row, key):
            assert f"“{readable(names[position]).lstrip('␣') or '␣'}”" in first
        if not looks_back and names[key].strip() == names[head.row].strip():  # which of two alike is told
            named = "itself more" if key == head.row else f"an earlier “{readable(names[key]).lstrip('␣')}” more"
            assert f"gives {named} of its attention" in first
        assert percent in first and (not again or f"just that {what_it_is(names, key)}:" in first)
        back = shown.heads[data.BACK]
        assert (head.layer, head.head) != (back.layer, back.head), text
        assert not any("<0x" in data.word(each) for each in [*shown.tokens, *(one.token for one in shown.expected)])
        bits = stories.bits_per_byte(text)
        assert bool(said["unlike"]) == (bits >= 3 * data.HELD_OUT)
        if said["unlike"]:
            assert f" {bits:.2f} bits per byte, {bits / data.HELD_OUT:.1f} times" in said["unlike"]
            single = sum(len(each) for each in spelled(stories, list(trace.ids)) if len(each) > 1)
            assert (f"{single} of its {len(trace)} tokens" in said["unlike"]) == bool(single)
            assert "SmolLM2" in said["unlike"]
        assert bool(said["shortened"]) == (len(trace) > data.MOST)
        if said["shortened"]:
            assert f"first {data.MOST} of {len(trace)} tokens" in said["shortened"]
        found.append({name: sentence is not None for name, sentence in {**said, "asks": asked}.items()})
    each_speaks_and_is_silent(found)
    assert tlmviz.load(data.MODEL).config.n_heads == 6
    card = (ROOT / "models" / data.MODEL / "card.md").read_text(encoding="utf-8")
    held_out = re.search(r"held-out stories: ([\d.]+) bits per byte", card)[1]
    assert f"{float(held_out):.2f}" == f"{data.HELD_OUT:.2f}"
