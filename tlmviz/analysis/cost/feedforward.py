"""What the feed-forward part is worth and what its activation does: layers without it, units that never speak, slopes.

Source: LLM notes, section 7.4; Transformer with PyTorch, section 2.1.3 and Eq. 30; Hendrycks and Gimpel 2016 (GELU).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Bool, Float
from torch import Tensor, nn

from tlmviz.analysis.attention.interventions import Edits
from tlmviz.errors import BadText, NoNetwork
from tlmviz.protocols import LanguageModelLike
from tlmviz.recording import Recording

SILENT = 0.01  # of the layer's loudest unit: below it on every token, a unit says next to nothing
RARE = 0.05  # of the tokens
FFN, ATTENTION = "mlp", "attn"
ROOT = math.sqrt(2 / math.pi)
CUBIC = 0.044715


# --- without it -------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Removed:
    """Bits per byte of one text: as it is, without the feed-forward part or the attention of one of `layers` each, and
    of all."""

    layers: tuple[int, ...]
    base: float
    ffn: Float[np.ndarray, " l"]
    attention: Float[np.ndarray, " l"]
    no_ffn: float
    no_attention: float


def removed(lm: LanguageModelLike, text: str, layers: Iterable[int] | None = None) -> Removed:
    """The text's loss with parts of the network silenced: what they write into the stream becomes zero.

    One of `layers` (all of them) at a time, and then every layer at once. Raises BadText.
    """
    every = range(lm.config.n_layers)
    chosen = tuple(every if layers is None else layers)
    return Removed(
        chosen,
        loss(lm, text),
        np.array([loss(lm, text, without(FFN, [layer])) for layer in chosen]),
        np.array([loss(lm, text, without(ATTENTION, [layer])) for layer in chosen]),
        loss(lm, text, without(FFN, every)),
        loss(lm, text, without(ATTENTION, every)),
    )


def without(part: str, layers: Iterable[int]) -> Edits:
    """Edits that silence FFN or ATTENTION in some layers."""
    return {f"blocks.{layer}.{part}.out": lambda out, record: torch.zeros_like(out) for layer in layers}


def loss(lm: LanguageModelLike, text: str, edit: Edits | None = None) -> float:
    """Bits per byte of a text as the model reads it. Raises BadText for a text with nothing to predict."""
    ids = lm.encode(text)
    size = len(text.encode("utf-8", "replace"))
    if lm.tokenizer.begin is None:  # its first token is read, and not predicted
        size -= len(lm.tokenizer.token_bytes(ids[0]))
    if len(ids) < 2 or size < 1:
        raise BadText("The text has one token, so nothing in it is predicted; type at least one more.")
    nats = lm.trace_ids(ids, edit or {}).loss_per_token().double().sum()
    return float(nats) / math.log(2) / size


# --- its units --------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Units:
    """One layer's units on one text: what enters the activation, x [T, F], what leaves it, and its slope there."""

    layer: int
    before: Float[np.ndarray, "t f"]
    after: Float[np.ndarray, "t f"]
    slope: Float[np.ndarray, "t f"]

    @property
    def dead(self) -> Bool[np.ndarray, " f"]:
        """Units that ReLU would leave at 0 on every token: nothing comes out, and no gradient comes back."""
        return np.logical_not((self.before > 0).any(0))

    @property
    def rare(self) -> Bool[np.ndarray, " f"]:
        """Units above zero on some token, but on a share of RARE of them at most."""
        return ~self.dead & ((self.before > 0).mean(0) <= RARE)

    @property
    def silent(self) -> Bool[np.ndarray, " f"]:
        """Units whose own activation stays below SILENT of the layer's loudest on every token."""
        sizes = np.abs(self.after).max(0)
        return sizes < SILENT * sizes.max(initial=0)

    @property
    def passed_by_relu(self) -> float:
        """The share of the gradient's paths that ReLU would leave open: x > 0."""
        return float((self.before > 0).mean())

    @property
    def passed(self) -> float:
        """The mean size of the activation's own slope."""
        return float(np.abs(self.slope).mean())


def units(lm: LanguageModelLike, text: str) -> list[Units]:
    """Every layer's units. Raises BadText, and NoNetwork where no layer has units that read every token."""
    places = places_of(lm)
    trace = lm.trace(text, keep=lambda name: name in places.values())
    found = []
    for layer, place in places.items():
        x = trace[place][0].float().cpu()
        y, slope = through(activation_at(lm, place), x)
        found.append(Units(layer, x.numpy(), y.numpy(), slope.numpy()))
    return found


def places_of(lm: LanguageModelLike) -> dict[int, str]:
    """Layer -> the tap before its activation. Raises NoNetwork where experts take the place of every such layer."""
    names, places = lm.network.tap_names(), {}
    for layer in range(lm.config.n_layers):
        for inner in ("mlp.pre", "mlp.shared.pre"):
            if (name := f"blocks.{layer}.{inner}") in names:
                places[layer] = name
    if not places:
        raise NoNetwork(
            f"In {lm.config.name} experts read some tokens each, so no unit reads them all; choose a model without "
            "experts."
        )
    return places


def activation_at(lm: LanguageModelLike, place: str) -> nn.Module:
    """The activation behind a tap."""
    return lm.network.get_submodule(place.removesuffix("pre") + "activation")


@torch.inference_mode(False)
def through(activation: Callable[[Tensor], Tensor], x: Tensor) -> tuple[Tensor, Tensor]:
    """An activation of numbers, and its slope at each, by autograd."""
    with torch.enable_grad():
        x = x.clone().requires_grad_()
        y = activation(x)
        [slope] = torch.autograd.grad(y.sum(), x)
    return y.detach(), slope


def as_relu(lm: LanguageModelLike) -> Edits:
    """Edits that put ReLU in the place of every layer's activation, which was not trained for it.

    What leaves the activation is rescaled by relu(x) / activation(x), gate or not; x > 0 makes neither 0.
    """
    edits: Edits = {}
    for place in places_of(lm).values():
        activation = activation_at(lm, place)

        def hold(x: Tensor, record: Recording, place: str = place) -> Tensor:
            return record.values.setdefault(place, x)

        def scale(hidden: Tensor, record: Recording, place: str = place, activation: nn.Module = activation) -> Tensor:
            x = record.values[place]
            return torch.where(x > 0, hidden * x / activation(x), 0.0)

        edits[place] = hold
        edits[place.removesuffix("pre") + "hidden"] = scale
    return edits


# --- slopes by formula ------------------------------------------------------------------------------------


def slope(kind: str, x: Float[np.ndarray, " n"]) -> Float[np.ndarray, " n"]:
    """The derivative of an activation: of "relu", "gelu" (Phi(x) + x phi(x)), "gelu-tanh" or "silu"."""
    t = torch.as_tensor(x).double()
    if kind == "relu":
        out = (t > 0).double()
    elif kind == "gelu":
        out = torch.special.ndtr(t) + t * torch.exp(-t * t / 2) / math.sqrt(2 * math.pi)
    elif kind == "gelu-tanh":
        inner = torch.tanh(ROOT * (t + CUBIC * t**3))
        out = (1 + inner) / 2 + t / 2 * (1 - inner**2) * ROOT * (1 + 3 * CUBIC * t**2)
    else:
        gate = torch.sigmoid(t)
        out = gate * (1 + t * (1 - gate))
    return out.numpy()


def kind_of(activation: nn.Module) -> str:
    """The name that `slope` has for an activation."""
    approximate = getattr(activation, "approximate", "none") == "tanh"
    return type(activation).__name__.lower() + ("-tanh" if approximate else "")
