"""The feed-forward part of a configuration."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from tlmviz.errors import BadConfig

from .base import Checked

EXPERT_SCORES = ("softmax", "sigmoid")
FEEDFORWARDS = ("relu", "gelu", "gelu-tanh", "silu", "swiglu", "geglu", "geglu-tanh")
GATED = ("swiglu", "geglu", "geglu-tanh")


@dataclass(frozen=True)
class FeedForwardConfig(Checked):
    """`kind` is the activation between two matrices, or one of GATED with a gate beside; `hidden` is F, their inner
    width.

    "gelu" is x Phi(x) exactly, "gelu-tanh" the approximation of GPT-2; the gate passes SiLU in "swiglu", these two in
    "geglu" and "geglu-tanh" (Gemma). `bias` gives all its matrices one.
    """

    PART: ClassVar[str] = "feedforward"

    kind: str = "swiglu"
    hidden: int = 512
    bias: bool = False

    def __post_init__(self) -> None:
        self.check_choices(kind=FEEDFORWARDS)
        self.check_counts("hidden")
        self.check_types(bias=bool)

    @property
    def gated(self) -> bool:
        """Whether a gate multiplies the hidden units: a third matrix."""
        return self.kind in GATED


@dataclass(frozen=True)
class ExpertsConfig(Checked):
    """Layers in which a router sends each token to some of many SwiGLU feed-forward networks (003 section 6.3).

    `count` is E, the number of routed experts, 0 for none, and `chosen` is k, how many of them read a token; `hidden`
    is F, the inner width of each. `shared` experts of width `shared_hidden` (null: F) read every token; with
    `shared_gate` a sigmoid of the token scales what they say (Qwen2-MoE). `score` makes scores of the router's logits:
    a "softmax" over all experts, or a "sigmoid" of each. `bias` adds a number per expert to the scores for the choice,
    and never to the mixing weights (DeepSeek-V3). Where `normalised`, the weights of the chosen sum to 1; then
    `scaling` multiplies them. Experts lie in `groups`, of which a token may choose in `chosen_groups` alone: those
    whose `group_best` best experts sum highest. `dense_layers` keep the feed-forward network of the `feedforward` part.
    """

    PART: ClassVar[str] = "experts"

    count: int = 0
    chosen: int = 2
    hidden: int = 128
    shared: int = 0
    shared_hidden: int | None = None
    shared_gate: bool = False
    score: str = "softmax"
    bias: bool = False
    normalised: bool = True
    scaling: float = 1.0
    groups: int = 1
    chosen_groups: int = 1
    group_best: int = 2
    dense_layers: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        self.check_counts("count", "shared", least=0)
        self.check_counts("chosen", "hidden", "groups", "chosen_groups", "group_best")
        self.check_optional_counts("shared_hidden")
        self.check_types(shared_gate=bool, bias=bool, normalised=bool)
        self.check_choices(score=EXPERT_SCORES)
        self.check_positive("scaling")
        layers = self.dense_layers
        if not isinstance(layers, (list, tuple)) or any(type(at) is not int or at < 0 for at in layers):
            raise BadConfig(f"experts.dense_layers is {layers!r}; give a list of layers, counted from 0.")
        object.__setattr__(self, "dense_layers", tuple(layers))
        if self.count:
            self._check_choice()

    def _check_choice(self) -> None:
        if self.count % self.groups:
            raise BadConfig(f"experts.groups is {self.groups}; it must divide experts.count, {self.count}, evenly.")
        size = self.count // self.groups
        if self.chosen_groups > self.groups or (self.groups > 1 and self.group_best > size):
            raise BadConfig(
                f"experts.chosen_groups is {self.chosen_groups} and group_best {self.group_best}; "
                f"there are {self.groups} groups of {size} experts."
            )
        if self.chosen > self.chosen_groups * size:
            raise BadConfig(
                f"experts.chosen is {self.chosen}; a token chooses from {self.chosen_groups * size}, so give no more."
            )

    @property
    def shared_width(self) -> int:
        """The inner width of all shared experts together: they are one network of that width."""
        return self.shared * (self.shared_hidden or self.hidden)
