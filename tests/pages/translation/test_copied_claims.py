"""What the part Write or copy claims, held against the mixture worked out from one pass, place by place."""

import re

import numpy as np
import torch

import tlmviz
from pages.translation.alignment.claims import token
from pages.translation.alignment.copied import claims
from pages.translation.alignment.copied.data import Data
from pages.translation.alignment.copied.state import SENTENCES, Pointing
from tests.pages.states import each_speaks_and_is_silent, stated
from tlmviz.decoding.beam import BeamOptions
from tlmviz.recording import recording
from tlmviz.ui import markdown

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
    assert Data(Pointing(text="")).both == ("eng-fra-copy", "eng-fra-copy-plain")


def test_what_is_said_is_what_the_mixture_gives():
    found = []
    mt, plain = (tlmviz.load(name) for name in ("eng-fra-copy", "eng-fra-copy-plain"))
    for name, sentence, width in CASES:
        shown, said = Data(Pointing(text="", name=name, sentence=sentence, width=width)), {}
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
        quoted, looked = f"“{markdown.plain(name)}”", [token(source, int(row.argmax())) for row in a]
        if steps and least > 0.5:
            t = min(steps, key=lambda at: g[at])
            share_of = f"{min(int(1000 * least) / 10, 99.9):.1f}%"
            at = token(target, t), f"{g[t]:.2f}", f"{a[t].max():.0%}", looked[t]
            said["copies_the_name"] = (len(steps), quoted, share_of, *at)
        elif steps:
            t = min(steps, key=lambda at: share[at])
            said["writes_the_name"] = (quoted, token(target, t), f"{share[t]:.0%}")
        elif name and name in text:
            said["loses_the_name"] = (quoted,)
        theirs = plain.text(other)
        if steps and name not in theirs:
            said["twin_loses_it"] = (plain.name, *([markdown.plain(theirs)] if theirs else []))
        if name and name in text and name in theirs:
            said["twin_has_it"] = (plain.name,)
        if others := [token(target, t) for t in copied if t not in steps][:4]:
            *some, last = others
            said["others_are_copied"] = (", ".join(some), last) if some else (last,)
        if words and not copied:
            t = max(words, key=lambda at: share[at])
            said["nothing_is_copied"] = (f"{share[t]:.0%}", token(target, t))
        if rest := [t for t in words if share[t] < 0.5 and a[t].max() > 0.5]:
            t = max(rest, key=lambda at: g[at])
            said["writes_the_rest"] = (token(target, t), f"{g[t]:.2f}", f"{a[t].max():.0%}", looked[t])
        found.append(stated(claims.CLAIMS, shown, said))
    each_speaks_and_is_silent(found)
