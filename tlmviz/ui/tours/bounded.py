"""The tour "Streams that stay bounded": one stream or four, free matrices and doubly stochastic ones, through depth."""

from __future__ import annotations

import numpy as np
import torch

from tlmviz import kernels
from tlmviz.analysis.streams import depth, mixing, vectors
from tlmviz.figures.written import number

from .. import compute
from ..inputs import DEFAULT_TEXT as TEXT
from .measures import largest, nearest
from .parts import Measured, Question, Step, Tour

BOUND, FREE = compute.DEFAULT_STREAM_MODEL, "stories-hc"
DEEP_BOUND, DEEP_FREE = "stories-deep-mhc", "stories-deep-hc"
START = ((1.0, 2.0, 3.0), (2.0, 1.0, 1.0), (1.0, 1.0, 4.0))


def _res(model: str) -> torch.Tensor:
    """H_res of every sublayer at every token of the text."""
    trace = compute.trace(model, TEXT)
    return compute.run_in_worker(lambda: mixing.mixing_of(trace).res)


def _sums(model: str) -> tuple[float, float]:
    """The smallest and the largest row sum of the model's matrices."""
    rows = _res(model).sum(-1)
    return float(rows.min()), float(rows.max())


def _kept() -> Measured:
    res = _res(BOUND)
    own = float(res.diagonal(dim1=-2, dim2=-1).mean())
    return Measured(
        nearest(own, (0.25, 0.5, 0.99)), f"on average a stream keeps {number(own, '.1%')} of itself."
    )


def _row_sums() -> Measured:
    (low, high), (least, most) = _sums(BOUND), _sums(FREE)
    said = (
        f"here from {number(least, '.2f')} to {number(most, '.2f')}; with constrained ones from {number(low, '.4f')} to "
        f"{number(high, '.4f')}."
    )
    return Measured(0 if most - least < 0.01 else 1 if least > 0 else 2, said)


def _sinkhorn() -> Measured:
    """How far row sums are from 1 after one round and after twenty."""
    logits = torch.tensor(START).log()

    def off(rounds: int) -> float:
        made = kernels.sinkhorn(logits[None], rounds)[0]
        return float(max((made.sum(0) - 1).abs().max(), (made.sum(1) - 1).abs().max()))

    once, often = compute.run_in_worker(lambda: (off(1), off(20)))
    said = (
        f"sums are off by {number(once, '.1e')} after one round and by {number(often, '.1e')} after twenty."
    )
    return Measured(0 if often < once / 10 else 1, said)


def _gain(model: str) -> float:
    res = _res(model)
    found = compute.run_in_worker(lambda: depth.depth(res))
    return float(np.nanmax(np.asarray(found.forward)))


def _deep() -> Measured:
    bound, free = _gain(DEEP_BOUND), _gain(DEEP_FREE)
    said = (
        f"the largest product of free matrices gains {number(free, ',.0f')} times, of doubly stochastic ones "
        f"{number(bound, '.2f')}."
    )
    return Measured(nearest(np.log10(free), (0, 1, 2.6)), said)


def _bound() -> Measured:
    gain = _gain(DEEP_BOUND)
    return Measured(
        0 if gain < 1.01 else 1, f"over 24 layers it is {number(gain, '.4f')}, as Sinkhorn stops early."
    )


def _muted() -> Measured:
    lm = compute.model(DEEP_BOUND)
    ids, streams = compute.trace(DEEP_BOUND, TEXT).ids, lm.config.connection.streams
    own = float(compute.trace(DEEP_BOUND, TEXT).loss_per_token().mean())
    cases = [(stream, 0) for stream in range(streams)]
    losses = compute.run_in_worker(lambda: vectors.muted_losses(lm, list(ids), cases).mean(-1)).tolist()
    said = ", ".join(f"stream {stream} {number(loss, '.2f')}" for stream, loss in enumerate(losses))
    return Measured(
        largest(losses), f"nats per token with each muted, {said}; with all {number(own, '.2f')}."
    )


TOUR = Tour(
    "streams",
    "Streams that stay bounded",
    "Four residual streams in place of one, mixed at every layer. What keeps a product of many mixings from growing or dying?",
    (
        Step(
            "mhc",
            "Four streams",
            "What travels through this model is four vectors per word, side by side. At every sublayer they are read, written, "
            "and "
            "mixed by a matrix.",
            ".st-key-sf-view",
            {},
            Question(
                "How much of itself does a stream keep at a sublayer?",
                ("about a quarter", "about half", "nearly all"),
                _kept,
            ),
        ),
        Step(
            "mhc",
            "Nothing binds them",
            "The same model trained with free matrices: rows may sum to anything, entries may be negative.",
            ".st-key-sm-view",
            {"smodel": FREE, "sview": "Matrices"},
            Question(
                "What do the rows of its matrices sum to?",
                ("all to 1", "to anything above 0", "to anything, below 0 too"),
                _row_sums,
            ),
        ),
        Step(
            "mhc",
            "Bound by sums",
            "With the constraint no entry is below 0 and every row and column sums to 1: a mixing that shares out, and cannot "
            "amplify.",
            ".st-key-sm-view",
            {"sview": "Matrices"},
        ),
        Step(
            "mhc",
            "How a matrix is made so",
            "Divide rows by their sums, then columns, then rows again: Sinkhorn's iteration. Turn the dial and watch the sums.",
            ".st-key-sd-view",
            {"sview": "Sinkhorn dial", "sds": "Own matrix", "sdm": "1 2 3\n2 1 1\n1 1 4"},
            Question(
                "Do twenty rounds bring this matrix's sums more than ten times nearer to 1 than one?",
                ("yes", "no"),
                _sinkhorn,
            ),
        ),
        Step(
            "mhc",
            "Through 24 layers",
            "What is carried past many layers is a product of their matrices. The triangles are the gain of every such "
            "product, in models "
            "of 24 layers.",
            ".st-key-spwide",
            {"smodel": DEEP_FREE, "sview": "Depth"},
            Question(
                "How far does the largest product of free matrices amplify, on this text?",
                ("not at all", "about 10 times", "several hundred times"),
                _deep,
            ),
        ),
        Step(
            "mhc",
            "The same, bound",
            "A product of doubly stochastic matrices is doubly stochastic again, however many there are. So its gain is known "
            "before "
            "it is measured.",
            ".st-key-spwide",
            {"smodel": DEEP_BOUND, "sview": "Depth"},
            Question("What is the largest gain here?", ("1", "more than 1"), _bound),
        ),
        Step(
            "mhc",
            "Who holds the story",
            "Bounded is not equal: one stream may hold most of what matters. Here one is muted from the embedding on.",
            ".st-key-sxwidelosses",
            {"smodel": DEEP_BOUND, "sview": "Streams", "sxpart": "Mute"},
            Question(
                "Which stream costs most when it is muted?",
                ("stream 0", "stream 1", "stream 2", "stream 3"),
                _muted,
            ),
        ),
        Step(
            "mhc",
            "How it came about",
            "The training, moment by moment: matrices begin near the identity, and the loss falls while they find their shape. "
            "Drag "
            "the slider.",
            ".st-key-srcurves",
            {"sview": "Training"},
        ),
    ),
)
