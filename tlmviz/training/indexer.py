"""Distilling a lightning indexer: its scores learn where the frozen teacher's heads together look.

For each layer KL(p || softmax(I)), p the teacher's attention averaged over heads (DeepSeek-V3.2's dense warm-up
stage; not in the notes). All layers learn at once from one pass of the teacher.
"""

from __future__ import annotations

import math
import time
from dataclasses import asdict
from pathlib import Path
from typing import Any

import torch
from jaxtyping import Float, Int
from torch import Tensor
from tqdm import tqdm

from tlmviz.analysis.kernels.indexer import CHOICES, recall, sparse_losses, trace_for_indexer
from tlmviz.checkpoints.indexer import fingerprint, save_indexer
from tlmviz.checkpoints.registry import load

from .. import kernels
from ..config import IndexerConfig
from ..facades.language_model import LanguageModel
from ..layers.indexer import Indexer, Indexers
from ..recording import recording
from . import loop
from .curves import draw
from .data import Corpus, Packer, read_corpus
from .loop import Schedule
from .machine import machine

TEACHER = "stories-rope"
NAME = "stories-rope-indexer"
DESCRIPTION = "Lightning indexer distilled from stories-rope: chooses the keys that its attention needs."
SCHEDULE = Schedule(
    steps=600,
    batch_tokens=1024,
    lengths=((0.7, 256), (0.3, 1024)),
    learning_rate=4e-3,
    warmup=20,
    weight_decay=0.01,
    evaluate_every=100,
)
HEADINGS = {"indexer": "indexer", "attention": "best possible", "recent": "most recent", "random": "random"}
SETTINGS = ("steps", "batch_tokens", "lengths", "learning_rate", "warmup", "weight_decay", "betas", "clip", "seed")
LOGGED_K, TABLE_K, LOSS_K = 32, (8, 16, 32, 64, 128, 256), (32, 64, 128)


def run(data: Path, runs: Path, models: Path, schedule: Schedule = SCHEDULE, windows: int = 8) -> None:
    """Distil, or resume, and write the finished indexer beside its teacher in `models`.

    Runs are kept apart by the teacher's fingerprint: a retrained teacher starts a new one.
    """
    lm, print_ = load(models / TEACHER), fingerprint(models / TEACHER)
    assert isinstance(lm, LanguageModel)
    config = IndexerConfig(NAME, TEACHER, print_, lm.config.n_layers, lm.config.d_model, DESCRIPTION)
    corpus = read_corpus(data)
    held_out = held_out_windows(lm, corpus, min(1024, lm.config.context), windows)
    indexers, log = train(lm, config, schedule, corpus, held_out, runs / f"indexer-{print_[:12]}")
    export(lm, indexers, log, corpus, held_out, models / NAME)


def distillation_loss(lm: LanguageModel, indexers: Indexers, ids: Int[Tensor, "b t"]) -> Float[Tensor, " l"]:
    """KL(p || softmax(I)) of each layer in nats, mean over queries, [L]."""
    parts = ("q", "k", "lse", "normed_attn")
    with torch.no_grad(), recording(lambda name: name.rpartition(".")[2] in parts) as record:
        lm.network(ids)
    losses = []
    for layer, (indexer, spec) in enumerate(zip(indexers, lm.network.specs())):
        q, k, lse = (record.values[f"blocks.{layer}.attn.{part}"] for part in ("q", "k", "lse"))
        p = kernels.attention_map(q, k, lse, spec.mask, scale=spec.scale).mean(1)  # [B, T, S]
        losses.append(_divergence(p, indexer, record.values[f"blocks.{layer}.normed_attn"]))
    return torch.stack(losses)


