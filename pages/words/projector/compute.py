"""Everything the page Projector computes, cached: vectors with names, their planes, neighbours, analogies."""

from __future__ import annotations

import threading
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import streamlit as st
import torch
from torch import Tensor

from tlmviz.analysis.words import analogies, nearness
from tlmviz.analysis.words.categories import CATEGORIES
from tlmviz.analysis.words.projection import Axes, plane_of, principal_axes, tsne
from tlmviz.checks import Check, words_planes
from tlmviz.errors import UnknownName
from tlmviz.figures import readable
from tlmviz.figures.tokens import SPACE
from tlmviz.figures.words import groups, points
from tlmviz.ui import compute as shared
from tlmviz.ui import words as word_models
from tlmviz.ui.compute import run_in_worker

from . import words
from .component import Film, payload
from .controls import (
    ANALOGIES,
    CAMERA,
    CATEGORY,
    CONTEXTS,
    FILM,
    FRAME,
    MAP,
    TSNE,
    UNEMBEDDINGS,
    WORDS,
    Choice,
    sequence,
)

NEAR = 10  # neighbours that are lit
SENT = (
    8192  # vectors up to which every point's neighbours are sent along, for the browser to light them at once
)
MOST = 2000  # vectors that t-SNE lays out: it takes half a minute
SHOWN = 60  # characters of what was typed, in a message
_ONE_AT_A_TIME = threading.Lock()  # t-SNE takes a core, and models need one too


@dataclass(frozen=True)
class Space:
    """Vectors [N, C] with a name for each, the most frequent first."""

    names: tuple[str, ...]
    vectors: Tensor

    @cached_property
    def rows(self) -> dict[str, int]:
        """The row of each name, the first where several read alike."""
        return {name: row for row, name in reversed(list(enumerate(self.names)))}

    def find(self, typed: str) -> int | None:
        """The row that is meant: of the name itself, else of a token with a space before it, else in other cases of letters."""
        forms = (typed, typed.lower(), typed.capitalize())
        spellings = [spelled for form in forms for spelled in (form, SPACE + form)]
        if " " in typed:
            spellings.append(typed.replace(" ", SPACE))
        return next((self.rows[spelled] for spelled in spellings if spelled in self.rows), None)

    def first(self, count: int) -> Space:
        """The space of the first `count` vectors."""
        return Space(self.names[:count], self.vectors[:count])


@st.cache_resource(max_entries=24, show_spinner=False)
def space(model: str, side: str) -> Space:
    """All vectors of one side of a model."""
    if model in word_models.models():
        wv = word_models.model(model)
        return Space(tuple(wv.vocabulary), (wv.context_vectors if side == CONTEXTS else wv.space).float())
    lm = shared.model(model)
    layer = lm.network.head if side == UNEMBEDDINGS else lm.network.token_emb
    weight = layer.weight.detach().float().cpu()
    names = tuple(readable(lm.tokenizer.name(i), spaced=True) for i in range(len(weight)))
    return Space(names, weight)


def shown(choice: Choice) -> Space:
    """The vectors that the picture shows: all, or the most frequent ones that t-SNE or the film has."""
    every = space(choice.model, choice.side)
    if choice.view == FILM:
        return every.first(len(word_models.model(choice.model).snapshots.vocabulary))
    return every.first(MOST) if choice.method == TSNE else every


