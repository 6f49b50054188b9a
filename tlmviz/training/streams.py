"""Models with one residual stream and with four, trained alike, and what was logged of their streams on the way.

Three story models differ in nothing but their connections; two deep and thin ones show what depth does to free and to
doubly stochastic mixing. Each leaves, besides its weights, `training.csv` (loss, gradient norm, gains) and
`moments.safetensors` (its mixing matrices at moments of the training).
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd
import torch
from safetensors.torch import save_file

from tlmviz.analysis.streams.mixing import composite, mixing

from ..config import ModelConfig
from ..layers.streams import gains
from ..networks.transformer import TransformerLM
from ..recording import recording
from ..tokens import Tokenizer
from .data import Corpus
from .loop import Probe, Schedule
from .recipes import LanguageRecipe, finished, spread

KINDS = {"residual": ("residual", 1), "hc": ("hyper", 4), "mhc": ("manifold", 4)}
WORDS = {
    "residual": "plain residual connections",
    "hc": "hyper-connections around four streams",
    "mhc": "manifold-constrained hyper-connections (mHC): four streams, doubly stochastic mixing",
}
# What joins sublayers to streams learns so many times as fast: at 1 its matrices hardly move; at 10 the deep network,
# whose rate is twice as high and which is three times as deep, ends worse than without streams.
STREAM_RATE, DEEP_RATE = 10.0, 3.0
# Of the logits of mHC's H_res, with the iterations that then bring the rows of any 4 x 4 matrix within 1e-3 of 1. The
# wider bound keeps more through depth.
BOUND = dict(mixing_bound=1.5, sinkhorn=20)
DEEP_BOUND = dict(mixing_bound=2.0, sinkhorn=42)
SCHEDULE = Schedule(
    steps=1300,
    batch_tokens=2048,
    learning_rate=2e-3,
    weight_decay=0.3,
    sentence_share=0.3,
    bpe_dropout=0.1,
    stream_rate=STREAM_RATE,
    evaluate_every=250,
)
DEEP = Schedule(
    steps=1000,
    batch_tokens=1024,
    learning_rate=4e-3,
    warmup=50,
    weight_decay=0.3,
    sentence_share=0.3,
    bpe_dropout=0.1,
    stream_rate=DEEP_RATE,
    evaluate_every=250,
)
LOOKED_AT = 128  # tokens of held-out text that the matrices are averaged over
HEADING = "## Beside its twins"
WINDOW = 10  # steps to a line of training.csv


def _recipe(kind: str, deep: bool) -> LanguageRecipe:
    connection, streams = KINDS[kind]
    name = f"stories-deep-{kind}" if deep else f"stories-{kind}"
    sizes = (
        dict(n_layers=24, d_model=64, n_heads=4, n_kv_heads=4, d_ff=176)
        if deep
        else dict(n_layers=8, d_model=160, n_heads=5, n_kv_heads=5, d_ff=400)
    )
    config = ModelConfig.of(
        name=name,
        description=f"Stories, {sizes['n_layers']} layers: {WORDS[kind]}.",
        context=256,
        dropout=0.1,
        connection=connection,
        streams=streams,
        **sizes,
    )
    if kind == "mhc":
        config = config.with_(**(DEEP_BOUND if deep else BOUND))
    schedule = DEEP if deep else SCHEDULE
    # The deep residual is trained for a number: what depth costs without streams.
    return LanguageRecipe(config, (schedule,), bundled=not (deep and kind == "residual"))


STREAMS = {
    recipe.config.name: recipe
    for recipe in (*(_recipe(kind, False) for kind in KINDS), *(_recipe(kind, True) for kind in KINDS))
}


def _other(name: str, called: str, config: dict[str, Any] | None = None, **schedule: Any) -> LanguageRecipe:
    """A recipe of STREAMS with some of it changed: run for a number."""
    recipe = STREAMS[name]
    changed = recipe.config.with_(name=f"{name}-{called}", **(config or {}))
    return LanguageRecipe(changed, (replace(recipe.stages[0], **schedule),), bundled=False)


SEEDS = {
    (name, seed): _other(name, f"seed-{seed}", seed=seed)
    for seed in (1, 2)
    for name in ("stories-residual", "stories-hc", "stories-mhc")
}
# Slower streams; and a wider bound, which keeps more through depth, with the iterations that it needs.
VARIANTS = {
    "stream_rate 3": _other("stories-mhc", "slower", stream_rate=3.0),
    "bound 2, 42 iterations": _other("stories-mhc", "wider", DEEP_BOUND),
}


def probe_of(config: ModelConfig, steps: int, corpus: Corpus, tokenizer: Tokenizer) -> Probe | None:
    """What is logged of a network with streams; None for one without."""
    if config.connection.kind == "residual":
        return None
    text = tokenizer.encode("\n\n".join(corpus.valid[:20]), bos=True)[:LOOKED_AT]
    often = {*range(0, 100, 20), *range(100, 400, 50), *range(400, steps, 100)}
    return Probe(frozenset(often), lambda network: look(network, text))


@torch.inference_mode()
def look(network: TransformerLM, ids: list[int]) -> dict[str, Any]:
    """The mixing matrices of every sublayer, averaged over these tokens, and the gains of their product.

    Lists: res [P, N, N], pre [P, N], post [P, N] for P sublayers; numbers: forward and backward gain, mean over tokens.
    """
    training = network.training
    network.eval()
    with recording(lambda name: name.rpartition(".")[2] in ("pre", "post", "res")) as record:
        network(torch.tensor([ids]))
    network.train(training)
    parts = mixing(record.values, network.config.n_layers)
    forward, backward = gains(composite(parts.res))
    averages = {name: getattr(parts, name).mean(1).tolist() for name in ("pre", "post", "res")}
    return {**averages, "forward": forward.mean().item(), "backward": backward.mean().item()}


def write_log(log: dict[str, Any], folder: Path) -> None:
    """training.csv and, with streams, moments.safetensors beside a model's weights.

    Columns: step, train_loss (nats), grad_norm and grad_norm_max (mean and largest of the steps up to this one, before
    clipping), valid_bpb, gain_forward, gain_backward (empty where they were not measured). Tensors: steps [M],
    pre, post [M, P, N], res [M, P, N, N] for P sublayers.
    """
    steps = pd.DataFrame(log["steps"], columns=["train_loss", "norm"])
    groups = steps.groupby([min(i // WINDOW * WINDOW + WINDOW, len(steps)) for i in range(len(steps))])
    frame = pd.DataFrame(
        {
            "train_loss": groups["train_loss"].mean(),
            "grad_norm": groups["norm"].mean(),
            "grad_norm_max": groups["norm"].max(),
        }
    )
    curve = pd.Series({point["step"]: point["valid_bpb"] for point in log["curve"]}, name="valid_bpb", dtype=float)
    probes = pd.DataFrame(
        {
            name: {probe["step"]: probe[of] for probe in log["probes"]}
            for name, of in (("gain_forward", "forward"), ("gain_backward", "backward"))
        },
        dtype=float,
    )
    frame = frame.join(curve, how="outer").join(probes, how="outer").rename_axis("step")
    frame.to_csv(folder / "training.csv", float_format="%.5g")
    if log["probes"]:
        tensors = {name: torch.tensor([probe[name] for probe in log["probes"]]) for name in ("pre", "post", "res")}
        save_file(
            {"steps": torch.tensor([probe["step"] for probe in log["probes"]]), **tensors},
            folder / "moments.safetensors",
        )


def write_comparison(models: Path, runs: Path) -> None:
    """A table in the card of every finished model of STREAMS: itself beside those trained as it was, and what further
    runs, of other seeds and settings, came to.

    Sections that somebody wrote below the table stay.
    """
    for deep in (False, True):
        names = [name for name in STREAMS if ("deep" in name) == deep and (models / name / "training.csv").is_file()]
        logs = {name: pd.read_csv(models / name / "training.csv", index_col="step") for name in names}
        further = [_depth(runs)] if deep else [_seeds(logs, runs), _variants(runs)]
        table = "\n".join([_comparison(logs), *(f"{part}\n" for part in further if part)])
        for name in names:
            path = models / name / "card.md"
            card, _, old = path.read_text(encoding="utf-8").partition(HEADING)
            written = "".join(old.partition("\n## ")[1:])
            path.write_text(f"{card.rstrip()}\n\n{HEADING}\n\n{table}{written}", encoding="utf-8")


def _comparison(logs: dict[str, pd.DataFrame]) -> str:
    lines = [
        "Same data, tokens, order and seed. The gradient norm is that of all weights before clipping, over the second "
        "half of the training; the gains are the largest row sum and column sum, in magnitude, of the product of all "
        f"mixing matrices (mean over {LOOKED_AT} held-out tokens): what a signal and a gradient can grow by on the way "
        "through the streams.",
        "",
        "| model | held-out bits per byte | gradient norm, median | gradient norm, largest | gain forward, end "
        "| gain backward, end | largest gain on the way |",
        "| --- " * 7 + "|",
    ]
    for name, log in logs.items():
        late = log[log.index > log.index.max() / 2]
        ends = [
            log[f"gain_{way}"].dropna() if f"gain_{way}" in log else pd.Series([1.0]) for way in ("forward", "backward")
        ]
        numbers = [
            late["grad_norm"].median(),
            late["grad_norm_max"].max(),
            *(end.iloc[-1] if len(end) else 1.0 for end in ends),
        ]
        largest = max((end.max() for end in ends if len(end)), default=1.0)
        cells = [f"{log['valid_bpb'].dropna().iloc[-1]:.4f}", *(f"{number:.3g}" for number in (*numbers, largest))]
        lines.append(f"| {name} | " + " | ".join(cells) + " |")
    lines += [
        "",
        "One seed each: differences of 0.01 bits per byte are chance. Gains of free matrices drift; those of doubly "
        "stochastic ones cannot.",
        "",
    ]
    return "\n".join(lines)


def _held_out(recipe: LanguageRecipe, runs: Path) -> float | None:
    """Bits per byte at the end of a run; None where it is not there or has not ended."""
    log = finished(recipe, runs)
    return None if log is None else log["curve"][-1]["valid_bpb"]


def _seeds(logs: dict[str, pd.DataFrame], runs: Path) -> str:
    """Mean and range over seeds of each model, where all seeds of all have ended."""
    found = {name: [float(log["valid_bpb"].dropna().iloc[-1])] for name, log in logs.items()}
    for (name, _), recipe in SEEDS.items():
        value = _held_out(recipe, runs)
        if value is None:
            return ""
        found.setdefault(name, []).append(value)
    said = [f"{name} {spread(values, '.4f')}" for name, values in found.items()]
    return f"Mean and range of {len(found['stories-mhc'])} seeds, held-out bits per byte: {', '.join(said)}."


def _variants(runs: Path) -> str:
    """What other settings of stories-mhc came to."""
    found = {said: _held_out(recipe, runs) for said, recipe in VARIANTS.items()}
    said = [f"{value:.4f} with {what}" for what, value in found.items() if value is not None]
    return f"stories-mhc with other settings, seed 0, held-out bits per byte: {', '.join(said)}." if said else ""


def _depth(runs: Path) -> str:
    """What the deep network without streams came to."""
    value = _held_out(STREAMS["stories-deep-residual"], runs)
    return "" if value is None else f"Plain residuals, trained the same way: {value:.4f} held-out bits per byte."
