"""How often the doctor names a fault rightly: every kind of fault injected alone, at a random layer with random sizes.

Five models, two of which run in bfloat16 beside a float32 reference; further pairs are healthy. A name is right if it
is that of the fault and its number, where there is one, within 10%; "cannot tell" is unsure; everything else is wrong.
Natural faults are hidden in what a module computes, while what its trace declares stays right, each in one random layer
and in all; of those that no cause means, "cannot tell" alone is right. Faults of ports are in what a program dumps that
read the same weights.

    python benchmarks/doctor.py [--rounds 1] [--seed 0] [--json FILE]
"""

from __future__ import annotations

import argparse
import copy
import json
import random
import sys
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import torch
from torch import nn

sys.path[:0] = [str(Path(__file__).resolve().parents[1]), str(Path(__file__).resolve().parent)]

from natural_faults import HEALTHY as OTHER_ARITHMETIC
from natural_faults import NAMELESS, NATURAL
from ported_faults import PORTED, TEXTS, Port

import tlmviz
from tlmviz.layers.positions import NoPositions, PerLayer, Positions, RoPE
from tlmviz.layers.softcap import Softcap
from tlmviz.tracing.trace import AttentionSpec

MODELS = (
    ("stories-rope", torch.float32),
    ("stories-gpt", torch.float32),
    ("zoo-gqa", torch.float32),
    ("stories-rope", torch.bfloat16),
    ("zoo-gqa", torch.bfloat16),
)
TOLERANCE = 0.1  # of a fault's number


@dataclass(frozen=True)
class Injected:
    """A fault as it was put in: the names that are right for it, and its number where it has one."""

    causes: tuple[str, ...]
    value: float | None = None


# (reference network, faulty network, layer, random numbers) -> what was injected; None where the model has no such part
Fault = Callable[[nn.Module, nn.Module, int, random.Random], Injected | None]
FAULTS: dict[str, Fault] = {}


def fault(name: str) -> Callable[[Fault], Fault]:
    """Registers a kind of fault."""

    def register(inject: Fault) -> Fault:
        FAULTS[name] = inject
        return inject

    return register


def some_factor(draw: random.Random, least: float = 1.1, most: float = 2.0) -> float:
    """A factor that is clearly not 1."""
    factor = draw.uniform(least, most)
    return factor if draw.random() < 0.5 else 1 / factor


@fault("scale of one layer")
def _(ref, bad, layer, draw):
    factor = some_factor(draw)
    bad.blocks[layer].attn.scale *= factor
    return Injected(("scale",), factor)


@fault("scale of all layers")
def _(ref, bad, layer, draw):
    factor = some_factor(draw)
    for block in bad.blocks:
        block.attn.scale *= factor
    return Injected(("scale",), factor)


@fault("causal mask lost")
def _(ref, bad, layer, draw):
    bad.blocks[layer].attn.causal = False
    return Injected(("causal mask",))


@fault("window where none was")
def _(ref, bad, layer, draw):
    bad.blocks[layer].attn.window = draw.randint(3, 20)
    return Injected(("window",), float(bad.blocks[layer].attn.window))


@fault("window off by n")
def _(ref, bad, layer, draw):
    window = ref.blocks[layer].attn.window = draw.randint(4, 20)
    bad.blocks[layer].attn.window = window + draw.choice((-2, -1, 1, 2))
    return Injected(("window",), float(bad.blocks[layer].attn.window))


@fault("window lost")
def _(ref, bad, layer, draw):
    ref.blocks[layer].attn.window = draw.randint(4, 20)
    return Injected(("window",))


def respecified(attn: nn.Module, **parts: object) -> None:
    """A layer whose mask has other parts, in attending and in what its trace says."""
    honest = attn.spec

    def spec(positions: Positions) -> AttentionSpec:
        own = honest(positions)
        return replace(own, mask=replace(own.mask, **parts))

    attn.spec = spec


