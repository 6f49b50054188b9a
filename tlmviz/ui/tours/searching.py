"""The tour "How a translation is searched": greedy, beams, penalties, exact search, and where the words came from."""

from __future__ import annotations

import numpy as np

from tlmviz.decoding.beam import BeamOptions
from tlmviz.decoding.exact import ExactOptions, exact_search
from tlmviz.decoding.penalties import Penalties
from tlmviz.decoding.records import Candidate
from tlmviz.figures.written import number

from .. import compute, translation
from ..texts import REPEATERS
from .measures import largest, nearest
from .parts import Measured, Question, Step, Tour

COLD, COAT = "I am cold.", translation.DEFAULT_SENTENCE
CAT = "The black cat is sleeping on the red chair."
RIGHT, WORD_BY_WORD = "J'ai froid.", "Je suis froid."


def _best(
    text: str, width: int = 5, alpha: float | None = None, model: str = translation.DEFAULT_MODEL
) -> tuple[str, Candidate]:
    """The winner of a search: its text and its tokens."""
    mt = translation.model(model)
    penalties = Penalties() if alpha is None else Penalties(alpha=alpha)
    found = translation.search(model, text, BeamOptions(width=width)).hypotheses(penalties, mt.align)[0]
    return mt.text(found.tokens), found


def _log_p(found: Candidate) -> float:
    return float(np.sum(found.logps, dtype=np.float64))


def _which(text: str) -> int:
    return 0 if text == WORD_BY_WORD else 1 if text == RIGHT else 2


def _greedy() -> Measured:
    text, found = _best(COLD, width=1)
    return Measured(_which(text), f"it writes “{text}”, with log P {number(_log_p(found), '.2f')}.")


def _beam() -> Measured:
    (wide, five), (narrow, one) = _best(COLD), _best(COLD, width=1)
    said = f"log P of “{wide}” is {number(_log_p(five), '.2f')}, of “{narrow}” {number(_log_p(one), '.2f')}."
    return Measured(_which(wide), said)


def _short() -> Measured:
    (with_it, usual), (without, short) = _best(CAT), _best(CAT, alpha=0)
    said = f"“{without}” has {len(short.tokens)} tokens, “{with_it}” {len(usual.tokens)}."
    return Measured(0 if len(short.tokens) < len(usual.tokens) else 1, said)


def _wider() -> Measured:
    five, eight = _best(CAT)[1].score, _best(CAT, width=8)[1].score
    said = f"the winner's score is {number(five, '.3f')} with 5 and {number(eight, '.3f')} with 8."
    return Measured(0 if eight > five else 1 if eight == five else 2, said)


def _proven() -> Measured:
    mt = translation.model(translation.DEFAULT_MODEL)
    options = ExactOptions(max_length=mt.longest(COLD), expansions=4000, seconds=6.0)
    found = compute.run_in_worker(lambda: exact_search(mt.stepper(COLD), options))
    text = mt.text(found.tokens)
    said = f"the most probable of all texts is “{text}”; {number(found.expanded, ',')} beginnings were enough to prove it."
    return Measured(0 if text == _best(COLD)[0] else 1, said)


def _rouge() -> Measured:
    """Which English word the step that writes rouge looks at most, in the map that the ribbons are drawn from."""
    mt, best = translation.model(translation.DEFAULT_MODEL), translation.best_map(translation.DEFAULT_MODEL)
    _, found = _best(COAT)
    source = [name.strip() for name in mt.names(mt.encode(COAT))]
    written = [mt.tokenizer.name(token).strip() for token in found.tokens]
    attention = found.map(best)
    assert attention is not None  # a translator's steps look at the source
    row = attention[written.index("rouge")]
    words = ("coat", "red", "cold")
    shares = [float(row[source.index(word)]) for word in words]
    said = ", ".join(f"“{word}” {number(share, '.0%')}" for word, share in zip(words, shares))
    return Measured(largest(shares), f"of the step's attention in the head that aligns best, {said}.")


