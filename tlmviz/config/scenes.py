"""The configuration of the two models of pictures and questions."""

from __future__ import annotations

from dataclasses import dataclass, field

from tlmviz.errors import BadConfig

from .attention import AttentionConfig
from .feedforward import FeedForwardConfig
from .norm import NormConfig
from .positions import PositionsConfig
from .transformer import TransformerConfig


@dataclass(frozen=True)
class ScenesConfig(TransformerConfig):
    """A picture of `side` * `side` pixels cut into patches of `patch` * `patch`, and a text of up to `context` words.

    `image_layers` and `text_layers` are the blocks that read picture and text each for itself; `cross_layers` those in
    which one also attends to the other: in kind "scenes" the text asks the picture, which is also why it has no text
    layers; in kind "scenes-turned" the picture asks the text. Raises BadConfig when the parts do not fit together.
    """

    name: str
    description: str = ""
    kind: str = "scenes"
    vocab_size: int = 64
    side: int = 24
    patch: int = 4
    image_layers: int = 3
    text_layers: int = 0
    cross_layers: int = 2
    d_model: int = 96
    context: int = 64
    dropout: float = 0.0
    attention: AttentionConfig = field(default_factory=lambda: AttentionConfig(n_heads=4))
    positions: PositionsConfig = field(default_factory=PositionsConfig)
    norm: NormConfig = field(default_factory=NormConfig)
    feedforward: FeedForwardConfig = field(default_factory=lambda: FeedForwardConfig(hidden=192))

    def __post_init__(self) -> None:
        self.check_choices(kind=("scenes", "scenes-turned"))
        self.check_types(name=str, description=str, **self.PARTS)
        self.check_counts("vocab_size", "side", "patch", "cross_layers", "d_model", "context")
        self.check_counts("image_layers", "text_layers", least=0)
        self.check_shares("dropout")
        if self.side % self.patch:
            raise BadConfig(f"patch is {self.patch}; it must divide side, {self.side}.")
        self.check_heads()
        if self.positions.kind != "rope" or self.norm.placement != "pre" or self.n_kv_heads != self.n_heads:
            raise BadConfig(
                "A model of scenes has RoPE in its text, normalises before each part and has a key/value head for each "
                "query head; leave those out."
            )
        if self.kind == "scenes" and self.text_layers:
            raise BadConfig(
                f"text_layers is {self.text_layers}; where the text asks the picture, every layer does, so give 0."
            )

    @property
    def patches(self) -> int:
        """Patches of a picture."""
        return (self.side // self.patch) ** 2
