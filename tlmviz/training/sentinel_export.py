"""From two finished runs to models/stories-sentinel*/: weights, vocabularies, and cards that lay the twins side by
side."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from tlmviz.analysis.words import copying
from tlmviz.checkpoints.native import save_network
from tlmviz.checkpoints.registry import load

from ..facades.mixture import MixtureModel
from ..networks.sentinel import SentinelLSTM
from ..tokens.whole_words import WordTokenizer
from .cards import CURVE, card, held_out_stories, size, table
from .curves import draw
from .data import Corpus
from .loop import Log, read_weights
from .precision import stored_dtype
from .sentinel import LEAST, MOST_WORDS, RECIPES, SentinelRecipe, StoryBatches, held_out_loss


def export(recipe: SentinelRecipe, log: Log, corpus: Corpus, tokenizer: WordTokenizer, run: Path, folder: Path) -> None:
    """Write one model's folder from the checkpoint in `run`; its card follows when both are there."""
    network = SentinelLSTM(replace(recipe.config, vocab_size=tokenizer.vocab_size))
    network.load_state_dict(read_weights(run))
    network.eval().requires_grad_(False)
    held_out = StoryBatches(corpus.valid, tokenizer, recipe, 0)
    dtype, _, _ = stored_dtype(network, lambda: held_out_loss(network, held_out))
    save_network(folder, network, tokenizer, dtype)
    points = log["curve"]
    draw(
        folder / "curve.svg",
        "Training",
        [point["tokens"] / 1e6 for point in points],
        ("held-out loss (nats per word)", [point["valid_loss"] for point in points]),
        ("training loss (with dropout and hidden words)", [point["train_loss"] for point in points]),
        top=6.0,
        read="words read (millions)",
    )


def write_cards(logs: dict[str, dict[str, Any]], corpus: Corpus, models: Path) -> None:
    """The cards of both, each with the measures of both. Raises BadCheckpoint where one is missing."""
    loaded = {name: _read(models / name) for name in RECIPES}
    tokenizer = next(iter(loaded.values())).tokenizer
    words = tokenizer.words
    batches = StoryBatches(corpus.train, tokenizer, next(iter(RECIPES.values())), 0)
    names = {words[i] for i in np.flatnonzero(batches.names)}
    table = _table(loaded, corpus.valid, names)
    for name, model in loaded.items():
        text = _card(RECIPES[name], logs[name], corpus, model, models / name, table)
        (models / name / "card.md").write_text(text, encoding="utf-8")


def _read(folder: Path) -> MixtureModel:
    model = load(folder, "cpu")
    assert isinstance(model, MixtureModel)
    return model


def _table(loaded: dict[str, MixtureModel], stories: list[str], names: set[str]) -> list[str]:
    """The measures of both models, a column each."""
    losses = [copying.loss(model, stories) for model in loaded.values()]
    said = [[copying.named(model, stories, names, invented) for model in loaded.values()] for invented in (True, False)]
    first = losses[0]
    rows = {
        f"loss on held-out stories ({first.words:,} words), nats per word": [f"**{each.all:.3f}**" for each in losses],
        f"on rare words that the story had already ({first.rare_words:,})": [f"{each.rare:.3f}" for each in losses],
        f"on unknown words that the story had already ({first.unknown_words:,})": [
            f"{each.unknown:.3f}" for each in losses
        ],
        f"never-seen names copied, where they come again ({said[0][0].places:,} places)": [
            f"**{100 * each.share:.1f} %**" for each in said[0]
        ],
        "the stories' own names at the same places": [f"{100 * each.share:.1f} %" for each in said[1]],
    }
    head = ("", *(f"[{name}](../{name}/card.md)" for name in loaded))
    return table(head, ((what, *values) for what, values in rows.items()))


def _card(recipe: SentinelRecipe, log: Log, corpus: Corpus, model: MixtureModel, folder: Path, table: list[str]) -> str:
    config = model.config
    pointer = (
        "- pointer: q = tanh(W h), softmax over q·h_i of all words read and over q·s of a trained sentinel s, whose "
        "share is g; p = g p_vocab + (1 − g) p_ptr (Merity et al. 2016)"
        if config.pointer
        else "- no pointer: p = p_vocab. Everything else, the starting weights too, is as in stories-sentinel"
    )
    return card(
        config,
        {
            "Model": [
                f"- {config.n_layers} LSTM layers of {config.d_model} units; the embedding, {config.d_model} wide, is "
                f"the output matrix too; dropout {config.dropout}",
                pointer,
                f"- whole words and marks, case kept: the {config.vocab_size:,} entries that occur at least {LEAST} "
                f"times in the training stories. Other words are read as one of {config.stand_ins} stand-ins, in "
                "order of appearance, and have a column of their own behind the vocabulary: they can be copied, never "
                "written",
                size(folder, model.n_parameters),
            ],
            "Data and licence": [
                held_out_stories(corpus, f", cut at {MOST_WORDS} words,"),
                f"- in each pass a story's names are taken for unknown with probability {recipe.names}, its words "
                f"outside of the 300 most common with {recipe.words}: so stand-ins and copying are learned",
            ],
            "Quality": [
                "Both models on the same stories. Loss counts all unknown words as one entry, as the vocabulary does. "
                f"*Rare* words are those behind the {copying.COMMON:,} most common. *Never-seen names*: the most "
                f"frequent name of a story ({copying.LEAST} times or more) is replaced by an invented one; counted is "
                "where the most probable next word is that name, from its second time on.",
                "",
                *table,
                *CURVE,
            ],
            "Recipe": [
                "`python -m tlmviz.training stories-sentinel --data DIR` trains both, with the same seed, stories, "
                "order and steps.",
                "",
                *_effort(recipe, log),
            ],
            "Limits": [
                "It knows the words of small children's stories and nothing else. Two unknown words are told apart by "
                "their stand-ins and places, not by their spelling. It was made to be looked into."
            ],
        },
    )


def _effort(recipe: SentinelRecipe, log: Log) -> list[str]:
    """The settings and the time of a run."""
    schedule = recipe.schedule
    return [
        f"{log['step']:,} steps of about {schedule.batch_tokens:,} words, {log['tokens'] / 1e6:.1f} M in all, "
        f"{log['passes']} passes; AdamW, learning rate {schedule.learning_rate} with warm-up {schedule.warmup} "
        f"and a cosine for {schedule.steps:,} steps, "
        f"betas {schedule.betas}, weight decay {schedule.weight_decay}, clipping {schedule.clip}, seed "
        f"{schedule.seed}. {log['seconds'] / 60:.0f} minutes of wall time on {log['machine']}."
    ]
