"""What was done to norms, weights, activations, residual additions, embeddings and logits."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

import torch
from scipy.optimize import minimize_scalar
from torch import Tensor
from torch.nn import functional as F

from tlmviz import kernels
from tlmviz.errors import BadText
from tlmviz.layers.positions import Moved

from . import layers
from .evidence import (
    CLEAR,
    EXPLAINED,
    ROUNDING,
    Evidence,
    Named,
    Step,
    distance,
    other_layouts,
    projection_widths,
    spread,
)
from .rotation import LAYOUTS, Turning, best_turning, coarse_bits, name_change, rotary_width

BASES = (10000.0, 500000.0, 100000.0, 1000000.0)  # of RoPE, in models that are released
LEFT = 1e-2  # of hidden numbers that an activation alone makes, of any precision
MOST_PADS = 64  # of which the positions are looked for
DROPPED = 1e-4  # beside what was expected: numbers below are dropped
ACTIVATIONS: dict[str, Callable[[Tensor], Tensor]] = {
    "relu": F.relu,
    "gelu": F.gelu,
    "gelu-tanh": lambda x: F.gelu(x, approximate="tanh"),
    "silu": F.silu,
}


def name_factor(expected: Tensor, found: Tensor, rounding: float) -> float | None:
    """The one factor between two tensors; None where there is none or it is 1."""
    x, y = expected.double(), found.double()
    factor = float((x * y).sum() / (x * x).sum().clamp(min=1e-300))
    gap = distance(x, y)
    left = distance(factor * x, y)
    return factor if abs(factor - 1) > 1e-3 + rounding and left <= EXPLAINED * gap + rounding else None


def name_bias(expected: Tensor, found: Tensor, rounding: float) -> float | None:
    """The length of the one vector that is added at every position, beside the tensor's; None where there is none."""
    gap = (found.double() - expected.double()).flatten(0, -2)  # [T, C]
    if len(gap) < 3:
        return None
    spread = (gap - gap.mean(0)).square().mean().sqrt()
    whole = gap.square().mean().sqrt()
    size = expected.double().square().mean().sqrt()
    steady = float(spread) <= EXPLAINED * float(whole) + rounding * float(size) and float(whole) > 2 * float(
        spread
    )
    return float(whole / size) if steady else None


def name_dropout(expected: Tensor, found: Tensor) -> Named | None:
    """Numbers of which some are 0 at random, and all others larger by one factor."""
    x, y = expected.double(), found.double()
    clear = x.abs() > 0.01 * x.square().mean().sqrt()
    ratio = y[clear] / x[clear]
    dropped = ratio.abs() < DROPPED
    if not 0.002 < float(dropped.double().mean()) < 0.98:
        return None
    factor = float(ratio[~dropped].median())
    steady = float(((ratio[~dropped] / factor - 1).abs() < 0.02).double().mean())
    share = 1 - 1 / factor
    if steady < 0.98 or abs(share - float(dropped.double().mean())) > max(0.3 * share, 0.02):
        return None
    return (
        "dropout",
        share,
        f"numbers are 0 at random, and all others {factor:.4g} times as large: dropout is on",
    )


def name_in_time(what: str, expected: Tensor, found: Tensor, noise: float) -> Named | None:
    """Keys or values [1, T, C] that differ at one position, or are those of another one."""
    x, y = expected[0].double(), found[0].double()
    if len(x) < 4:
        return None
    size = x.square().mean().sqrt()
    off = [t for t, gap in enumerate((y - x).square().mean(-1).sqrt()) if gap > noise * size]
    if len(off) == 1:
        return (
            f"stale {what}",
            float(off[0]),
            f"{what} of position {off[0]} are others, and all else is the same",
        )
    for by in (1, 2, -1):
        mine, other = (y[by:], x[:-by]) if by > 0 else (y[:by], x[-by:])
        if distance(other, mine) <= noise:
            how = f"{abs(by)} position{'s' * (abs(by) > 1)} {'late' if by > 0 else 'early'}"
            return f"late {what}", float(by), f"{what} stand {how}"
    return None


