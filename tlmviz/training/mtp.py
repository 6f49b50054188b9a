"""Training a language model with modules that look ahead, and its twin without: same stories, order, seed and
dropout."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional as F
from tqdm import tqdm

from tlmviz.evaluation import bits_per_byte

from ..config import ModelConfig, MTPConfig, ParallelMTPConfig
from ..networks.mtp import LooksAhead, MTPNetwork, ParallelMTPNetwork
from ..networks.transformer import TransformerLM
from ..tokens import Tokenizer
from . import loop
from .data import Corpus, Packer
from .loop import Schedule
from .machine import fastest


@dataclass(frozen=True)
class MTPRecipe:
    """A network and how it is trained. The modules' mean loss counts `weight` times beside the model's own
    (DeepSeek-V3's lambda, 0.3 for most of its training); None: the loss is the mean over the model and all heads (003
    section 6.4).
    """

    config: ModelConfig
    schedule: Schedule
    weight: float | None = 0.3


# Thin and deep: a pass of the model must cost well more than a module's, as it does in large ones.
_SIZES = dict(n_layers=8, d_model=96, n_heads=6, n_kv_heads=6, d_ff=256, context=256, dropout=0.1)
SCHEDULE = Schedule(
    steps=1800,
    batch_tokens=1024,
    lengths=((1.0, 256),),
    learning_rate=2e-3,
    weight_decay=0.3,
    bpe_dropout=0.1,
    seed=4,
    evaluate_every=300,
)
RECIPES = {
    recipe.config.name: recipe
    for recipe in (
        MTPRecipe(
            MTPConfig.of(
                "stories-mtp",
                description="Story writer with three modules that predict further tokens, one after another "
                "(DeepSeek-V3's MTP).",
                depth=3,
                **_SIZES,
            ),
            SCHEDULE,
        ),
        MTPRecipe(
            ParallelMTPConfig.of(
                "stories-mtp-parallel",
                description="The twin of stories-mtp with three further heads side by side in place of the modules.",
                depth=3,
                **_SIZES,
            ),
            SCHEDULE,
            weight=None,
        ),
        MTPRecipe(
            ModelConfig.of(
                "stories-mtp-plain",
                description="The twin of stories-mtp without modules: the same model, stories, order and steps.",
                **_SIZES,
            ),
            SCHEDULE,
        ),
    )
}

# The same with other seeds, trained for their numbers.
SEEDS = {
    (name, seed): replace(
        recipe, config=recipe.config.with_(name=f"{name}-seed-{seed}"), schedule=replace(recipe.schedule, seed=seed)
    )
    for seed in (5, 6)
    for name, recipe in RECIPES.items()
}


def new_network(config: ModelConfig) -> TransformerLM:
    """The network of a recipe's configuration, its weights drawn."""
    if isinstance(config, MTPConfig):
        return MTPNetwork(config)
    return ParallelMTPNetwork(config) if isinstance(config, ParallelMTPConfig) else TransformerLM(config)


def _logits(network: TransformerLM, inputs: Tensor) -> list[Tensor]:
    """Of the model (k = 0) and of each module or head, [B, T - k, V]."""
    inputs = inputs.to(network.device)
    hidden = network.read(inputs)
    return network.logits_ahead(hidden, inputs) if isinstance(network, LooksAhead) else [network.unembed(hidden)]


def losses(network: TransformerLM, inputs: Tensor, targets: Tensor) -> list[Tensor]:
    """Nats per token of the model's own prediction (k = 0) and of each module's, on windows [B, T]: B (T - k) each."""
    return [
        F.cross_entropy(logits.flatten(0, 1), targets[:, depth:].flatten().to(logits.device), reduction="none")
        for depth, logits in enumerate(_logits(network, inputs))
    ]


