"""What a pointer is worth to a language model: loss on rare words that return, and names it never saw (Merity et al.
2016)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from itertools import cycle

import numpy as np
from jaxtyping import Bool, Float

from tlmviz.protocols import MixtureLike, MixtureModelLike

COMMON = 1000  # entries of the vocabulary, which is sorted by frequency: what comes behind is rare
INVENTED = ("Zorbina", "Quillo", "Brumsel", "Tekkori", "Mirabo", "Flonk", "Wexley", "Yuvami", "Drizzet", "Okpala")
LEAST = 3  # times that a story says a name which is replaced


@dataclass(frozen=True)
class Loss:
    """Nats per word on stories, NaN of none, and the words counted.

    Of all, of rare ones of the vocabulary that the story had already, and of unknown ones that it had already. Unknown
    words count as one entry, so that models with and without a pointer compare.
    """

    all: float
    rare: float
    unknown: float
    words: int
    rare_words: int
    unknown_words: int


@dataclass(frozen=True)
class Names:
    """Where a story's name came again after its first time: the share at which the most probable word was that name."""

    share: float
    places: int


def loss(model: MixtureModelLike, stories: Iterable[str]) -> Loss:
    """The model's loss on stories. Raises BadText for one that it cannot read."""
    nats, rare, unknown = [], [], []
    for story in stories:
        mix = model.mixture(story)
        nats.append(-np.log(np.maximum(closed(mix), 1e-20)))
        again = returns(mix)
        rare.append(again & (mix.ids[1:] >= COMMON) & (mix.ids[1:] < mix.size))
        unknown.append(again & (mix.ids[1:] >= mix.size))
    every, rares, unknowns = (np.concatenate(part) for part in (nats, rare, unknown))
    parts = every, every[rares], every[unknowns]
    whole, rarely, anew = (float(part.mean()) if len(part) else float("nan") for part in parts)
    return Loss(whole, rarely, anew, *(len(part) for part in parts))


def closed(mix: MixtureLike) -> Float[np.ndarray, " n"]:
    """p of each word after the first, all unknown words as one: the vocabulary's entry for them and every copy of
    one."""
    rows = np.arange(len(mix.ids) - 1)
    anything = mix.mixed[:-1, 1] + mix.mixed[:-1, mix.size :].sum(1)
    return np.where(mix.ids[1:] >= mix.size, anything, mix.mixed[rows, mix.ids[1:]])


def returns(mix: MixtureLike) -> Bool[np.ndarray, " n"]:
    """Which of the words after the first stand in the text already."""
    seen: set[int] = set()
    again = []
    for column in mix.ids.tolist():
        again.append(column in seen)
        seen.add(column)
    return np.array(again[1:], bool)


def name_of(model: MixtureModelLike, story: str, names: Collection[str]) -> str | None:
    """The name that a story says most often, if it says it LEAST times."""
    counts = Counter(word for word in model.encode(story).tokens if word in names)
    [(name, times)] = counts.most_common(1) or [("", 0)]
    return name if times >= LEAST else None


def named(model: MixtureModelLike, stories: Iterable[str], names: Collection[str], invented: bool) -> Names:
    """How often the model says a story's most frequent name where it comes again; `invented` ones take its place
    first."""
    hits = []
    for story, other in zip(stories, cycle(INVENTED)):
        name = name_of(model, story, names)
        if name is None:
            continue
        words = [other if word == name and invented else word for word in model.encode(story).tokens]
        mix = model.mixture(" ".join(words).replace(" '", "'"))
        column = mix.words.index(other if invented else name)
        places = np.flatnonzero(mix.ids == column)[1:]
        hits.append(mix.mixed[places - 1].argmax(1) == column)
    every = np.concatenate(hits) if hits else np.zeros(0, bool)
    return Names(float(every.mean()) if len(every) else float("nan"), len(every))
