"""What was logged while a model with streams was trained: its curves, and its mixing matrices at moments of the
training."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
from safetensors import SafetensorError
from safetensors.numpy import load_file

from tlmviz.checkpoints.registry import checkpoint_folder
from tlmviz.errors import BadCheckpoint

CURVES = ("train_loss", "grad_norm", "grad_norm_max", "valid_bpb", "gain_forward", "gain_backward")
HOW = "models trained by python -m tlmviz.training have one"


@dataclass(frozen=True)
class Moments:
    """H_res [M, P, N, N], H_pre and H_post [M, P, N] of P sublayers at M steps, averaged over held-out tokens."""

    steps: np.ndarray
    pre: np.ndarray
    post: np.ndarray
    res: np.ndarray


def curves(name_or_path: str | Path) -> pd.DataFrame:
    """A checkpoint's training.csv: one line per logged step, empty (NaN) where a quantity was not measured there.

    Columns: step; train_loss (nats per token), grad_norm and grad_norm_max (mean and largest before clipping, of the
    steps since the line before), valid_bpb (bits per byte held out), gain_forward and gain_backward (of all H_res
    multiplied). Raises BadCheckpoint where there is none, or none that can be read.
    """
    folder = checkpoint_folder(name_or_path)
    file = folder / "training.csv"
    if not file.is_file():
        raise BadCheckpoint(f"{folder.name} has no training.csv, so its training cannot be shown; {HOW}.")
    try:
        frame = pd.read_csv(file)
    except (OSError, ValueError) as error:
        raise BadCheckpoint(f"{folder.name}/training.csv cannot be read ({str(error).strip()}).") from error
    missing = [column for column in ("step", *CURVES) if column not in frame]
    if missing:
        raise BadCheckpoint(
            f"{folder.name}/training.csv has no column {missing[0]}; it needs step, {', '.join(CURVES)}."
        )
    try:
        return frame[["step", *CURVES]].astype(float).sort_values("step", ignore_index=True)
    except ValueError as error:
        raise BadCheckpoint(f"{folder.name}/training.csv holds something that is no number ({error}).") from error


def moments(name_or_path: str | Path) -> Moments:
    """A checkpoint's moments.safetensors. Raises BadCheckpoint where there is none, or a broken one."""
    folder = checkpoint_folder(name_or_path)
    file = folder / "moments.safetensors"
    if not file.is_file():
        raise BadCheckpoint(
            f"{folder.name} has no moments.safetensors: a model with hyper-connections has one, and {HOW}."
        )
    try:
        tensors = load_file(file)
        found = Moments(*(tensors[part] for part in ("steps", "pre", "post", "res")))
    except (SafetensorError, OSError, ValueError, KeyError) as error:
        raise BadCheckpoint(f"{folder.name}/moments.safetensors cannot be read ({error}).") from error
    places = (len(found.steps), *found.res.shape[1:-1])
    square = found.res.shape == (*places, places[-1])
    if not square or found.pre.shape != places or found.post.shape != places or not len(found.steps):
        shapes = ", ".join(f"{part} {list(getattr(found, part).shape)}" for part in ("steps", "pre", "post", "res"))
        raise BadCheckpoint(
            f"{folder.name}/moments.safetensors holds {shapes}; it needs steps [M], pre and post [M, P, N], res [M, P, "
            "N, N]."
        )
    return found
