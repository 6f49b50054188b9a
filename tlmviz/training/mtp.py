"""Training a language model with modules that look ahead, and its twin without: same stories, order, seed and dropout."""

from __future__ import annotations

import time
from dataclasses import asdict, dataclass
from pathlib import Path

import torch
from torch import Tensor
from torch.nn import functional as F
from tqdm import tqdm

from tlmviz.evaluation import bits_per_byte

from ..config import ModelConfig, MTPConfig
from ..networks.mtp import MTPNetwork
from ..networks.transformer import TransformerLM
from ..tokens import Tokenizer
from . import loop
from .data import Corpus, Packer
from .loop import Schedule


@dataclass(frozen=True)
class MTPRecipe:
    """A network and how it is trained. The modules' mean loss counts `weight` times beside the model's own (DeepSeek-V3's
    lambda, 0.3 for most of its training).
    """

    config: ModelConfig
    schedule: Schedule
    weight: float = 0.3


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
    config.name: MTPRecipe(config, SCHEDULE)
    for config in (
        MTPConfig.of(
            "stories-mtp",
            description="Story writer with three modules that predict further tokens, one after another (DeepSeek-V3's MTP).",
            depth=3,
            **_SIZES,
        ),
        ModelConfig.of(
            "stories-mtp-plain",
            description="The twin of stories-mtp without modules: the same model, stories, order and steps.",
            **_SIZES,
        ),
    )
}


def losses(network: TransformerLM, inputs: Tensor, targets: Tensor) -> list[Tensor]:
    """Nats per token of the model's own prediction (k = 0) and of each module's, on windows [B, T]: B (T - k) each."""
    hidden = network.read(inputs)
    states = [hidden, *(network.look_ahead(hidden, inputs) if isinstance(network, MTPNetwork) else ())]
    return [
        F.cross_entropy(network.unembed(state).flatten(0, 1), targets[:, depth:].flatten(), reduction="none")
        for depth, state in enumerate(states)
    ]


def train(recipe: MTPRecipe, corpus: Corpus, tokenizer: Tokenizer, folder: Path) -> dict:
    """Train a network, resuming from `folder` if it holds a checkpoint. Returns the log; weights stay in `folder`."""
    folder.mkdir(parents=True, exist_ok=True)
    schedule, config = recipe.schedule, recipe.config
    torch.manual_seed(schedule.seed)
    network = MTPNetwork(config) if isinstance(config, MTPConfig) else TransformerLM(config)
    optimizer = loop.optimizer_of(network, schedule)
    packer = Packer(corpus, tokenizer, schedule.seed, schedule.bpe_dropout)
    log = {"schedule": asdict(schedule), "curve": [], "seconds": 0.0, "tokens": 0, "step": 0}
    if (folder / "log.json").is_file():
        log |= loop.resume(folder, network, optimizer, packer)
    began = time.monotonic() - log["seconds"]
    bar = tqdm(
        range(log["step"], schedule.steps),
        initial=log["step"],
        total=schedule.steps,
        mininterval=5,
        unit="step",
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
    total = own + recipe.weight * torch.stack(further).mean() if further else own
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
            hidden = network.read(inputs)
            states = [
                hidden,
                *(network.look_ahead(hidden, inputs) if isinstance(network, MTPNetwork) else ()),
            ]
            for depth, state in enumerate(states):
                logits, following = network.unembed(state[0]), targets[0, depth:]
                nats.setdefault(depth, []).append(F.cross_entropy(logits, following, reduction="none"))
                right.setdefault(depth, []).append(logits.argmax(-1) == following)
    return {
        "nats": [torch.cat(parts).mean().item() for parts in nats.values()],
        "accuracy": [torch.cat(parts).float().mean().item() for parts in right.values()],
    }
