"""The training loop: AdamW, warm-up and cosine, clipping, held-out loss, checkpoints to resume from."""

from __future__ import annotations

import json
import math
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import torch
from safetensors.torch import load_file, save_file
from torch.nn import functional as F
from tqdm import tqdm

from tlmviz.evaluation import bits_per_byte

from ..config import ModelConfig
from ..layers import Experts
from ..layers.streams import Connection
from ..networks.transformer import TransformerLM
from ..recording import Recording, recording
from ..tokens import Tokenizer
from .data import Corpus, Packer
from .machine import fastest, machine

Log = dict[str, Any]  # what a run tells of itself: its steps, losses and settings, as log.json holds them
ROUTED = (".mlp.scores", ".mlp.chosen")  # what a router leaves of a pass


@dataclass(frozen=True)
class Schedule:
    """How long and how hard to train. Rates per step; lengths in tokens.

    `lengths` is a sequence of (share of steps, window length): short windows first, because
    they are cheaper, the full context last. `sentence_share` of the windows hold plain sentences,
    falling to zero between 60 % and 90 % of the steps; `repeat_share` hold one random span over and over.
    `stop` leaves the cosine early, for a next stage to go on from there. What joins sublayers to streams (H_pre, H_post
    and H_res) learns at `stream_rate` times the learning rate; its decay per step stays the same. Experts are kept busy
    by `bias_rate`, by which each one's bias moves after a step (`move_biases`), or by `balance_loss`, the weight of
    `balance_loss_of`.
    """

    steps: int
    batch_tokens: int = 8192
    lengths: tuple[tuple[float, int], ...] = ((1.0, 256),)
    learning_rate: float = 2e-3
    warmup: int = 100
    weight_decay: float = 0.1
    betas: tuple[float, float] = (0.9, 0.98)
    clip: float = 1.0
    sentence_share: float = 0.0
    repeat_share: float = 0.0
    dropout: float | None = None  # None: the model's own
    stop: int | None = None
    bpe_dropout: float = 0.0
    stream_rate: float = 1.0
    bias_rate: float = 0.0
    balance_loss: float = 0.0
    seed: int = 0
    evaluate_every: int = 100

    def rate(self, step: int) -> float:
        """Learning rate: linear warm-up, then a cosine to 2 % of the peak."""
        if step < self.warmup:
            return self.learning_rate * (step + 1) / self.warmup
        done = (step - self.warmup) / max(1, self.steps - self.warmup)
        return self.learning_rate * (0.02 + 0.98 * 0.5 * (1 + math.cos(math.pi * done)))

    def length(self, step: int) -> int:
        """Window length at a step."""
        passed = 0.0
        for share, length in self.lengths:
            passed += share
            if step < passed * self.steps:
                return length
        return self.lengths[-1][1]

    def fade(self, step: int) -> float:
        """What is left of `sentence_share` at a step: 1 at first, 0 at the end."""
        return min(1.0, max(0.0, (0.9 - step / self.steps) / 0.3))


@dataclass(frozen=True)
class Probe:
    """What is looked up in the network itself while it learns: `look` is called after each of `moments` steps."""

    moments: frozenset[int]
    look: Callable[[TransformerLM], dict[str, Any]]


