"""What the doctor looks at: every part's answer to the same input in two runs, and how far the answers are apart."""

from __future__ import annotations

import statistics
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property

import torch
from torch import Tensor

from tlmviz import kernels
from tlmviz.errors import BadShape, UnknownName
from tlmviz.layers.positions import NoPositions
from tlmviz.tracing.trace import AttentionSpec, Trace

# Rounding to 16 bits (or, of float32, in long sums), as a share of a tensor's size: what arithmetic alone may do.
ROUNDING = {torch.bfloat16: 2.0**-8, torch.float16: 2.0**-10, torch.float32: 2.0**-17}

CLEAR = 4.0  # times what rounding alone does: from here on a difference asks for a cause
EXPLAINED = 0.1  # a cause is named if it leaves at most this share of the difference, or what rounding leaves

Named = tuple[str, float | str, str]  # a cause, its value, a sentence


@dataclass(frozen=True)
class Step:
    """One tap: what the first model's part makes of the second run's input, what the second run made of it, and their
    distance.

    `error` is the root mean square of the difference beside that of the expected tensor.
    """

    name: str
    expected: Tensor
    found: Tensor
    error: float

    @cached_property
    def layer(self) -> int | None:
        """The layer it is in; None before the first and behind the last."""
        parts = self.name.split(".")
        return int(parts[1]) if parts[0] == "blocks" else None

    @cached_property
    def part(self) -> str:
        """Its name within the layer, such as "attn.q"."""
        return self.name.split(".", 2)[2] if self.layer is not None else self.name

    @property
    def pair(self) -> tuple[Tensor, Tensor]:
        """Expected and found of the text, which is alone in its batch, in float64."""
        return self.expected[0].double(), self.found[0].double()


@dataclass(frozen=True)
class Beside:
    """Keys [1, G, N, D] of each layer that stood in front of a run's own in its row and are none of its text.

    `cause` is what it is called when queries see them: "padding", or "documents" for another text.
    """

    cause: str
    keys: list[Tensor]


@dataclass(frozen=True)
class Evidence:
    """The steps of both runs in the order in which they happen, and the runs themselves.

    `asked` says whether the first model's parts were asked one by one; without a network behind the first trace, what
    its own run had is expected, and a step behind the first that differs proves nothing.
    """

    a: Trace
    b: Trace
    steps: list[Step] = field(repr=False)
    asked: bool
    rounding: float
    noise: float
    beside: Beside | None = None
    # What rounding does in 16-bit attention, by layer.
    coarse: dict[int | None, float] = field(repr=False, default_factory=dict)

    def step(self, name: str) -> Step | None:
        """One step by its tap's name, or None where it was not recorded."""
        return next((step for step in self.steps if step.name == name), None)

    def found(self, name: str) -> Tensor | None:
        """What the second run had at a tap."""
        step = self.step(name)
        return None if step is None else step.found

    def stands_out(self, step: Step) -> bool:
        """Whether a step differs by more than arithmetic does: by more than rounding may, or than it did in every other
        layer."""
        # Of runs without a network errors add up; the last of them, those of logits, have more parts behind them than
        # any.
        clear = CLEAR if self.asked or step.name != "logits" else 2 * CLEAR
        coarse = self.coarse.get(step.layer) if step.part in ("attn.lse", "attn.z") else None
        if coarse is not None:
            return step.error > clear * coarse
        if step.error > clear * self.noise:
            return True
        beside = [other.error for other in self._by_part[step.part] if other.layer != step.layer]
        return self.asked and len(beside) > 2 and step.error > max(CLEAR * max(beside), self.noise)

    @cached_property
    def _by_part(self) -> dict[str, list[Step]]:
        """The steps of all layers by their part."""
        found: dict[str, list[Step]] = {}
        for step in self.steps:
            found.setdefault(step.part, []).append(step)
        return found

    def unturned(self, step: Step) -> Tensor | None:
        """Queries or keys [1, H, T, D] as the first model has them before they turn; None where it has no such
        network."""
        name = step.name.rpartition(".")[0] + ".fused"
        if not self.a.has_network or name not in self.a.tap_names:
            return None
        fused = self.found(name) if self.asked else None
        given = {name: self.a[name] if fused is None else fused, step.name: self.a[step.name]}
        raw = self.a.answers_to(given, lambda own: NoPositions())[step.name]
        return spread(raw, step.expected)


def rms(x: Tensor) -> float:
    """Root mean square."""
    return float(x.square().mean().sqrt())


