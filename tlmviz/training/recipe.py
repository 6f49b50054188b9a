"""What every recipe offers, and the kinds there are: story models, translators, the indexer, and groups of recipes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from types import ModuleType
from typing import Any, Protocol

from ..errors import UnknownName
from ..tokens import Tokenizer
from . import (
    copying,
    encoder,
    encoder_export,
    experts,
    half,
    indexer,
    kept,
    mixing,
    mtp,
    mtp_export,
    repetition,
    sentinel,
    sentinel_export,
    streams,
    translation,
    translation_export,
    unmasked,
    warmup,
)
from .data import STORIES, Corpus, read_corpus
from .export import export
from .loop import Probe, Schedule, train
from .pairs import PAIRS, Pairs, read_pairs
from .recipes import LanguageRecipe

Logs = dict[str, dict[str, Any]]  # model -> the log of its last stage


class Recipe(Protocol):
    """A named way from data to finished models."""

    @property
    def name(self) -> str:
        """What the command calls it."""

    @property
    def needs(self) -> tuple[str, ...]:
        """Files that must be in the data folder."""

    def run(self, data: Path, runs: Path, models: Path) -> Logs:
        """Train, or go on where an earlier run in `runs` stopped, and write the models' folders into `models`."""


@dataclass(frozen=True)
class Stories:
    """A language model trained on stories, stage by stage."""

    recipe: LanguageRecipe
    needs: tuple[str, ...] = (STORIES,)

    @property
    def name(self) -> str:
        """The model's name."""
        return self.recipe.config.name

    def run(self, data: Path, runs: Path, models: Path) -> Logs:
        """See `Recipe`."""
        recipe, corpus = self.recipe, _corpus(data)
        tokenizer = learned_tokenizer(runs / self.name, corpus.train, recipe.config.vocab_size)
        logs, stage, before = [], runs / self.name, None
        for number, schedule in enumerate(recipe.stages, start=1):
            stage = runs / self.name / f"stage-{number}"
            probe = self.probe(schedule, corpus, tokenizer)
            logs.append(train(recipe.config, schedule, corpus, tokenizer, stage, before, probe))
            before = stage
        if recipe.bundled:
            export(recipe, logs, corpus, tokenizer, stage, models / self.name)
        return {self.name: logs[-1]}

    def probe(self, schedule: Schedule, corpus: Corpus, tokenizer: Tokenizer) -> Probe | None:
        """What is logged besides the loss."""
        return None


class KeptStories(Stories):
    """A language model whose weights are kept while it learns, beside a monitored run of it."""

    def run(self, data: Path, runs: Path, models: Path) -> Logs:
        """See `Recipe`."""
        recipe, corpus, folder = self.recipe, _corpus(data), runs / self.name
        tokenizer = learned_tokenizer(folder, corpus.train, recipe.config.vocab_size)
        logs = kept.run(recipe, corpus, tokenizer, folder)
        export(recipe, logs, corpus, tokenizer, folder / f"stage-{len(logs)}", models / self.name)
        kept.keep(folder, models / self.name)
        return {self.name: logs[-1]}


class StreamStories(Stories):
    """A language model whose residual streams are logged on the way."""

    def probe(self, schedule: Schedule, corpus: Corpus, tokenizer: Tokenizer) -> Probe | None:
        return streams.probe_of(self.recipe.config, schedule.steps, corpus, tokenizer)

    def run(self, data: Path, runs: Path, models: Path) -> Logs:
        """See `Recipe`. A run with another seed or schedule leaves its log in `runs`, where the cards of the family
        find it."""
        logs = super().run(data, runs, models)
        if self.recipe.bundled:
            streams.write_log(logs[self.name], models / self.name)
            mixing.write_section(_corpus(data).valid, models / self.name)
        streams.write_comparison(models, runs)
        return logs


class ExpertStories(Stories):
    """A language model whose routing is logged on the way; or the twin without experts."""

    def probe(self, schedule: Schedule, corpus: Corpus, tokenizer: Tokenizer) -> Probe | None:
        return experts.probe_of(self.recipe.config, schedule.steps, corpus, tokenizer)

    def run(self, data: Path, runs: Path, models: Path) -> Logs:
        """See `Recipe`."""
        logs = super().run(data, runs, models)
        if self.recipe.bundled:
            experts.finish(logs[self.name], _corpus(data), models / self.name)
        experts.write_comparison(models, runs)
        return logs