def train(recipe: MTPRecipe, corpus: Corpus, tokenizer: Tokenizer, folder: Path) -> dict[str, Any]:
    """Train a network, resuming from `folder` if it holds a checkpoint. Returns the log; weights stay in `folder`."""
    folder.mkdir(parents=True, exist_ok=True)
    schedule, config = recipe.schedule, recipe.config
    torch.manual_seed(schedule.seed)
    network = new_network(config).to(fastest())
    optimizer = loop.optimizer_of(network, schedule)
    packer = Packer(corpus, tokenizer, schedule.seed, schedule.bpe_dropout)
    log = loop.empty_log(schedule, network.device)
    if (folder / "log.json").is_file():
        log |= loop.resume(folder, network, optimizer, packer)
    began = time.monotonic() - log["seconds"]
    bar = tqdm(
        range(log["step"], schedule.steps), initial=log["step"], total=schedule.steps, mininterval=5, unit="step"
    )
    recent: list[float] = []
    network.train()
    for step in bar:
        torch.manual_seed(schedule.seed * schedule.steps + step)  # the model's dropout is its twin's
        rows = schedule.batch_tokens // schedule.length(step)
        inputs, targets = packer.batch(rows, schedule.length(step), 0.0)
        recent.append(_update(network, optimizer, recipe, inputs, targets, step))
        log["tokens"] += inputs.numel()
        if (step + 1) % schedule.evaluate_every == 0 or step + 1 == schedule.steps:
            point = {"step": step + 1, "tokens": log["tokens"], "train_loss": sum(recent) / len(recent)}
            point |= {"valid_bpb": bits_per_byte(network, tokenizer, corpus.valid)}
            point |= held_out(network, tokenizer, corpus.valid)
            network.train()
            log["curve"].append(point)
            log.update(step=step + 1, seconds=time.monotonic() - began, passes=packer.passes)
            bar.set_postfix(loss=f"{point['train_loss']:.3f}", held_out_bpb=f"{point['valid_bpb']:.4f}")
            recent.clear()
            loop.save(folder, network, optimizer, log)
    return log


def _update(
    network: TransformerLM,
    optimizer: torch.optim.Optimizer,
    recipe: MTPRecipe,
    inputs: Tensor,
    targets: Tensor,
    step: int,
) -> float:
    """One optimizer step on a batch [B, T]; returns the model's own loss in nats per token."""
    for group in optimizer.param_groups:
        group["lr"] = recipe.schedule.rate(step)
    own, *further = (loss.mean() for loss in losses(network, inputs, targets))
    if not further:
        total = own
    elif recipe.weight is None:
        total = torch.stack((own, *further)).mean()
    else:
        total = own + recipe.weight * torch.stack(further).mean()
    optimizer.zero_grad(set_to_none=True)
    total.backward()
    torch.nn.utils.clip_grad_norm_(network.parameters(), recipe.schedule.clip)
    optimizer.step()
    return own.item()


@torch.inference_mode()
def held_out(network: TransformerLM, tokenizer: Tokenizer, documents: list[str]) -> dict[str, list[float]]:
    """Of the model (k = 0) and each module: `nats` per token and `accuracy`, the share of tokens that stand first.

    Every document is read from its start, in pieces of the context.
    """
    network.eval()
    nats: dict[int, list[Tensor]] = {}
    right: dict[int, list[Tensor]] = {}
    for ids in tokenizer.encode_many(documents):
        whole = torch.tensor([[tokenizer.end_of_text, *ids]])
        for piece in whole.split(network.config.context, 1):
            if piece.shape[1] < 2:
                continue
            inputs, targets = piece[:, :-1], piece[:, 1:]
            for depth, rows in enumerate(_logits(network, inputs)):
                logits, following = rows[0], targets[0, depth:].to(rows.device)
                nats.setdefault(depth, []).append(F.cross_entropy(logits, following, reduction="none"))
                right.setdefault(depth, []).append(logits.argmax(-1) == following)
    return {
        "nats": [torch.cat(parts).mean().item() for parts in nats.values()],
        "accuracy": [torch.cat(parts).float().mean().item() for parts in right.values()],
    }
