"""What a watched model's attention leaves: each layer's q, k, v and lse, call after call."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, TypeVar
from weakref import ref

import torch
from torch import Tensor, nn

from .biases import CallBias, call_bias
from .continuing import check_continues
from .masks import Rule

T = TypeVar("T")
CROSS = re.compile(r"cross|encoder_attn|encdec", re.IGNORECASE)
LAYER = re.compile(r"^(?P<before>.*?)\.?(?P<number>\d+)(?:\.(?P<after>.*))?$")


class Reached(Exception):
    """The first attention of a run that goes no further: its module and queries."""


@dataclass(frozen=True, eq=False)
class Call:
    """How a part of a model was called: all that was `given` by place and by name, pixels as `where`; the generators'
    states."""

    given: dict[int | str, Any]
    where: int | str
    pixels: Tensor  # [B, C, height, width], [B, frames, C, height, width] or, cut before, [B, N, pixels]
    random: list[Tensor]

    @classmethod
    def of(cls, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Call | None:
        """None where there are no pixels."""
        names: list[int | str] = [*range(len(args)), *kwargs]
        given = dict(zip(names, (*args, *kwargs.values())))
        axes = (3, 4, 5) if "spatial_shapes" in given else (4, 5)
        for where in ("pixel_values", "pixel_values_videos", 0):
            pixels = given.get(where)
            if isinstance(pixels, Tensor) and pixels.is_floating_point() and pixels.ndim in axes:
                return cls(given, where, pixels.detach(), random_state(pixels.device))
        return None


def random_state(device: torch.device) -> list[Tensor]:
    """The state of the CPU's default generator and, for a GPU, of its own."""
    return [torch.get_rng_state()] + ([torch.cuda.get_rng_state(device)] if device.type == "cuda" else [])


@dataclass
class Layer:
    """One attention layer: what its calls left, along the text; and what besides q and k decides its maps."""

    name: str
    crosses: bool
    scale: float = 1.0
    softcap: float | None = None
    sinks: Tensor | None = None
    q: list[Tensor] = field(default_factory=list)  # [B, H, T, D] each
    k: list[Tensor] = field(default_factory=list)  # [B, G, S, D]
    v: list[Tensor] = field(default_factory=list)
    lse: list[Tensor] = field(default_factory=list)  # [B, H, T]
    rules: list[Rule] = field(default_factory=list)
    starts: list[int] = field(default_factory=list)
    bias: list[CallBias] = field(default_factory=list)
    passed: int = 0  # the pass of the model that it was last called in

    @property
    def length(self) -> int:
        """Queries so far, T."""
        return sum(part.shape[2] for part in self.q)

    def joined(self, part: str) -> Tensor:
        """q, k, v or lse of all calls as one tensor, which takes the place of the calls' own."""
        parts: list[Tensor] = getattr(self, part)
        if len(parts) > 1:
            parts[:] = [torch.cat(parts, 2)]
        return parts[0]

    def clear(self) -> None:
        """Forget every call: another text begins."""
        for part in ("q", "k", "v", "lse", "rules", "starts", "bias"):
            setattr(self, part, [])

    def cut(self, length: int) -> None:
        """Forget what lies beyond a length: a cache was shortened to it."""
        if length == self.length:
            return
        for part in ("q", "lse", "k", "v"):
            setattr(self, part, [self.joined(part)[:, :, :length]])
        calls = sum(start < length for start in self.starts)
        for part in ("rules", "starts", "bias"):
            setattr(self, part, getattr(self, part)[:calls])


@dataclass
class Stack:
    """Layers of one kind, one above the other, and the tokens they read."""

    name: str
    layers: list[Layer] = field(default_factory=list)
    ids: Tensor | None = None  # [B, T]

    @property
    def crosses(self) -> bool:
        """Whether the keys are of another text than the queries."""
        return self.layers[0].crosses


