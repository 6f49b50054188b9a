"""From a finished run to models/digits-perceiver.../: weights, and a card with how held-out digits are read."""

from __future__ import annotations

import platform
from pathlib import Path

import torch

from tlmviz.analysis.beyond.digit_quality import Quality, quality
from tlmviz.checkpoints.native import for_inference, save_network

from .. import digits
from ..latents import DigitReader
from ..networks.latents import LatentReader
from .curves import draw
from .latents import LatentsRecipe
from .loop import read_weights
from .machine import torch_version


def export(recipe: LatentsRecipe, log: dict, run: Path, folder: Path) -> None:
    """Write the model folder from the checkpoint in `run`."""
    network = LatentReader(recipe.config)
    network.load_state_dict(read_weights(run))
    # Single precision: the file is small, and which digit wins may hang on little.
    save_network(folder, network, None, torch.float32)
    points = log["curve"]
    draw(
        folder / "curve.svg", "Training", [point["step"] * recipe.rows / 1e3 for point in points],
        ("held-out loss (nats per digit)", [point["valid_loss"] for point in points]),
        ("training loss (nats per digit, smoothed targets)", [point["train_loss"] for point in points]),
        read="pictures read (thousands)",
    )  # fmt: skip
    reader = DigitReader(for_inference(network))
    (folder / "card.md").write_text(
        _card(recipe, log, reader, folder, quality(reader.predict)), encoding="utf-8"
    )


def _card(recipe: LatentsRecipe, log: dict, reader: DigitReader, folder: Path, found: Quality) -> str:
    config = recipe.config
    size = (folder / "model.safetensors").stat().st_size / 1e6
    return "\n".join(
        [
            f"# {config.name}",
            "",
            config.description,
            "",
            "## Model",
            "",
            "- latent array (Jaegle et al. 2021, Perceiver): in every layer learned latents read the pixels by cross-attention, "
            "then one another by self-attention, then a feed-forward layer; each layer has weights of its own",
            f"- {config.n_latents} latents, {config.side**2} tokens (a pixel each: its value and its place, both embedded), "
            f"{config.n_layers} layers, {config.n_heads} heads, d {config.d_model}, feed-forward {config.d_ff}; the answer is "
            "read off the latents' mean",
            f"- {reader.n_parameters:,} parameters, {size:.2f} MB as float32",
            "",
            "## Data and licence",
            "",
            f"Optical Recognition of Handwritten Digits (E. Alpaydin and C. Kaynak 1998, UCI Machine Learning Repository, CC BY "
            f"4.0), the 1,797 pictures of its test part that scikit-learn ships. They are forms of some 128 digits, each "
            f"filled in by one hand; the last three, {len(digits.held_out())} digits, are held out, so that other "
            f"handwriting is read there. {len(digits.training()):,} are trained on.",
            "",
            "## Quality",
            "",
            f"- **held-out digits read right: {100 * found.right:.1f} %** "
            f"({len(found.read) - len(found.wrong)} of {len(found.read)})",
            "",
            "Rows say what a digit is, columns what it is read as.",
            "",
            *_table(found),
            "",
            "![Loss curve](curve.svg)",
            "",
            "## Recipe",
            "",
            f"`python -m tlmviz.training {config.name} --data DIR` (it needs no file in DIR)",
            "",
            _effort(recipe, log),
            "",
            "## Limits",
            "",
            "It knows ten digits and nothing else: whatever is drawn is read as one of them. It has seen digits that fill their "
            "picture, in thick strokes; small, thin or upside-down ones it reads badly. The split by hands is that of the forms' "
            "order: who wrote which is not recorded.",
            "",
        ]
    )


def _table(found: Quality) -> list[str]:
    """Rows say what a digit is, columns what it is read as."""
    rows = [
        f"| **{digit}** | "
        + " | ".join(str(n) if n else "·" for n in row)
        + f" | {100 * found.per_digit[digit]:.1f} % |"
        for digit, row in enumerate(found.confusion)
    ]
    return ["| | " + " | ".join(map(str, range(10))) + " | right |", "| --- |" + " --- |" * 11, *rows]


def _effort(recipe: LatentsRecipe, log: dict) -> str:
    """The settings and the time of the run."""
    schedule = recipe.schedule
    return (
        f"{schedule.stop or schedule.steps:,} steps of {recipe.rows} pictures, each turned by up to {recipe.turn} radians, "
        f"moved by up to {recipe.shift} pixels, sheared, stretched, lighter or darker; AdamW, learning rate "
        f"{schedule.learning_rate} with warm-up {schedule.warmup} and a cosine, betas {schedule.betas}, weight decay "
        f"{schedule.weight_decay}, clipping {schedule.clip}, {recipe.smoothing} of each target "
        f"spread over all digits, seed {schedule.seed}. {log['seconds'] / 60:.1f} minutes of CPU time on one thread "
        f"({platform.machine()}, {torch_version()})."
    )
