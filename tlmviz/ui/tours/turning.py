"""The tour "Positions that turn": RoPE's planes as clocks, only distances count, the wrong layout, and texts too long."""

from __future__ import annotations

import functools

import numpy as np
from torch import Tensor

from tlmviz.analysis.positions import context_extension, rope_planes, rope_runs
from tlmviz.analysis.samples import sample_text
from tlmviz.figures.written import number

from .. import compute
from ..inputs import DEFAULT_TEXT as TEXT
from .measures import largest, looked_at, nearest, story, story_trace
from .parts import Measured, Question, Step, Tour

HEAD, QUERY, KEY = (4, 2), 25, 24  # the previous-token head, and a pair of the text that stands one apart
FAR = ("zoo-rope", "zoo-alibi", "zoo-sinusoidal")
TRAINED, READ = 256, 1024  # tokens


@functools.cache
def _vectors() -> tuple[Tensor, Tensor, float]:
    trace, base = story_trace(TEXT), rope_planes.own_base(story().config)
    return *compute.run_in_worker(lambda: rope_planes.head_vectors(trace, *HEAD, base)), base


def _scores(moves: str) -> np.ndarray:
    """The head's score of the pair at every step of the slider."""
    q, k, base = _vectors()
    scale = story_trace(TEXT).specs[HEAD[0]].scale
    clocks = rope_planes.clocks(q[QUERY], k[KEY], (QUERY, KEY), base, scale=scale, moves=moves)
    return np.asarray(clocks.scores)


def _distance() -> Measured:
    """At which distance the head likes keys most, over all pairs of the text."""
    q, k, base = _vectors()
    scale = story_trace(TEXT).specs[HEAD[0]].scale
    means = rope_planes.mean_of_all_pairs(q, k, base, 4, scale)
    said = ", ".join(f"{apart} back {number(float(mean), '.1f')}" for apart, mean in enumerate(means))
    return Measured(largest(means.tolist()), f"if every key stood there, the mean score would be {said}.")


def _both() -> Measured:
    """How far the score changes where query and key move together."""
    together, alone = float(np.ptp(_scores("both"))), float(np.ptp(_scores("query")))
    said = f"moved together the score changes by {number(together, '.0e')}, with the query alone by {number(alone, '.0f')}."
    return Measured(0 if together < 1e-3 else 1, said)


def _length() -> Measured:
    """Whether turning changes a query's length."""
    q, k, base = _vectors()
    turned = rope_planes.turned(q, k, base)[0]
    off = float((turned.norm(dim=-1) / q.norm(dim=-1) - 1).abs().max())
    return Measured(
        0 if off < 1e-5 else 1, f"over all queries the length changes by {number(off, '.0e')} of itself."
    )


def _loss(how: str) -> tuple[float, float]:
    """The mean loss as trained, and with other positions."""
    lm = story()
    positions = rope_runs.variants(lm, rope_planes.own_base(lm.config))[how]
    other = compute.run_in_worker(lambda: lm.trace(TEXT, positions=positions).loss_per_token().mean())
    return float(story_trace(TEXT).loss_per_token().mean()), float(other)


def _layout() -> Measured:
    own, half = _loss("half")
    said = f"the loss goes from {number(own, '.2f')} to {number(half, '.2f')} nats per token, and no error is raised."
    return Measured(nearest(half - own, (0.0, 0.2, 2.0)), said)


def _without() -> Measured:
    own, off = _loss("off")
    said = f"the loss goes from {number(own, '.2f')} to {number(off, '.2f')} nats per token."
    return Measured(nearest(off - own, (0.0, 0.15, 2.0)), said)