class Recorder:
    """Takes what attention hands over and sorts it into stacks, layers and calls. One for each watched model."""

    def __init__(self, model: nn.Module):
        self.names = {module: name for name, module in model.named_modules()}
        self.stacks: dict[str, Stack] = {}
        self.inputs: dict[nn.Module, dict[str, Tensor]] = {}  # ids that each (sub)model was last called with
        self.pictured: dict[nn.Module, Call | None] = {}  # how they were, where a picture was among it
        self.searching = False  # whether a run ends at its first attention: see `pictures`
        self.seen: set[nn.Module] = set()  # modules whose attention was recorded
        self.version = 0  # grows with every call, so that a trace knows when it is old
        self.depth = 0  # models within models that are running
        self._turn: dict[nn.Module, int] = {}  # calls in this pass: shared layers are called again
        self._layers: dict[tuple[nn.Module, int], tuple[Stack, Layer]] = {}
        self._continues = False
        self._passes = 0
        self.past: int | None = None  # positions in the cache that the pass was called with
        self._made: dict[int, tuple[ref[Tensor], Any]] = {}

    def begin_pass(self) -> None:
        """The model is called: its layers are counted from the first again."""
        self._turn.clear()
        self._made.clear()
        self._passes += 1
        self.past = None

    def crosses(self, module: nn.Module) -> bool:
        """Whether a module reads keys of another text than its queries, by its name."""
        name = self.names[module]
        return bool(CROSS.search(name.rpartition("layers")[2] or name))

    def layer(self, module: nn.Module) -> tuple[Stack, Layer]:
        """The layer that this call of a module is, made at its first one."""
        turn = self._turn.get(module, 0)
        self._turn[module] = turn + 1
        if (module, turn) not in self._layers:
            name, crosses = self.names[module], self.crosses(module)
            stack = self.stacks.setdefault(key := _stack_of(module, name, crosses), Stack(key))
            stack.layers.append(layer := Layer(name, crosses))
            self._layers[module, turn] = stack, layer
        self.seen.add(module)
        self.version += 1
        return self._layers[module, turn]

    def keep(self, module: nn.Module, q: Tensor, k: Tensor, v: Tensor, lse: Tensor, rule: Rule, **kept: Any) -> None:
        """Keep one call. Raises BadModel where it does not continue what the layer holds, as after a beam search."""
        stack, layer = self.layer(module)
        if layer.crosses:
            self._keep_cross(layer, k, v)
        else:
            self._continues = self._keep_own(layer, q, k, v, rule)
            if layer is stack.layers[0]:
                stack.ids = self._ids(module, q, stack.ids if self._continues else None, rule.first)
        layer.passed = self._passes
        layer.starts.append(layer.length)
        layer.q.append(q.detach())
        layer.lse.append(lse.detach())
        layer.rules.append(rule)
        added, bias = kept.pop("bias", None), CallBias(rule.first, 0, q.shape[2])
        if added is not None:
            bias = self.once(added, lambda whole: call_bias(whole, rule.first, rule.last))
        layer.bias.append(bias)
        for name, value in kept.items():
            setattr(layer, name, value)

    def _keep_own(self, layer: Layer, q: Tensor, k: Tensor, v: Tensor, rule: Rule) -> bool:
        """Keep the keys and values that this call added; whether it goes on with the text before."""
        # A cache of fixed size holds empty places behind.
        end = k.shape[2] - (rule.last - rule.first - q.shape[2])
        new = slice(end - q.shape[2], end)
        if rule.first:
            before = layer.joined("k") if layer.k else None
            check_continues(layer.name, before, k[:, :, : max(0, new.start)], rule.first)
            layer.cut(rule.first)
        else:
            layer.clear()
        # A slice would keep the whole cache of every step alive, and a cache of fixed size is written over in place.
        layer.k.append(k[:, :, new].detach().clone())
        layer.v.append(v[:, :, new].detach().clone())
        return rule.first > 0

    def _keep_cross(self, layer: Layer, k: Tensor, v: Tensor) -> None:
        """Keep the other text's keys and values, which are the same in every step."""
        if not (self._continues and layer.q):
            layer.clear()
            layer.k, layer.v = [k.detach().clone()], [v.detach().clone()]

    def once(self, tensor: Tensor, make: Callable[[Tensor], T]) -> T:
        """What is made of a tensor, such as a mask; layers that share the tensor share it."""
        known, made = self._made.get(id(tensor), (None, None))
        if known is None or known() is not tensor:
            made = make(tensor.detach())
            self._made[id(tensor)] = ref(tensor), made
        return made  # type: ignore[return-value]  # of the same tensor, the same is made

    def _ids(self, module: nn.Module, q: Tensor, before: Tensor | None, first: int) -> Tensor | None:
        """The tokens read so far: those of the nearest model around the layer that was called with as many."""
        for owner in self.around(module):
            for name in ("input_ids", "decoder_input_ids"):
                ids = self.inputs.get(owner, {}).get(name)
                if ids is not None and ids.ndim == 2 and ids.shape[1] == q.shape[2]:
                    ids = ids.expand(len(q), -1)
                    return ids if before is None or not first else torch.cat([before[:, :first], ids], 1)
        return None

    def around(self, module: nn.Module) -> list[nn.Module]:
        """The modules that were called with inputs and hold this one, nearest first."""
        own = self.names[module]
        owners = [m for m in self.inputs if not self.names[m] or own.startswith(self.names[m] + ".")]
        return sorted(owners, key=lambda m: -len(self.names[m]))


def _stack_of(module: nn.Module, name: str, crosses: bool) -> str:
    """The stack that a layer belongs to, by the name of its module: "encoder", "decoder", "cross", "text", "vision"."""
    if crosses:
        return "cross"
    before = (LAYER.match(name) or re.match("(?P<before>.*)", name))["before"].lower()  # type: ignore[index]
    for word, stack in (("vision", "vision"), ("visual", "vision"), ("text", "text"), ("audio", "audio")):
        if word in before:
            return stack
    if "decoder" in before or getattr(module, "is_causal", False):  # BERT's "encoder" may be a decoder
        return "decoder"
    return "encoder"
