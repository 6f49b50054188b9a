"""The configurations of language models that predict several tokens ahead: modules in a chain, or heads side by
side."""

from __future__ import annotations

from dataclasses import dataclass

from tlmviz.errors import BadConfig

from .language_model import ModelConfig


@dataclass(frozen=True)
class MTPConfig(ModelConfig):
    """A language model and `depth` modules after it, each of which predicts one token further (DeepSeek-V3, section
    2.2).

    Every part describes the modules' blocks too. They attend to all that came before, whatever `layers` says of the
    model. Raises BadConfig when the parts do not fit together.
    """

    kind: str = "mtp"
    depth: int = 3

    def __post_init__(self) -> None:
        self.check_choices(kind=("mtp",))
        self.check_counts("depth")
        super().__post_init__()
        if self.positions.kind not in ("rope", "none") or self.attention.latent_dim is not None:
            raise BadConfig(
                f"positions is {self.positions.kind!r}, latent_dim {self.attention.latent_dim}; a model with modules "
                "that look ahead has rope or none, and no latents."
            )
        if self.connection.kind != "residual" or self.layers or self.attention.window is not None:
            raise BadConfig(
                "connection, layers or window differ from the plain ones, which modules that look ahead do not "
                "know; leave them out."
            )


@dataclass(frozen=True)
class ParallelMTPConfig(ModelConfig):
    """A language model and `depth` further output matrices side by side, all on its final state (003 section 6.4).

    Raises BadConfig when the parts do not fit together.
    """

    kind: str = "mtp-parallel"
    depth: int = 3

    def __post_init__(self) -> None:
        self.check_choices(kind=("mtp-parallel",))
        self.check_counts("depth")
        super().__post_init__()
