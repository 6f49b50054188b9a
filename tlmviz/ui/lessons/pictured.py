"""What the last lesson measures: words that look at a picture, patches that look at words, readers of pixels, and a
hidden word that is read from both sides."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch

import tlmviz
from tlmviz import digits
from tlmviz.facades.encoder import MASK, EncoderModel
from tlmviz.facades.language_model import LanguageModel
from tlmviz.facades.latents import DigitReader
from tlmviz.facades.scenes.models import PictureMarker, PictureReader

from .. import compute
from .measures import Valued, named, word

WORDS, PATCHES, READERS, SIDES, BEFORE = MODELS = (
    "digits-scenes",
    "digits-scenes-turned",
    "digits-perceiver",
    "stories-encoder",
    "stories-rope",
)
Cells = tuple[int | None, ...]  # held-out digits, row by row; None where a cell is empty
ASKED, SAYS, DROPPED = "what is left of the 7", "a 9", 295
LAID: Cells = (110, None, None, None, 125, None, 227, None, None)  # a 4, a 9 and a 0; the 7 is dropped among them
TWICE: Cells = (None, 182, 139, None, None, None, 343, None, None)  # a 9 that is taken for a 2
TAKEN = 2  # its cell
NINE: Cells = tuple(range(3, 12))
PROUD, DARK = f"The little girl was so {MASK} of herself.", f"Tom was so {MASK} of the dark."
LISTED = 3


@dataclass(frozen=True)
class Found:
    """Answers by where the 7 lies, and where it lies for the one that is wanted; the looks of two heads by where it
    lies, one for the word that is asked about, one for the digit that is said; what each patch gives to that word, and
    what is marked; two answers about another picture, and for each a look; what eight readers read, with each silenced,
    and where they look, layer after layer; a hidden word read from before and from both sides, and another with some of
    its words hidden too."""

    answers: Mapping[int, str]
    at: int
    asked: Mapping[int, np.ndarray]  # [36], as said and patches
    said: Mapping[int, np.ndarray]
    patches: np.ndarray
    marked: list[int]
    where: str
    described: str
    twice: tuple[np.ndarray, np.ndarray]  # [36]: reading the digit that is asked for, saying the one taken for it
    truth: list[int]
    read: list[int | None]
    silenced: list[list[int | None]]
    looks: np.ndarray  # [layers, readers, cells]
    size: tuple[int, int]  # pixels, numbers of a reader
    before: Valued
    both: Valued
    hidden: list[str]  # pieces of PROUD
    place: int  # of the hidden one
    tells: str  # the word of it without which the hidden one is least sure
    sure: Mapping[str, float]  # of the likeliest word in DARK, by the word that is hidden, too
    dark: Valued
    wins: tuple[str, float]  # in DARK, where the word that tells is hidden, too

    @property
    def named(self) -> int:
        """The cell of the digit that is said."""
        return self.at - 1

    @property
    def to(self) -> int:
        """Where the 7 lies right of another digit."""
        return next(at for at, answer in self.answers.items() if answer not in ("nothing", SAYS))

    @property
    def full(self) -> np.ndarray:
        """Of the 36 patches those in a cell with a digit, as 1; others are 0."""
        return np.kron(np.reshape([each is not None for each in dropped(self.at)], (3, 3)), np.ones((2, 2))).ravel()

    @property
    def double(self) -> int:
        """The reader without which most digits are lost."""
        return max(range(len(self.silenced)), key=lambda reader: len(self.lost(reader)))

    def lost(self, reader: int) -> list[int]:
        """The cells that are read as something else without a reader."""
        return [at for at, digit in enumerate(self.silenced[reader]) if digit != self.read[at]]


def load(name: str) -> Any:
    """One of the five models."""
    return compute.model(name) if name == BEFORE else tlmviz.load(name)


def drawn(cells: Cells) -> list[str]:
    """The cells of a picture in letters, as `pictures.handwritten` takes them."""
    images = digits.held_out().images
    return ["" if at is None else digits.written(images[at]) for at in cells]


def grid(cells: Cells) -> list[list[Any]]:
    """The cells as the models take them."""
    images = [None if at is None else digits.held_out().images[at] for at in cells]
    return [images[row : row + 3] for row in (0, 3, 6)]


def dropped(at: int) -> Cells:
    """The picture with the 7 in a cell."""
    return tuple(DROPPED if n == at else each for n, each in enumerate(LAID))


def by_cell(patches: np.ndarray) -> np.ndarray:
    """Of 36 patches what each of the nine cells has, the four patches of a cell together."""
    cells: np.ndarray = patches.reshape(3, 2, 3, 2).sum((1, 3)).ravel()
    return cells


def measure(models: Mapping[str, Any], text: str) -> Found:
    """All of it, in some thirty small passes."""
    return Found(*_answered(models[WORDS], models[PATCHES]), *_read(models[READERS]), *_hidden(models))


def _answered(reader: PictureReader, marker: PictureMarker) -> tuple[Any, ...]:
    free = [at for at, each in enumerate(LAID) if each is None]
    answers = {at: reader.answer(grid(dropped(at)), ASKED) for at in free}
    at = next(at for at, answer in answers.items() if answer.text == SAYS)
    asked, said = (_sharpest(each) for each in (answers[at].asked_maps[-1], answers[at].maps[-1]))
    marking = marker.mark(grid(dropped(at)), ASKED)
    given = marking.maps[..., ASKED.split().index("7")].reshape(36, -1)  # of each patch, in each head
    shares = np.stack([by_cell(each) for each in given.T])
    keen = int((shares[:, at] - np.delete(shares, at, 1).max(1)).argmax())
    where, described = (reader.answer(grid(TWICE), each) for each in ("where is the 2", "describe the picture"))
    other = described.words.index(f"{digits.held_out().labels[TWICE[TAKEN]]}")
    two = [each.reshape(-1, 36)[_sharpest(each)] for each in (where.asked_maps[-1], described.maps[other])]
    return (
        {place: answer.text for place, answer in answers.items()},
        at,
        {place: answer.asked_maps[-1].reshape(-1, 36)[asked] for place, answer in answers.items()},
        {place: answer.maps[-1].reshape(-1, 36)[said] for place, answer in answers.items()},
        given[:, keen],
        marking.marked,
        where.text,
        described.text,
        (two[0], two[1]),
    )


def _sharpest(maps: np.ndarray) -> int:
    """The head that gives one cell most, of all layers' heads."""
    cells = [by_cell(each).max() for each in maps.reshape(-1, 36)]
    return int(np.argmax(cells))