@st.cache_resource(max_entries=24, show_spinner=False)
def axes(model: str, side: str) -> Axes:
    """The two main axes of all vectors."""
    vectors = space(model, side).vectors
    return run_in_worker(lambda: principal_axes(vectors), len(vectors) // 20)


@st.cache_resource(max_entries=12, show_spinner=False)
def tsne_places(model: str, side: str) -> np.ndarray:
    """The most frequent vectors by t-SNE, [N, 2]; not in the worker, as it takes half a minute."""
    vectors = space(model, side).first(MOST).vectors
    with _ONE_AT_A_TIME:
        return tsne(vectors)


def places(choice: Choice) -> np.ndarray:
    """Where the points are, [S, N, 2]: S frames of the film, else one."""
    if choice.view == FILM:
        film = word_models.model(choice.model).snapshots
        turned = np.sign((axes(choice.model, choice.side).axes * film.axes[:2]).sum(1))  # an axis has no sign
        return film.coordinates[:, :, :2] * turned
    if choice.method == TSNE:
        return tsne_places(choice.model, choice.side)[None]
    return axes(choice.model, choice.side).place(space(choice.model, choice.side).vectors)[None]


def nearest(
    vectors: Tensor, wanted: Tensor, count: int, left_out: int | None = None
) -> tuple[Tensor, Tensor]:
    """The rows with the largest cosines to one vector, and these."""
    near = nearness.cosines(wanted, vectors)
    if left_out is not None:
        near[left_out] = -torch.inf
    best = near.topk(min(count, len(near) - (left_out is not None)))
    return best.indices, best.values


def near_table(choice: Choice) -> tuple[np.ndarray, np.ndarray] | None:
    """Every point's neighbours among those shown, and the cosines, [N, NEAR] each; None for too many points."""
    vectors = shown(choice).vectors
    if not NEAR < len(vectors) <= SENT:
        return None

    def work() -> tuple[np.ndarray, np.ndarray]:
        scaled = nearness.unit(vectors)
        rows, cosines = [], []
        for start in range(0, len(scaled), 1024):
            part = scaled[start : start + 1024] @ scaled.T
            part[torch.arange(len(part)), torch.arange(start, start + len(part))] = -torch.inf
            best = part.topk(NEAR)
            rows.append(best.indices)
            cosines.append(best.values)
        return torch.cat(rows).numpy(), torch.cat(cosines).numpy()

    return run_in_worker(work, len(vectors) // 20)


@dataclass(frozen=True)
class Picture:
    """What the browser is sent, and the plane that it lies in."""

    data: bytes
    plane: points.Plane


def picture(choice: Choice) -> Picture:
    """The points of a choice, whatever the word."""
    return _picture(Choice(choice.model, choice.side, choice.view, choice.method, choice.colour))


@st.cache_resource(max_entries=16, show_spinner=False)
def _picture(choice: Choice) -> Picture:
    names = shown(choice).names
    plane = points.plane(places(choice))
    kinds, group_of = grouped(choice)
    film = None
    if choice.view == FILM:
        read, losses = word_models.model(choice.model).snapshots.words_read, frame_losses(choice.model)
        film = Film([words.frame(number) for number in read], losses)
    data = payload(
        names,
        plane,
        kinds,
        group_of,
        near_table(choice),
        space=choice.space,
        title=title(choice),
        kind="word" if choice.of_words else "token",
        large=choice.colour == CATEGORY,
        film=film,
    )
    return Picture(data, plane)


def grouped(choice: Choice) -> groups.Grouped:
    """The colour of every point."""
    names = shown(choice).names
    if choice.colour == CATEGORY:
        return groups.by_category(names, CATEGORIES)
    return groups.by_kind(names) if choice.colour == "kind" else groups.by_rank(names)


def title(choice: Choice) -> str:
    """The picture's title."""
    if choice.view == MAP and choice.method == TSNE:
        return words.title_tsne(choice, len(shown(choice).names))
    if choice.view == FILM:
        share = word_models.model(choice.model).snapshots.variance
    else:
        share = axes(choice.model, choice.side).share
    size = space(choice.model, choice.side).vectors.shape[1]
    return words.title_pca(choice, len(shown(choice).names), size, share)


def frame_losses(model: str) -> list[float | None]:
    """The held-out loss beside each frame of the film: the last one measured by then, None before the first."""
    film = word_models.model(model).snapshots
    found = [film.curve[film.curve[:, 0] <= read + 1, 2] for read in film.words_read]
    return [round(float(part[-1]), 4) if len(part) and np.isfinite(part[-1]) else None for part in found]


def vector_of(choice: Choice, word: str) -> tuple[int | None, Tensor]:
    """A word's row among all vectors, None where it is made from letters, and its vector. Raises UnknownName."""
    every = space(choice.model, choice.side)
    row = every.find(word)
    if row is not None:
        return row, every.vectors[row]
    if choice.of_words:
        wv = word_models.model(choice.model)
        vector = wv.vector(word)  # raises for all but FastText
        if choice.side != WORDS:
            raise UnknownName(words.no_context(word[:SHOWN], choice.model))
        return None, vector
    ids = shared.model(choice.model).tokenizer.encode(word[:SHOWN])
    parts = [readable(shared.model(choice.model).tokenizer.name(i), spaced=True) for i in ids]
    raise UnknownName(words.no_token(word[:SHOWN], choice.model, parts))


def marks(choice: Choice) -> dict[str, Any]:
    """What the picture is told of the chosen word. Raises UnknownName for a word that has no vector."""
    found: dict[str, Any] = {
        "space": choice.space,
        "seq": sequence(),
        "row": -1,
        "name": "",
        "place": None,
        "near": [],
        "cosines": [],
        "camera": CAMERA.get(),
        "frame": FRAME.get(),
    }
    if not choice.word:
        return found
    row, vector = vector_of(choice, choice.word)
    points_shown = shown(choice)
    if row is not None and row >= len(points_shown.names):
        raise UnknownName(
            words.not_shown(choice.word[:SHOWN], row, len(points_shown.names), choice.view == FILM)
        )
    near, cosines = run_in_worker(lambda: nearest(points_shown.vectors, vector, NEAR, row))
    found |= {"near": near.tolist(), "cosines": cosines.tolist()}
    if row is not None:
        return found | {"row": row, "name": points_shown.names[row]}
    place = None
    if choice.view == MAP and choice.method != TSNE:
        x, y = axes(choice.model, choice.side).place(vector[None])[0]
        place = picture(choice).plane.share(float(x), float(y))
    return found | {"name": choice.word[:SHOWN], "place": place}


@dataclass(frozen=True)
class Answer:
    """An analogy worked out: corners a, b, c and the sum in their plane, the words nearest to the sum and where they lie.

    `given` says which of `all_names`, the nearest with none left out, were in the question.
    """

    names: list[str]
    cosines: np.ndarray
    corners: np.ndarray
    places: np.ndarray
    off: np.ndarray
    all_names: list[str]
    all_cosines: np.ndarray
    given: list[bool]


def answer(choice: Choice) -> Answer:
    """b - a + c of the typed words, by unit vectors. Raises UnknownName."""
    return _answer(choice)


@st.cache_resource(max_entries=64, show_spinner=False)
def _answer(choice: Choice) -> Answer:
    every = space(choice.model, choice.side)
    found = [vector_of(choice, word) for word in choice.analogy]
    rows = {row for row, _ in found if row is not None}

    def work() -> Answer:
        a, b, c = (nearness.unit(vector[None])[0] for _, vector in found)
        aim = nearness.analogy_vector(a, b, c)
        near = nearness.cosines(aim, every.vectors)
        everything = near.topk(min(NEAR + 3, len(near)))
        kept = [(row, value) for row, value in zip(everything.indices.tolist(), everything.values.tolist())]
        best = [(row, value) for row, value in kept if row not in rows][:NEAR]
        directions, origin = plane_of(a, b, c)
        neighbours = nearness.unit(every.vectors[[row for row, _ in best]]).double().numpy() - origin
        laid = neighbours @ directions.T
        corners = (torch.stack([a, b, c, aim]).double().numpy() - origin) @ directions.T
        off = np.linalg.norm(neighbours - laid @ directions, axis=1)
        return Answer(
            [every.names[row] for row, _ in best],
            np.array([value for _, value in best]),
            corners,
            laid,
            off,
            [every.names[row] for row, _ in kept[:NEAR]],
            np.array([value for _, value in kept[:NEAR]]),
            [row in rows for row, _ in kept[:NEAR]],
        )

    return run_in_worker(work)


@st.cache_data(max_entries=24, show_spinner=False)
def tallies(model: str, side: str) -> list[analogies.Tally]:
    """Every relation counted, one after the other, so that others can work in between."""
    every = space(model, side)

    def count(relation: str) -> list[analogies.Tally]:
        pairs = {relation: analogies.RELATIONS[relation]}
        return run_in_worker(
            lambda: analogies.tally(every.vectors, every.find, pairs), len(every.names) // 20
        )

    return [tally for relation in analogies.RELATIONS for tally in count(relation)]


def checks(choice: Choice) -> list[Check]:
    """The identities behind what is shown."""
    if choice.view == ANALOGIES:
        three = torch.stack([vector_of(choice, word)[1] for word in choice.analogy])
        return [run_in_worker(lambda: words_planes.sum_lies_in_the_plane(three))]
    return [] if choice.view == FILM or choice.method == TSNE else [_plane_check(choice.model, choice.side)]


@st.cache_resource(max_entries=24, show_spinner=False)
def _plane_check(model: str, side: str) -> Check:
    vectors, found = space(model, side).vectors, axes(model, side)
    return run_in_worker(lambda: words_planes.axes_hold_their_shares(vectors, found), len(vectors) // 20)