def in_places(expected: Tensor, found: Tensor, noise: float) -> bool:
    """Whether two tensors [1, T, C] differ at some positions and not at others, or are one of another position: other weights
    would show at all."""
    x, y = expected[0].double(), found[0].double()
    gaps = (y - x).square().mean(-1).sqrt() / x.square().mean(-1).sqrt().clamp(min=1e-30)
    moved = len(x) > 3 and min(distance(x[:-1], y[1:]), distance(x[1:], y[:-1])) <= noise
    apart = (gaps <= noise) | (
        gaps > CLEAR * noise
    )  # a difference as small as rounding is at some positions below it
    return moved or bool((gaps <= noise).any() and (gaps > noise).any() and apart.all())


def name_values(evidence: Evidence, step: Step) -> Named | None:
    """Values that differ from what their projection made: of one position, or in their order."""
    x, y = (part.transpose(1, 2).flatten(2) for part in (step.expected, step.found))
    return name_in_time("values", x, y, CLEAR * evidence.rounding)


def _as_layer_norm(read: Tensor) -> Tensor:
    return _as_rms_norm(read - read.mean(-1, keepdim=True))


def _as_rms_norm(read: Tensor) -> Tensor:
    return read / read.square().mean(-1, keepdim=True).sqrt().clamp(min=1e-30)


NORMS = {"RMSNorm": _as_rms_norm, "LayerNorm": _as_layer_norm}
PLACES = {"normed_attn": "norm before attention", "normed_mlp": "norm before the MLP", "normed": "last norm"}


def _of_other_kind(evidence: Evidence, step: Step, read: Tensor) -> Named | None:
    """No norm at all, or LayerNorm for RMSNorm and the other way round, with the gains and the bias that the first run's has."""
    x, y = step.expected[0].double(), step.found[0].double()
    allowed = EXPLAINED * min(step.error, 1.0) + evidence.rounding
    where = PLACES.get(step.part, step.part)
    if distance(y, read) <= evidence.rounding:
        return "norm missing", where, "what enters the norm leaves it unchanged"
    for kind, normed in NORMS.items():
        own = normed(read)
        apart = own - own.mean(0)
        gain = (apart * (x - x.mean(0))).sum(0) / apart.square().sum(0).clamp(min=1e-30)
        bias = x.mean(0) - gain * own.mean(0)
        if distance(gain * own + bias, x) > min(0.01, step.error / 4):
            continue
        for made in (gain * read + bias, gain * read):
            if distance(made, y) <= allowed:
                return "norm missing", where, "what enters is multiplied by the gains alone, and not normed"
        other = next(name for name in NORMS if name != kind)
        for made in (gain * NORMS[other](read) + bias, gain * NORMS[other](read)):
            if distance(made, y) <= allowed:
                return "norm kind", other, f"{other} where {kind} was expected, with the same gains"
    return None


