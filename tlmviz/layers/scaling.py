"""RoPE read beyond its training length: ways to slow its planes down, each a `Positions` of its own.

A model trained on `context` tokens has met angles up to context * theta_j in plane j. To read `scale` times as many
tokens, each scheme replaces the frequencies theta_j = base^(-2j/D); nothing is retrained. The notes (003 section 8)
call theta(t / alpha) "YaRN-style", which is position interpolation; YaRN treats each plane by its wavelength and also
sharpens the softmax.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import torch
from jaxtyping import Float
from torch import Tensor

from .. import kernels
from ..config import ModelConfig, PositionsConfig
from ..errors import BadConfig, BadShape, UnknownName
from .positions import RoPE


class ScaledRoPE(RoPE):
    """RoPE of other frequencies, and the base of all schemes; with `scale` 1 every scheme is RoPE itself.

    `attention_factor` multiplies rotated queries and keys, so a score by its square. Raises BadShape (odd `head_dim`),
    BadConfig (base or scale below 1 or not finite).
    """

    attention_factor = 1.0

    def __init__(self, head_dim: int, base: float = 10000.0, scale: float = 1.0):
        super().__init__(head_dim, base)
        if head_dim % 2 or head_dim < 2:
            raise BadShape(f"RoPE rotates pairs of dimensions; give an even number, not {head_dim}.")
        if not (math.isfinite(base) and base > 1):
            raise BadConfig(f"The base is {base:g}; give a number above 1, such as 10000.")
        self.scale = _checked(scale)

    def unscaled(self) -> Float[Tensor, " p"]:
        """theta_j = base^(-2j/D), radians per token of each plane, float64."""
        return torch.tensor(self.base, dtype=torch.float64) ** -_exponents(self.head_dim)

    def frequencies(self, length: int) -> Float[Tensor, " p"]:
        """Radians per token of each plane once `length` tokens have been read, float64."""
        return self.unscaled()

    def cos_sin(self, position_ids: Tensor) -> tuple[Tensor, Tensor]:
        length = int(position_ids.max()) + 1 if position_ids.numel() else 0
        cos, sin = kernels.angle_table(
            position_ids, self.head_dim, scaling=self.frequencies(length).to(position_ids.device)
        )
        return cos * self.attention_factor, sin * self.attention_factor


class Interpolated(ScaledRoPE):
    """Position interpolation: every plane s times slower, as if token t stood at t / s (Chen et al. 2023; 003 section
    8)."""

    def frequencies(self, length: int) -> Float[Tensor, " p"]:
        return self.unscaled() / self.scale


class NTKAware(ScaledRoPE):
    """A larger base, base * s^(D/(D-2)): the fastest plane keeps its speed, the slowest is s times slower (bloc97
    2023).

    Raises BadShape for a single plane, which cannot be both.
    """

    def __init__(self, head_dim: int, base: float = 10000.0, scale: float = 1.0):
        super().__init__(head_dim, base, scale)
        if head_dim < 4:
            raise BadShape(f"NTK-aware scaling needs two planes, so 4 dimensions or more; there are {head_dim}.")

    def frequencies(self, length: int) -> Float[Tensor, " p"]:
        return self.stretched(self.scale)

    def stretched(self, scale: float) -> Float[Tensor, " p"]:
        """The frequencies of the larger base, as theta_j * s^(-2j/(D-2)): the same numbers, and the end planes are
        exact."""
        last = max(self.head_dim // 2 - 1, 1)
        share = torch.arange(self.head_dim // 2, dtype=torch.float64) / last
        return self.unscaled() * torch.tensor(scale, dtype=torch.float64) ** -share


class DynamicNTK(NTKAware):
    """NTK-aware with s = max(1, tokens read / context): no change within the training length, more as the text grows.

    The frequencies follow the largest position of a call, for all its rows and also for earlier keys, which must
    therefore be kept unrotated (003 section 8). `scale` is not given: the text decides. Raises BadConfig for a context
    below 1.
    """

    def __init__(self, head_dim: int, base: float = 10000.0, context: int = 1024):
        super().__init__(head_dim, base)
        self.context = _at_least_one("context", context)

    def frequencies(self, length: int) -> Float[Tensor, " p"]:
        return self.stretched(max(1.0, length / self.context))


class YaRN(ScaledRoPE):
    """NTK-by-parts and a temperature (Peng et al. 2023, sections 3.2 and 3.4).

    A plane that turns more than `beta_fast` times within the context keeps its speed, one that turns less than
    `beta_slow` times is interpolated, and between the two the share that is kept grows linearly with the turns. Scores
    are multiplied by 1/t with sqrt(1/t) = 0.1 ln s + 1; as in the paper, q and k carry that root each, here in cos and
    sin, so that neither the attention nor its scale has to change. `attention_factor` replaces the root (1: no
    temperature).
    """

    def __init__(
        self,
        head_dim: int,
        base: float = 10000.0,
        scale: float = 1.0,
        context: int = 1024,
        beta_fast: float = 32.0,
        beta_slow: float = 1.0,
        attention_factor: float | None = None,
    ):
        super().__init__(head_dim, base, scale)
        self.context = _at_least_one("context", context)
        if not 0 < beta_slow < beta_fast < math.inf:
            raise BadConfig(
                f"beta_slow is {beta_slow:g}, beta_fast {beta_fast:g}; give 0 < beta_slow < beta_fast, as 1 and 32."
            )
        self.beta_fast, self.beta_slow = beta_fast, beta_slow
        self.attention_factor = 0.1 * math.log(self.scale) + 1 if attention_factor is None else attention_factor

    def turns(self) -> Float[Tensor, " p"]:
        """How often each plane turns within the context: context / wavelength."""
        return self.context * self.unscaled() / (2 * math.pi)

    def kept(self) -> Float[Tensor, " p"]:
        """The share of each plane's speed that is kept, 1 to 0: the paper's ramp."""
        return ((self.turns() - self.beta_slow) / (self.beta_fast - self.beta_slow)).clamp(0, 1)

    def frequencies(self, length: int) -> Float[Tensor, " p"]:
        theta, kept = self.unscaled(), self.kept()
        return kept * theta + (1 - kept) * theta / self.scale


class ReleasedYaRN(YaRN):
    """YaRN as its authors' code and the libraries after it have it: the ramp is linear in the number of the plane.

    It runs between the planes that turn `beta_fast` and `beta_slow` times, rounded outwards, so middle planes keep more
    of their speed than in the paper's formula.
    """

    def kept(self) -> Float[Tensor, " p"]:
        first, last = (self._plane(turns) for turns in (self.beta_fast, self.beta_slow))
        first, last = max(math.floor(first), 0), min(math.ceil(last), self.head_dim - 1)
        planes = torch.arange(self.head_dim // 2, dtype=torch.float64)
        return 1 - ((planes - first) / max(last - first, 0.001)).clamp(0, 1)

    def _plane(self, turns: float) -> float:
        """The plane, as a real number, that turns so often within the context."""
        return self.head_dim * math.log(self.context / (2 * math.pi * turns)) / (2 * math.log(self.base))


# Name -> a scheme for a rotation of so many dimensions, base, scale and training length.
SCALINGS: dict[str, Callable[[int, float, float, int], ScaledRoPE]] = {
    "Unscaled": lambda dim, base, scale, context: ScaledRoPE(dim, base),
    "Position interpolation": lambda dim, base, scale, context: Interpolated(dim, base, scale),
    "NTK-aware": lambda dim, base, scale, context: NTKAware(dim, base, scale),
    "Dynamic NTK": lambda dim, base, scale, context: DynamicNTK(dim, base, context),
    "NTK-by-parts": lambda dim, base, scale, context: YaRN(dim, base, scale, context, attention_factor=1.0),
    "YaRN": lambda dim, base, scale, context: YaRN(dim, base, scale, context),
    "YaRN (released code)": lambda dim, base, scale, context: ReleasedYaRN(dim, base, scale, context),
}


def scaled_rope(config: ModelConfig, name: str, scale: float = 2.0) -> ScaledRoPE:
    """A model's own RoPE under one of SCALINGS, to stand in for it: `lm(ids, positions=scaled_rope(lm.config, "YaRN",
    4))`.

    Raises UnknownName, and BadConfig for a scale below 1 and a model without RoPE, with another one in each layer or
    scaled.
    """
    if name not in SCALINGS:
        raise UnknownName(f"There is no scaling {name!r}; choose one of {', '.join(SCALINGS)}.")
    if config.positions.kind != "rope":
        raise BadConfig(
            f"{config.name} has positions {config.positions.kind!r}; only a model with RoPE has angles to scale."
        )
    if not config.one_rope:
        raise BadConfig(
            f"{config.name} has another RoPE from layer to layer, which one scheme cannot stand in for; choose a model "
            "with one."
        )
    positions = config.positions
    if positions.scaling != "none":
        raise BadConfig(
            f"{config.name} scales its RoPE already ({positions.scaling}); choose a model without, for a scheme to "
            "change."
        )
    context = positions.trained_context or config.context
    base = config.layer(0).rope_base or positions.rope_base
    rope = SCALINGS[name](config.rotary_dim, base, _checked(scale), context)
    rope.layout = positions.layout
    return rope


# `PositionsConfig.scaling` -> a scheme for so many dimensions, a base, what the configuration says, and its training
# length.
CONFIGURED: dict[str, Callable[[int, float, PositionsConfig, int], RoPE]] = {
    "none": lambda dim, base, own, context: RoPE(dim, base),
    "linear": lambda dim, base, own, context: Interpolated(dim, base, own.factor),
    "ntk": lambda dim, base, own, context: NTKAware(dim, base, own.factor),
    "dynamic": lambda dim, base, own, context: DynamicNTK(dim, base, context),
    "by-parts": lambda dim, base, own, context: YaRN(
        dim, base, own.factor, context, own.beta_fast, own.beta_slow, own.attention_factor or 1.0
    ),
    "yarn": lambda dim, base, own, context: ReleasedYaRN(
        dim, base, own.factor, context, own.beta_fast, own.beta_slow, own.attention_factor
    ),
}


def configured_rope(config: ModelConfig, base: float, scaled: bool = True) -> RoPE:
    """RoPE as a configuration states it, of one base, with its scaling or without. Raises BadConfig for a scale below
    1."""
    positions = config.positions
    scheme = CONFIGURED[positions.scaling if scaled else "none"]
    rope = scheme(config.rotary_dim, base, positions, positions.trained_context or config.context)
    rope.layout = positions.layout
    return rope


def _exponents(dim: int) -> Tensor:
    return torch.arange(0, dim, 2, dtype=torch.float64) / dim


def _checked(scale: float) -> float:
    if not (math.isfinite(scale) and scale >= 1):
        raise BadConfig(
            f"The scale is {scale:g}; give a number of 1 (no change) or more, such as 2 for twice the length."
        )
    return float(scale)


def _at_least_one(name: str, value: int) -> int:
    if value < 1:
        raise BadConfig(f"{name} is {value}; a training length is 1 token or more.")
    return value
