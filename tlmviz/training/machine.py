"""What a training is computed on, for a model's card."""

from __future__ import annotations

import os
import platform

import torch


def fastest() -> torch.device:
    """An NVIDIA GPU where there is one, else the CPU."""
    return torch.device("cuda" if torch.cuda.is_available() else "cpu")


def processor() -> str:
    """The processor of this machine, of which a training has one thread."""
    return f"one thread of a {os.cpu_count()}-core {platform.machine()} CPU that did other work beside it"


def torch_version() -> str:
    """torch and its version, without what it was built for."""
    return f"torch {torch.__version__.partition('+')[0]}"


def machine(device: torch.device | str = "cpu") -> str:
    """A device, the precision and the version of torch."""
    where = processor() if torch.device(device).type == "cpu" else f"one {torch.cuda.get_device_name(device)}"
    return f"{where}, float32, {torch_version()}"
