"""The words of the view "Race": sentences that are computed from the searches, and the snippet."""

from __future__ import annotations

import numpy as np

from tlmviz.analysis.translation import beam_race
from tlmviz.decoding.records import Candidate, Search
from tlmviz.ui import inputs

from ..controls import Choice
from ..words import EQUATION, options_code, penalties_code

__all__ = ["EQUATION", "notice", "snippet"]

RULE = (
    "A dot is a beginning that was kept, a square a text that ended, the best of a step on top. Orange is the best text of "
    "all widths, by score: a cross says where a beam lost it."
)


def notice(choice: Choice, searches: dict[int, Search], winners: dict[int, Candidate]) -> list[str]:
    """What this race shows: where greedy turned off, and why a wider beam ended with less."""
    best = max(winners, key=lambda width: winners[width].score)  # the narrowest of equals
    points = [RULE, greedy(choice, winners[best], winners[1])]
    falls = beam_race.worse_when_wider({width: winner.score for width, winner in winners.items()})
    points += [wider(choice, a, b, searches[b], winners[a], winners[b]) for a, b in falls]
    if not falls:
        points.append("No wider beam scores worse than a narrower one here.")
    return points


def greedy(choice: Choice, best: Candidate, other: Candidate) -> str:
    """The step at which greedy left the way of the best text, with both probabilities."""
    step = beam_race.parting(best.tokens, other.tokens)
    if step is None:
        return "**Greedy** finds the best text of all widths here."
    own, taken = _token(choice, best.tokens[step]), _token(choice, other.tokens[step])
    p, q = np.exp(best.logps[step]), np.exp(other.logps[step])
    before = inputs.plain(choice.mt.text(best.tokens[:step])) or "⟨start⟩"
    sentence = (
        f"**Greedy dropped the best text at step {step + 1}**: after “{before}” it wrote “{taken}” (p {q:.3f}) in place of "
        f"“{own}” (p {p:.3f}), and a width of 1 cannot turn back. In the end its score is {_signed(other.score)} against "
        f"{_signed(best.score)}"
    )
    if other.parts.logp > best.parts.logp:
        return f"{sentence}; its log P is the higher one, {_signed(other.parts.logp)} against {_signed(best.parts.logp)}."
    return f"{sentence}, its log P {_signed(other.parts.logp)} against {_signed(best.parts.logp)}."


def wider(choice: Choice, narrow: int, wide: int, search: Search, better: Candidate, worse: Candidate) -> str:
    """Why the beam of `wide`, which did this `search`, ended with a lower score than the one of `narrow`."""
    head = (
        f"**The beam of {wide} scores worse than that of {narrow}**, {_signed(worse.score)} against "
        f"{_signed(better.score)}: "
    )
    lost = beam_race.loss(search, better)
    if lost is None:
        return head + "it found that text too, and ended with another one that ranks lower."
    if lost.how == "ended":
        ends = len(search.leaves)
        return (
            f"{head}it had {ends} complete texts after {lost.step} steps and stopped; the better one needs "
            f"{len(better.tokens)} tokens, and its beginning was still among those kept."
        )
    before = inputs.plain(choice.mt.text(better.tokens[: lost.step]))
    if not lost.least > lost.total:
        return f"{head}at step {lost.step} it kept others than “{before}”."
    return (
        f"{head}at step {lost.step} it kept {lost.kept} beginnings that were all more probable than “{before}” "
        f"(log P {_signed(lost.total)}; the last one kept {_signed(lost.least)}), which the "
        "narrower beam kept among other rivals."
    )


def _token(choice: Choice, token: int) -> str:
    return inputs.plain(choice.tokenizer.name(token).strip()) or "␣"


def _signed(value: float) -> str:
    return f"{value:.3f}".replace("-", "−")


def snippet(choice: Choice, widths: tuple[int, ...]) -> str:
    """The same race with the public API."""
    return f"""\
from dataclasses import replace

import tlmviz
from tlmviz.analysis.translation import beam_race
from tlmviz.decoding.beam import BeamOptions
from tlmviz.decoding.penalties import Penalties

mt = tlmviz.load({choice.model!r})
options, penalties, found = {options_code(choice.options)}, {penalties_code(choice.penalties)}, {{}}
for width in {widths!r}:
    found[width] = mt.search({choice.text!r}, replace(options, width=width, groups=1))
best = max((search.hypotheses(penalties)[0] for search in found.values()), key=lambda one: one.score)
for width, search in found.items():
    winner = search.hypotheses(penalties)[0]
    print(width, round(winner.score, 3), mt.text(winner.tokens), beam_race.loss(search, best))
"""
