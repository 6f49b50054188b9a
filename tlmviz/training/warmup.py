"""The first steps of training with norms before and after the sublayers, with and without warm-up: logged, not kept.

Runs that differ in nothing but the placement of the norms, the peak of the learning rate and its warm-up go through the
first steps of the zoo's recipe. Their log is `warmup.safetensors` in the folder of zoo-post, whose vocabulary they read
by; `analysis.numbers.warmup` reads it.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import save_file

from ..analysis.numbers.norm_depth import flow
from ..analysis.numbers.warmup import FILE, HOME
from ..networks.transformer import TransformerLM
from ..tokens import Tokenizer
from .data import Corpus
from .loop import Probe, Schedule, train
from .zoo import BASELINE, SCHEDULE

STEPS = 200
MOMENTS = (0, 10, 25, 50, 75, 100, 150, STEPS)
HEADING = "## The first steps, with warm-up and without"
LOOKED_AT = 64  # tokens of held-out text that gradients through depth are measured on


@dataclass(frozen=True)
class Run:
    """One of the runs: "pre" or "post", the peak of the rate, and the steps that it rises for."""

    placement: str
    rate: float
    warmup: int

    @property
    def name(self) -> str:
        """The name of its folder."""
        return f"warmup-{self.placement}-{self.rate:g}-{self.warmup}"

    @property
    def schedule(self) -> Schedule:
        """The zoo's, left after STEPS."""
        return replace(SCHEDULE, learning_rate=self.rate, warmup=self.warmup, stop=STEPS)


RUNS = tuple(
    Run(placement, rate, warmup)
    for rate in (SCHEDULE.learning_rate / 4, SCHEDULE.learning_rate / 2, SCHEDULE.learning_rate)
    for placement in ("pre", "post")
    for warmup in (SCHEDULE.warmup, 0)
)


def run(corpus: Corpus, runs: Path, models: Path) -> dict[str, dict[str, Any]]:
    """Train or resume all RUNS in `runs`, write the file into `models`; returns the logs."""
    tokenizer = Tokenizer.load(models / HOME / "tokenizer.json")
    ids = tokenizer.encode("\n\n".join(corpus.valid[:20]), bos=True)[:LOOKED_AT]
    probe = Probe(frozenset(MOMENTS[:-1]), lambda network: look(network, ids))
    logs = {}
    for each in RUNS:
        config = BASELINE.with_(name=each.name, norm_place=each.placement)
        logs[each.name] = train(config, each.schedule, corpus, tokenizer, runs / each.name, probe=probe)
    write(logs, models / HOME / FILE)
    write_card(logs, models / HOME / "card.md")
    return logs


def write_card(logs: dict[str, dict[str, Any]], path: Path) -> None:
    """A table of the runs at the end of the model's card, in place of one that is there."""
    lines = [
        HEADING,
        "",
        f"`{FILE}` logs {len(RUNS)} runs over the first {STEPS} steps of the recipe above, with norms before (as "
        "zoo-rope) and after the sublayers (as this model), `python -m tlmviz.training warm-up --data DIR`; their "
        "weights are not kept. One seed each. This model itself began with a rate of 0.002 and 100 steps of warm-up, "
        "and left the plateau later.",
        "",
        "| norms | highest rate | warm-up | training loss, last 10 steps (nats) | held-out bits per byte |",
        "| --- " * 5 + "|",
    ]
    for each in RUNS:
        log = logs[each.name]
        last = [loss for loss, _ in log["steps"][-10:]]
        ends = f"{sum(last) / len(last):.2f} | {log['curve'][-1]['valid_bpb']:.3f}"
        lines.append(f"| {each.placement} | {each.rate:g} | {each.warmup} | {ends} |")
    card = path.read_text(encoding="utf-8").partition(HEADING)[0]
    path.write_text("\n".join([card.rstrip(), "", *lines, ""]), encoding="utf-8")


def look(network: TransformerLM, ids: list[int]) -> dict[str, Any]:
    """The gradients through depth, as lists."""
    found = flow(network, ids)
    return {"loss": found.loss, "stream": found.stream.tolist(), "weights": found.weights.tolist()}


def write(logs: dict[str, dict[str, Any]], path: Path) -> None:
    """Tensors, for R runs, S steps, M moments, P sublayers: loss and norm [R, S] (nats per token; norm of the whole
    gradient before clipping), rate [R, S], moments [M], stream [R, M, P + 1], weights [R, M, P], held_out [R] (bits per
    byte). The runs and settings are JSON in the file's metadata.
    """
    every = [logs[each.name] for each in RUNS]
    tensors = {
        "loss": torch.tensor([[loss for loss, _ in log["steps"]] for log in every]),
        "norm": torch.tensor([[norm for _, norm in log["steps"]] for log in every]),
        "rate": torch.tensor([[each.schedule.rate(step) for step in range(STEPS)] for each in RUNS]),
        "moments": torch.tensor([probe["step"] for probe in every[0]["probes"]]),
        "stream": torch.tensor([[probe["stream"] for probe in log["probes"]] for log in every]),
        "weights": torch.tensor([[probe["weights"] for probe in log["probes"]] for log in every]),
        "held_out": torch.tensor([log["curve"][-1]["valid_bpb"] for log in every]),
    }
    settings = {
        "runs": [[each.placement, each.rate, each.warmup] for each in RUNS],
        "tokens": LOOKED_AT,
        "clip": SCHEDULE.clip,
    }
    save_file(tensors, path, {"settings": json.dumps(settings)})