def name_norm(evidence: Evidence, step: Step, entering: Tensor | None) -> Named | None:
    """The cause of a difference behind a norm: no norm, another kind of norm, another eps, other gains."""
    x, y = step.expected[0].double(), step.found[0].double()  # [T, C]
    if entering is not None and entering.ndim == 3:
        read = entering[0].double()
        kind = _of_other_kind(evidence, step, read) if read.shape == x.shape else None
        if kind is not None:
            return kind
        found = _eps(read, x, y, evidence.rounding)
        if found is not None:
            return found
    ratio = (x * y).sum(0) / (x * x).sum(0).clamp(min=1e-30)  # per channel
    if distance(ratio * x, y) <= EXPLAINED / 4 * step.error + evidence.rounding:
        return (
            "norm gain",
            float((ratio - 1).square().mean().sqrt()),
            "the same factor for each channel at every position",
        )
    bias = name_bias(step.expected, step.found, evidence.rounding)
    if bias is not None:
        return "norm bias", bias, "the same vector added at every position"
    apart = x - x.mean(0)  # a norm's own bias stays: each channel has a factor and a constant
    slope = (apart * (y - y.mean(0))).sum(0) / apart.square().sum(0).clamp(min=1e-30)
    # One factor below 1 in all channels may as well be an eps, where all that is normed has one size.
    alike = float(slope.min()) > 0 and float(slope.std()) < 0.2 * float((1 - slope).mean())
    explained = distance(slope * apart + y.mean(0), y) <= EXPLAINED * step.error + evidence.rounding
    if len(x) > 3 and explained and not alike:
        return (
            "norm gain",
            float((slope - 1).square().mean().sqrt()),
            "one factor and one constant for each channel",
        )
    centred = x - x.mean(-1, keepdim=True)
    per_token = (centred * y).sum(-1, keepdim=True) / (centred * centred).sum(-1, keepdim=True)
    if distance(per_token * centred, y) <= EXPLAINED * step.error + evidence.rounding:
        return "norm kind", "mean taken off", "the second run takes the mean off, as LayerNorm does"
    return None


def _eps(read: Tensor, x: Tensor, y: Tensor, rounding: float) -> Named | None:
    """One factor for each position that a further eps under the root explains."""
    bias = _bias_of(read, x)
    for _ in range(20):  # a norm's own bias is not divided: found together with the factors
        ratio = ((x - bias) * (y - bias)).sum(-1, keepdim=True) / (x - bias).square().sum(-1, keepdim=True)
        off = 1 - ratio
        if float(off.abs().max()) < 1e-9:
            return None
        bias = (off * (y - ratio * x)).sum(0) / off.square().sum().clamp(min=1e-30)
        if float(bias.abs().max()) < 1e-3 * float(x.abs().max()):
            bias = torch.zeros_like(bias)
    gap = distance(x, y)
    if distance(ratio * (x - bias) + bias, y) > EXPLAINED * gap + rounding:
        return None
    ratio = ratio[:, 0]
    trials = []
    for size in (read.square().mean(-1), read.var(-1, unbiased=False)):
        # (size + e) = ratio^2 (size + e'): two unknowns, one equation for each position
        matrix = torch.stack((torch.ones_like(ratio), -ratio.square()), -1)
        weight = 1 / size[:, None]
        solved = torch.linalg.lstsq(
            matrix * weight, (ratio.square() - 1)[:, None] * size[:, None] * weight
        ).solution
        was, now = float(solved[0]), float(solved[1])
        made = ((size + was) / (size + now)).clamp(min=0).sqrt()
        trials.append((float((made - ratio).abs().max()), now, was))
    left, now, was = min(trials)
    if min(now, was) < 0:  # only their difference is clear where both are small beside what is normed
        now, was = now - min(now, was), was - min(now, was)
    if left > 0.02 * float((ratio - 1).abs().max()) + 4 * rounding or float(ratio.std()) < 1e-7:
        return None
    return "norm eps", now, f"eps of about {now:.3g} where about {max(was, 0.0):.3g} was expected"


def _bias_of(read: Tensor, x: Tensor) -> Tensor:
    """A norm's own bias [C]: what is left of each channel of its output [T, C] where its input is 0; 0 where no norm fits."""
    best = torch.zeros(x.shape[-1], dtype=torch.double)
    least = 0.01  # of the output's size: what eps may do to the fit
    centred = read - read.mean(-1, keepdim=True)
    for part in (read, centred):
        normed = part / part.square().mean(-1, keepdim=True).sqrt()
        apart = normed - normed.mean(0)
        gain = (apart * (x - x.mean(0))).sum(0) / apart.square().sum(0).clamp(min=1e-30)
        bias = x.mean(0) - gain * normed.mean(0)
        left = distance(gain * normed + bias, x)
        if left < least:
            best, least = bias, left
    return torch.where(best.abs() > 1e-3 * x.abs().max(), best, torch.zeros_like(best))


