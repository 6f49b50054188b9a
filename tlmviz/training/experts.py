"""Models with experts and the dense one of the same active parameters, trained alike, and what was logged of their
routing.

Two differ in nothing but what keeps all experts busy: a bias per expert that moves by a rule (DeepSeek-V3), or a loss
besides the model's own (Switch Transformer). Each leaves, besides its weights, `training.csv` (loss, bits per byte,
balance), `loads.safetensors` (loads and biases at moments of the training) and `survey.json` (what each expert answers
to).
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import torch
from safetensors.torch import save_file

from tlmviz.analysis.experts import survey
from tlmviz.analysis.experts.routing import balance, size
from tlmviz.analysis.experts.training import LOOKED_AT, curves
from tlmviz.checkpoints.registry import load

from ..config import ModelConfig
from ..facades.language_model import LanguageModel
from ..networks.transformer import TransformerLM
from ..recording import recording
from ..tokens import Tokenizer
from .data import Corpus
from .loop import Probe, Schedule
from .recipes import LanguageRecipe, finished, spread

WORDS = {
    "moe": "8 routed experts, 2 for each token, and a shared one; a bias keeps them busy",
    "moe-aux": "8 routed experts, 2 for each token, and a shared one; a loss keeps them busy",
    "dense": "the twin without experts, as wide as the three that a token meets there",
}
EXPERTS = dict(count=8, chosen=2, hidden=128, shared=1, score="sigmoid")
SCHEDULE = Schedule(
    steps=3000,
    batch_tokens=2048,
    lengths=((0.8, 256), (0.2, 512)),
    learning_rate=3e-3,
    warmup=100,
    weight_decay=0.3,
    sentence_share=0.3,
    bpe_dropout=0.1,
    evaluate_every=250,
)
BALANCE: dict[str, dict[str, Any]] = {"moe": dict(bias_rate=1e-3), "moe-aux": dict(balance_loss=1e-2), "dense": {}}
HEADING = "## Beside its twins"
WINDOW = 10  # steps to a line of training.csv
SHOWN = 6  # tokens of an expert in the card


def _recipe(kind: str) -> LanguageRecipe:
    experts = {} if kind == "dense" else dict(experts={**EXPERTS, "bias": kind == "moe"})
    config = ModelConfig.of(
        name=f"stories-{kind}",
        description=f"Stories: {WORDS[kind]}.",
        n_layers=4,
        d_model=128,
        n_heads=8,
        n_kv_heads=8,
        d_ff=384,
        context=512,
        dropout=0.1,
        **experts,
    )
    return LanguageRecipe(config, (replace(SCHEDULE, **BALANCE[kind]),))


RECIPES = {recipe.config.name: recipe for recipe in map(_recipe, WORDS)}
# Both ways to keep experts busy once more, from other seeds: run for their balance.
SEEDS = {
    (name, seed): LanguageRecipe(
        RECIPES[name].config.with_(name=f"{name}-seed-{seed}"),
        (replace(RECIPES[name].stages[0], seed=seed),),
        bundled=False,
    )
    for seed in (1, 2)
    for name in ("stories-moe", "stories-moe-aux")
}


def probe_of(config: ModelConfig, steps: int, corpus: Corpus, tokenizer: Tokenizer) -> Probe | None:
    """What is logged of a network with experts; None for one without."""
    if not config.experts.count:
        return None
    rows, length = LOOKED_AT
    ids = [token for ids in tokenizer.encode_many(corpus.valid) for token in (tokenizer.end_of_text, *ids)]
    text = torch.tensor(ids[: rows * length]).view(-1, length)
    often = {*range(0, 100, 10), *range(100, steps, 100)}
    return Probe(frozenset(often), lambda network: look(network, text))


@torch.inference_mode()
def look(network: TransformerLM, ids: torch.Tensor) -> dict[str, Any]:
    """How many tokens of ids [B, T] each expert is chosen by, and its bias: lists `load` and `bias` [layers with
    experts, E]."""
    training = network.training
    network.eval()
    with recording(lambda name: name.endswith((".mlp.chosen", ".mlp.bias"))) as record:
        network(ids)
    network.train(training)
    count = network.config.experts.count
    loads = [
        torch.bincount(value.flatten(), minlength=count).tolist()
        for name, value in record.values.items()
        if name.endswith("chosen")
    ]
    biases = [value[0, 0].tolist() for name, value in record.values.items() if name.endswith("bias")]
    return {"load": loads, "bias": biases}


def write_log(log: dict[str, Any], folder: Path) -> None:
    """training.csv and, with experts, loads.safetensors beside a model's weights; `analysis.experts.training` reads
    both."""
    losses = pd.Series([loss for loss, _ in log["steps"]], dtype=float)
    last = [min(i // WINDOW * WINDOW + WINDOW, len(losses)) for i in range(len(losses))]
    held_out = pd.Series({point["step"]: point["valid_bpb"] for point in log["curve"]}, dtype=float)
    frame = pd.DataFrame({"train_loss": losses.groupby(last).mean()})
    frame = frame.join(held_out.rename("valid_bpb"), how="outer")
    measured = {probe["step"]: [balance(np.array(load)) for load in probe["load"]] for probe in log["probes"]}
    for name in ("violation", "entropy"):
        means = {step: np.mean([getattr(one, name) for one in layers]) for step, layers in measured.items()}
        frame = frame.join(pd.Series(means, dtype=float).rename(name), how="outer")
    frame.rename_axis("step").to_csv(folder / "training.csv", float_format="%.5g")
    if log["probes"]:
        loads = torch.tensor([probe["load"] for probe in log["probes"]], dtype=torch.float32)
        tensors = {
            "steps": torch.tensor([probe["step"] for probe in log["probes"]]),
            "loads": loads / loads.sum(-1, keepdim=True),
            "bias": torch.tensor([probe["bias"] for probe in log["probes"]]),
        }
        save_file(tensors, folder / "loads.safetensors")


def finish(log: dict[str, Any], corpus: Corpus, folder: Path) -> None:
    """What stands beside a finished model's weights."""
    write_log(log, folder)
    lm = load(folder)
    assert isinstance(lm, LanguageModel)
    if lm.config.experts.count:
        survey.write(survey.survey(lm, corpus.valid), folder)


