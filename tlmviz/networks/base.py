"""What every network has besides its layers: the names of its taps, and which of its weights are saved."""

from __future__ import annotations

from typing import Any

import torch
from torch import nn

from ..tracing.trace import Tap, name_taps


class Network(nn.Module):
    """Base of the networks. A subclass calls `finish` at the end of its constructor."""

    config: Any  # of the network's own kind
    _tap_names: frozenset[str] = frozenset()

    def finish(self) -> None:
        """Give every tap its name."""
        self._tap_names = frozenset(m.name for m in name_taps(self).modules() if isinstance(m, Tap))

    def tap_names(self) -> frozenset[str]:
        """Names of all tapped tensors."""
        return self._tap_names

    @property
    def device(self) -> torch.device:
        """Where the weights are; ids are brought there by `forward`."""
        return next(self.parameters()).device

    def tied_weights(self) -> frozenset[str]:
        """Names in the state dict that are another one's tensor: they are not saved, and no file holds them."""
        return frozenset()