@dataclass(frozen=True)
class Translation:
    """A translation model trained on sentence pairs."""

    recipe: translation.TranslationRecipe
    needs: tuple[str, ...] = (PAIRS,)

    @property
    def name(self) -> str:
        """The model's name."""
        return self.recipe.config.name

    def run(self, data: Path, runs: Path, models: Path) -> Logs:
        """See `Recipe`. Raises UnknownName where neither a run nor a model of what it starts from is there."""
        recipe, pairs = self.recipe, read_pairs(data)
        start = self.start(runs, models)
        if start is not None and (start / "tokenizer.json").is_file():
            tokenizer = Tokenizer.load(start / "tokenizer.json")
        else:
            # One tokenizer for all of them, so that their maps of a sentence can stand side by side.
            texts = [text for pair in pairs.train for text in pair]
            tokenizer = learned_tokenizer(runs / "translation", texts, recipe.config.vocab_size)
        log = translation.train(recipe, pairs, tokenizer, runs / self.name, start)
        if recipe.bundled:
            translation_export.export(recipe, log, pairs, tokenizer, runs / self.name, models / self.name)
        self.finish(pairs, runs, models)
        return {self.name: log}

    def start(self, runs: Path, models: Path) -> Path | None:
        """The folder with the weights that it goes on from: that run's, else that model's. Raises UnknownName."""
        name = self.recipe.start
        if name is None or (runs / name / "log.json").is_file():
            return runs / name if name else None
        if (models / name / "model.safetensors").is_file():
            return models / name
        raise UnknownName(
            f"{self.name} goes on from {name}, which is neither in {runs} nor in {models}; train that first."
        )

    def finish(self, pairs: Pairs, runs: Path, models: Path) -> None:
        """Write what stands beside the weights."""


class MaskedTranslation(Translation):
    """A Transformer that translates, and a copy of it without the causal mask."""

    def finish(self, pairs: Pairs, runs: Path, models: Path) -> None:
        unmasked.run(self.name, pairs, models)


class CoverageControl(Translation):
    """A model trained as long as the one with coverage; what all of them repeat goes into that one's card."""

    def finish(self, pairs: Pairs, runs: Path, models: Path) -> None:
        repetition.run(self.recipe, pairs, runs, models)


class Copying(Translation):
    """A model that learns from pairs with invented names, with a pointer or without; both cards say how many come out
    right."""

    def finish(self, pairs: Pairs, runs: Path, models: Path) -> None:
        copying.run(pairs, models)


@dataclass(frozen=True)
class Distillation:
    """The lightning indexer of a finished model."""

    name: str = "indexer"
    needs: tuple[str, ...] = (STORIES,)

    def run(self, data: Path, runs: Path, models: Path) -> Logs:
        """See `Recipe`."""
        indexer.run(data, runs, models)
        return {}


@dataclass(frozen=True)
class FewBits:
    """Two hundred steps of training in FP16 and BF16, logged beside the model that they are of."""

    name: str = "half"
    needs: tuple[str, ...] = (STORIES, PAIRS)

    def run(self, data: Path, runs: Path, models: Path) -> Logs:
        """See `Recipe`."""
        half.run(data, runs, models)
        return {}


@dataclass(frozen=True)
class Drawn:
    """A model whose training data is drawn on the fly or comes with a library; `module` has train(recipe, run) -> log,
    and `exporter` export(recipe, log, run, folder).
    """

    recipe: Any
    module: ModuleType
    exporter: ModuleType
    needs: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """The model's name."""
        return str(self.recipe.config.name)

    def run(self, data: Path, runs: Path, models: Path) -> Logs:
        """See `Recipe`."""
        log = self.module.train(self.recipe, runs / self.name)
        self.exporter.export(self.recipe, log, runs / self.name, models / self.name)
        return {self.name: log}