def distance(expected: Tensor, found: Tensor) -> float:
    """Root mean square of the difference beside that of the expected numbers; infinity in the same places counts as
    equal."""
    expected, found = expected.double(), found.double()
    both = torch.isfinite(expected)
    if not torch.equal(both, torch.isfinite(found)):
        return float("inf")
    return rms((found - expected)[both]) / max(rms(expected[both]), 1e-30) if both.any() else 0.0


def scored(spec: AttentionSpec, q: Tensor, k: Tensor) -> Tensor:
    """Masked scores [H, T, S] of queries [1, H, T, D] and keys [1, G, S, D]."""
    return kernels.attention_scores(q.float(), k.float(), spec.mask, scale=spec.scale)[0].double()


def gather(a: Trace, b: Trace, beside: Beside | None = None) -> Evidence:
    """Both runs' tensors, tap by tap."""
    there = b.tap_names if b.has_network else b.kept_names
    asked = a.has_network and "embed" in there
    if asked:
        names = sorted(there & a.tap_names)
        own, others = a.tensors(names), _recorded(b, names)  # of each, one pass for all
        found = {
            name: value
            for name, value in others.items()
            if value.is_floating_point() and value.shape == own[name].shape
        }
        expected = a.answers_to(found)
    else:
        pairs = _entering(a, b)
        expected, found = ({name: pair[i] for name, pair in pairs.items()} for i in (0, 1))
    steps = [
        Step(name, expected[name], found[name], _error(b, name, expected[name], found[name]))
        for name in expected
        if expected[name].shape == found[name].shape
    ]
    rounding = max(_rounding(a), _rounding(b))
    # Runs of one arithmetic are the same to the last bit wherever nothing is wrong, however coarse it is.
    usual = 2 * statistics.median(step.error for step in steps) if asked and steps else rounding
    noise = min(rounding, max(usual, ROUNDING[torch.float32]))
    return Evidence(a, b, steps, asked, rounding, noise, beside, _coarse(steps, rounding) if asked else {})


def _recorded(trace: Trace, names: list[str]) -> dict[str, Tensor]:
    """A run's tensors, without the layers of which it left none: those were skipped. Raises BadShape where it left
    others out."""
    try:
        return trace.tensors(names)
    except UnknownName:
        # Logits are made of what the last norm gives.
        there = trace.kept_names | ({"logits"} if "normed" in trace.kept_names else set())
        left = [name for name in names if name in there]
    layers = {_layer(name) for name in left}
    missing = [name for name in names if name not in left and _layer(name) in layers]
    if missing:
        more = f" and {len(missing) - 1} more" if len(missing) > 1 else ""
        raise BadShape(
            f"The second run left no tensor named {missing[0]!r}{more}, though its network has taps of these names: a "
            "part that replaced another does not call them. Call every tap in it, or save the trace and compare the "
            "files."
        )
    return {name: trace[name] for name in left}


def _layer(name: str) -> str | None:
    """The layer's number in a tap's name."""
    return name.split(".")[1] if name.startswith("blocks.") else None


def _coarse(steps: list[Step], rounding: float) -> dict[int | None, float]:
    """What rounding does in layers whose attention alone was computed in 16 bits, told from outputs that survive
    rounding."""
    found = {step.layer: _rounding_of(step.found) for step in steps if step.part == "attn.z"}
    return {layer: coarse for layer, coarse in found.items() if coarse > rounding}


def _entering(a: Trace, b: Trace) -> dict[str, tuple[Tensor, Tensor]]:
    """What is compared of runs without a network: v and lse of every layer, q and k where their scores differ, and
    logits.

    Queries and keys whose numbers stand in another order give the same scores, and nothing is wrong with them.
    """
    pairs: dict[str, tuple[Tensor, Tensor]] = {}
    rounding = max(_rounding(a), _rounding(b))
    for layer in range(a.n_layers):
        left = "v" if _same_scores(a, b, layer, rounding) else "qkv"
        laid = relaid(a, b, layer, rounding)
        pairs |= {f"blocks.{layer}.attn.{part}": laid[part] for part in left if part in laid}
        pairs |= _both(a, b, f"blocks.{layer}.attn.lse")
    return pairs | _both(a, b, "logits")  # in which also what is wrong behind the last attention shows