def train(
    config: ModelConfig,
    schedule: Schedule,
    corpus: Corpus,
    tokenizer: Tokenizer,
    folder: Path,
    start: Path | None = None,
    probe: Probe | None = None,
    ready: Callable[[TransformerLM, int], object] = lambda network, step: None,
) -> dict[str, Any]:
    """Train a network, resuming from `folder` if it holds a checkpoint. Returns the log; weights stay in `folder`.

    A run that was stopped and resumed is the run that was not stopped, to the bit where the machine repeats itself.
    `start` is the folder of an earlier stage whose weights a new run begins with. The log has a point of the curve at
    every evaluation, loss and gradient norm (before clipping) of every step, and what the `probe` saw. `ready` is
    called with the network and its step before the first update, if any is left, as by who watches them. It runs on an
    NVIDIA GPU where there is one: the same first weights and batches, another dropout.
    """
    folder.mkdir(parents=True, exist_ok=True)
    torch.manual_seed(schedule.seed)
    network = TransformerLM(config if schedule.dropout is None else replace(config, dropout=schedule.dropout))
    network.to(fastest())
    if start is not None:
        network.load_state_dict(read_weights(start), strict=False)
    optimizer = optimizer_of(network, schedule)
    packer = Packer(corpus, tokenizer, schedule.seed, schedule.bpe_dropout)
    log = empty_log(schedule, network.device)
    if (folder / "log.json").is_file():
        log |= resume(folder, network, optimizer)
    began = time.monotonic() - log["seconds"]
    last = schedule.stop or schedule.steps
    # Batches that are behind are drawn again, so that the next ones are those of a run without a stop.
    for step in range(log["step"] if log["step"] < last else 0):
        _batch(packer, schedule, config.context, step)
    bar = tqdm(range(log["step"], last), initial=log["step"], total=last, mininterval=5, unit="step")
    recent: list[float] = []
    network.train()
    if log["step"] < last:
        ready(network, log["step"])
    for step in bar:
        if probe is not None and step in probe.moments:
            log["probes"].append({"step": step, **probe.look(network)})
        inputs, targets = _batch(packer, schedule, config.context, step)
        loss, norm = _update(network, optimizer, inputs, targets, schedule, step)
        recent.append(loss)
        log["steps"].append((loss, norm))
        log["tokens"] += inputs.numel()
        if (step + 1) % schedule.evaluate_every == 0 or step + 1 == last:
            held_out = bits_per_byte(network, tokenizer, corpus.valid)
            network.train()
            loss_now = sum(recent) / len(recent)
            point = {"step": step + 1, "tokens": log["tokens"], "train_loss": loss_now, "valid_bpb": held_out}
            log["curve"].append(point)
            log.update(step=step + 1, seconds=time.monotonic() - began, passes=packer.passes)
            bar.set_postfix(loss=f"{loss_now:.3f}", held_out_bpb=f"{held_out:.4f}")
            recent.clear()
            if probe is not None and step + 1 == last:
                log["probes"].append({"step": last, **probe.look(network)})
            save(folder, network, optimizer, log)
    return log


def empty_log(schedule: Schedule, device: torch.device) -> dict[str, Any]:
    """The log of a run that has not begun, on this device."""
    return {
        "schedule": asdict(schedule),
        "machine": machine(device),
        "curve": [],
        "steps": [],
        "probes": [],
        "seconds": 0.0,
        "tokens": 0,
        "step": 0,
    }


