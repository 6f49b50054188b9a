"""From finished runs to models/stories-mtp*/: weights, tokenizer, and cards that lay the twins side by side."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd

from tlmviz.analysis.experts.ahead import COLUMNS, MEASURED
from tlmviz.checkpoints.native import save_network
from tlmviz.evaluation import bits_per_byte

from ..config import MTPConfig, ParallelMTPConfig
from ..facades.language_model import LanguageModel
from ..facades.next_tokens import NextTokenModel
from ..networks.mtp import LooksAhead
from ..tokens import Tokenizer
from . import export as stories
from .cards import card, held_out_stories, table
from .curves import draw
from .data import Corpus
from .loop import read_weights
from .mtp import RECIPES, held_out, new_network
from .precision import stored_dtype
from .recipes import spread

WRITTEN = 60  # tokens after each held-out story's beginning, for the share of proposals that stay
BEGINNING = 24  # tokens


def export(
    name: str, log: dict[str, Any], corpus: Corpus, tokenizer: Tokenizer, run: Path, folder: Path
) -> LanguageModel:
    """Write one model's folder from the checkpoint in `run`, but for its card; returns the model as stored."""
    network = new_network(RECIPES[name].config)
    network.load_state_dict(read_weights(run), strict=False)
    network.eval().requires_grad_(False)
    dtype, _, _ = stored_dtype(network, lambda: held_out(network, tokenizer, corpus.valid)["nats"][0])
    save_network(folder, network, tokenizer, dtype)
    points = log["curve"]
    draw(
        folder / "curve.svg",
        "Training",
        [point["tokens"] / 1e6 for point in points],
        ("held-out bits per byte", [point["valid_bpb"] for point in points]),
        ("training loss (nats per token, with dropout)", [point["train_loss"] for point in points]),
        top=2.0,
    )
    facade = NextTokenModel if isinstance(network, LooksAhead) else LanguageModel
    return facade(network, tokenizer)


def write_cards(
    models: dict[str, LanguageModel],
    logs: dict[str, dict[str, Any]],
    seeds: dict[str, list[float]],
    corpus: Corpus,
    folder: Path,
) -> None:
    """The cards of all, each with the measures of all; `seeds` holds what further runs of each came to, in bits per
    byte."""
    quality = {name: bits_per_byte(lm.network, lm.tokenizer, corpus.valid) for name, lm in models.items()}
    further = {name: held_out(lm.network, lm.tokenizer, corpus.valid) for name, lm in models.items()}
    shares = {name: stays(lm, corpus.valid) for name, lm in models.items() if isinstance(lm, NextTokenModel)}
    for name in shares:
        _measured(quality, further, shares, seeds).to_csv(folder / name / MEASURED, index=False)
    for name, lm in models.items():
        text = _card(name, lm, logs[name], corpus, folder / name, quality, further, shares, seeds)
        (folder / name / "card.md").write_text(text, encoding="utf-8")


def _measured(
    quality: dict[str, float],
    further: dict[str, dict[str, Any]],
    shares: dict[str, tuple[list[float], float]],
    seeds: dict[str, list[float]],
) -> pd.DataFrame:
    """A line for each model and depth, as `read_measured` of the page reads it."""
    lines = []
    for name, found in further.items():
        all_seeds = [quality[name], *seeds[name]]
        end = round(quality[name], 4), round(min(all_seeds), 4), round(max(all_seeds), 4), len(all_seeds)
        for depth, (nats, accuracy) in enumerate(zip(found["nats"], found["accuracy"])):
            stay = round(shares[name][0][depth - 1], 4) if depth else None
            lines.append((name, depth, round(nats, 4), round(accuracy, 4), stay, *end))
    return pd.DataFrame(lines, columns=list(COLUMNS))


def _card(
    name: str,
    lm: LanguageModel,
    log: dict[str, Any],
    corpus: Corpus,
    folder: Path,
    quality: dict[str, float],
    further: dict[str, dict[str, Any]],
    shares: dict[str, tuple[list[float], float]],
    seeds: dict[str, list[float]],
) -> str:
    return card(
        lm.config,
        {
            "Model": [*stories.model(lm, folder), "", *_modules(lm)],
            "Data and licences": [held_out_stories(corpus)],
            "Quality": [
                f"- **held-out stories: {quality[name]:.4f} bits per byte** (as stored)",
                f"- {log['step']:,} steps, {log['tokens'] / 1e6:.1f} M tokens, {log['passes']} passes over the stories",
                "",
                *_twins(quality, further, seeds),
                *_ahead(lm, corpus, further[name], shares.get(name)),
                "![Loss curve](curve.svg)",
            ],
            "Heads": stories.telling_heads(lm),
            "Recipe": _recipe(name, log),
            "Samples": stories.samples(lm),
            "Limits": [
                "It knows the words of small children's stories and nothing else: no facts, no instructions, English "
                "only. It saw half as many words as the models of the zoo, and was made to be looked into."
            ],
        },
    )