@fault("first keys hidden as padding")
def _(ref, bad, layer, draw):
    hidden = draw.randint(1, 6)
    respecified(bad.blocks[layer].attn, visible=lambda rows, cols: (cols >= hidden)[None].expand(len(rows), -1))
    return Injected(("padding",), float(hidden))


@fault("keys in the middle hidden")
def _(ref, bad, layer, draw):
    first, count = draw.randint(3, 9), draw.randint(1, 4)
    respecified(
        bad.blocks[layer].attn,
        visible=lambda rows, cols: (cols[None] == rows[:, None]) | ((cols < first) | (cols >= first + count))[None],
    )
    return Injected(("padding",), float(count))


@fault("packed documents leak")
def _(ref, bad, layer, draw):
    cut = draw.randint(8, 20)
    respecified(ref.blocks[layer].attn, visible=lambda rows, cols: (rows[:, None] < cut) == (cols[None] < cut))
    return Injected(("documents",))


@fault("sink in the denominator")
def _(ref, bad, layer, draw):
    value = draw.uniform(-1, 3)
    respecified(bad.blocks[layer].attn, sinks=torch.full((bad.blocks[layer].attn.heads,), value))
    return Injected(("sink",), value)


@fault("scores soft-capped")
def _(ref, bad, layer, draw):
    bad.blocks[layer].attn.softcap = draw.uniform(3, 12)
    return Injected(("soft-cap",), bad.blocks[layer].attn.softcap)


@fault("slopes on the scores")
def _(ref, bad, layer, draw):
    heads = bad.blocks[layer].attn.heads
    respecified(bad.blocks[layer].attn, slopes=torch.tensor([draw.uniform(0.05, 0.5) for _ in range(heads)]))
    return Injected(("alibi slopes",))


