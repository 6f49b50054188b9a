"""A model's weights at steps of its training, in 8 bits, beside the finished ones: what a name like model@400 means."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from safetensors import SafetensorError
from safetensors.torch import load_file, save_file
from torch import Tensor

from .few_bits import in_eight_bits, out_of_eight_bits
from .folders import STEPS
from .native import own_weights, unreadable


def write_step(folder: Path, step: int, network: Any) -> Path:
    """Keep a network's weights, rounded as by `in_eight_bits`. Returns the file."""
    own = {name: value.detach().cpu().float().contiguous() for name, value in own_weights(network).items()}
    path = folder / STEPS / f"{step:06}.safetensors"
    path.parent.mkdir(parents=True, exist_ok=True)
    save_file(in_eight_bits(own), path, metadata={"format": "pt"})
    return path


def read_step(path: Path) -> dict[str, Tensor]:
    """The weights of such a file as float32. Raises BadCheckpoint where it cannot be read."""
    try:
        return out_of_eight_bits(load_file(path))
    except (SafetensorError, OSError, ValueError, KeyError, RuntimeError) as error:
        raise unreadable(f"{path.parents[1].name}/{STEPS}/{path.name}", error) from error
