"""The tour "Why divide by sqrt(d)": sums that grow, softmax that saturates, measured before and after training."""

from __future__ import annotations

import functools

import torch

from tlmviz.analysis.attention.interventions import scale_scores
from tlmviz.analysis.numbers import logits
from tlmviz.figures.written import number
from tlmviz.protocols import LanguageModelLike
from tlmviz.tracing.trace import Trace

from .. import compute
from ..inputs import DEFAULT_TEXT as TEXT
from .measures import largest, looked_at, nearest, story, story_trace
from .parts import Measured, Question, Step, Tour

HEAD, ROW = (5, 0), 25  # the head that the explorer opens on, and its row: the second red
PULLING = (0, 4)  # the head whose products pull together most
DIVISORS = (0.5, 1.0, 2.0)


@functools.cache
def _untrained() -> tuple[LanguageModelLike, Trace]:
    """The model before training, and its pass over the text."""
    lm = story()

    def work() -> tuple[LanguageModelLike, Trace]:
        raw = logits.untrained(lm)
        return raw, raw.trace(TEXT)

    return compute.run_in_worker(work)


def _growth(trace: Trace) -> tuple[float, int]:
    """How many times the variance of one product the sum of all has, the mean over all heads; and of how many."""
    found = compute.run_in_worker(lambda: logits.all_growths(trace))
    every = [head for layer in found for head in layer]
    return sum(head.variance / head.of_one for head in every) / len(every), len(every[0].covariance)


def _undivided() -> Measured:
    """The largest weight of the row without the division."""
    trace = story_trace(TEXT)
    row = trace.scores(*HEAD, "dot")[ROW, : ROW + 1]
    bare, divided = (
        float(torch.softmax(row / by, -1).max()) for by in (1.0, trace.qk(*HEAD)[0].shape[-1] ** 0.5)
    )
    said = f"undivided, one word gets {number(bare, '.4f')} of the weight, divided {number(divided, '.2f')}."
    return Measured(0 if bare > 0.99 else 1 if bare > divided else 2, said)


def _before() -> Measured:
    """By how much the variance of a sum of d products exceeds that of one, before training."""
    times, d = _growth(_untrained()[1])
    said = f"over all heads, {number(times, '.1f')} times that of one product, with d = {d}."
    return Measured(nearest(times, (1, d**0.5, d, d * d)), said)


def _after() -> Measured:
    """Whether training left it at d."""
    trace = story_trace(TEXT)
    before, d = _growth(_untrained()[1])
    found = compute.run_in_worker(lambda: logits.all_growths(trace))
    head = found[PULLING[0]][PULLING[1]]
    times = head.variance / head.of_one
    said = (
        f"in L0H4 {number(times, '.0f')} times that of one product; before training {number(before, '.0f')}."
    )
    return Measured(0 if times > 1.2 * d else 1 if times > 0.8 * d else 2, said)


def _scaled(factor: float) -> Measured:
    """The model's loss and entropy with every score multiplied."""
    lm, trace = story(), story_trace(TEXT)
    changed = compute.run_in_worker(lambda: lm.trace(TEXT, edit=scale_scores(factor, lm.config.n_layers)))
    bits = [float(each.statistics()["entropy"].mean()) for each in (trace, changed)]
    loss = [float(each.loss_per_token().mean()) for each in (trace, changed)]
    said = (
        f"rows have {number(bits[0], '.1f')} bits as trained and {number(bits[1], '.1f')} at ×{factor:g}; the loss goes from "
        f"{number(loss[0], '.2f')} to {number(loss[1], '.2f')} nats."
    )
    return Measured(0 if bits[1] < bits[0] else 1, said)


def _flat() -> Measured:
    return _scaled(0.25)


def _peaked() -> Measured:
    return _scaled(4.0)


def _foretold() -> Measured:
    """How near sqrt(E) sigma RMS comes to the spread of the output logits before training."""
    raw, trace = _untrained()
    found = compute.run_in_worker(lambda: logits.spread(raw, trace))
    off = float(abs(found.predicted / found.measured - 1).mean())
    said = f"the rule is off by {number(off, '.1%')} on average over the text."
    return Measured(0 if off < 0.1 else 1 if off < 0.5 else 2, said)


