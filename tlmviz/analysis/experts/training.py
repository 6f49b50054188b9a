"""What was logged while a model with experts was trained: its curves, and its loads and biases at moments of the
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

LOOKED_AT = (8, 256)  # windows and tokens of held-out text that loads are counted on
CURVES = ("train_loss", "valid_bpb", "violation", "entropy")
HOW = "stories-moe and others trained by python -m tlmviz.training experts have one"


@dataclass(frozen=True)
class Moments:
    """After each of M `steps`: `loads` [M, L, E], each layer's shares of the choices of held-out tokens, rows summing
    to 1, and `bias` [M, L, E], zeros where the model has none."""

    steps: np.ndarray
    loads: np.ndarray
    bias: np.ndarray


def curves(name_or_path: str | Path) -> pd.DataFrame:
    """A checkpoint's training.csv: one line per logged step, empty (NaN) where a quantity was not measured there.

    Columns: step; train_loss (nats per token, mean of the steps since the line before), valid_bpb (bits per byte held
    out), violation (the largest load over the mean, less 1, mean over layers) and entropy (bits, the same) of the
    held-out loads. Raises BadCheckpoint where there is none, or none that can be read.
    """
    folder = checkpoint_folder(name_or_path)
    file = folder / "training.csv"
    if not file.is_file():
        raise BadCheckpoint(f"{folder.name} has no training.csv, so its training cannot be shown; {HOW}.")
    try:
        return pd.read_csv(file)[["step", *CURVES]].astype(float).sort_values("step", ignore_index=True)
    except (OSError, ValueError, KeyError) as error:
        raise BadCheckpoint(f"{folder.name}/training.csv cannot be read ({str(error).strip()}); {HOW}.") from error


def moments(name_or_path: str | Path) -> Moments:
    """A checkpoint's loads.safetensors. Raises BadCheckpoint where there is none, or a broken one."""
    folder = checkpoint_folder(name_or_path)
    file = folder / "loads.safetensors"
    if not file.is_file():
        raise BadCheckpoint(f"{folder.name} has no loads.safetensors: a model with experts has one, and {HOW}.")
    try:
        tensors = load_file(file)
        found = Moments(*(tensors[part] for part in ("steps", "loads", "bias")))
    except (SafetensorError, OSError, ValueError, KeyError) as error:
        raise BadCheckpoint(f"{folder.name}/loads.safetensors cannot be read ({error}).") from error
    if found.loads.ndim != 3 or found.loads.shape != found.bias.shape or len(found.steps) != len(found.loads):
        raise BadCheckpoint(
            f"{folder.name}/loads.safetensors holds steps {list(found.steps.shape)}, loads {list(found.loads.shape)} "
            f"and bias {list(found.bias.shape)}; it needs steps [M], loads and bias [M, L, E]."
        )
    return found