def _both(a: Trace, b: Trace, name: str) -> dict[str, tuple[Tensor, Tensor]]:
    """A tensor of both runs, where both have it."""
    there = name in b.kept_names and (name in a.kept_names or (a.has_network and name in a.tap_names))
    return {name: (a[name], b[name])} if there else {}


def relaid(a: Trace, b: Trace, layer: int, rounding: float) -> dict[str, tuple[Tensor, Tensor]]:
    """Both runs' queries, keys and values of a layer with as many heads, and dimensions in the order that makes queries
    or keys the first run's: a conversion may have written them in the order of the other layout of RoPE's planes."""
    pairs = {part: pair for part in "qkv" for pair in _both(a, b, f"blocks.{layer}.attn.{part}").values()}
    pairs = {part: (spread(x, y), spread(y, x)) for part, (x, y) in pairs.items()}
    for x, y in [pairs[part] for part in "qk" if part in pairs]:
        order = _order(x, y, rounding) if x.shape == y.shape else None
        if order is not None:
            return pairs | {part: (x, y[..., order]) for part, (x, y) in pairs.items() if part != "v"}
    return pairs


def _order(x: Tensor, y: Tensor, rounding: float) -> Tensor | None:
    """The order of dimensions in which y [1, H, T, D] is x; None where there is none."""
    columns, others = (part[0].flatten(0, 1).T.double().contiguous() for part in (x, y))  # [D, H T]
    order = torch.cdist(columns, others).argmin(-1)
    fits = len(order.unique()) == len(order) and distance(columns, others[order]) <= CLEAR * rounding
    return order if fits else None


def _same_scores(a: Trace, b: Trace, layer: int, rounding: float) -> bool:
    """Whether both runs score a layer's pairs alike, hidden cells included."""
    q, k = (f"blocks.{layer}.attn.{part}" for part in "qk")
    x, y = (scored(trace.specs[layer], trace[q], trace[k]) for trace in (a, b))
    return x.shape == y.shape and distance(x, y) < CLEAR * rounding


def spread(made: Tensor, like: Tensor) -> Tensor:
    """Heads [1, G, T, D] each as often as another tensor has them, whose groups were repeated; any other tensor as it
    is."""
    if made.ndim != 4 or like.ndim != 4 or like.shape[1] % made.shape[1]:
        return made
    return made.repeat_interleave(like.shape[1] // made.shape[1], 1)


def other_layouts(evidence: Evidence, found: Tensor) -> Iterator[Tensor]:
    """Queries or keys of the second run; where its projections are not known, also in the order of RoPE's other
    layout."""
    yield found
    if not evidence.asked:
        yield from (found[..., order] for order in layout_orders(found.shape[-1]).values())


def layout_orders(d: int) -> dict[str, Tensor]:
    """The orders of a head's dimensions that make RoPE's planes pairs of a layout, from pairs of the other."""
    rows = torch.arange(d)
    return {"interleaved": rows.unflatten(0, (2, -1)).T.flatten(), "half": rows.unflatten(0, (-1, 2)).T.flatten()}


def projections(trace: Trace, name: str, x: Tensor, y: Tensor) -> dict[str, tuple[Tensor, Tensor]]:
    """The columns that make queries, keys and values in two tensors of a fused projection."""
    shapes = [trace[name.replace("fused", part)].shape for part in "qkv"]
    widths = [shape[1] * shape[3] for shape in shapes]
    return dict(zip("qkv", zip(x.split(widths, -1), y.split(widths, -1))))


def _error(trace: Trace, name: str, expected: Tensor, found: Tensor) -> float:
    """The distance; of a fused projection, that of the worst of its three parts, the largest of which would hide the
    others."""
    if not name.endswith("attn.fused"):
        return distance(expected, found)
    return max(distance(*pair) for pair in projections(trace, name, expected, found).values())


def _rounding(trace: Trace) -> float:
    """How coarse a run's numbers are, told from the first values, or queries, that it left."""
    layer = next((i for i in range(trace.n_layers) if f"blocks.{i}.attn.q" in trace.kept_names), 0)
    v = f"blocks.{layer}.attn.v"
    return _rounding_of(trace[v if v in trace.kept_names | trace.tap_names else v[:-1] + "q"])


def _rounding_of(x: Tensor) -> float:
    """How coarse numbers are, told from the numbers: 16-bit ones survive being rounded to 16 bits."""
    kept = (dtype for dtype in ROUNDING if x.dtype == dtype or torch.equal(x.to(dtype).to(x.dtype), x))
    return ROUNDING[next(kept, torch.float32)]