def _read(reader: DigitReader) -> tuple[Any, ...]:
    picture, config = grid(NINE), reader.config
    whole = reader.classify(picture)
    silenced = [reader.classify(picture, mute=[latent]).digits for latent in range(config.n_latents)]
    maps = whole.maps.reshape(*whole.maps.shape[:2], *(digits.GRID, digits.SIDE) * 2).sum((3, 5))
    truth = [int(digits.held_out().labels[at]) for at in NINE if at is not None]
    return truth, whole.digits, silenced, maps.reshape(*maps.shape[:2], -1), (whole.maps.shape[-1], config.d_model)


def _hidden(models: Mapping[str, Any]) -> tuple[Any, ...]:
    encoder: EncoderModel = models[SIDES]
    left: LanguageModel = models[BEFORE]
    before = left.trace(PROUD.partition(f" {MASK}")[0]).probabilities()
    guess, (dark, sure) = encoder.predict(PROUD, LISTED)[0], _hiding(encoder, DARK)
    best = word(guess.words[0][0])
    known = [*named(left, before, LISTED - 1), (best, float(before[left.encode(f" {best}")[-1]]))]
    shares = [(name, float(guess.probabilities[encoder.tokenizer.encode(f" {name}")[-1]])) for name, _ in known]
    pieces = encoder.names(encoder.encode(PROUD))[:-1]  # without [SEP]
    costs = _hiding(encoder, PROUD)[1]
    tells = min(costs, key=costs.__getitem__)
    wins, share = encoder.predict(DARK.replace(f" {tells} ", f" {MASK} "), 1)[0].words[0]
    return known, shares, pieces, guess.position, tells, sure, dark, (word(wins), share)


def _hiding(encoder: EncoderModel, text: str) -> tuple[Valued, dict[str, float]]:
    """The likeliest hidden words, and how sure the first one is as it stands, "", and with each other word hidden,
    too."""
    guess, ids = encoder.predict(text, LISTED)[0], encoder.encode(text)
    names, best = encoder.names(ids), int(guess.probabilities.argmax())

    def sure(also: str) -> float:
        read = [encoder.config.mask if also and word(name) == also else each for name, each in zip(names, ids)]
        return float(encoder.probabilities(torch.tensor([read]))[0, guess.position, best])

    every = ["", *(word(name) for name in names if name.strip().isalpha())]
    return [(word(name), share) for name, share in guess.words], {each: sure(each) for each in every}
