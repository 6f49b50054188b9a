"""The recipes of the word-vector models: one text, one vocabulary, one size; what differs is the method."""

from __future__ import annotations

import json
import math
import os
import platform
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import torch
from safetensors.torch import load_file, save_file
from torch import Tensor

from tlmviz.analysis.words.categories import CATEGORIES
from tlmviz.analysis.words.glove import count_meetings
from tlmviz.analysis.words.nearness import precision
from tlmviz.checkpoints.words import save_words

from ..config import WordsConfig
from ..facades.word_vectors import Snapshots, WordVectors
from .curves import draw
from .data import PAIRS, STORIES
from .words import Progress, Trainer, WordSchedule
from .words_data import WordData, read_words

LEAST = 10  # times that a word of the vocabulary stands in the text
PICTURES, FILMED, AXES = 20, 1000, 16  # of the film: pictures, words, principal axes
COUNTED = 1500  # words whose meetings GloVe's folder keeps, the most frequent
POINTS = 40  # of the loss curve, evenly over the training


@dataclass(frozen=True)
class WordRecipe:
    """A word-vector model; `settings` are those of its configuration that are not common to all."""

    name: str
    description: str
    settings: dict[str, Any]
    schedule: WordSchedule
    needs: tuple[str, ...] = (STORIES, PAIRS)

    def run(self, data: Path, runs: Path, models: Path) -> dict[str, dict[str, Any]]:
        """Train, or go on after the last whole pass in `runs`, and write the model's folder."""
        texts = _words(data, self.settings.get("least", LEAST))
        config = WordsConfig.of(
            self.name, description=self.description, vocab_size=len(texts.train.vocabulary), **self.settings
        )
        trainer, log = Trainer(config, texts.train, self.schedule), Log()
        log.resume(runs / self.name, trainer)
        log.follow(trainer, texts, runs / self.name)
        self.export(trainer, log, texts, models / self.name)
        return {self.name: {"curve": log.curve, "seconds": trainer.seconds}}

    def export(self, trainer: Trainer, log: Log, texts: WordData, folder: Path) -> None:
        """Write the model with its film, card and curve; what the card says is measured on the rounded numbers."""
        for weight in trainer.network.parameters():
            weight.copy_(weight.half().float())
        model = WordVectors(trainer.network, texts.train.vocabulary, texts.train.counts)
        model.snapshots = film(log, model)
        if model.kind == "glove":
            size, text = len(texts.train.vocabulary), texts.train
            model.meetings = count_meetings(text.ids, trainer.config.window, size, text.document, COUNTED)
        save_words(folder, model)
        unit = "weighted squared error per cell" if model.kind == "glove" else "nats per prediction"
        read, learned, held_out = np.array(log.curve).T
        draw(
            folder / "curve.svg",
            "Training",
            (read / 1e6).tolist(),
            (f"held-out loss ({unit})", held_out.tolist()),
            ("training loss", learned.tolist()),
        )
        card = _card(self, trainer, texts, model, trainer.held_out_loss(texts.held_out), unit, folder)
        (folder / "card.md").write_text(card, encoding="utf-8")


class Log:
    """What is kept while a model learns: pictures of its vectors, close together at first, and a curve of losses."""

    def __init__(self) -> None:
        self.pictures: list[Tensor] = []
        self.read: list[float] = []
        self.curve: list[tuple[float, float, float]] = []  # words read, training loss, held-out loss
        self.recent: list[tuple[float, int]] = []

    def follow(self, trainer: Trainer, texts: WordData, folder: Path) -> None:
        """Train to the end, and keep the run after each pass."""
        if not self.pictures:
            self._picture(trainer, 0.0)
        before, began = trainer.epoch, time.monotonic()
        for progress in trainer.passes():
            self.recent.append((progress.loss, progress.predictions))
            self._look(trainer, texts, progress)
            if progress.epochs >= before + 1:
                before += 1
                self._save(folder, trainer, before)
                print(f"pass {before}: {self.curve[-1]}, {time.monotonic() - began:.0f} s", flush=True)

    def _look(self, trainer: Trainer, texts: WordData, progress: Progress) -> None:
        """A picture and a point of the curve, where they are due."""
        done = progress.epochs / trainer.schedule.epochs + 1e-9
        if done >= len(self.curve[1:]) / POINTS + 1 / POINTS or not self.curve:
            total = sum(count for _, count in self.recent)
            learned = sum(loss * count for loss, count in self.recent) / max(1, total)
            self.curve.append((progress.words_read, learned, trainer.held_out_loss(texts.held_out)))
            self.recent.clear()
        while len(self.pictures) < PICTURES and done >= (len(self.pictures) / (PICTURES - 1)) ** 2:
            self._picture(trainer, progress.words_read)

    def _picture(self, trainer: Trainer, read: float) -> None:
        text = trainer.text
        model = WordVectors(trainer.network, text.vocabulary, text.counts)
        self.pictures.append(model.space[:FILMED].clone())
        self.read.append(read)

    def _save(self, folder: Path, trainer: Trainer, epoch: int) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        state = {f"weight.{name}": value for name, value in trainer.network.state_dict().items()}
        state |= {f"optimiser.{i}": value for i, value in enumerate(trainer.squares)}
        save_file({**state, "pictures": torch.stack(self.pictures)}, folder / "state.safetensors")
        values = {"epoch": epoch, "seconds": trainer.seconds, "read": self.read, "curve": self.curve}
        run = {"config": asdict(trainer.config), "schedule": asdict(trainer.schedule)}
        (folder / "log.json").write_text(json.dumps({**values, **run}))

    def resume(self, folder: Path, trainer: Trainer) -> None:
        """Take up a run where its last whole pass ended; one with other settings is begun anew."""
        if not (folder / "log.json").is_file():
            return
        log, state = json.loads((folder / "log.json").read_text()), load_file(folder / "state.safetensors")
        if log["config"] != asdict(trainer.config) or log["schedule"] != asdict(trainer.schedule):
            return
        weights = {name: state[f"weight.{name}"] for name in trainer.network.state_dict()}
        trainer.network.load_state_dict(weights)
        for i, square in enumerate(trainer.squares):
            square.copy_(state[f"optimiser.{i}"])
        trainer.epoch, trainer.seconds = log["epoch"], log["seconds"]
        self.pictures, self.read = list(state["pictures"]), log["read"]
        self.curve = [tuple(point) for point in log["curve"]]


