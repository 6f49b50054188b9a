"""What the part Write or copy claims, held against the mixture worked out from one pass, place by place."""

import re

import numpy as np
import torch

import tlmviz
from pages.translation.alignment.claims import token
from pages.translation.alignment.copied import claims
from pages.translation.alignment.copied.data import Data, models
from pages.translation.alignment.copied.state import SENTENCES, Pointing
from tests.pages.states import each_speaks_and_is_silent
from tlmviz.decoding.beam import BeamOptions
from tlmviz.recording import recording

CASES = [
    *((name, sentence, 5) for name in ("Quizzbeck", "Tom") for sentence in SENTENCES),
    ("Quizzbeck", SENTENCES[0], 1),
    ("Xanthippeqqwzzk", SENTENCES[1], 5),
    ("Zorvan", "She never eats meat.", 5),
    ("", "I", 5),
    ("Qx", SENTENCES[3], 1),
    ("dog", SENTENCES[4], 5),
    ("Mary", SENTENCES[1], 5),
    ("Vilma Orsini", SENTENCES[2], 5),
    ("Hrbgxtvwkqz", SENTENCES[0], 1),
    ("Boston", "I live in …, not in Tokyo.", 5),
    ("Zorvan", "…!", 5),
]


def shares(mt, text, tokens):
    """Of each written token the pointer's part of its probability, the gate and the attention, by hand."""
    source, read = mt.encode(text), [mt.tokenizer.end_of_text, *tokens[:-1]]
    with torch.inference_mode(), recording(lambda name: name == "gate_logit") as record:
        logp, attention = mt.network(torch.tensor([source]), torch.tensor([read]))
    gate, a = record.values["gate_logit"][0].double().numpy(), attention[0].double().numpy()
    g = 1 / (1 + np.exp(-gate))
    share = []
    for t, written in enumerate(tokens):
        copied = sum((1 - g[t]) * a[t, j] for j, other in enumerate(source) if other == written)
        share.append(copied / float(logp[0, t, written].double().exp()))
    return np.array(share), g, a


def steps_of(name, pieces):
    """The pieces that hold a letter of the name, letter by letter."""
    letters = [(i, letter) for i, piece in enumerate(pieces) for letter in piece]
    text = "".join(letter for _, letter in letters)
    found = re.finditer(re.escape(name), text) if name else ()
    return sorted({letters[at][0] for match in found for at in range(*match.span())})


def test_the_pointers_model_has_a_twin():
    assert models() == ("eng-fra-copy", "eng-fra-copy-plain")


def test_what_is_said_is_what_the_mixture_gives():
    found = []
    mt, plain = (tlmviz.load(name) for name in models())
    for name, sentence, width in CASES:
        shown = Data(Pointing(name=name, sentence=sentence, width=width), *models())
        said = {claim.__name__: claim(shown) for claim in claims.CLAIMS}
        text = sentence.replace("…", name)
        tokens, other = (
            list(each.search(text, BeamOptions(width=width)).hypotheses()[0].tokens) for each in (mt, plain)
        )
        share, g, a = shares(mt, text, tokens)
        source, target = mt.names(mt.encode(text)), shown.pair.targets
        steps = steps_of(name, mt.names(tokens)) if name and name in text else []
        words = [t for t, piece in enumerate(mt.names(tokens)) if piece.strip().isalpha()]
        copied = [t for t in words if share[t] > 0.5]
        least = min(share[steps]) if steps else 0
        expected = {
            "copies_the_name": bool(steps) and least > 0.5,
            "writes_the_name": bool(steps) and least <= 0.5,
            "loses_the_name": bool(name) and name in text and not steps,
            "twin_loses_it": bool(steps) and name not in plain.text(other),
            "twin_has_it": bool(name) and name in text and name in plain.text(other),
            "others_are_copied": bool(set(copied) - set(steps)),
            "nothing_is_copied": bool(words) and not copied,
            "writes_the_rest": any(share[t] < 0.5 and a[t].max() > 0.5 for t in words),
        }
        assert {key: value is not None for key, value in said.items()} == expected, (name, sentence, said)
        if said["copies_the_name"]:
            t = min(steps, key=lambda at: g[at])
            numbers = [
                f"{len(steps)} tok",
                f"{min(int(1000 * least) / 10, 99.9):.1f}%",
                token(target, t),
                f"g is {g[t]:.2f}",
                f"{a[t].max():.0%}",
            ]
            numbers.append(token(source, int(a[t].argmax())))
            assert _in_order(said["copies_the_name"], [name, *numbers])
        if said["writes_the_name"]:
            t = min(steps, key=lambda at: share[at])
            assert _in_order(said["writes_the_name"], [name, token(target, t), f"{share[t]:.0%}"])
        if said["twin_loses_it"]:
            assert _in_order(said["twin_loses_it"], [plain.name, plain.text(other)[:-1]])
        if said["others_are_copied"]:
            others = [t for t in copied if t not in steps][:4]
            assert _in_order(said["others_are_copied"], [token(target, t) for t in others])
        if said["nothing_is_copied"]:
            t = max(words, key=lambda at: share[at])
            assert _in_order(said["nothing_is_copied"], [f"{share[t]:.0%}", token(target, t)])
        if said["writes_the_rest"]:
            t = max((t for t in words if share[t] < 0.5 and a[t].max() > 0.5), key=lambda at: g[at])
            parts = [token(target, t), f"{g[t]:.2f}", f"{a[t].max():.0%}", token(source, int(a[t].argmax()))]
            assert _in_order(said["writes_the_rest"], parts)
        found.append({key: value is not None for key, value in said.items()})
    each_speaks_and_is_silent(found)


def _in_order(said: str, parts: list[str]) -> bool:
    plain, at = said.replace("\\", ""), 0
    for part in (part.replace("\\", "") for part in parts):
        at = plain.find(part, at)
        if at < 0:
            return False
        at += len(part)
    return True
