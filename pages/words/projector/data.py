"""Everything that the page Projector shows: vectors with names, their planes, neighbours, the film, and analogies."""

from __future__ import annotations

import threading
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import streamlit as st
import torch
from torch import Tensor

from tlmviz.analysis.words import analogies, nearness
from tlmviz.analysis.words.categories import CATEGORIES
from tlmviz.analysis.words.projection import Axes, plane_of, principal_axes, tsne
from tlmviz.checks import Check, words_planes
from tlmviz.errors import UnknownName
from tlmviz.facades.word_vectors import Snapshots
from tlmviz.figures import readable
from tlmviz.figures.tokens import SPACE
from tlmviz.figures.words import groups, points
from tlmviz.ui import compute as shared
from tlmviz.ui import words as word_models
from tlmviz.ui.cached import cached
from tlmviz.ui.compute import run_in_worker

from .state import ANALOGIES, CATEGORY, CONTEXTS, EMBEDDINGS, FILM, KIND, MAP, PCA, TSNE, UNEMBEDDINGS, WORDS, Projector

NEAR = 10  # neighbours that are lit
# Vectors up to which every point's neighbours are sent along, for the browser to light them at once.
SENT = 8192
MOST = 2000  # vectors that t-SNE lays out: it takes half a minute
SHOWN = 60  # characters of what was typed, in a message
EXACT = "="  # before a token's name: this token, and not the one with a space before it
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
        """The row that is meant: of a token with a space before it, as words in a text have, else of the name itself,
        else in other cases of letters. Behind EXACT stands the very name."""
        if typed.startswith(EXACT) and typed[1:] in self.rows:
            return self.rows[typed[1:]]
        forms = (typed, typed.lower(), typed.capitalize())
        spellings = [spelled for form in forms for spelled in (SPACE + form, form)]
        if " " in typed:
            spellings.append(typed.replace(" ", SPACE))
        return next((self.rows[spelled] for spelled in spellings if spelled in self.rows), None)

    def first(self, count: int) -> Space:
        """The space of the first `count` vectors."""
        return Space(self.names[:count], self.vectors[:count])

    @cached_property
    def categories(self) -> np.ndarray:
        """The number of each name's category, 0 for none [N]."""
        return groups.by_category(self.names, CATEGORIES)[1]


@dataclass(frozen=True)
class Word:
    """The chosen word: its row among the points, -1 for one made from letters, its `place` in the plane if it has no
    row, and the rows and cosines of its neighbours."""

    name: str
    row: int
    place: tuple[float, float] | None
    near: tuple[int, ...]
    cosines: tuple[float, ...]


