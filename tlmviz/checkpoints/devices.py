"""The device a model is put on."""

from __future__ import annotations

from collections.abc import Callable

import torch

from tlmviz.errors import BadBackend

# Kind of device -> whether this machine has one, the best first.
DEVICES: dict[str, Callable[[], bool]] = {"cuda": torch.cuda.is_available, "cpu": lambda: True}


def choose_device(name: str | torch.device = "auto") -> torch.device:
    """The device of a name such as "cpu", "cuda" or "cuda:1"; "auto" is the best there is. Raises BadBackend."""
    if name == "auto":
        return torch.device(next(kind for kind, present in DEVICES.items() if present()))
    try:
        device = torch.device(name)
    except RuntimeError as error:
        raise BadBackend(f"There is no device {str(name)!r}; choose auto, {' or '.join(DEVICES)}.") from error
    present = [kind for kind, present in DEVICES.items() if present()]
    if device.type not in present:
        raise BadBackend(f"The device {str(name)!r} is not available here; choose auto or {' or '.join(present)}.")
    return device
