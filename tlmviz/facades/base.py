"""What every model that `tlmviz.load` returns has in common."""

from __future__ import annotations

from functools import cached_property
from typing import ClassVar, Generic, TypeVar, cast

import torch

from ..networks.base import Network

NetworkType = TypeVar("NetworkType", bound=Network)
ConfigType = TypeVar("ConfigType")


class Facade(Generic[NetworkType, ConfigType]):
    """A trained network under its name. A facade adds what its kind of model is asked for, and a line about its
    `sizes`.

    `task` is what the model is for, as `tlmviz.list_models` has it, and `default_text` what an example reads.
    """

    task: ClassVar[str]
    default_text: ClassVar[str]

    def __init__(self, network: NetworkType):
        self.network = network
        self.name: str = network.config.name

    @property
    def config(self) -> ConfigType:
        """The network's configuration."""
        return cast(ConfigType, self.network.config)

    @property
    def device(self) -> torch.device:
        """Where its weights are; ids are brought there."""
        return self.network.device

    @cached_property
    def n_parameters(self) -> int:
        """Trained numbers; a matrix that serves twice counts once."""
        return sum(p.numel() for p in self.network.parameters())