@dataclass(frozen=True)
class Answer:
    """An analogy worked out: corners a, b, c and the sum in their plane, the words nearest to the sum and where they
    lie.

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


@dataclass(frozen=True)
class Data:
    """What the page shows. What costs is computed when it is asked for."""

    chosen: Projector

    @property
    def no_film(self) -> str:
        """Why there is no film: "model" or "side"; "" where there is one, or none is wanted."""
        if self.chosen.view != FILM or (self.chosen.side == WORDS and self.film):
            return ""
        return "side" if self.chosen.of_words and self.film else "model"

    @property
    def film(self) -> Snapshots | None:
        """The training of a word-vector model, if it was kept."""
        return word_models.model(self.chosen.model).snapshots if self.chosen.of_words else None

    @property
    def models(self) -> list[str]:
        """The models whose vectors can be shown: those of words, then those of tokens."""
        own = sorted(word_models.models(), key=lambda name: (name != word_models.DEFAULT_MODEL, name))
        return [*own, *shared.models()]

    @property
    def sides(self) -> tuple[str, ...]:
        """Which vectors the model has: of words or tokens read and, where there are others, of those predicted."""
        model = self.chosen.model
        if model in word_models.models():
            return (WORDS,) if word_models.model(model).kind == "hierarchical" else (WORDS, CONTEXTS)
        return (EMBEDDINGS,) if shared.model(model).config.tied else (EMBEDDINGS, UNEMBEDDINGS)

    @cached(24)
    def every(model: str, side: str) -> Space:
        """All vectors."""
        if model in word_models.models():
            wv = word_models.model(model)
            return Space(tuple(wv.vocabulary), (wv.context_vectors if side == CONTEXTS else wv.space).float())
        lm = shared.model(model)
        layer = lm.network.head if side == UNEMBEDDINGS else lm.network.token_emb
        weight = layer.weight.detach().float().cpu()
        return Space(tuple(readable(lm.tokenizer.name(i), spaced=True) for i in range(len(weight))), weight)

    @cached_property
    def shown(self) -> Space:
        """The vectors that the picture shows: all, or the most frequent ones that t-SNE or the film has."""
        if self.chosen.view == FILM:
            return self.every.first(len(self.film.vocabulary))
        return self.every.first(MOST) if self.chosen.plane == TSNE else self.every

    @property
    def count(self) -> int:
        """How many these are."""
        return len(self.shown.names)

    @cached(24)
    def axes(model: str, side: str) -> Axes:
        """The two main axes of all vectors."""
        vectors = Data.every(model, side).vectors
        return run_in_worker(lambda: principal_axes(vectors), len(vectors) // 20)

    @property
    def share(self) -> np.ndarray:
        """The shares of the variance that the picture's axes hold."""
        return self.film.variance if self.chosen.view == FILM else self.axes.share

    @cached_property
    def places(self) -> np.ndarray:
        """Where the points are, [S, N, 2]: S frames of the film, else one."""
        chosen = self.chosen
        if chosen.view == FILM:
            turned = np.sign((self.axes.axes * self.film.axes[:2]).sum(1))  # an axis has no sign
            return self.film.coordinates[:, :, :2] * turned
        if chosen.plane == TSNE:
            return tsne_places(chosen.model, chosen.side)[None]
        return self.axes.place(self.every.vectors)[None]

    @property
    def finished(self) -> bool:
        """Whether the points lie where the training left them."""
        return self.chosen.view != FILM or not 0 <= self.chosen.frame < len(self.places) - 1

    @cached(16)
    def plane(model: str, side: str, view: str, method: str) -> points.Plane:
        """The picture's scale, and the places on it."""
        return points.plane(Data(Projector(model=model, side=side, view=view, method=method)).places)

    @cached_property
    def grouped(self) -> groups.Grouped:
        """The colour of every point."""
        names, colour = self.shown.names, self.chosen.colour
        if colour == CATEGORY:
            return groups.by_category(names, CATEGORIES)
        return groups.by_kind(names) if colour == KIND else groups.by_rank(names)

    @cached(24)
    def near(model: str, side: str, count: int) -> tuple[np.ndarray, np.ndarray] | None:
        """Every point's neighbours among those shown, and the cosines, [N, NEAR] each; None for too many points."""
        vectors = Data.every(model, side).first(count).vectors
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

    @property
    def losses(self) -> list[float | None]:
        """The held-out loss beside each frame of the film: the last one measured by then, None before the first."""
        curve = self.film.curve
        found = [curve[curve[:, 0] <= read + 1, 2] for read in self.film.words_read]
        return [round(float(part[-1]), 4) if len(part) and np.isfinite(part[-1]) else None for part in found]

    def vector_of(self, word: str) -> tuple[int | None, Tensor]:
        """A word's row among all vectors, None where it is made from letters, and its vector. Raises UnknownName."""
        row = self.every.find(word)
        if row is not None:
            return row, self.every.vectors[row]
        model = self.chosen.model
        if self.chosen.of_words:
            vector = word_models.model(model).vector(word)  # raises for all but FastText
            if self.chosen.side != WORDS:
                raise UnknownName(
                    "“{word}” is not in the vocabulary, and {model} makes no context vectors from letters; choose “as "
                    "read” above.",
                    word=word[:SHOWN],
                    model=model,
                )
            return None, vector
        tokenizer = shared.model(model).tokenizer
        parts = [readable(tokenizer.name(i), spaced=True) for i in tokenizer.encode(word[:SHOWN])]
        said = " ".join(f"“{part}”" for part in parts[:8]) + (" …" if len(parts) > 8 else "")
        raise UnknownName(
            "“{word}” is no single token of {model}, which reads it as {count:,}: {parts}. Give one token; “{space}” "
            "stands for the space before a word.",
            word=word[:SHOWN],
            model=model,
            count=len(parts),
            parts=said,
            space=SPACE,
        )

    @cached_property
    def found(self) -> Word | UnknownName | None:
        """The chosen word, or why it has no place in the picture; None where none is chosen."""
        try:
            return self._find(self.chosen.word.strip())
        except UnknownName as error:
            return error

    def _find(self, typed: str) -> Word | None:
        if not typed:
            return None
        row, vector = self.vector_of(typed)
        count = self.count
        if row is not None and row >= count:
            raise UnknownName(
                "“{word}” is number {row:,} of the vocabulary, and {what} the {count:,} most frequent; choose the view "
                "Map and there, behind “More”, PCA: it shows all.",
                word=typed[:SHOWN],
                row=row + 1,
                what="the film kept" if self.chosen.view == FILM else "t-SNE lays out",
                count=count,
            )
        near, cosines = (
            tuple(each.tolist()) for each in run_in_worker(lambda: nearest(self.shown.vectors, vector, NEAR, row))
        )
        if row is not None:
            return Word(self.shown.names[row], row, None, near, cosines)
        place = None
        if self.chosen.view == MAP and self.chosen.plane == PCA:
            place = self.plane.share(*map(float, self.axes.place(vector[None])[0]))
        return Word(typed[:SHOWN], -1, place, near, cosines)

    @property
    def word(self) -> Word | None:
        """The chosen word, if it has a place in the picture."""
        return self.found if isinstance(self.found, Word) else None

    @cached(24)
    def kept_together(model: str, side: str, count: int) -> tuple[int, int, float] | None:
        """Of the words of a category: at how many the nearest of them is of the same one, how many there are, and the
        share that chance would give; None where fewer than two are shown."""
        shown = Data.every(model, side).first(count)
        rows = np.flatnonzero(shown.categories)
        kinds = shown.categories[rows]
        if len(rows) < 2:
            return None

        def work() -> np.ndarray:
            scaled = nearness.unit(shown.vectors[rows])
            near = scaled @ scaled.T
            near.fill_diagonal_(-torch.inf)
            return near.argmax(1).numpy()

        same = kinds[run_in_worker(work)] == kinds
        by_chance = (np.bincount(kinds)[kinds] - 1).mean() / (len(kinds) - 1)
        return int(same.sum()), len(kinds), float(by_chance)

    @property
    def analogy(self) -> tuple[str, str, str]:
        """The three words that are typed."""
        return self.chosen.analogy

    @cached(64)
    def answer(model: str, side: str, analogy: tuple[str, str, str]) -> Answer:
        """b - a + c of the typed words, by unit vectors. Raises UnknownName."""
        every = Data.every(model, side)
        data = Data(Projector(model=model, side=side))
        found = [data.vector_of(word) for word in analogy]
        rows = {row for row, _ in found if row is not None}

        def work() -> Answer:
            a, b, c = (nearness.unit(vector[None])[0] for _, vector in found)
            aim = nearness.analogy_vector(a, b, c)
            near = nearness.cosines(aim, every.vectors)
            everything = near.topk(min(NEAR + 3, len(near)))
            kept = list(zip(everything.indices.tolist(), everything.values.tolist()))
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

    def tallies(self, model: str = "") -> list[analogies.Tally]:
        """Every relation counted, of the chosen vectors, or of the words of another model."""
        return tallies(model, WORDS) if model else tallies(self.chosen.model, self.chosen.side)

    @property
    def checks(self) -> list[Check]:
        """The identities behind what is shown."""
        if self.chosen.view == ANALOGIES:
            three = torch.stack([self.vector_of(word)[1] for word in self.chosen.analogy])
            return [run_in_worker(lambda: words_planes.sum_lies_in_the_plane(three))]
        pca = self.chosen.view == MAP and self.chosen.plane == PCA
        return [_plane_check(self.chosen.model, self.chosen.side)] if pca else []


