"""What lesson 4 measures: one head's row from the last token, from its query to what comes out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from tlmviz.analysis.numbers.logits import untrained
from tlmviz.facades.language_model import LanguageModel
from tlmviz.tracing.trace import Trace

from ..language import N_
from .measures import Head, Valued, exchanged, heads_of, named, row, shared_out, unit_products, word, words_at
from .parts import Unfit

STORY = "Tom had a red ball and a blue car. He wanted the red"
DOTS = 60  # products and sums that are shown


@dataclass(frozen=True)
class Found:
    """A head's row, and three words beside the one that gets most; `before` training and `swapped` on the lesson's
    story only."""

    text: str
    tokens: list[str]
    head: Head
    best: int  # the token that gets most of the look
    second: int
    same: int  # the last word where it stood before, else the last word itself
    worst: int  # the word of the lowest score
    weights: list[float]
    scores: list[float]  # undivided: query times key
    query: list[float]
    keys: Mapping[int, list[float]]
    values: Mapping[int, list[float]]
    out: list[float]
    top: Valued  # the likeliest next words
    before: tuple[list[float], list[float], float]  # single products, sums of them, how much wider those lie
    swapped: Valued  # the likeliest with the values of the best and the second exchanged

    @property
    def root(self) -> float:
        """What scores are divided by."""
        return float(len(self.query) ** 0.5)

    @property
    def products(self) -> Mapping[int, list[float]]:
        """Query times key, number by number."""
        return {i: [one * other for one, other in zip(self.query, key)] for i, key in self.keys.items()}

    @property
    def bare(self) -> float:
        """What the best word would get undivided."""
        return self.shares()[self.best]

    @property
    def weighed(self) -> Mapping[int, list[float]]:
        """The values by what their words get of the look."""
        return {i: [self.weights[i] * each for each in value] for i, value in self.values.items()}

    @property
    def told(self) -> int:
        """Where the best's value, the mixture and the plain sum lie clearest apart, and other words add least; if there
        is one, where what is written can be worked out."""
        one, other = (self.values[i] for i in (self.best, self.second))
        weighed, ways = (
            [sum(both) for both in zip(*self.weighed.values())],
            zip(one, self.out, map(sum, zip(one, other))),
        )
        ordered = [sorted(way) for way in ways]
        clear = [min(b - a, c - b) - 3 * abs(out - ours) for (a, b, c), out, ours in zip(ordered, self.out, weighed)]
        return max(range(len(clear)), key=lambda at: (clear[at] > 0.2 and self._plain(at), clear[at]))

    def _plain(self, at: int) -> bool:
        """Whether shares in per cent times a value of two places give what the best and the second bring."""
        pairs = (
            (round(self.weights[i], 2) * round(value[at], 2), self.weighed[i][at]) for i, value in self.values.items()
        )
        return all(round(written, 2) == round(brought, 2) for written, brought in pairs)

    def name(self, place: int) -> str:
        """A token as a sentence names it."""
        return word(self.tokens[place])

    def shares(self, divisor: float = 1, added: float = 0) -> list[float]:
        """How the look is shared out with another divisor, or with something added to each score once it is divided."""
        return shared_out([score / divisor + added for score in self.scores])


def measure(lm: LanguageModel, text: str) -> Found:
    """All of it, in one pass; in the lesson's own story in three, of which one is the model's before training. Raises
    Unfit."""
    trace = lm.trace(text)
    every = [found for found in (_row(lm, text, trace, head) for head in heads_of(trace)) if found and _fits(found)]
    if not every:
        raise Unfit(
            N_("In your sentence no head looks mostly at one word and a little at another, as this lesson needs.")
        )
    found = max(every, key=lambda one: (one.best < len(trace) - 4, one.weights[one.best] + one.weights[one.second]))
    if text != STORY:
        return found
    products = unit_products(untrained(lm).trace(text))
    sums, singles = products.sum(-1), products.flatten()
    one, some = (each[:: len(each) // DOTS].tolist() for each in (singles, sums))
    swapped = exchanged(lm, text, found.head, found.best, found.second).probabilities()
    return replace(found, before=(one, some, float(sums.square().mean().sqrt())), swapped=named(lm, swapped, 3))


def _row(lm: LanguageModel, text: str, trace: Trace, head: Head) -> Found | None:
    """What a head does from the last token; None where that or one that it looks at is no word, or there are too few
    others."""
    tokens, last, words, weights = trace.tokens, len(trace) - 1, words_at(trace.tokens), row(trace, head)
    best, second = sorted(range(last + 1), key=weights.__getitem__)[:-3:-1]
    same = max((i for i in words if i < last and tokens[i] == tokens[last]), default=last)
    rest = [i for i in words if i not in (best, second, same, last)]
    if not rest or not {best, second, last} <= {*words}:
        return None
    q, k, _lse = trace.qk(*head)
    v, z = (trace[f"blocks.{head[0]}.attn.{name}"][0, head[1]] for name in ("v", "z"))
    scores = (k @ q[-1]).tolist()
    worst = min(rest, key=scores.__getitem__)
    keys, values = {i: k[i].tolist() for i in (best, same, worst)}, {i: v[i].tolist() for i in (best, second)}
    return Found(
        text,
        tokens,
        head,
        best,
        second,
        same,
        worst,
        weights,
        scores,
        q[-1].tolist(),
        keys,
        values,
        z[-1].tolist(),
        named(lm, trace.probabilities(), 3),
        ([], [], 0),
        [],
    )


def _fits(m: Found) -> bool:
    """Whether all that the scenes say holds: a share of neither nothing nor all, which would be all were nothing
    divided."""
    best, apart = m.weights[m.best], {m.name(i).lower() for i in (m.best, m.second, m.same, m.worst)}
    alike = m.weights[m.same] < 0.15 and m.scores[m.same] < m.scores[m.best] - 5
    shared = 0.4 < best < 0.85 and m.weights[m.second] > 0.1
    sharp = m.bare > 0.95 and m.shares(m.root / 2)[m.best] > best + 0.08
    return len(apart) == 4 and alike and shared and sharp and min(m.products[m.best]) < -0.05