def _best() -> Measured:
    """Which divisor of the trained logits gives the least loss."""
    trace = story_trace(TEXT)
    losses = compute.run_in_worker(lambda: logits.loss_by_divisor(trace, DIVISORS)).tolist()
    said = ", ".join(f"÷{by:g} {number(loss, '.2f')}" for by, loss in zip(DIVISORS, losses))
    return Measured(largest([-loss for loss in losses]), f"bits per token: {said}.")


TOUR = Tour(
    "sqrt-d",
    "Why divide by √d",
    "A score is a sum of d products. Sums grow with their length, large ones make softmax pick one word, one division mends it.",
    (
        Step(
            "explorer",
            "A head that works",
            "At the second “red” this head looks at “ball”. Its weights come from scores: products of a query with every key, "
            "added up.",
            ".st-key-attention",
            {"head": "5.0", "query": str(ROW), "key": "17"},
            Question(
                "Which word gets most of the second “red”'s weight?",
                ("“Once”", "the first “red”", "the first “ball”", "“lost”"),
                looked_at(
                    TEXT,
                    HEAD,
                    ROW,
                    {"“Once”": 1, "the first “red”": 16, "the first “ball”": 17, "“lost”": 23},
                ),
            ),
        ),
        Step(
            "explorer",
            "The raw products",
            "The stage q·k shows the sums before anything is done to them: 32 products each. Some are larger than 60.",
            ".st-key-attention",
            {"head": "5.0", "query": str(ROW), "key": "17", "stage": "dot"},
            Question(
                "What would softmax make of these, undivided?",
                ("all on one word", "a little sharper", "the same"),
                _undivided,
            ),
        ),
        Step(
            "norms",
            "Before training",
            "The lines are the variance of a sum of 1, 2, 3 … products. The dashed one is what independent products give: "
            "every new "
            "one adds as much.",
            ".st-key-growth",
            {"noview": "Scores"},
            Question(
                "With d = 32 products, how many times the variance of one, before training?",
                ("about 1", "about √32", "about 32", "about 1,024"),
                _before,
            ),
        ),
        Step(
            "norms",
            "And after it",
            "Dividing by √d brings a variance of d back to 1, at the start. Then training is free to do what it likes with it.",
            ".st-key-growth",
            {"noview": "Scores", "head": "0.4"},
            Question(
                "In L0H4, is the sum's variance now above d times one product's?",
                ("far above", "about d", "below"),
                _after,
            ),
        ),
        Step(
            "explorer",
            "Too sharp",
            "Scores times four, nearly what they are without the division: rows become nearly a choice of one word, and "
            "what softmax hands back to training nearly nothing.",
            ".st-key-closer",
            {"head": "5.0", "query": str(ROW), "panel": "Scale", "scale": "4.0"},
            Question("Are rows more or less spread out at ×4?", ("less", "more"), _peaked),
        ),
        Step(
            "explorer",
            "Too flat",
            "Scores times a quarter: every row looks a little at everything. This model bears it for a while, as its heads "
            "were trained "
            "to be sharp.",
            ".st-key-closer",
            {"head": "5.0", "query": str(ROW), "panel": "Scale", "scale": "0.25"},
            Question("Are rows more or less spread out at ×¼?", ("less", "more"), _flat),
        ),
        Step(
            "norms",
            "The same sum at the end",
            "The scores of the next token are sums too, of E products, one for each number of the last row. So their spread "
            "can be "
            "foretold: √E · σ · RMS.",
            ".st-key-spreads",
            {"noview": "Logits"},
            Question(
                "Before training, how near does that rule come?",
                ("within a tenth", "within a half", "not near"),
                _foretold,
            ),
        ),
        Step(
            "norms",
            "Should one divide again?",
            "The curve is the loss with all output scores divided by one number. A trained model has found its own scale.",
            ".st-key-divided",
            {"noview": "Logits"},
            Question("Which divisor gives the least loss?", ("½", "1, as trained", "2"), _best),
        ),
    ),
)
