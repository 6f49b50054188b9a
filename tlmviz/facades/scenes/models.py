"""Trained models of scenes: what `tlmviz.load("digits-scenes")` and `tlmviz.load("digits-scenes-turned")` return."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
import torch
from jaxtyping import Float

from ...config import ScenesConfig
from ...networks.encoder_decoder import attention_maps
from ...networks.scenes import SceneMarker, SceneReader
from ...recording import recording
from ...tokens.whole_words import WordTokenizer
from ..base import Facade
from .grid import compose
from .language import parse

KEPT = tuple(f".cross.{name}" for name in ("q", "k", "v", "lse", "z"))


@dataclass(frozen=True)
class Answer:
    """What a model says about a picture, and where in the picture it looked.

    `maps` [W, L, H, 36]: for each word of the answer, in the pass that chose it, what each head of each layer gave to
    each patch of 4 x 4 pixels, row by row; each row sums to 1. `asked_maps` [Q, L, H, 36] are those of the question's
    words. `probabilities` [W] are the words' own.
    """

    text: str
    words: list[str]
    asked: list[str]
    probabilities: Float[np.ndarray, " w"] = field(repr=False)
    maps: Float[np.ndarray, "w l h p"] = field(repr=False)
    asked_maps: Float[np.ndarray, "q l h p"] = field(repr=False)


@dataclass(frozen=True)
class Marking:
    """What a model marks in a picture for a question: the digits that its answer speaks of.

    `patches` [36] is the probability that a patch of 4 x 4 pixels belongs to them, `cells` [3, 3] its mean over a
    cell's four. `maps` [36, L, H, W] is what each patch gave to each word of `words`, which are the question's and the
    end.
    """

    words: list[str]
    patches: Float[np.ndarray, " p"] = field(repr=False)
    cells: Float[np.ndarray, "3 3"] = field(repr=False)
    maps: Float[np.ndarray, "p l h w"] = field(repr=False)

    @property
    def marked(self) -> list[int]:
        """The cells that are marked, 0 to 8 row by row."""
        return np.flatnonzero(self.cells.ravel() > 0.5).tolist()


class _OfScenes(Facade[Any, ScenesConfig]):
    """What both models share. Each is given a grid of 3 rows of 3 cells ([8, 8] images in 0-16, or None) and a
    question."""

    task: ClassVar[str] = "scenes"
    default_text: ClassVar[str] = "3.7.5...1: what is left of the 7"

    def __init__(self, network: Any, tokenizer: WordTokenizer):
        super().__init__(network)
        self.tokenizer = tokenizer
        self._ids = {word: number for number, word in enumerate(tokenizer.words)}

    @property
    def sizes(self) -> str:
        """Its sizes in a line."""
        return (
            f"{self.n_parameters / 1e6:.2f} M parameters, {self.tokenizer.vocab_size} words, {self.config.patches} "
            "patches"
        )

    def ids(self, text: str) -> list[int]:
        """The words of a text of the language, and the end."""
        return [*(self._ids[word] for word in text.split()), WordTokenizer.END]


class PictureReader(_OfScenes):
    """Answers questions about pictures of digits; its words attend to the picture's patches."""

    network: SceneReader

    @torch.inference_mode()
    def answer(self, grid: Any, question: str) -> Answer:
        """What it says of a grid, word by word, always the likeliest, and where each word looked.

        Raises BadShape for a grid of another form or a blank one, BadText for a question outside of the language
        (`tlmviz.facades.scenes.language`).
        """
        asked = self.ids(parse(question).text)
        picture = torch.from_numpy(compose(grid))[None]
        memory = self.network.read(picture)
        ids = list(asked)
        while len(ids) < self.config.context:
            likeliest = int(self.network.write(torch.tensor([ids]), memory)[0, -1].argmax())
            if likeliest == WordTokenizer.END:
                break
            ids.append(likeliest)
        return self._looked(picture, ids, len(asked))

    def forced(self, grid: Any, question: str, said: str) -> Answer:
        """The same for an answer that is given: its words' probabilities, and where the model looked for them."""
        asked = self.ids(parse(question).text)
        with torch.inference_mode():
            return self._looked(torch.from_numpy(compose(grid))[None], [*asked, *self.ids(said)[:-1]], len(asked))

    def _looked(self, picture: torch.Tensor, ids: list[int], asked: int) -> Answer:
        """One pass over question and answer that keeps the maps. A word's row is that of the word before it, which
        chose it."""
        with recording(lambda name: name.endswith(KEPT)) as record:
            logits = self.network(picture, torch.tensor([ids]))[0]
        maps = attention_maps(self.network, record.values, "cross", "cross").permute(2, 0, 1, 3).cpu().numpy()
        words = [self.tokenizer.words[i] for i in ids]
        rows = torch.arange(asked - 1, len(ids) - 1)
        p = logits.softmax(-1)[rows, ids[asked:]] if len(rows) else logits.new_zeros(0)
        return Answer(
            " ".join(words[asked:]),
            words[asked:],
            words[: asked - 1],
            p.cpu().numpy(),
            maps[asked - 1 : -1],
            maps[: asked - 1],
        )


class PictureMarker(_OfScenes):
    """Marks what a question is about; the picture's patches attend to its words."""

    network: SceneMarker

    @torch.inference_mode()
    def mark(self, grid: Any, question: str) -> Marking:
        """What it marks in a grid, and which word each patch looked at. Raises BadShape and BadText as
        `PictureReader.answer`."""
        ids = self.ids(parse(question).text)
        picture = torch.from_numpy(compose(grid))[None]
        with recording(lambda name: name.endswith(KEPT)) as record:
            logits = self.network(picture, torch.tensor([ids]))[0]
        maps = attention_maps(self.network, record.values, "cross", "cross").permute(2, 0, 1, 3).cpu().numpy()
        patches = logits.sigmoid().cpu().numpy()
        wide = self.config.side // self.config.patch
        cells = patches.reshape(3, wide // 3, 3, wide // 3).mean((1, 3))
        return Marking([self.tokenizer.words[i] for i in ids], patches, cells, maps)