def _beyond() -> Measured:
    """Which of three models loses least beyond what it was trained on."""

    def lost(name: str) -> float:
        lm = compute.model(name)
        ids = lm.tokenizer.encode(sample_text(), bos=True)[:READ]
        return float(
            compute.run_in_worker(lambda: context_extension.losses(lm, ids), READ)[2 * TRAINED - 1 :].mean()
        )

    losses = [lost(name) for name in FAR]
    said = ", ".join(f"{name} {number(loss, '.1f')}" for name, loss in zip(FAR, losses))
    return Measured(largest([-loss for loss in losses]), f"nats per token after token {2 * TRAINED}: {said}.")


TOUR = Tour(
    "turning",
    "Positions that turn",
    "Attention does not see the order of words. RoPE turns queries and keys like the hands of clocks, and only distances are "
    "left.",
    (
        Step(
            "explorer",
            "A head that counts to one",
            "Head 2 of layer 4 reads the word before, whatever it is: a bright line just below the diagonal. Somebody must "
            "tell it "
            "which word that is.",
            ".st-key-attention",
            {"head": "4.2", "query": str(QUERY)},
            Question(
                "Where does the second “red”, token 25, look in this head?",
                ("itself", "one back, “the”", "two back, “lost”", "the first “red”"),
                looked_at(
                    TEXT,
                    HEAD,
                    QUERY,
                    {"itself": 25, "one back": 24, "two back": 23, "the first “red”": 16},
                ),
            ),
        ),
        Step(
            "rope_planes",
            "Sixteen clocks",
            "Each pair of numbers of a query or key is a plane, a clock with two hands. Both hands turn with their word's "
            "position, "
            "fast in the first plane and slowly in the last.",
            ".st-key-clocks-view",
            {"head": "4.2"},
            Question(
                "At which distance does this head like keys most?",
                ("0", "1 back", "2 back", "3 back"),
                _distance,
            ),
        ),
        Step(
            "rope_planes",
            "Move both",
            "Now query and key move together along the text. All the hands turn.",
            ".st-key-clocks-view",
            {"head": "4.2", "rmove": "Move both"},
            Question("And the score of the two?", ("it stands still", "it turns with them"), _both),
        ),
        Step(
            "rope_planes",
            "Step by step",
            "One matrix of queries, cosines and sines, and what comes out. Each pair of columns is turned by an angle that "
            "grows down "
            "the rows.",
            ".st-key-steps",
            {"head": "4.2", "rpart": "Step by step"},
            Question("Does turning make a query longer or shorter?", ("neither", "it changes"), _length),
        ),
        Step(
            "rope_planes",
            "Which two make a pair",
            "Some code pairs neighbours, some pairs number j with number j + d/2. Weights trained with the one can be read "
            "with the "
            "other by mistake.",
            ".st-key-layoutloss",
            {"head": "4.2", "rpart": "Layouts"},
            Question(
                "What does the wrong layout cost, in nats per token?",
                ("nothing", "about 0.2", "about 2"),
                _layout,
            ),
        ),
        Step(
            "rope_planes",
            "No positions at all",
            "The rotation is switched off in every layer. What is left of order is the mask alone: a word still sees only "
            "those "
            "before it.",
            ".st-key-energy",
            {"head": "4.2", "rpart": "Heads", "rscope": "In every layer"},
            Question(
                "By how much does the loss rise, in nats per token?",
                ("not at all", "about 0.15", "about 2"),
                _without,
            ),
        ),
        Step(
            "position_schemes",
            "Other ways to count",
            "Six models that differ in nothing but this, trained on 256 tokens and read on 1,024. Some schemes know distances "
            "that "
            "they never saw, others do not.",
            ".st-key-schemes",
            {},
            Question(
                "Which of these loses least after token 512?",
                ("RoPE", "ALiBi", "sinusoids"),
                _beyond,
            ),
        ),
        Step(
            "position_schemes",
            "Slower clocks",
            "A trained model can be stretched to longer texts by turning its clocks more slowly, all of them or the slow ones "
            "only. "
            "The lines are what each way costs along the text.",
            ".st-key-xloss",
            {"ppart": "extension"},
        ),
    ),
)