def name_projection(evidence: Evidence, step: Step) -> Named | None:
    """Which of queries, keys and values other weights made, of a fused projection [1, T, (H + 2G) D]."""
    bias = name_bias(step.expected, step.found, evidence.rounding)
    if bias is not None:
        return "bias", bias, "the projections add another vector at every position"
    widths = projection_widths(evidence.b, step.name)
    parts = zip("qkv", step.expected.split(widths, -1), step.found.split(widths, -1))
    errors = {name: distance(x, y) for name, x, y in parts}
    off = [name for name, error in errors.items() if error > 0.2 * max(errors.values())]
    layout = _reordered(evidence, step, widths) if off == ["q", "k"] else None
    if layout is not None:
        return layout
    rule = _projected_in_time(evidence, step, widths, off) or layers.name_unnormed(
        evidence, dict.fromkeys(off, step)
    )
    if rule is not None:
        return rule
    if in_places(step.expected, step.found, CLEAR * evidence.rounding):
        return None
    (_q, k, v), (_other, k_found, v_found) = (part.split(widths, -1) for part in (step.expected, step.found))
    if max(distance(k, v_found), distance(v, k_found)) <= EXPLAINED * step.error + evidence.rounding:
        return "weights", "W_K and W_V", "W_K and W_V are exchanged: keys are values, and values keys"
    names = " and ".join(f"W_{name.upper()}" for name in off)
    return (
        "weights",
        names,
        f"{names}: another product of the same input, relative difference {max(errors.values()):.3g}",
    )


def _projected_in_time(evidence: Evidence, step: Step, widths: list[int], off: list[str]) -> Named | None:
    """Keys, values or both that are others at one position, or those of another position."""
    parts = dict(zip("qkv", zip(step.expected.split(widths, -1), step.found.split(widths, -1))))
    if not off or "q" in off:
        return None
    names = {"k": "keys", "v": "values"}
    found = [name_in_time(names[part], *parts[part], CLEAR * evidence.rounding) for part in off]
    if len(found) == 1 or None in found:
        return found[0] if len(found) == 1 else None
    kinds = {(each[0].split()[0], each[1]) for each in found if each is not None}
    if len(kinds) > 1:
        return None
    [(kind, value)] = kinds
    how = f"of position {value:g} are others" if kind == "stale" else f"stand {value:g} positions late"
    return f"{kind} keys and values", value, f"keys and values {how}"


def _reordered(evidence: Evidence, step: Step, widths: list[int]) -> Named | None:
    """Rows of W_Q and W_K in the order of the other layout of RoPE's planes, as a conversion leaves them."""
    d = evidence.b[f"blocks.{step.layer}.attn.q"].shape[-1]
    x, y = (
        whole[..., : widths[0] + widths[1]].unflatten(-1, (-1, d)) for whole in (step.expected, step.found)
    )
    rows = torch.arange(d)
    orders = {
        "half": rows.unflatten(0, (-1, 2)).T.flatten(),
        "interleaved": rows.unflatten(0, (2, -1)).T.flatten(),
    }
    for layout, order in orders.items():
        if distance(x[..., order], y) <= EXPLAINED * distance(x, y) + evidence.rounding:
            return "rope layout", layout, f"rows of W_Q and W_K stand in the order of the layout {layout!r}"
    return None