@st.cache_resource(max_entries=12, show_spinner=False)
def tsne_places(model: str, side: str) -> np.ndarray:
    """The most frequent vectors by t-SNE, [N, 2]; not in the worker, as it takes half a minute."""
    vectors = Data.every(model, side).first(MOST).vectors
    with _ONE_AT_A_TIME:
        return tsne(vectors)


def nearest(vectors: Tensor, wanted: Tensor, count: int, left_out: int | None = None) -> tuple[Tensor, Tensor]:
    """The rows with the largest cosines to one vector, and these."""
    near = nearness.cosines(wanted, vectors)
    if left_out is not None:
        near[left_out] = -torch.inf
    best = near.topk(min(count, len(near) - (left_out is not None)))
    return best.indices, best.values


@st.cache_data(max_entries=24, show_spinner=False)
def tallies(model: str, side: str) -> list[analogies.Tally]:
    """Every relation counted, one after the other, so that others can work in between."""
    every = Data.every(model, side)

    def count(relation: str) -> list[analogies.Tally]:
        pairs = {relation: analogies.RELATIONS[relation]}
        return run_in_worker(lambda: analogies.tally(every.vectors, every.find, pairs), len(every.names) // 20)

    return [tally for relation in analogies.RELATIONS for tally in count(relation)]


@st.cache_resource(max_entries=24, show_spinner=False)
def _plane_check(model: str, side: str) -> Check:
    vectors, found = Data.every(model, side).vectors, Data.axes(model, side)
    return run_in_worker(lambda: words_planes.axes_hold_their_shares(vectors, found), len(vectors) // 20)