class Turned(RoPE):
    """RoPE with other angles: each plane's slope changed, positions moved."""

    def __init__(self, honest: RoPE, slow: Callable[[torch.Tensor], torch.Tensor], offset: int = 0):
        super().__init__(honest.head_dim, honest.base, honest.layout)
        self.slow, self.offset = slow, offset

    def cos_sin(self, position_ids):
        j = torch.arange(self.head_dim // 2)
        slopes = self.slow(self.base ** (-2.0 * j / self.head_dim))
        angles = (position_ids + self.offset)[..., None] * slopes
        return angles.cos(), angles.sin()


def other_positions(bad: nn.Module, layer: int, other: Positions) -> None:
    """Positions of which one layer has others than all the rest."""
    honest = bad.positions
    bad.positions = PerLayer([honest, other], [int(i == layer) for i in range(len(bad.blocks))])


def rotary(name: str):
    """A fault of models with RoPE."""

    def decorate(inject):
        def checked(ref, bad, layer, draw):
            return inject(ref, bad, layer, draw) if type(ref.positions) is RoPE else None

        return fault(name)(checked)

    return decorate


@rotary("RoPE of another base")
def _(ref, bad, layer, draw):
    base = ref.positions.base * draw.choice((0.1, 0.3, 3.0, 10.0, 50.0))
    other_positions(bad, layer, RoPE(ref.positions.head_dim, base, ref.positions.layout))
    return Injected(("rope base",), base)


@rotary("RoPE with positions divided")
def _(ref, bad, layer, draw):
    factor = draw.choice((2.0, 4.0, 8.0))
    other_positions(bad, layer, Turned(ref.positions, lambda slopes: slopes / factor))
    return Injected(("rope scaling",), factor)


@rotary("RoPE scaled by parts")
def _(ref, bad, layer, draw):
    factor = draw.choice((2.0, 4.0, 8.0))
    other_positions(bad, layer, Turned(ref.positions, lambda s: torch.where(s > 0.15, s, s / factor)))
    return Injected(("rope scaling",), factor)


@rotary("RoPE of the other layout")
def _(ref, bad, layer, draw):
    layout = "half" if ref.positions.layout == "interleaved" else "interleaved"
    other_positions(bad, layer, RoPE(ref.positions.head_dim, ref.positions.base, layout))
    return Injected(("rope layout",))


@rotary("rows of W_Q, W_K in the other layout")
def _(ref, bad, layer, draw):
    attn = bad.blocks[layer].attn
    d, rows = attn.head_dim, (attn.heads + attn.groups) * attn.head_dim
    with torch.no_grad():
        split = attn.qkv.weight[:rows].unflatten(0, (-1, d // 2, 2))
        attn.qkv.weight[:rows] = split.transpose(1, 2).flatten(0, 2).clone()
    return Injected(("rope layout",))


@rotary("no RoPE")
def _(ref, bad, layer, draw):
    other_positions(bad, layer, NoPositions())
    return Injected(("rope missing",))


@rotary("positions moved")
def _(ref, bad, layer, draw):
    offset = draw.randint(1, 30)
    other_positions(bad, layer, Turned(ref.positions, lambda slopes: slopes, offset))
    return Injected(("position offset",), float(offset))


@fault("embedded positions moved")
def _(ref, bad, layer, draw):
    if not hasattr(ref.positions, "table") and type(ref.positions).__name__ != "Learned":
        return None
    honest, offset = bad.positions.embed, draw.randint(1, 20)
    bad.positions.embed = lambda x, position_ids: honest(x, position_ids + offset)
    return Injected(("position offset",), float(offset))


@fault("eps before attention")
def _(ref, bad, layer, draw):
    bad.blocks[layer].norm1.eps = mean_square(ref, "resid_pre", layer) * draw.uniform(0.05, 0.5)
    return Injected(("norm eps",), bad.blocks[layer].norm1.eps)


@fault("eps before the MLP")
def _(ref, bad, layer, draw):
    bad.blocks[layer].norm2.eps = mean_square(ref, "resid_mid", layer) * draw.uniform(0.05, 0.5)
    return Injected(("norm eps",), bad.blocks[layer].norm2.eps)


@fault("eps of the last norm")
def _(ref, bad, layer, draw):
    bad.norm.eps = mean_square(ref, "resid_post", len(ref.blocks) - 1) * draw.uniform(0.05, 0.5)
    return Injected(("norm eps",), bad.norm.eps)


SIZES: dict[tuple[int, str, int], float] = {}


def mean_square(network: nn.Module, tap: str, layer: int) -> float:
    """How large the numbers are that a norm reads, on the text."""
    key = (network.config.name, tap, layer)
    if key not in SIZES:
        lm = tlmviz.load(network.config.name)
        SIZES[key] = float(lm.trace(lm.default_text)[f"blocks.{layer}.{tap}"].square().mean())
    return SIZES[key]


@fault("gain of a norm stored as w - 1")
def _(ref, bad, layer, draw):
    norm = draw.choice((bad.blocks[layer].norm1, bad.blocks[layer].norm2))
    norm.weight.data -= 1
    return Injected(("norm gain",))


@fault("gain of a norm")
def _(ref, bad, layer, draw):
    norm = draw.choice((bad.blocks[layer].norm1, bad.blocks[layer].norm2))
    norm.weight.data *= 1 + draw.uniform(0.05, 0.3) * torch.randn_like(norm.weight)
    return Injected(("norm gain",))


def noisy(weight: torch.Tensor, draw: random.Random) -> float:
    """Noise on a matrix, in place, as a share of its size."""
    share = draw.uniform(0.03, 0.5)
    with torch.no_grad():
        weight += share * weight.std() * torch.randn_like(weight)
    return share


def projected(part: str):
    """Noise on the rows of one of the projections."""

    def inject(ref, bad, layer, draw):
        attn = bad.blocks[layer].attn
        sizes = [count * attn.head_dim for count in (attn.heads, attn.groups, attn.groups)]
        noisy(dict(zip("QKV", attn.qkv.weight.split(sizes)))[part], draw)
        return Injected((f"weights W_{part}",))

    return inject


for part in "QKV":
    fault(f"W_{part}")(projected(part))


@fault("W_O")
def _(ref, bad, layer, draw):
    noisy(bad.blocks[layer].attn.proj.weight, draw)
    return Injected(("weights W_O",))


@fault("W_gate, or W_up without a gate")
def _(ref, bad, layer, draw):
    mlp = bad.blocks[layer].mlp
    noisy(mlp.gate_up.weight[: mlp.down.in_features] if hasattr(mlp, "gate_up") else mlp.up.weight, draw)
    return Injected(("weights W_gate",))


@fault("W_up beside a gate")
def _(ref, bad, layer, draw):
    mlp = bad.blocks[layer].mlp
    if not hasattr(mlp, "gate_up"):
        return None
    noisy(mlp.gate_up.weight[mlp.down.in_features :], draw)
    return Injected(("weights W_up",))


@fault("W_down")
def _(ref, bad, layer, draw):
    noisy(bad.blocks[layer].mlp.down.weight, draw)
    return Injected(("weights W_down",))


@fault("a projection's bias lost")
def _(ref, bad, layer, draw):
    attn = bad.blocks[layer].attn
    if getattr(attn.qkv, "bias", None) is None:
        return None
    attn.qkv.bias.data.zero_()
    return Injected(("bias",))


@fault("the embedding's table")
def _(ref, bad, layer, draw):
    if bad.head.weight is bad.token_emb.weight:
        bad.head.weight = nn.Parameter(bad.head.weight.clone())
    noisy(bad.token_emb.weight, draw)
    return Injected(("weights embedding",))


@fault("the embedding's scale")
def _(ref, bad, layer, draw):
    if type(ref.positions).__name__ == "Learned":
        return None  # positions are added to it: no one factor
    factor = some_factor(draw)
    if bad.head.weight is bad.token_emb.weight:
        bad.head.weight = nn.Parameter(bad.head.weight.clone())
    bad.token_emb.weight.data *= factor
    return Injected(("embedding scale",), factor)


@fault("the head")
def _(ref, bad, layer, draw):
    if bad.head.weight is bad.token_emb.weight:
        bad.head.weight = nn.Parameter(bad.head.weight.clone())
    noisy(bad.head.weight, draw)
    return Injected(("weights head",))


@fault("logits soft-capped")
def _(ref, bad, layer, draw):
    bad.bound = Softcap(draw.uniform(5, 15))
    return Injected(("logit soft-cap",), bad.bound.cap)


@fault("another activation")
def _(ref, bad, layer, draw):
    own = bad.blocks[layer].mlp.activation
    others = [kind() for kind in (nn.GELU, nn.SiLU, nn.ReLU) if not isinstance(own, kind)]
    bad.blocks[layer].mlp.activation = draw.choice(others)
    return Injected(("activation",))


@fault("query heads in turn over the groups")
def _(ref, bad, layer, draw):
    attn = bad.blocks[layer].attn
    if attn.groups in (1, attn.heads):
        return None
    honest = attn.attend
    shared = attn.heads // attn.groups
    order = torch.arange(attn.heads).unflatten(0, (shared, attn.groups)).T.flatten()  # groups 0, 1, .., 0, 1, ..
    back = order.argsort()
    attn.attend = lambda q, k, v, positions, cache: honest(q[:, order], k, v, positions, cache)[:, back]
    return Injected(("key/value groups",))


class Multiplied(nn.Module):
    """x + c F(x)."""

    def __init__(self, factor: float):
        super().__init__()
        self.factor = factor

    def forward(self, x, sublayer):
        return x + self.factor * sublayer(x)


@fault("a sublayer added times a factor")
def _(ref, bad, layer, draw):
    joined = Multiplied(some_factor(draw))
    setattr(bad.blocks[layer], draw.choice(("join_attn", "join_mlp")), joined)
    return Injected(("residual",), joined.factor)


def few_bits(network: nn.Module, bits: int) -> None:
    """Every matrix rounded to so many bits, one scale for each row."""
    levels = 2 ** (bits - 1) - 1
    with torch.no_grad():
        for parameter in network.parameters():
            if parameter.ndim == 2:
                step = parameter.abs().amax(1, keepdim=True).clamp(min=1e-8) / levels
                parameter.copy_((parameter / step).round() * step)


HEALTHY: dict[str, Callable[[nn.Module], object]] = {
    "the same": lambda network: None,
    "float64": lambda network: network.double(),
    "bfloat16": lambda network: network.to(torch.bfloat16),
    "float16": lambda network: network.to(torch.float16),
    "INT8 weights": lambda network: few_bits(network, 8),
    "INT4 weights": lambda network: few_bits(network, 4),
    "bfloat16 weights, float32 arithmetic": lambda network: network.to(torch.bfloat16).to(torch.float32),
    **{
        f"{name}, {where}": lambda network, inject=inject, where=where: inject(
            network, [1] if where == "one layer" else list(range(len(network.blocks)))
        )
        for name, inject in OTHER_ARITHMETIC.items()
        for where in ("one layer", "all layers")
    },
}


def copied(lm: tlmviz.LanguageModel) -> tlmviz.LanguageModel:
    """The model with weights of its own."""
    return tlmviz.LanguageModel(copy.deepcopy(lm.network), lm.tokenizer)


def verdict(said: tlmviz.Diagnosis, injected: Injected) -> str:
    """Right, wrong or unsure."""
    if not said.sure:
        return "unsure"
    named = f"{said.cause} {said.value}" if said.cause == "weights" else said.cause
    if not any(named.startswith(cause) for cause in injected.causes):
        return "wrong"
    if injected.value is not None and isinstance(said.value, float):
        return "right" if abs(said.value - injected.value) <= TOLERANCE * abs(injected.value) + 0.02 else "wrong"
    return "right"


def faults(rounds: int, seed: int) -> list[dict]:
    """Every kind of fault in every model, alone."""
    lines = []
    for index, (name, dtype) in enumerate(MODELS):
        lm = tlmviz.load(name)
        for kind, inject in FAULTS.items():
            for number in range(rounds):
                draw = random.Random(f"{seed} {index} {kind} {number}")
                torch.manual_seed(draw.randrange(1 << 30))
                ref, bad = copied(lm), copied(lm)
                layer = draw.randrange(lm.config.n_layers)
                injected = inject(ref.network, bad.network, layer, draw)
                if injected is None:
                    continue
                bad.network.to(dtype)
                said = tlmviz.diagnose(ref.trace(lm.default_text), bad.trace(lm.default_text))
                lines.append(
                    dict(
                        model=name,
                        dtype=str(dtype)[6:],
                        kind=kind,
                        layer=layer,
                        injected=injected.causes[0],
                        number=injected.value,
                        said=str(said),
                        verdict=verdict(said, injected),
                    )
                )
                if lines[-1]["verdict"] != "right":
                    print(
                        f"{lines[-1]['verdict']}: {name} {dtype}, layer {layer}, {kind} {injected.value}: {said}",
                        flush=True,
                    )
    return lines


def natural(seed: int) -> list[dict]:
    """Faults that no declaration tells, in the models of full precision."""
    lines = []
    for name in [name for name, dtype in MODELS if dtype == torch.float32]:
        lm = tlmviz.load(name)
        trace, count = lm.trace(lm.default_text), lm.config.n_layers
        for kind in (*NATURAL, *NAMELESS):
            fault = NATURAL.get(kind)
            if fault is not None and not fault.fits(lm.network):
                continue
            draw = random.Random(f"{seed} {name} {kind}")
            torch.manual_seed(draw.randrange(1 << 30))
            places = {"one layer": [draw.randrange(count)], "all layers": list(range(count))}
            for where, layers in places.items():
                if where == "all layers" and fault is not None and not fault.everywhere:
                    continue
                other = copied(lm)
                (NAMELESS[kind] if fault is None else fault.inject)(other.network, layers)
                said = tlmviz.diagnose(trace, other.trace(lm.default_text))
                if fault is None:
                    value, judged = None, "wrong" if said.sure else "right"
                else:
                    value = fault.value(lm.network, layers)
                    judged = verdict(said, Injected((fault.cause,), value if isinstance(value, float) else None))
                lines.append(
                    dict(
                        model=name,
                        kind=kind,
                        where=where,
                        layers=layers,
                        injected=None if fault is None else fault.cause,
                        number=value,
                        said=str(said),
                        verdict=judged,
                    )
                )
                if judged != "right":
                    print(f"{judged}: {name}, {where} {layers[0]}, {kind}: {said}", flush=True)
    return lines


def ported() -> list[dict]:
    """Faults of ports, of which alone is known what they dump, beside the model and beside a port without fault."""
    lines, text = [], "".join(TEXTS)
    for kind, fault in PORTED.items():
        for lm in fault.load():
            dump = fault.port.run(lm, text)
            for beside, trace in (("the model", lm.trace(text)), ("a port", Port().run(lm, text))):
                said = tlmviz.diagnose(trace, dump)
                judged = verdict(said, Injected((fault.truth,), fault.value))
                lines.append(
                    dict(
                        kind=kind,
                        beside=beside,
                        injected=fault.truth,
                        number=fault.value,
                        said=str(said),
                        verdict=judged,
                    )
                )
                if judged != "right":
                    print(f"{judged}: {kind}, beside {beside}: {said}", flush=True)
    return lines


def healthy() -> list[dict]:
    """Pairs with nothing wrong."""
    lines = []
    for name in ("stories-rope", "stories-gpt", "zoo-gqa"):
        lm = tlmviz.load(name)
        for kind, change in HEALTHY.items():
            other = copied(lm)
            change(other.network)
            said = tlmviz.diagnose(lm.trace(lm.default_text), other.trace(lm.default_text))
            lines.append(dict(model=name, kind=kind, said=str(said), verdict="right" if said.healthy else "wrong"))
            if not said.healthy:
                print(f"wrong: {name}, healthy as {kind}: {said}", flush=True)
    return lines


def main() -> None:
    """Print how many faults were named right, wrong or not at all."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    broken, well = faults(options.rounds, options.seed), healthy()
    counts = Counter(line["verdict"] for line in broken)
    print(f"{len(FAULTS)} kinds of fault, {len(broken)} injected in {len(MODELS)} models (seed {options.seed}):")
    for word in ("right", "wrong", "unsure"):
        print(f"  {word:7} {counts[word]:4}  {counts[word] / len(broken):.1%}")
    hidden = natural(options.seed)
    for what, kinds in (("natural faults", NATURAL), ("faults without a name", NAMELESS)):
        for where in ("one layer", "all layers"):
            lines = [line for line in hidden if line["kind"] in kinds and line["where"] == where]
            counts = Counter(line["verdict"] for line in lines)
            told = ", ".join(f"{word} {counts[word]}" for word in ("right", "wrong", "unsure"))
            print(f"{len(kinds)} {what}, hidden in {where}: {len(lines)} injected, {told}")
    dumps = ported()
    for beside in ("the model", "a port"):
        counts = Counter(line["verdict"] for line in dumps if line["beside"] == beside)
        told = ", ".join(f"{word} {counts[word]}" for word in ("right", "wrong", "unsure"))
        print(f"{len(PORTED)} faults of ports, beside {beside}: {told}")
    print(f"{len(well)} healthy pairs, {sum(line['verdict'] == 'wrong' for line in well)} of them called ill")
    if options.json:
        found = {"faults": broken, "natural": hidden, "ported": dumps, "healthy": well}
        options.json.write_text(json.dumps(found, indent=1))


if __name__ == "__main__":
    main()