def name_turned(evidence: Evidence, step: Step) -> Named | None:
    """What was done to queries or keys [1, H, T, D] between their projection and the scores."""
    x, y = step.expected[0], step.found[0]
    if step.part == "attn.k":
        before, after = (part.transpose(1, 2).flatten(2) for part in (step.expected, step.found))
        in_time = name_in_time("keys", before, after, CLEAR * evidence.rounding)
        if in_time is not None:
            return in_time
    for turned in turnings_of(evidence, step):
        named = _name_turning(evidence, step, turned)
        if named is not None:
            return named
    rule = _name_qk_norm(evidence, step) or _coarse_table(evidence, step)
    if rule is not None:
        return rule
    lengths = (x.double() * y.double()).sum(-1) / x.double().square().sum(-1)  # of each head and token
    normed = any(float((size := part.double().norm(dim=-1)).std() / size.mean()) < 1e-2 for part in (x, y))
    if (
        normed
        and distance(lengths[..., None] * x, y) <= EXPLAINED * step.error + evidence.rounding
        and lengths.std() > 1e-3
    ):
        return (
            "qk-norm",
            float(lengths.mean()),
            "directions are the same, and in one of the runs all have one length",
        )
    factor = name_factor(x, y, evidence.rounding)
    return None if factor is None else ("scale", factor, f"all numbers times {factor:.5g}")


# Numbers before they turn, and the second run's [H, T, D], and the rotations that make both runs' of the former.
Turned = tuple[Tensor, Tensor, Turning, Turning]


def _name_turning(evidence: Evidence, step: Step, turned: Turned) -> Named | None:
    """The change of the first run's rotation that makes the second run's numbers."""
    before, found, a, b = turned
    allowed = EXPLAINED * min(step.error, 0.3) + CLEAR * evidence.rounding
    changes = name_change(a, b, 4 * evidence.rounding, known=evidence.a.has_network)
    return next((named for named, made in changes if distance(made.applied(before), found) <= allowed), None)


def turnings(evidence: Evidence, step: Step) -> tuple[Turning, Turning] | None:
    """How the planes of queries or keys turn in both runs, by which their difference is named; None where nothing turns them."""
    found = list(turnings_of(evidence, step))
    named = (turned for turned in found if _name_turning(evidence, step, turned) is not None)
    best = next(named, found[0] if found else None)
    return None if best is None else best[2:]


def turnings_of(evidence: Evidence, step: Step, fits: bool = True) -> Iterator[Turned]:
    """Rotations that explain both runs' queries or keys; the first run's alone where they need not both `fits`."""
    x = step.expected[0]
    for raw in _raw(evidence, step):
        for y in other_layouts(evidence, step.found[0]):
            own, other = (rotary_width(raw, part) for part in (x, y))
            if (
                min(own, other) < 3
                or not evidence.a.has_network
                or evidence.rounding > ROUNDING[torch.float32]
            ):
                own = other = max(own, other)
            a, b = best_turning(raw[..., :own], x[..., :own]), best_turning(raw[..., :other], y[..., :other])
            allowed = 0.05 + 8 * evidence.rounding
            if a.residual < allowed and (b.residual < allowed or not fits):
                yield raw, y, a, b