def _modules(lm: LanguageModel) -> list[str]:
    if not isinstance(lm, NextTokenModel):
        return ["The starting weights, too, are those of stories-mtp."]
    own = sum(p.numel() for p in lm.network.ahead.parameters())
    if isinstance(lm.config, ParallelMTPConfig):
        return [
            f"Of its parameters {own:,} are those of {lm.depth} further output matrices side by side. The k-th makes "
            "of the model's final state at position i a prediction of token i + k + 1, as the model's own head does "
            "of token i + 1 (*Decoder-Only Transformers in Einstein Notation*, section 6.4). As a language model it "
            "uses none of them. The starting weights of the rest are those of stories-mtp."
        ]
    return [
        f"Of its parameters {own:,} are those of {lm.depth} modules, one after another. The k-th reads, at position i, "
        "what the one before it made there (the first: the model) and the embedding of token i + k; each is "
        "normalised, both are joined and projected to d_model, one block follows, a norm, and the model's own head, "
        "which predicts token i + k + 1 (DeepSeek-V3, section 2.2). As a language model it runs none of them."
    ]


def _twins(quality: dict[str, float], further: dict[str, dict[str, Any]], seeds: dict[str, list[float]]) -> list[str]:
    if len(quality) < 2:
        return []
    return [
        "The twins, of the same starting weights, stories, order, spelling, dropout and steps. What differs is the "
        "loss of what looks further:",
        "",
        *table(
            ("", "held-out bits per byte", "nats per token", "next token right"),
            (
                (
                    f"[{name}](../{name}/card.md)",
                    f"{quality[name]:.4f}",
                    f"{further[name]['nats'][0]:.4f}",
                    f"{100 * further[name]['accuracy'][0]:.1f} %",
                )
                for name in quality
            ),
        ),
        "",
        f"Mean and range of {1 + min(map(len, seeds.values()))} seeds, held-out bits per byte: "
        + ", ".join(f"{name} {spread([quality[name], *seeds[name]], '.4f')}" for name in quality)
        + ".",
        "",
    ]


def _ahead(
    lm: LanguageModel, corpus: Corpus, further: dict[str, Any], found: tuple[list[float], float] | None
) -> list[str]:
    if found is None or not isinstance(lm, NextTokenModel):
        return []
    shares, tokens = found
    part = "head" if isinstance(lm.config, ParallelMTPConfig) else "module"
    return [
        f"Each {part} on the held-out stories, and its proposals where the model writes on by itself, greedily: the "
        f"share that stays of those whose predecessors stayed ({len(corpus.valid)} beginnings of {BEGINNING} tokens, "
        f"{WRITTEN} new ones each; {tokens:.2f} tokens per pass of the model when all are proposed).",
        "",
        *table(
            ("predicts", "by", "nats per token", "right", "proposals that stay"),
            (
                (
                    f"t + {k + 1}",
                    f"{part} {k}" if k else "the model",
                    f"{further['nats'][k]:.3f}",
                    f"{100 * further['accuracy'][k]:.1f} %",
                    f"{100 * shares[k - 1]:.1f} %" if k else "",
                )
                for k in range(lm.depth + 1)
            ),
        ),
        "",
    ]


def stays(lm: NextTokenModel, texts: list[str]) -> tuple[list[float], float]:
    """The share of each module's proposals that stay, of those whose predecessors stayed, and tokens written per
    pass."""
    asked, kept, written, passes = [0] * lm.depth, [0] * lm.depth, 0, 0
    for text in texts:
        beginning = lm.tokenizer.decode(lm.tokenizer.encode(text)[:BEGINNING])
        said = lm.speculate(beginning, WRITTEN, least=0.0)
        written, passes = written + len(said.ids), passes + said.passes
        for each in said.rounds:
            for place in range(min(each.accepted + 1, len(each.proposed))):
                asked[place] += 1
                kept[place] += place < each.accepted
    return [k / max(1, a) for k, a in zip(kept, asked)], written / passes


def _recipe(name: str, log: dict[str, Any]) -> list[str]:
    recipe = RECIPES[name]
    schedule = recipe.schedule
    weight = ""
    if isinstance(recipe.config, MTPConfig):
        weight = f" The modules' mean loss counts {recipe.weight} beside the model's own."
    elif isinstance(recipe.config, ParallelMTPConfig):
        weight = " The loss is the mean over the model's own prediction and the further heads', with equal weight."
    return [
        "`python -m tlmviz.training stories-mtp --data DIR` trains it and its twins.",
        "",
        f"{schedule.steps:,} steps of {schedule.batch_tokens:,} tokens in windows of {schedule.lengths[0][1]}, AdamW, "
        f"learning rate {schedule.learning_rate} with warm-up {schedule.warmup} and a cosine to 2 %, betas "
        f"{schedule.betas}, weight decay {schedule.weight_decay}, clipping {schedule.clip}, dropout "
        f"{recipe.config.dropout}, BPE-dropout {schedule.bpe_dropout}, seed {schedule.seed}.{weight} "
        f"{log['seconds'] / 60:.0f} minutes of wall time on {log['machine']}.",
    ]
