"""The words of the page "Pointer sentinel"."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tlmviz.figures import number

from . import compute

if TYPE_CHECKING:
    from .controls import Choice

CLAIM = "It writes a word or copies one from the text, even a name it never saw."
NOTICE = (
    "Each word is shaded by how much of its prediction was copied: 1 − g, where g is the gate. Point at a word, or choose it: "
    "arcs lead to the earlier words that the pointer looked at, and the bars show which words could have stood there.",
    "A bar is the sum of two parts: what the vocabulary's softmax writes and what the pointer copies. A word with a dotted line "
    "is not in the vocabulary: it has a copied part only.",
    "Move the sentinel's score: up, and every word is written; down, and the model can do little but repeat what stands there.",
)
NOTICE_MATHS = (
    "The sentinel is one more key in the pointer's softmax; its share is g. Moving its score by d makes g eᵈ / (g eᵈ + 1 − g) "
    "of g.",
    "Unknown words are read as stand-ins, in order of appearance, and have columns of their own behind the vocabulary.",
)
EQUATIONS = (
    (
        r"p(w) = g\, p_{\mathrm{vocab}}(w) + (1 - g)\, p_{\mathrm{ptr}}(w), \qquad a = \mathrm{softmax}\left([\mathbf{q}\cdot"
        r"\mathbf{h}_0, \dots, \mathbf{q}\cdot\mathbf{h}_t;\ \mathbf{q}\cdot\mathbf{s}]\right), \quad g = a_{\mathbf{s}}",
        "Mathematics in Modern NLP, section 7.2.4, Eq. 53; Merity, Xiong, Bradbury and Socher 2016. "
        "h: the LSTM's states, q = tanh(W h), s: the sentinel.",
    ),
)
COPYLOSSES_ALT = "Loss of each word with the pointer and without"


def losses(choice: Choice) -> str:
    """Both models on this text, in a sentence."""
    one, two = (compute.mixture(name, choice.text) for name in (compute.COPIER, compute.PLAIN))
    (with_pointer, without), again = (compute.nats(mix) for mix in (one, two)), compute.again(one)
    text = (
        f"On this text the mixture loses {number(float(with_pointer.mean()), '.2f')} nats per word, its twin without a pointer "
        f"{number(float(without.mean()), '.2f')}."
    )
    if again.any():
        text += (
            f" Where an unknown word comes again ({int(again.sum())} places): {number(float(with_pointer[again].mean()), '.2f')} "
            f"and {number(float(without[again].mean()), '.2f')}; the twin can only say that some unknown word follows."
        )
    return text


def said(choice: Choice) -> str:
    """Which unknown words are copied where they come again."""
    mix = compute.mixture(compute.COPIER, choice.text, choice.shift)
    if not mix.unknown:
        return "Every word of this text is in the vocabulary: type a name of your own invention, twice."
    hits = []
    for word in mix.unknown:
        places = np.flatnonzero(mix.ids == mix.words.index(word))[1:]
        if len(places):
            best = int((mix.mixed[places - 1].argmax(1) == mix.ids[places]).sum())
            hits.append(f"{word} {best} of {len(places)} times")
    names = ", ".join(mix.unknown)
    if not hits:
        return f"Not in the vocabulary: {names}. None comes again, so there was nothing to copy."
    return f"Not in the vocabulary: {names}. The most probable word where it comes again: {', '.join(hits)}."


def snippet(choice: Choice) -> str:
    """The parts of the mixture with the public API."""
    return f"""\
import tlmviz

model = tlmviz.load("stories-sentinel")
mix = model.mixture({choice.text!r}, sentinel={choice.shift})
print(mix.tokens, mix.unknown)
print(mix.gate.round(2))  # [T]; row t predicts word t + 1
best = [mix.words[i] for i in mix.mixed.argmax(1)]  # [T, V], V with the text's own unknown words
looks = mix.pointer.argmax(1)  # [T, T], rows sum to 1
for t, (word, place) in enumerate(zip(best, looks)):
    print(mix.tokens[t], "->", word, f"(pointer: {{mix.tokens[place]}}, 1 - g = {{1 - mix.gate[t]:.2f}})")
"""
