"""The tour "From text to next token": pieces, vectors, heads, layers, logits, softmax, and the die."""

from __future__ import annotations

import torch

from tlmviz.analysis.attention.residual_stream import lens
from tlmviz.figures import readable
from tlmviz.figures.written import number

from .. import compute
from .measures import largest, likeliest, story, story_trace, token
from .parts import Measured, Question, Step, Tour

TEXT = "The sun was hot, so the boy went to the"
NAME = "Zumi met Kavo"
NEAR = (" cat", " the", " ran")
HOT = 2.0  # temperature


def _pieces() -> Measured:
    """Of how many tokens a made-up name is."""
    tokens = story().encode("Zumi")[1:]
    names = ", ".join(f"“{story().tokenizer.name(one)}”" for one in tokens)
    return Measured(min(len(tokens), 4) - 1, f"{len(tokens)} tokens, {names}.")


def _neighbour() -> Measured:
    """Which of three tokens has the vector most like that of dog."""
    vectors = story().network.token_emb.weight.detach()
    dog = vectors[token(" dog")]
    alike = [float(torch.nn.functional.cosine_similarity(dog, vectors[token(word)], dim=0)) for word in NEAR]
    said = ", ".join(f"“{word.strip()}” {number(cosine, '.2f')}" for word, cosine in zip(NEAR, alike))
    return Measured(largest(alike), f"cosines with “dog” are {said}.")


def _future() -> Measured:
    """Whether any weight of the model falls on a later token."""
    trace = story_trace(TEXT)

    def work() -> tuple[float, float]:
        maps = [
            trace.attention(layer, head) for layer in range(trace.n_layers) for head in range(trace.n_heads)
        ]
        return max(float(map_.triu(1).max()) for map_ in maps), max(float(map_.max()) for map_ in maps)

    later, most = compute.run_in_worker(work)
    said = f"the largest weight on a later token is {number(later, 'g')}, the largest of all {number(most, '.2f')}."
    return Measured(1 if later == 0 else 0, said)


def _formed() -> Measured:
    """Behind which layer the lens names the final guess, and goes on doing so."""
    lm, trace = story(), story_trace(TEXT)
    last = slice(len(trace) - 1, len(trace))
    tops = compute.run_in_worker(lambda: lens(lm, trace, last, 1)).tokens[:, 0, 0]  # [L + 1]
    first = next(depth for depth in range(len(tops)) if (tops[depth:] == tops[-1]).all())
    names = " → ".join(f"“{readable(lm.tokenizer.name(int(top)))}”" for top in tops)
    layers = len(tops) - 1
    said = f"from the embedding on, {names}: the same from layer {first - 1} of {layers} on, counted from 0."
    return Measured(0 if first == 0 else 1 if first <= layers // 2 else 2, said)


def _flatter() -> Measured:
    """What the temperature does to the likeliest token's share."""
    trace = story_trace(TEXT)
    usual, hot = (float(trace.probabilities(temperature=each).max()) for each in (1.0, HOT))
    said = f"“park” has {number(usual, '.0%')} at temperature 1 and {number(hot, '.0%')} at {HOT:g}."
    return Measured(0 if hot < usual else 2, said)


TOUR = Tour(
    "next-token",
    "From text to next token",
    "All the way from a line of text to the word that comes next: pieces, vectors, attention, layers, and a draw.",
    (
        Step(
            "explorer",
            "Pieces",
            "A model reads tokens: common words whole, rare ones in parts. A name that nobody ever wrote, “Zumi”, is put "
            "together from "
            "pieces; the labels of the large map name them.",
            ".st-key-attention",
            {"text": NAME},
            Question("How many tokens is “Zumi”?", ("one", "two", "three", "four or more"), _pieces),
        ),
        Step(
            "projector",
            "A vector for each",
            "Each token of the vocabulary has a vector, 192 numbers that training found. Seen here in two dimensions: tokens "
            "that "
            "stand in like places lie near each other.",
            ".st-key-projector-view",
            {"wpm": "stories-rope", "wpw": "␣dog"},
            Question(
                "Which of these has the vector most like that of “dog”?",
                tuple(word.strip() for word in NEAR),
                _neighbour,
            ),
        ),
        Step(
            "inside_block",
            "The first row",
            "Token by token the vectors are written below each other: a row each. All that follows adds to these rows, and "
            "they "
            "keep their shape up to the end.",
            ".st-key-tensor",
            {"text": TEXT, "step": "embed"},
        ),
        Step(
            "inside_block",
            "Who may look at whom",
            "Attention lets rows read each other. A mask takes away what comes later: else the next word could be copied and "
            "nothing "
            "would be learnt.",
            ".st-key-tensor",
            {"text": TEXT, "step": "mask", "query": "3"},
            Question(
                "Does any head look at a later word, even a little?", ("yes, a little", "never"), _future
            ),
        ),
        Step(
            "explorer",
            "Thirty-six ways to look",
            "Six layers with six heads each, and every head looks in its own way: at the word before, at the start, at a name. "
            "What it "
            "finds is added to the row.",
            ".st-key-attention",
            {"text": TEXT},
        ),
        Step(
            "inside_block",
            "The guess forms",
            "Ask after every layer what the next word would be, were this the last: the lens. Read the last row from left to "
            "right.",
            ".st-key-lens",
            {"text": TEXT},
            Question(
                "When does the final guess stand first, to stay?",
                ("before any layer", "within the first three", "in the last three"),
                _formed,
            ),
        ),
        Step(
            "explorer",
            "A score for every token",
            "The last row becomes 2,048 scores, and softmax turns them into shares that add up to 1. These are the largest.",
            ".st-key-predictions",
            {"text": TEXT},
            Question(
                "Where does the boy go, most likely?",
                ("park", "garden", "store", "beach"),
                likeliest(TEXT, (" park", " garden", " store", " beach")),
            ),
        ),
        Step(
            "explorer",
            "A draw",
            "The next token is drawn by these shares. The temperature divides the scores first: here it is 2. Press *Write* to "
            "go on, "
            "word by word.",
            ".st-key-predictions",
            {"text": TEXT, "temp": "2.0"},
            Question(
                "What does temperature 2 do to the share of “park”?",
                ("it falls", "nothing", "it grows"),
                _flatter,
            ),
        ),
    ),
)