def _batch(packer: Packer, schedule: Schedule, context: int, step: int) -> tuple[torch.Tensor, torch.Tensor]:
    """Inputs and targets of a step, each [B, T]."""
    length = min(schedule.length(step), context)
    rows = max(1, schedule.batch_tokens // length)
    return packer.batch(rows, length, schedule.sentence_share * schedule.fade(step), schedule.repeat_share)


def _update(
    network: TransformerLM,
    optimizer: torch.optim.Optimizer,
    inputs: torch.Tensor,
    targets: torch.Tensor,
    schedule: Schedule,
    step: int,
) -> tuple[float, float]:
    """One optimizer step on a batch [B, T]; returns its loss in nats per token and the gradient norm before
    clipping."""
    for group in optimizer.param_groups:
        group["lr"] = group["factor"] * schedule.rate(step)
    watched = ROUTED if needs_routing(schedule) else ()
    with recording(lambda name: name.endswith(watched)) as record:
        logits = network(inputs).flatten(0, 1)
        loss = F.cross_entropy(logits, targets.flatten().to(logits.device))
    total = loss
    if schedule.balance_loss:
        total = total + schedule.balance_loss * balance_loss_of(*(of(record, name) for name in ROUTED))
    optimizer.zero_grad(set_to_none=True)
    total.backward()
    norm = torch.nn.utils.clip_grad_norm_(network.parameters(), schedule.clip)
    optimizer.step()
    if schedule.bias_rate:
        move_biases(network, of(record, ".mlp.chosen"), schedule.bias_rate)
    return loss.item(), float(norm)


def needs_routing(schedule: Schedule) -> bool:
    """Whether a step looks at what the routers chose."""
    return schedule.bias_rate > 0 or schedule.balance_loss > 0


def of(record: Recording, end: str) -> list[torch.Tensor]:
    """What was recorded under names that end so, layer by layer."""
    return [value for name, value in record.values.items() if name.endswith(end)]


def balance_loss_of(scores: list[torch.Tensor], chosen: list[torch.Tensor]) -> torch.Tensor:
    """E times the sum over experts of (share of the choices) x (mean share of the score), averaged over layers.

    1 where all experts are alike, more where the router prefers some (Switch Transformer, Eq. 4; the scores are
    normalised first, as in DeepSeek-V3, Eq. 17-20). The gradient comes through the scores: a choice has none.
    """
    losses = []
    for layer_scores, layer_chosen in zip(scores, chosen):
        experts = layer_scores.shape[-1]
        load = torch.bincount(layer_chosen.flatten(), minlength=experts) / layer_chosen.numel()
        wanted = (layer_scores / layer_scores.sum(-1, keepdim=True)).flatten(0, -2).mean(0)
        losses.append(experts * (load * wanted).sum())
    return torch.stack(losses).mean()


@torch.no_grad()
def move_biases(network: TransformerLM, chosen: list[torch.Tensor], rate: float) -> None:
    """Raise the bias of experts that had less than the mean load of this step by `rate`, lower that of the others.

    The rule of DeepSeek-V3 (section 2.1.2), which needs no gradient.
    """
    layers = [block.mlp for block in network.blocks if isinstance(block.mlp, Experts)]
    for layer, layer_chosen in zip(layers, chosen, strict=True):
        load = torch.bincount(layer_chosen.flatten(), minlength=layer.part.count).float()
        assert layer.choice_bias is not None  # a schedule with a `bias_rate` is of experts with a bias
        layer.choice_bias.add_(rate * torch.sign(load.mean() - load))


def optimizer_of(network: torch.nn.Module, schedule: Schedule) -> torch.optim.AdamW:
    """AdamW that decays matrices, and neither vectors nor what starts at a meaning of its own (`static_...`).

    A group's `factor` multiplies the rate of every step; AdamW decays by rate x decay, so the decay is divided by it.
    """
    joins = (module for module in network.modules() if isinstance(module, Connection))
    streams = {id(p) for join in joins for p in join.parameters()}
    found: dict[tuple[float, float], list[torch.nn.Parameter]] = {}
    for name, p in network.named_parameters():
        factor = schedule.stream_rate if id(p) in streams else 1.0
        decays = p.ndim > 1 and not name.rpartition(".")[2].startswith("static_")
        found.setdefault((factor, schedule.weight_decay / factor if decays else 0.0), []).append(p)
    groups = [dict(params=part, factor=factor, weight_decay=decay) for (factor, decay), part in found.items()]
    return torch.optim.AdamW(groups, lr=schedule.learning_rate, betas=schedule.betas, fused=True)


def save(folder: Path, network: torch.nn.Module, optimizer: torch.optim.Optimizer, log: dict[str, Any]) -> None:
    """Weights, optimiser moments, the state of torch's random numbers and log; written aside and renamed, so that a
    kill leaves the last good one."""
    state = optimizer.state_dict()["state"]
    moments = {f"{index}.{key}": value for index, slot in state.items() for key, value in slot.items()}
    named = {f"w.{name}": p.detach() for name, p in network.named_parameters()}
    named.update({f"m.{name}": value.clone() for name, value in moments.items()})
    named["random"] = torch.get_rng_state()
    save_file(named, folder / "state.new")
    (folder / "log.new").write_text(json.dumps(log))
    # The log last: after a kill between the two, a few steps are repeated, none is skipped.
    (folder / "state.new").replace(folder / "state.safetensors")
    (folder / "log.new").replace(folder / "log.json")


class Batches(Protocol):
    """What draws batches: its chance, and how often it went through its data."""

    rng: np.random.Generator
    passes: int


def read_weights(folder: Path) -> dict[str, torch.Tensor]:
    """A checkpoint's parameters by name (a tied head is not among them)."""
    tensors = load_file(folder / "state.safetensors")
    return {name[2:]: value for name, value in tensors.items() if name.startswith("w.")}


def resume(
    folder: Path, network: torch.nn.Module, optimizer: torch.optim.Optimizer, packer: Batches | None = None
) -> dict[str, Any]:
    """Take up what `save` left in `folder`; returns the log. A packer draws a shuffle it has not drawn before."""
    log = json.loads((folder / "log.json").read_text())
    tensors = load_file(folder / "state.safetensors")
    network.load_state_dict(read_weights(folder), strict=False)
    state: dict[int, dict[str, Any]] = {}
    for name, value in tensors.items():
        if name.startswith("m."):
            index, key = name[2:].split(".")
            state.setdefault(int(index), {})[key] = value
    full = optimizer.state_dict()
    full["state"] = state
    optimizer.load_state_dict(full)
    torch.set_rng_state(tensors["random"])
    if packer is None:
        return log
    packer.rng = type(packer.rng)(type(packer.rng.bit_generator)([packer.rng.bit_generator.random_raw(), log["step"]]))
    packer.passes = log.get("passes", 0)
    return log