def train(
    lm: LanguageModel,
    config: IndexerConfig,
    schedule: Schedule,
    corpus: Corpus,
    held_out: list[list[int]],
    folder: Path,
) -> tuple[Indexers, dict[str, Any]]:
    """Train all layers' indexers, resuming from `folder` if it holds a checkpoint; returns them and the log."""
    folder.mkdir(parents=True, exist_ok=True)
    torch.manual_seed(schedule.seed)
    indexers = Indexers(config)
    optimizer = torch.optim.AdamW(
        indexers.parameters(), schedule.learning_rate, schedule.betas, weight_decay=schedule.weight_decay, fused=True
    )
    packer = Packer(corpus, lm.tokenizer, schedule.seed, schedule.bpe_dropout)
    log: dict[str, Any] = {"schedule": asdict(schedule), "curve": [], "seconds": 0.0, "tokens": 0, "step": 0}
    if (folder / "log.json").is_file():
        log = loop.resume(folder, indexers, optimizer, packer)
    began = time.monotonic() - log["seconds"]
    bar = tqdm(
        range(log["step"], schedule.steps), initial=log["step"], total=schedule.steps, mininterval=5, unit="step"
    )
    recent: list[Tensor] = []
    for step in bar:
        length = min(schedule.length(step), lm.config.context)
        ids, _ = packer.batch(max(1, schedule.batch_tokens // length), length, 0.0)
        for group in optimizer.param_groups:
            group["lr"] = schedule.rate(step)
        losses = distillation_loss(lm, indexers, ids)
        optimizer.zero_grad(set_to_none=True)
        losses.sum().backward()  # layers share no weights: each gets its own gradient
        torch.nn.utils.clip_grad_norm_(indexers.parameters(), schedule.clip * len(indexers) ** 0.5)
        optimizer.step()
        recent.append(losses.detach())
        log["tokens"] += ids.numel()
        if (step + 1) % schedule.evaluate_every == 0 or step + 1 == schedule.steps:
            covered = held_out_recall(lm, indexers, held_out[:2])["indexer"].mean(0)
            k = min(LOGGED_K, len(covered))
            kl = torch.stack(recent).mean().item()
            log["curve"].append(
                {"step": step + 1, "tokens": log["tokens"], "kl": kl, "recall": covered[k - 1].item(), "k": k}
            )
            log.update(step=step + 1, seconds=time.monotonic() - began, passes=packer.passes)
            bar.set_postfix({"kl": f"{kl:.3f}", f"recall@{k}": f"{log['curve'][-1]['recall']:.3f}"})
            recent.clear()
            loop.save(folder, indexers, optimizer, log)
    return indexers.eval().requires_grad_(False), log


def held_out_windows(lm: LanguageModel, corpus: Corpus, length: int, count: int) -> list[list[int]]:
    """Up to `count` windows of held-out stories in a row, each behind an end-of-text token, `length` tokens or what
    there is."""
    end = lm.tokenizer.end_of_text
    stream = [token for story in lm.tokenizer.encode_many(corpus.valid) for token in (end, *story)]
    return [stream[start : start + length] for start in range(0, max(1, len(stream) - length + 1), length)][:count]


@torch.inference_mode()
def held_out_recall(lm: LanguageModel, indexers: Indexers, windows: list[list[int]]) -> dict[str, Float[Tensor, "l s"]]:
    """`analysis.indexer.recall`, mean over windows."""
    curves = [recall(trace_for_indexer(lm, ids), indexers) for ids in windows]
    return {name: torch.stack([curve[name] for curve in curves]).mean(0) for name in CHOICES}


def export(
    lm: LanguageModel, indexers: Indexers, log: dict[str, Any], corpus: Corpus, held_out: list[list[int]], folder: Path
) -> None:
    """Write config, weights as float16, curve and card; what the card says is measured on the rounded weights."""
    with torch.no_grad():
        for parameter in indexers.parameters():
            parameter.copy_(parameter.half().float())
    save_indexer(folder, indexers)
    _curve(log, folder / "curve.svg")
    (folder / "card.md").write_text(_card(lm, indexers, log, corpus, held_out, folder), encoding="utf-8")


def _divergence(p: Float[Tensor, "b t s"], indexer: Indexer, x: Float[Tensor, "b t c"]) -> Tensor:
    scores = indexer(x)
    hidden = scores == -torch.inf
    log_q = scores.log_softmax(-1).masked_fill(hidden, 0.0)  # p is 0 there, and 0 * -inf would be NaN
    return (torch.xlogy(p, p) - p * log_q).sum(-1).mean()


def _curve(log: dict[str, Any], path: Path) -> None:
    """Held-out recall and divergence in training."""
    curve = log["curve"]
    recalls, kls = ([point[key] for point in curve] for key in ("recall", "kl"))
    draw(
        path,
        "Distillation",
        [point["tokens"] / 1e6 for point in curve],
        (f"held-out recall with {curve[-1]['k']} keys", recalls),
        ("training KL (nats per query)", kls),
    )


def _card(
    lm: LanguageModel, indexers: Indexers, log: dict[str, Any], corpus: Corpus, held_out: list[list[int]], folder: Path
) -> str:
    config = indexers.config
    lines = [
        f"# {config.name}",
        "",
        config.description,
        "",
        *_model(indexers, folder),
        *_data(config, corpus),
        "## Quality",
        "",
        *_recall_tables(held_out_recall(lm, indexers, held_out), config.n_layers, held_out),
        *_loss_table(lm, indexers, held_out),
        "![Distillation curve](curve.svg)",
        "",
        *_recipe(log),
        "## Limits",
        "",
        "It saves no time here: sparse attention is computed with a mask, to show what it covers and loses. "
        "It was made to be looked into.",
        "",
    ]
    return "\n".join(lines)


def _model(indexers: Indexers, folder: Path) -> list[str]:
    config = indexers.config
    size = (folder / "model.safetensors").stat().st_size / 1e3
    parameters = sum(p.numel() for p in indexers.parameters())
    return [
        "## Model",
        "",
        f"- one indexer for each of the {config.n_layers} layers of {config.teacher}: {config.heads} heads of "
        f"dimension {config.head_dim}, one key shared by them, learned weights w; RoPE on {config.rope_dim} dimensions",
        f"- {parameters:,} parameters, {size:.0f} kB as float16",
        f"- made for the weights of {config.teacher} with SHA-256 {config.fingerprint[:16]}…; refused with any others",
        "",
    ]


def _data(config: IndexerConfig, corpus: Corpus) -> list[str]:
    return [
        "## Data and licences",
        "",
        f"- the {len(corpus.train):,} stories its teacher learned from, and {len(corpus.valid)} held out: "
        "excerpts of TinyStories (Eldan and Li 2023), CDLA-Sharing-1.0",
        f"- target: {config.teacher}'s attention, averaged over the heads of a layer",
        "",
    ]


def _recall_tables(curves: dict[str, Tensor], layers: int, held_out: list[list[int]]) -> list[str]:
    """Recall of every way to choose keys, mean over layers, and of the indexer layer by layer."""
    length = len(held_out[0])
    lines = [
        "Recall: share of a layer's attention mass (averaged over heads) on the k keys chosen for each query, mean "
        f"over layers and all queries of {len(held_out)} held-out windows of {length:,} tokens. *Best possible* "
        "chooses the k keys with the most mass; *random* is the expected value.",
        "",
        f"| k | {' | '.join(HEADINGS.values())} |",
        "| --- " * (len(HEADINGS) + 1) + "|",
    ]
    ks = [k for k in TABLE_K if k <= length]
    for k in ks:
        lines.append(f"| {k} | {' | '.join(f'{curves[name][:, k - 1].mean():.3f}' for name in HEADINGS)} |")
    lines += ["", "Recall of the indexer, layer by layer:", ""]
    columns = " | ".join(f"layer {layer}" for layer in range(layers))
    lines += [f"| k | {columns} |", "| --- " * (layers + 1) + "|"]
    for k in ks:
        lines.append(f"| {k} | {' | '.join(f'{value:.3f}' for value in curves['indexer'][:, k - 1])} |")
    return lines


def _loss_table(lm: LanguageModel, indexers: Indexers, held_out: list[list[int]]) -> list[str]:
    """The loss with every way to choose keys, beside that of dense attention."""
    lines = [
        "",
        "Loss in nats per token on the same windows when every layer attends to the k chosen keys only:",
        "",
        f"| k | dense | {' | '.join(HEADINGS.values())} |",
        "| --- " * (len(HEADINGS) + 2) + "|",
    ]
    for k in (k for k in LOSS_K if k <= len(held_out[0])):
        losses = [sparse_losses(lm, ids, k, indexers) for ids in held_out]
        means = [sum(each[name] for each in losses) / len(losses) for name in ("dense", *HEADINGS)]
        lines.append(f"| {k} | {' | '.join(f'{mean:.4f}' for mean in means)} |")
    return [
        *lines,
        "",
        "*Best possible* is best in covered mass, not in loss: mass averaged over heads can leave out what one head "
        "needs, and the teacher never learned to attend to few keys, as DeepSeek-V3.2 does in a second stage.",
        "",
    ]


def _recipe(log: dict[str, Any]) -> list[str]:
    return [
        "## Recipe",
        "",
        "`python -m tlmviz.training indexer --data DIR`",
        "",
        "KL(p‖softmax(I)) in every layer, the teacher frozen; AdamW.",
        "",
        "| setting | value |",
        "| --- | --- |",
        *(f"| {name} | {log['schedule'][name]} |" for name in SETTINGS),
        "",
        f"{log['step']:,} steps, {log['tokens'] / 1e6:.1f} M tokens, {math.ceil(log['seconds']):,} seconds of wall "
        f"time on {machine()}.",
        "",
    ]