def film(log: Log, model: WordVectors) -> Snapshots:
    """The pictures on the leading principal axes of the finished vectors."""
    vectors = model.space
    mean = vectors.mean(0)
    _, sizes, axes = torch.linalg.svd(vectors - mean, full_matrices=False)
    axes = axes[:AXES]
    pictures = torch.stack([*log.pictures[:-1], vectors[:FILMED]])
    variance = (sizes**2 / (sizes**2).sum())[:AXES]
    return Snapshots(
        vocabulary=tuple(model.vocabulary[: pictures.shape[1]]),
        coordinates=((pictures - mean) @ axes.T).numpy(),
        axes=axes.contiguous().numpy(),
        mean=mean.numpy(),
        variance=variance.numpy(),
        words_read=np.array(log.read, np.float64),
        curve=np.array(log.curve, np.float64),
    )


@lru_cache(maxsize=1)
def _words(data: Path, least: int) -> WordData:
    """The text, read once for all models of a group."""
    return read_words(data, least)


def _card(
    recipe: WordRecipe, trainer: Trainer, texts: WordData, model: WordVectors, loss: float, unit: str, folder: Path
) -> str:
    lines = [
        f"# {model.name}",
        "",
        model.config.description,
        "",
        *_model(model, folder),
        *_data(texts),
        *_quality(model, loss, unit),
        "![Loss curve](curve.svg)",
        "",
        *_recipe(recipe, trainer),
        *_film(model),
        *_meetings(model),
        "## Limits",
        "",
        "It knows the words of small children's stories and of short everyday sentences, many of them about Tom, and "
        "each in one vector whatever it means. A million words are few: rare words lie where chance put them, and most "
        "analogies fail. It was made to be looked into.",
        "",
    ]
    return "\n".join(lines)


def _model(model: WordVectors, folder: Path) -> list[str]:
    config, size = model.config, (folder / "model.safetensors").stat().st_size / 1e6
    rows = {
        "hierarchical": f"{config.vocab_size - 1:,} vectors of tree nodes; a word takes "
        + (f"{model.tree.mean_length(model.counts):.2f} decisions on average" if model.kind == "hierarchical" else ""),
        "fasttext": f"{config.vocab_size:,} vectors of context words, {config.buckets:,} rows that the n-grams of "
        f"{config.shortest} to {config.longest} characters share by a hash (FNV-1a); a word is the mean of its own row "
        "and its n-grams'",
        "glove": f"{config.vocab_size:,} vectors of context words, a bias for each; neighbours are looked for in the "
        f"sum of both",
        "cbow": f"{config.vocab_size:,} vectors of predicted words; a word's vector is what it adds to the mean when "
        f"it is read",
    }
    return [
        "## Model",
        "",
        f"- {config.vocab_size:,} words, one vector of {config.d_model} numbers each, and "
        + rows.get(model.kind, f"{config.vocab_size:,} vectors of context words"),
        f"- {model.n_parameters:,} parameters, {size:.2f} MB as float16",
        "- words in lower case, apostrophes inside kept, other marks dropped; all that stand in the text "
        f"{config.least} times or more",
        "",
    ]


def _data(texts: WordData) -> list[str]:
    return [
        "## Data and licences",
        "",
        f"- {len(texts.train.ids):,} words of the vocabulary to learn from and {len(texts.held_out.ids):,} held out "
        "(whole stories and sentences, chosen by a hash of their text)",
        f"- {texts.stories:,} stories: excerpts of TinyStories (Eldan and Li 2023), CDLA-Sharing-1.0",
        f"- {texts.sentences:,} English sentences: Tatoeba pairs prepared by manythings.org, CC BY 2.0 (tatoeba.org)",
        "",
    ]


