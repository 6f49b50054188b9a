"""What lesson 12 measures: a model of two numbers a word that learns a small text, and vectors of a million words."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import torch

from tlmviz.analysis.words import analogies, film, gradients, nearness
from tlmviz.analysis.words.pairs import cooccurrence
from tlmviz.facades.word_vectors import WordVectors

from .pictures import DOES, INK, LOOK, NOTE, Place

TEXT = "The cat drank milk. The dog drank milk. The car drove home."
CAT, DOG, CAR = ROWS = ("cat", "dog", "car")
NEAR, PUSH = 2, "drank"  # words on each side that are guessed, and the one of the arrows
SEED, TIMES, RATE = 39, 1000, 0.05  # the small model: its chance, how often it reads, and its steps
STRIDE = 2.0  # of the arrows: a step as it would be at this rate
WORD, OFFERED = "dog", ("five", "cat", "blue")  # rows of the large model
GROUPS = {
    LOOK: ("dog", "cat", "bird", "bear"),
    DOES: ("red", "blue", "green", "yellow"),
    NOTE: ("two", "three", "four", "five"),
    INK: ("mother", "father", "brother", "sister"),
}
SEEN = (0, 3, 7, 19)  # pictures of the film
HOT, THINGS = "hot", ("sun", "soup", "cold")
WALK, KING = ("go", "went", "see"), ("man", "woman", "king")
WALKED, QUEEN = ("meet", "saw", "found"), "queen"  # one is near where the walk begins, one also of the past
RELATION = "he : she"


@dataclass(frozen=True)
class Small:
    """The small model: where its words lie by chance and in the end, who stands near whom, and two steps."""

    start: Mapping[str, Place]
    end: Mapping[str, Place]
    guesses: Mapping[str, float]  # from the cat, in the end: the shares of who stands near it
    company: list[str]
    counts: Mapping[str, list[float]]
    pushes: Mapping[str, tuple[Place, Place]]  # of the cat and the dog by the same neighbour, as large as they fit
    angle: float  # between the two, in degrees
    both: Place  # where both are in the end, seen with the pushes


@dataclass(frozen=True)
class Found:
    """The small model; and of the large one, rows of numbers, cosines, the film, and walks."""

    small: Small
    size: tuple[int, int]  # words, numbers of each
    rows: Mapping[str, list[float]]  # numbers, in the order of the word's
    alike: Mapping[str, float]  # of the offered words, to the word
    read: list[int]
    film: list[dict[str, Place]]
    kinds: list[int]  # in each picture, how many words lie nearest to one of their own group
    hot: Mapping[str, float]
    walked: Mapping[str, float]
    around: Mapping[str, Place]  # where the words of the walk lie, in the plane of the three that are given
    court: Mapping[str, Place]  # the same of the walk of the king
    ends: list[tuple[str, float]]  # nearest to where the walk of the king ends, and the queen
    often: float  # of all analogies of the relation, the share that ends right
    count: int  # of them


def measure(wv: WordVectors, text: str) -> Found:
    """All of it, by a few products of matrices."""

    def cosines(place: torch.Tensor, others: Iterable[str]) -> dict[str, float]:
        return {each: float(torch.cosine_similarity(place, wv.vector(each), dim=0)) for each in others}

    order = torch.argsort(wv.vector(WORD), descending=True)
    goals = [nearness.analogy_vector(*(wv.vector(word) for word in walk)) for walk in (WALK, KING)]
    walked = cosines(goals[0], WALKED)
    tallied = analogies.tally(wv.vectors, lambda word: wv.index(word) if word in wv else None)
    all_of = next(each for each in tallied if each.relation == RELATION)
    ends = [*wv.analogy(*KING, 1), *cosines(goals[1], (QUEEN,)).items()]
    return Found(
        _small(),
        (len(wv.vocabulary), wv.config.d_model),
        {word: wv.vector(word)[order].tolist() for word in (WORD, *OFFERED)},
        cosines(wv.vector(WORD), OFFERED),
        *_film(wv),
        cosines(wv.vector(HOT), THINGS),
        walked,
        _plane(wv, [*WALK, *walked]),
        _plane(wv, [*KING, *dict(ends)]),
        ends,
        all_of.first,
        all_of.count,
    )


def neighbours() -> tuple[list[str], np.ndarray]:
    """The words of the small text, and how often each stands near each; a sentence is a text of its own."""
    sentences = [sentence.lower().split() for sentence in TEXT.rstrip(".").split(". ")]
    every = [word for sentence in sentences for word in sentence]
    known = [*dict.fromkeys(every)]
    ids = np.array([known.index(word) for word in every])
    document = np.repeat(np.arange(len(sentences)), [len(sentence) for sentence in sentences])
    return known, cooccurrence(ids, NEAR, len(known), document, by_distance=False).toarray()


def learnt(counts: np.ndarray, seed: int, times: int) -> tuple[np.ndarray, np.ndarray]:
    """Vectors [N, 2] of words and of neighbours by skip-gram with the full softmax, the text read so many times."""
    chance, seen = np.random.default_rng(seed), torch.from_numpy(counts)
    vectors, others = (torch.from_numpy(size * chance.normal(size=(len(counts), 2))) for size in (1.2, 0.4))
    for _time in range(times):
        error = gradients.softmax_gradients(vectors, others, seen)
        vectors, others = vectors - RATE * error.center, others - RATE * error.context
    return vectors.numpy(), others.numpy()


def _small() -> Small:
    known, counts = neighbours()
    (start, others), (end, late) = (learnt(counts, SEED, times) for times in (0, TIMES))
    at = [known.index(word) for word in (CAT, DOG)]
    guesses = torch.from_numpy(late @ end[at[0]]).softmax(0).tolist()
    seen = torch.eye(len(known), dtype=torch.float64)[[known.index(PUSH)] * len(at)]
    pull = -gradients.softmax_gradients(torch.from_numpy(start[at]), torch.from_numpy(others), seen).center.numpy()
    cosine = pull[0] @ pull[1] / np.prod(np.linalg.norm(pull, axis=1))
    span = np.abs(np.concatenate([start, end])).max()
    ends = np.concatenate([start[at], start[at] + STRIDE * pull, end[at].mean(0, keepdims=True)])
    middle = (ends.max(0) + ends.min(0)) / 2
    ends = (ends - middle) / np.abs(ends - middle).max() * 0.8
    company = [word for word in known if word not in ROWS]
    return Small(
        dict(zip(known, _places(start / span))),
        dict(zip(known, _places(end / span))),
        {word: share for word, share, count in zip(known, guesses, counts[at[0]]) if count},
        company,
        {word: [float(counts[known.index(word), known.index(other)]) for other in company] for word in ROWS},
        dict(zip((CAT, DOG), zip(_places(ends[:2]), _places(ends[2:4])))),
        float(np.degrees(np.arccos(cosine))),
        _places(ends[4:])[0],
    )


def _places(points: np.ndarray) -> list[Place]:
    return [(float(x), float(y)) for x, y in points]


def _plane(wv: WordVectors, names: Sequence[str]) -> dict[str, Place]:
    """Words in the plane of the first three, by their vectors of length 1: the way from the first to the second lies
    level."""
    vectors = nearness.unit(torch.stack([wv.vector(word) for word in names])).double().numpy()
    from_first = vectors - vectors[0]
    level = from_first[1] / np.linalg.norm(from_first[1])
    across = from_first[2] - (from_first[2] @ level) * level
    places = from_first @ np.stack([level, across / np.linalg.norm(across)]).T
    every = np.concatenate([places, [places[2] + places[1]]])  # where the walk ends, too
    middle = (every.max(0) + every.min(0)) / 2
    places = (places - middle) / np.abs(every - middle).max() * 0.9
    return dict(zip(names, _places(places)))


def _film(wv: WordVectors) -> tuple[list[int], list[dict[str, Place]], list[int]]:
    """Some pictures of the training, each as large as it fits: words read, where the words of the groups lie, and how
    many of them lie nearest to one of their own."""
    shots = wv.snapshots
    assert shots is not None
    names = [word for group in GROUPS.values() for word in group]
    kinds = np.repeat(np.arange(len(GROUPS)), [len(group) for group in GROUPS.values()])
    rows = [shots.vocabulary.index(word) for word in names]
    places = film.places([shots.coordinates[n][rows].astype(np.float64) for n in SEEN])
    fitted = [(each - each.mean(0)) / np.abs(each - each.mean(0)).max() for each in places]
    own = []
    for each in fitted:
        apart = np.linalg.norm(each[:, None] - each, axis=-1) + 9 * np.eye(len(names))
        own.append(int((kinds[apart.argmin(1)] == kinds).sum()))
    return [int(shots.words_read[n]) for n in SEEN], [dict(zip(names, _places(each))) for each in fitted], own
