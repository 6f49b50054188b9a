"""From a finished run to models/digits-perceiver.../: weights, and a card with how held-out digits are read."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import torch

from tlmviz.analysis.beyond.digit_quality import SOME, Quality, by_number, quality
from tlmviz.checkpoints.native import for_inference, save_network

from .. import digits
from ..facades.latents import DigitReader
from ..networks.latents import LatentReader
from .cards import CURVE, card, command, size, table
from .curves import draw
from .latents import STROKES, LatentsRecipe
from .loop import read_weights


def export(recipe: LatentsRecipe, log: dict[str, Any], run: Path, folder: Path) -> None:
    """Write the model folder from the checkpoint in `run`."""
    network = LatentReader(recipe.config)
    network.load_state_dict(read_weights(run))
    # Single precision: the file is small, and which digit wins may hang on little.
    save_network(folder, network, None, torch.float32)
    points = log["curve"]
    draw(
        folder / "curve.svg",
        "Training",
        [point["step"] * recipe.rows / 1e3 for point in points],
        ("held-out loss (nats per digit)", [point["valid_loss"] for point in points]),
        ("training loss (nats per digit, smoothed targets)", [point["train_loss"] for point in points]),
        read="pictures read (thousands)",
    )
    reader = DigitReader(for_inference(network))
    (folder / "card.md").write_text(_card(recipe, log, reader, folder, quality(reader.predict)), encoding="utf-8")


def _card(recipe: LatentsRecipe, log: dict[str, Any], reader: DigitReader, folder: Path, found: Quality) -> str:
    config = recipe.config
    return card(
        config,
        {
            "Model": [
                "- latent array (Jaegle et al. 2021, Perceiver): in every layer learned latents read the pixels by "
                "cross-attention, then one another by self-attention, then a feed-forward layer; each layer has "
                "weights of its own",
                "- the answer: a learned question for each cell reads the latents by cross-attention (the output "
                "queries of Perceiver IO, Jaegle et al. 2022), then a feed-forward layer and a head say which digit "
                "is there, or that none is",
                f"- {config.n_latents} latent{'s' * (config.n_latents > 1)}, {config.side**2} tokens (a pixel each: "
                f"its value, its cell and its place within the cell, each embedded), {config.n_layers} layers, "
                f"{config.n_heads} heads, d {config.d_model}, feed-forward {config.d_ff}",
                size(folder, reader.n_parameters),
            ],
            "Data and licence": [
                "Optical Recognition of Handwritten Digits (E. Alpaydin and C. Kaynak 1998, UCI Machine Learning "
                "Repository, CC BY 4.0), the 1,797 pictures of its test part that scikit-learn ships. They are forms "
                f"of some 128 digits, each filled in by one hand; the last three, {len(digits.held_out())} digits, "
                f"are held out, so that other handwriting is read there. {len(digits.training()):,} are trained on, "
                f"and {STROKES:,} drawn in plain strokes, as on a pad, and made as large as those "
                f"({100 * recipe.strokes:.0f} % of the digits). Pictures are 3 x 3 of them, drawn on the fly; in "
                f"{100 * recipe.full:.0f} % every cell holds a digit, in the others any number from one."
            ],
            "Quality": [
                *_quality(reader, found),
                "",
                "Rows say what a digit is, columns what it is read as.",
                "",
                *_table(found),
                *CURVE,
            ],
            "Recipe": [*command(config.name, files=False), _effort(recipe, log)],
            "Limits": [
                "It knows ten digits and empty paper, and nothing else: whatever is drawn is read as one of them. It "
                "has seen digits that fill their cell, in thick strokes; small, thin or upside-down ones it reads "
                "badly (`tlmviz.digits.normalised` makes a drawing as large and as thin as they are). The split by "
                "hands is that of the forms' order: who wrote which is not recorded."
            ],
        },
    )


def _quality(reader: DigitReader, found: Quality) -> list[str]:
    """The shares of digits and of pictures that are read right."""
    pictures, cells = found.read.shape
    return [
        f"- **held-out digits read right: {100 * found.right:.1f} %** ({found.right_cells.sum():,} of "
        f"{found.read.size:,}: {pictures} pictures of {cells}, in which each held-out digit stands once in every cell)",
        f"- pictures in which all nine are: {100 * found.whole:.1f} %",
        "- by the number of digits in the picture: "
        + ", ".join(f"{number}: {100 * share:.1f} %" for number, share in enumerate(by_number(reader.predict), 1))
        + f" (every {SOME}th of these pictures, digits taken out)",
    ]


def _table(found: Quality) -> list[str]:
    """Rows say what a digit is, columns what it is read as."""
    rows = (
        (f"**{digit}**", *(n or "·" for n in row), f"{100 * found.per_digit[digit]:.1f} %")
        for digit, row in enumerate(found.confusion)
    )
    return table(("", *range(10), "nothing", "right"), rows)


def _effort(recipe: LatentsRecipe, log: dict[str, Any]) -> str:
    """The settings and the time of the run."""
    schedule = recipe.schedule
    return (
        f"{log['step']:,} steps of {recipe.rows} pictures, each digit turned by up to {recipe.turn} radians, "
        f"moved by up to {recipe.shift} pixels, sheared, stretched, lighter or darker; AdamW, learning rate "
        f"{schedule.learning_rate} with warm-up {schedule.warmup} and a cosine, betas {schedule.betas}, weight decay "
        f"{schedule.weight_decay}, clipping {schedule.clip}, {recipe.smoothing} of each target "
        f"spread over all classes, seed {schedule.seed}. {log['seconds'] / 60:.1f} minutes of wall time on "
        f"{log['machine']}."
    )