def _quality(model: WordVectors, loss: float, unit: str) -> list[str]:
    row = {word: i for i, word in enumerate(model.vocabulary)}
    vectors = model.space.numpy()
    among, everywhere = (precision(vectors, row, CATEGORIES, everywhere=flag) for flag in (False, True))
    members = sum(len(words) for words in CATEGORIES.values())
    shown = ("dog", "red", "mother", "walked", "happy", "seven")
    return [
        "## Quality",
        "",
        f"- **category neighbours {100 * among:.1f} %**: of the 5 nearest neighbours of each of {members} words in "
        f"{len(CATEGORIES)} hand-made categories, so many are of the same category when they are looked for among "
        f"those words (by chance {100 * 7 / (members - 1):.1f} %), and {100 * everywhere:.1f} % among the whole "
        "vocabulary",
        f"- held-out loss {loss:.3f} {unit}",
        "",
        "| word | nearest by cosine |",
        "| --- | --- |",
        *(
            f"| {word} | {', '.join(f'{near} {value:.2f}' for near, value in model.neighbours(word, 6))} |"
            for word in shown
            if word in model
        ),
        "",
    ]


def _recipe(recipe: WordRecipe, trainer: Trainer) -> list[str]:
    settings = {**asdict(trainer.schedule), "window": trainer.config.window, "subsample": trainer.config.subsample}
    if trainer.config.method in ("negative", "cbow", "fasttext"):
        settings |= {"negatives": trainer.config.negatives, "power": trainer.config.power}
    if trainer.config.method == "glove":
        settings = {name: value for name, value in settings.items() if name != "subsample"}
        settings |= {"x_max": trainer.config.x_max, "alpha": trainer.config.alpha}
    speed = trainer.schedule.epochs * len(trainer.text.ids) / trainer.seconds
    return [
        "## Recipe",
        "",
        f"`python -m tlmviz.training {recipe.name} --data DIR`",
        "",
        "| setting | value |",
        "| --- | --- |",
        *(f"| {name} | {value} |" for name, value in settings.items()),
        "",
        f"{'AdaGrad' if trainer.config.method == 'glove' else 'Plain gradient descent'}, the rate falling in a line; "
        f"{math.ceil(trainer.seconds):,} seconds of CPU time ({speed:,.0f} words a second) on one thread of a "
        f"{os.cpu_count()}-core {platform.machine()} CPU, float32, torch {torch.__version__.partition('+')[0]}.",
        "",
    ]


def _meetings(model: WordVectors) -> list[str]:
    if model.meetings is None:
        return []
    return [
        "## Counts",
        "",
        f"meetings.safetensors holds how often the {model.meetings.size:,} most frequent words met, each meeting "
        "weighed 1 / distance: exact, as sixtieths, with the sums over all words.",
        "",
    ]


def _film(model: WordVectors) -> list[str]:
    kept = model.snapshots
    if kept is None:
        return []
    pictures, words, axes = kept.coordinates.shape
    return [
        "## Film",
        "",
        f"snapshots.safetensors holds {pictures} pictures of the {words:,} most frequent words, more of them early, on "
        f"the {axes} leading principal axes of the finished vectors ({100 * kept.variance.sum():.0f} % of their "
        "variance), as float16, and the loss curve.",
        "",
    ]


def _recipes() -> Iterator[WordRecipe]:
    yield WordRecipe(
        "words-skipgram",
        "Word vectors by skip-gram with the full softmax: every word of the vocabulary is in every step.",
        dict(method="skipgram"),
        WordSchedule(epochs=4, batch=512, shuffle=True),
    )
    yield WordRecipe(
        "words-negative",
        "Word vectors by skip-gram with negative sampling: real pairs told from drawn ones.",
        dict(method="negative"),
        WordSchedule(epochs=5),
    )
    yield WordRecipe(
        "words-cbow",
        "Word vectors by CBOW with negative sampling: the mean of a window predicts its middle.",
        dict(method="cbow"),
        WordSchedule(epochs=5),
    )
    yield WordRecipe(
        "words-fasttext",
        "Word vectors made of character n-grams (FastText): any word has one, a misspelled one too.",
        dict(method="fasttext", buckets=8192),
        WordSchedule(epochs=5),
    )
    yield WordRecipe(
        "words-glove",
        "Word vectors that fit the logarithm of how often words meet (GloVe).",
        dict(method="glove", x_max=10.0),
        WordSchedule(epochs=30, rate=0.1, batch=4096, shuffle=True),
    )
    yield WordRecipe(
        "words-hierarchical",
        "Word vectors by skip-gram over a Huffman tree: a word is a path of left and right turns.",
        dict(method="hierarchical"),
        WordSchedule(epochs=5, batch=32, shuffle=True),
    )


WORDS = {recipe.name: recipe for recipe in _recipes()}