def write_comparison(models: Path, runs: Path) -> None:
    """The last sections of the card of every finished model of the family: itself beside its twins and their other
    seeds."""
    there = [name for name in RECIPES if (models / name / "training.csv").is_file()]
    table = f"{_comparison(models, there)}\n{_seeds(models, runs)}\n"
    for name in there:
        path = models / name / "card.md"
        card = path.read_text(encoding="utf-8").partition(HEADING)[0]
        path.write_text(f"{card.rstrip()}\n\n{HEADING}\n\n{table}{_answers(path.parent)}", encoding="utf-8")


def _comparison(models: Path, names: list[str]) -> str:
    lines = [
        "Same data, tokens, order and seed; the dense twin is as wide as the three experts that a token meets. MaxVio "
        "is the largest load over the mean, less 1 (0: all experts are equally busy), on held-out text, mean over "
        "layers.",
        "",
        "| model | parameters | of them active | operations per token | held-out bits per byte | MaxVio at first "
        "| MaxVio at the end |",
        "| --- " * 7 + "|",
    ]
    for name in names:
        log, found = curves(models / name), size(RECIPES[name].config, SCHEDULE.length(0))
        violation = log["violation"].dropna()
        ends = [f"{violation.iloc[at]:.2f}" for at in (0, -1)] if len(violation) else ["", ""]
        lines.append(
            f"| {name} | {found.total:,} | {found.active:,} | {found.flops / 1e6:.2f} M "
            f"| {log['valid_bpb'].dropna().iloc[-1]:.4f} | {ends[0]} | {ends[1]} |"
        )
    return "\n".join([*lines, ""])


def _seeds(models: Path, runs: Path) -> str:
    """Bits per byte and balance of each way over its seeds, where all have ended; else what one seed is worth."""
    found: dict[str, list[tuple[float, float]]] = {}
    for (name, _), recipe in SEEDS.items():
        log = finished(recipe, runs)
        if log is None or not (models / name / "training.csv").is_file():
            return "One seed each: differences of 0.01 bits per byte are chance.\n"
        own = curves(models / name)
        mine = own["valid_bpb"].dropna().iloc[-1], own["violation"].dropna().iloc[-1]
        violation = float(np.mean([balance(np.array(load)).violation for load in log["probes"][-1]["load"]]))
        found.setdefault(name, [mine]).append((log["curve"][-1]["valid_bpb"], violation))
    said = [
        f"{name} {spread(held_out, '.4f')}, MaxVio {spread(violations, '.2f')}"
        for name, (held_out, violations) in ((name, zip(*values)) for name, values in found.items())
    ]
    count = len(next(iter(found.values())))
    return f"Mean and range of {count} seeds, held-out bits per byte and balance at the end: {'; '.join(said)}.\n"


def _answers(folder: Path) -> str:
    """What each expert answers to, for the card; nothing for the dense twin."""
    if not (folder / survey.FILE).is_file():
        return ""
    found = survey.read(folder)
    lines = [
        "",
        "## What experts answer to",
        "",
        f"Tokens that each expert reads more often than its load would make it, in {found.tokens:,} tokens of held-out "
        "stories; the load is its share of all tokens.",
        "",
        "| layer.expert | load | tokens |",
        "| --- | --- | --- |",
    ]
    for layer, experts in zip(found.layers, found.experts):
        for number, expert in enumerate(experts):
            words = ", ".join(f"`{_shown(answer.token)}`" for answer in expert.answers[:SHOWN])
            lines.append(f"| {layer}.{number} | {expert.load:.0%} | {words} |")
    return "\n".join([*lines, ""])


def _shown(token: str) -> str:
    """A token for a cell of a table."""
    return token.replace("\n", "\\n").replace("|", "¦").replace("`", "´")
