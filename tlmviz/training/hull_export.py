"""From a finished run to models/pointer-hull/: weights, and a card with what it draws for fresh points."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import torch

from tlmviz.analysis.words.hulls import Quality, quality
from tlmviz.checkpoints.native import for_inference, save_network

from ..facades.hull import HullFinder
from ..networks.pointer import PointerNetwork
from .cards import CURVE, card, command, size, table
from .curves import draw
from .hull import HullRecipe
from .loop import read_weights
from .machine import processor, torch_version

SETS, SEED = 200, 2015
NUMBERS = (5, 10, 20, 50, 100, 200)


def export(recipe: HullRecipe, log: dict[str, Any], run: Path, folder: Path) -> None:
    """Write the model folder from the checkpoint in `run`."""
    network = PointerNetwork(recipe.config)
    network.load_state_dict(read_weights(run))
    # Single precision: which of two neighbours is the corner hangs on small differences.
    save_network(folder, network, None, torch.float32)
    points = log["curve"]
    draw(
        folder / "curve.svg",
        "Training",
        [point["step"] * recipe.rows / 1e6 for point in points],
        ("held-out loss, 50 points (nats per step)", [point["valid_loss"][-1] for point in points]),
        ("training loss (nats per step)", [point["train_loss"] for point in points]),
        top=0.6,
        read="sets of points read (millions)",
    )
    finder = HullFinder(for_inference(network))
    drawn = [quality(finder.hull, number, SETS, SEED + number) for number in NUMBERS]
    (folder / "card.md").write_text(_card(recipe, log, finder, folder, drawn), encoding="utf-8")


def _card(recipe: HullRecipe, log: dict[str, Any], finder: HullFinder, folder: Path, drawn: list[Quality]) -> str:
    config = recipe.config
    return card(
        config,
        {
            "Model": [
                "- pointer network (Vinyals et al. 2015): attention v·tanh(W₁e_j + W₂d_i) over the points and an end "
                "marker is the output; visited points are masked",
                f"- encoder: Transformer without positions, {config.n_layers} layers, {config.n_heads} heads, d "
                f"{config.d_model}, feed-forward {config.d_ff}, before-layer LayerNorm. The paper's LSTM reads the "
                "points one by one; a set has no order, and an encoder without one cannot be misled by it. Decoder: "
                f"LSTM of {config.d_model} units that reads the encoding of the point it went to",
                "- points are read as shares of the box around them; the hull begins at the leftmost point and goes "
                "counterclockwise",
                size(folder, finder.n_parameters),
            ],
            "Data": [
                f"Drawn on the fly: {log['sets'] / 1e6:.2f} M sets of {config.least} to {config.most} points, none "
                f"seen twice, {100 * recipe.uniform:.0f} % of the batches uniform in a square, the others clouds, "
                "rings and shaken grids, stretched and turned. Exact hulls by scipy.spatial.ConvexHull (Qhull)."
            ],
            "Quality": [
                f"{SETS} fresh sets each, uniform in a square, always going where the probability is highest (no "
                "beam). *Valid*: a polygon that does not cross itself; *exact*: SciPy's corners in their order; "
                "*covered*: area of the drawn hull by the exact one's, mean of the valid ones. Trained on 5 to 50 "
                "points: 100 and 200 are beyond.",
                "",
                *table(
                    ("points", "valid", "exact", "covered"),
                    (
                        (q.number, f"{100 * q.valid:.1f} %", f"{100 * q.exact:.1f} %", f"{100 * q.coverage:.2f} %")
                        for q in drawn
                    ),
                ),
                "",
                _compared(drawn),
                *CURVE,
            ],
            "Recipe": [*command(config.name, files=False), _effort(recipe, log)],
            "Limits": [
                "Nothing makes the line it draws a hull: it may leave a corner out, visit a point that is none, or "
                "cross itself. It never saw fewer than five points, points on one line, or more than fifty."
            ],
        },
    )


def _effort(recipe: HullRecipe, log: dict[str, Any]) -> str:
    """The settings and the time of the run."""
    schedule = recipe.schedule
    return (
        f"{recipe.steps:,} steps of {recipe.rows} sets, AdamW, learning rate {schedule.learning_rate} with warm-up "
        f"{schedule.warmup} and a cosine for {schedule.steps:,} steps, "
        f"left at {recipe.steps - recipe.last:,} for a straight fall to 0; "
        f"betas {schedule.betas}, weight decay {schedule.weight_decay}, clipping "
        f"{schedule.clip}, seed {schedule.seed}; sets grow from {recipe.first} to {recipe.config.most} points over the "
        f"first {recipe.grown * schedule.steps:,.0f} steps. {log['seconds'] / 60:.0f} minutes of wall time on "
        f"{processor()}, {torch_version()}."
    )


def _compared(drawn: list[Quality]) -> str:
    [fifty] = [each for each in drawn if each.number == 50]
    beside = "at least as much" if fifty.coverage >= 0.999 else "less"
    return (
        "Vinyals et al. 2015 (Table 1) report for 50 points 72.6 % exact hulls and 99.9 % of the area from a network "
        "trained on 50 points, and 69.6 % exact from one trained on 5 to 50 (quoted from a public reproduction's "
        f"notes, not from the paper itself). This one covers {100 * fifty.coverage:.2f} %, {beside}, and draws "
        f"{100 * fifty.exact:.1f} % exactly; it has fewer units, a different encoder and a fixed first point, so only "
        "the task is the same."
    )