def _name_qk_norm(evidence: Evidence, step: Step) -> Named | None:
    """Queries or keys that are not normed, or are behind their rotation: with the norm's gains, of what the projection makes."""
    raw, name = evidence.unturned(step), f"blocks.{step.layer}.attn.fused"
    if raw is None:
        return None
    fused = (evidence.b if evidence.asked else evidence.a)[name][0].double()
    queries, heads = evidence.a[f"blocks.{step.layer}.attn.q"].shape[1], evidence.a[step.name].shape[1]
    made = fused.unflatten(-1, (-1, raw.shape[-1])).transpose(0, 1)  # [H + 2G, T, D]
    made = made[:queries] if step.part == "attn.q" else made[queries : queries + heads]
    before = raw[0].double()
    made = made.repeat_interleave(len(before) // heads, 0)
    x = step.expected[0]
    turning = best_turning(before[..., : (width := rotary_width(before, x))], x[..., :width])
    if distance(made, before) <= CLEAR * evidence.rounding:
        return None
    for y in other_layouts(evidence, step.found[0]):
        if distance(turning.applied(made), y) <= CLEAR * evidence.rounding:
            return "qk-norm", "missing", "queries and keys are not normed"
        for axes in ((-1,), (0, 2)):
            unit = made / made.square().mean(axes, keepdim=True).sqrt()
            gain = (unit * before).sum(1, keepdim=True) / unit.square().sum(1, keepdim=True)
            behind = gain * turning.applied(unit)
            if distance(gain * unit, before) < LEFT and distance(behind, y) <= EXPLAINED * min(
                step.error, 0.3
            ):
                return (
                    "qk-norm",
                    "behind RoPE",
                    "queries and keys are normed behind their rotation, not before it",
                )
    return None


def _coarse_table(evidence: Evidence, step: Step) -> Named | None:
    """Cosines and sines, or their angles, that are as far from the first run's as rounding to 16 bits makes them."""
    x, y = step.expected[0], step.found[0]
    for raw in _raw(evidence, step):
        width = max(rotary_width(raw, part) for part in (x, y))
        if width >= 2 and len(x) > 1:
            before = raw[..., :width]
            layout = best_turning(before, x[..., :width]).layout
            bits = coarse_bits(before, x[..., :width], y[..., :width], layout, step.error, evidence.rounding)
            if bits is not None:
                said = f"cosines and sines are those of angles or tables rounded to {bits}"
                return "rope precision", bits, said
    return None


def _raw(evidence: Evidence, step: Step) -> Iterator[Tensor]:
    """Queries or keys before they are turned, [H, T, D]: as the first model has them of the second run's projection; without a
    network, the first run's turned back by each base and layout that models are released with, of which the one is
    right that explains both."""
    raw = evidence.unturned(step)
    if raw is not None:
        yield raw[0].double()
        return
    x, ids = step.expected[0].double(), torch.arange(step.expected.shape[2])
    for layout in LAYOUTS:
        for base in BASES:
            cos, sin = kernels.angle_table(ids, x.shape[-1], base)
            yield kernels.rotate(x, cos.double(), -sin.double(), layout=layout)


def name_hidden(evidence: Evidence, step: Step) -> Named | None:
    """Another activation, or, of gated kinds, other weights of the half that is not activated."""
    pre = evidence.found(f"blocks.{step.layer}.mlp.pre")
    if pre is None:
        return None
    x, y, pre = step.expected.double(), step.found.double(), pre.double()
    best = None
    for was, one in ACTIVATIONS.items():
        for now, other in ACTIVATIONS.items():
            if was == now:
                continue
            top, under = other(pre), one(pre)
            clear = under.abs() > 1e-3
            left = distance(x[clear] * (top / under.where(clear, torch.ones_like(under)))[clear], y[clear])
            if best is None or left < best[0]:
                best = left, was, now
    assert best is not None
    left, was, now = best
    if left <= EXPLAINED * step.error + evidence.rounding:
        return "activation", now, f"{now} where {was} was expected"
    dropped = name_dropout(x, y)
    if dropped is not None:
        return dropped
    if any(
        distance(one(pre), x) <= LEFT for one in ACTIVATIONS.values()
    ):  # without a gate nothing else is multiplied
        return None
    return "weights", "W_up", f"W_up: another product of the same input, relative difference {step.error:.3g}"


def name_sum(evidence: Evidence, step: Step, entering: Tensor | None, added: Tensor | None) -> Named | None:
    """A residual addition that adds another multiple of what the sublayer gave."""
    if entering is None or added is None or entering.shape != added.shape:
        return None
    gap = step.found.double() - entering.double()
    factor = float((gap * added.double()).sum() / added.double().square().sum().clamp(min=1e-300))
    left = distance(entering.double() + factor * added.double(), step.found)
    if left <= EXPLAINED * step.error + evidence.rounding and abs(factor - 1) > 1e-3:
        return "residual", factor, f"the sublayer's output is added {factor:.4g} times"
    return name_dropout(added, gap)


def name_embedding(evidence: Evidence, step: Step) -> Named | None:
    """Another factor on the embedding, another table, or other position vectors."""
    factor = name_factor(step.expected, step.found, evidence.rounding)
    dropped = name_dropout(step.expected, step.found)
    if dropped is not None:
        return dropped
    if factor is not None:
        return "embedding scale", factor, f"the embedding times {factor:.5g}"
    moved = name_positions(evidence, {"embed": step.found})
    if moved is not None:
        return moved
    gap = (step.found - step.expected)[0].double()
    ids, apart = evidence.b.ids, []
    for token in set(ids):
        where = [i for i, other in enumerate(ids) if other == token]
        apart += [distance(gap[where[0]], gap[i]) for i in where[1:]]
    if not apart:  # where no token comes twice, its vector and its position's cannot be told apart
        return None
    if max(apart) > 0.1:
        return (
            "positions",
            "embedded",
            "equal tokens differ by another vector at each position: position vectors differ",
        )
    return "weights", "embedding", f"tokens have other vectors: relative difference {step.error:.3g}"


def _embedded(evidence: Evidence) -> bool:
    """Whether positions are in the embedding of the first model."""
    own = {"embed": evidence.a["embed"]}
    return not torch.equal(evidence.a.answers_to(own, partial(Moved, by=1))["embed"], own["embed"])


def name_positions(evidence: Evidence, found: dict[str, Tensor]) -> Named | None:
    """By how many positions the first model must read the text further on to have these tensors in front of its second layer."""
    if not evidence.a.has_network:
        return None
    own = {name: evidence.a[name] for name in found}
    for by in range(1, MOST_PADS + 1):
        try:
            if by == 1 and not _embedded(evidence):  # rotations have a rule of their own
                return None
            made = evidence.a.answers_to(own, partial(Moved, by=by))
        except BadText:  # so many learned positions there are not
            return None
        if all(
            distance(spread(made[name], value), value) <= CLEAR * evidence.rounding
            for name, value in found.items()
        ):
            how = "as padding in front makes it without position_ids"
            return "position offset", float(by), f"every token is read as {by} positions further, {how}"
    return None


def _cap(bound: Tensor, free: Tensor) -> float:
    """The number c of which c * tanh(free / c) is nearest to what is bound."""

    def miss(log: float) -> float:
        return distance(2.0**log * torch.tanh(free / 2.0**log), bound)

    return float(
        2.0 ** minimize_scalar(miss, bounds=(-2.0, 12.0), method="bounded", options={"xatol": 1e-4}).x
    )


def name_logits(evidence: Evidence, step: Step) -> Named | None:
    """A factor, a bound, a bias or other weights of the head."""
    x, y = step.expected.double(), step.found.double()
    offset = (y - x).mean(-1, keepdim=True)
    if distance(x + offset, y) <= CLEAR * evidence.rounding:
        made = {"centred": x - x.mean(-1, keepdim=True), "log-probabilities": x.log_softmax(-1)}
        fits = (how for how, each in made.items() if distance(each, y) <= CLEAR * evidence.rounding)
        said = "another number at each position is added to all its logits: the probabilities are the same"
        return "logit offset", (how := next(fits, "each position")), f"{said} ({how})"
    factor = name_factor(x, y, evidence.rounding)
    if factor is not None:
        return "logit scale", factor, f"all logits times {factor:.5g}"

    for bound, free in ((y, x), (x, y)):  # the second run's logits are bounded, or the first's alone
        cap = _cap(bound, free)
        left = distance(cap * torch.tanh(free / cap), bound)
        if left <= EXPLAINED * step.error + evidence.rounding and float(bound.abs().max()) <= cap * 1.001:
            if bound is x:
                return "logit soft-cap", "none", f"logits are not bounded by {cap:.4g}"
            return "logit soft-cap", cap, f"logits bounded by {cap:.4g} * tanh(logit / {cap:.4g})"
    bias = name_bias(step.expected, step.found, evidence.rounding)
    if bias is not None:
        return "bias", bias, "the head adds another vector at every position"
    return (
        "weights",
        "head",
        f"the head: another product of the same input, relative difference {step.error:.3g}",
    )