def _repeats() -> Measured:
    """How often both translators repeat three tokens over all sentences that invite it."""
    from tlmviz.analysis.translation import coverage

    options = translation.without_ranking(BeamOptions(width=1))
    counts = [
        sum(
            coverage.repeats(
                translation.search(name, text, options).hypotheses(Penalties(alpha=0, beta=0))[0].tokens, 3
            )
            for text in REPEATERS
        )
        for name in ("eng-fra-additive", "eng-fra-coverage")
    ]
    many = len(REPEATERS)
    said = f"over {many} sentences {counts[0]} repeated runs of three tokens without a coverage vector, {counts[1]} with one."
    return Measured(nearest(counts[0] / max(counts[1], 1), (1, 2, 7)), said)


TOUR = Tour(
    "search",
    "How a translation is searched",
    "A model gives every next word a probability. Which sentence that makes depends on how one searches, and the best is not "
    "always found.",
    (
        Step(
            "beam_search",
            "The likeliest word, each time",
            "Greedy search takes the most probable word at every step and never looks back: a tree with one branch.",
            ".st-key-wide-tree",
            {"english": COLD, "bw": "1"},
            Question(
                "How does greedy search say “I am cold.”?",
                (WORD_BY_WORD, RIGHT, "something else"),
                _greedy,
            ),
        ),
        Step(
            "beam_search",
            "Five at a time",
            "A beam of 5 keeps the five best beginnings at every step. One that starts badly may win in the end.",
            ".st-key-wide-tree",
            {"english": COLD},
            Question("And what does the beam find?", (WORD_BY_WORD, RIGHT, "something else"), _beam),
        ),
        Step(
            "beam_search",
            "Is there nothing better?",
            "Exact search throws a beginning away only when it can prove that no ending of it can win. It visits few of the "
            "possible "
            "texts, and misses none.",
            ".st-key-widths",
            {"english": COLD, "bview": "Exact search"},
            Question(
                "Is the beam's text the most probable of all?",
                ("yes, proved", "no, another one is"),
                _proven,
            ),
        ),
        Step(
            "beam_search",
            "Short texts win",
            "Every word makes a text less probable, so probability alone likes short ones. Here the length penalty, α, is "
            "taken away.",
            ".st-key-beamranking-view",
            {"english": CAT, "al": "0"},
            Question(
                "The cat's sentence without a penalty: shorter than with it?",
                ("shorter", "as long or longer"),
                _short,
            ),
        ),
        Step(
            "beam_search",
            "A wider beam",
            "Eight beginnings in place of five must find at least as good a text, one should think. But a search ends when "
            "enough texts "
            "are complete.",
            ".st-key-beamranking-view",
            {"english": CAT, "bw": "8"},
            Question(
                "The winner's score with a beam of 8, against 5?",
                ("higher", "the same", "lower"),
                _wider,
            ),
        ),
        Step(
            "alignment",
            "Who was read for which word",
            "Ribbons join each French word to the English words that it looked at. Two of them cross: French puts the colour "
            "behind "
            "the coat.",
            ".st-key-ribbon-view",
            {},
            Question("What does the step that writes “rouge” look at most?", ("coat", "red", "cold"), _rouge),
        ),
        Step(
            "alignment",
            "A translator that stutters",
            "Nobody told the first model which words it has read already. The second is the first, trained on with a coverage "
            "vector that says so.",
            ".st-key-map-eng-fra-additive",
            {"aview": "With and without coverage"},
            Question(
                "Over ten such sentences: how many times as many repeated runs does the first write?",
                ("as many", "twice", "about seven times"),
                _repeats,
            ),
        ),
        Step(
            "encoder_decoder",
            "What one reads, what one writes",
            "Three attentions: the English among itself, the French among what is written so far, and the French over the "
            "English. "
            "Only one has a mask.",
            ".st-key-ed-decoder",
            {},
        ),
    ),
)