@dataclass(frozen=True)
class Encoding:
    """An encoder trained on stories with hidden tokens, and on pairs of pieces."""

    recipe: encoder.EncoderRecipe
    needs: tuple[str, ...] = (STORIES,)

    @property
    def name(self) -> str:
        """The model's name."""
        return self.recipe.config.name

    def run(self, data: Path, runs: Path, models: Path) -> Logs:
        """See `Recipe`."""
        recipe, corpus = self.recipe, _corpus(data)
        size = recipe.config.vocab_size - len(encoder.SPECIAL)
        plain = learned_tokenizer(runs / self.name, corpus.train, size)
        tokenizer = plain.with_special(*encoder.SPECIAL)
        log = encoder.train(recipe, corpus, tokenizer, runs / self.name)
        encoder_export.export(recipe, log, corpus, tokenizer, runs / self.name, models / self.name)
        return {self.name: log}


@dataclass(frozen=True)
class Twins:
    """The pointer-sentinel mixture and its twin without a pointer: one comparison, so one recipe."""

    name: str = "stories-sentinel"
    needs: tuple[str, ...] = (STORIES,)

    def run(self, data: Path, runs: Path, models: Path) -> Logs:
        """See `Recipe`."""
        corpus, logs = _corpus(data), {}
        tokenizer = sentinel.learned_words(runs / self.name, corpus.train)
        for name, recipe in sentinel.RECIPES.items():
            logs[name] = sentinel.train(recipe, corpus, tokenizer, runs / name)
            sentinel_export.export(recipe, logs[name], corpus, tokenizer, runs / name, models / name)
        sentinel_export.write_cards(logs, corpus, models)
        return logs


@dataclass(frozen=True)
class AheadTwins:
    """The language model with modules that look ahead and its twins, each with three seeds: one comparison, so one
    recipe."""

    name: str = "stories-mtp"
    needs: tuple[str, ...] = (STORIES,)

    def run(self, data: Path, runs: Path, models: Path) -> Logs:
        """See `Recipe`."""
        corpus, logs = _corpus(data), {}
        tokenizer = learned_tokenizer(runs / self.name, corpus.train, mtp.RECIPES[self.name].config.vocab_size)
        loaded = {}
        for name, recipe in mtp.RECIPES.items():
            logs[name] = mtp.train(recipe, corpus, tokenizer, runs / name)
            loaded[name] = mtp_export.export(name, logs[name], corpus, tokenizer, runs / name, models / name)
        seeds: dict[str, list[float]] = {name: [] for name in logs}
        for (name, _), recipe in mtp.SEEDS.items():
            log = mtp.train(recipe, corpus, tokenizer, runs / recipe.config.name)
            seeds[name].append(log["curve"][-1]["valid_bpb"])
        mtp_export.write_cards(loaded, logs, seeds, corpus, models)
        return logs


@dataclass(frozen=True)
class WarmUp:
    """Short runs with norms before and after the sublayers, with and without warm-up: a log beside zoo-post, no
    model."""

    name: str = "warm-up"
    needs: tuple[str, ...] = (STORIES,)

    def run(self, data: Path, runs: Path, models: Path) -> Logs:
        """See `Recipe`."""
        return warmup.run(_corpus(data), runs, models)


@dataclass(frozen=True)
class Group:
    """Recipes that are run one after another; `finish` is given all their logs and the folder of models."""

    name: str
    members: tuple[Recipe, ...]
    finish: Callable[[Logs, Path], object] = lambda logs, models: None

    @property
    def needs(self) -> tuple[str, ...]:
        """What its members need."""
        return tuple(dict.fromkeys(file for member in self.members for file in member.needs))

    def run(self, data: Path, runs: Path, models: Path) -> Logs:
        """See `Recipe`."""
        logs: Logs = {}
        for member in self.members:
            logs |= member.run(data, runs, models)
        self.finish(logs, models)
        return logs


def learned_tokenizer(folder: Path, texts: list[str], vocab_size: int) -> Tokenizer:
    """The run's tokenizer, learned once: a resumed run must spell the text the same way."""
    path = folder / "tokenizer.json"
    if not path.is_file():
        folder.mkdir(parents=True, exist_ok=True)
        path.write_text(Tokenizer.train(texts, vocab_size).to_json())
    return Tokenizer.load(path)


@lru_cache(maxsize=1)
def _corpus(data: Path) -> Corpus:
    """The stories, read once for all members of a group."""
    return read_corpus(data)
