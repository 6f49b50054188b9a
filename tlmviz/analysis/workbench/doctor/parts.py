"""What was done to norms, weights, activations, residual additions, embeddings and logits."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from itertools import permutations

import torch
from scipy.optimize import minimize_scalar
from torch import Tensor
from torch.nn import functional as F

from tlmviz import kernels
from tlmviz.errors import BadText
from tlmviz.layers.positions import Moved

from . import layers
from .attending import LATE
from .evidence import (
    CLEAR,
    EXPLAINED,
    ROUNDING,
    Evidence,
    Named,
    Step,
    distance,
    layout_orders,
    other_layouts,
    projections,
    rms,
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
    fits = distance(factor * x, y) <= EXPLAINED * distance(x, y) + rounding
    return factor if abs(factor - 1) > 1e-3 + rounding and fits else None


def name_bias(expected: Tensor, found: Tensor, rounding: float) -> float | None:
    """The length of the one vector that is added at every position, beside the tensor's; None where there is none."""
    gap = (found.double() - expected.double()).flatten(0, -2)  # [T, C]
    if len(gap) < 3:
        return None
    left, whole, size = rms(gap - gap.mean(0)), rms(gap), rms(expected.double())
    steady = left <= EXPLAINED * whole + rounding * size and whole > 2 * left
    return whole / max(size, 1e-300) if steady else None


def name_dropout(expected: Tensor, found: Tensor) -> Named | None:
    """Numbers of which some are 0 at random, and all others larger by one factor."""
    x, y = expected.double(), found.double()
    clear = x.abs() > 0.01 * rms(x)
    ratio = y[clear] / x[clear]
    dropped = ratio.abs() < DROPPED
    gone = float(dropped.double().mean())
    if not 0.002 < gone < 0.98:
        return None
    factor = float(ratio[~dropped].median())
    steady = float(((ratio[~dropped] / factor - 1).abs() < 0.02).double().mean())
    share = 1 - 1 / factor
    if steady < 0.98 or abs(share - gone) > max(0.3 * share, 0.02):
        return None
    said = f"numbers are 0 at random, and all others {factor:.4g} times as large: dropout is on"
    return "dropout", share, said


def name_in_time(what: str, expected: Tensor, found: Tensor, noise: float) -> Named | None:
    """Keys or values [1, T, C] that differ at one position, or are those of another one."""
    x, y = expected[0].double(), found[0].double()
    if len(x) < 4:
        return None
    allowed = noise * rms(x)
    off = [t for t, gap in enumerate((y - x).square().mean(-1).sqrt()) if gap > allowed]
    if len(off) == 1:
        said = f"{what} of position {off[0]} are others, and all else is the same"
        return f"stale {what}", float(off[0]), said
    for by, how in LATE.items():
        mine, other = (y[by:], x[:-by]) if by > 0 else (y[:by], x[-by:])
        if distance(other, mine) <= noise:
            return f"late {what}", float(by), f"{what} stand {how}"
    return None


def in_places(expected: Tensor, found: Tensor, noise: float) -> bool:
    """Whether two tensors [1, T, C] differ at some positions and not at others, or are one of another position: other
    weights would show at all."""
    x, y = expected[0].double(), found[0].double()
    gaps = (y - x).square().mean(-1).sqrt() / x.square().mean(-1).sqrt().clamp(min=1e-30)
    moved = len(x) > 3 and min(distance(x[:-1], y[1:]), distance(x[1:], y[:-1])) <= noise
    same, off = gaps <= noise, gaps > CLEAR * noise  # a difference as small as rounding is somewhere between
    return moved or bool(same.any() and off.any() and (same | off).all())


def name_values(evidence: Evidence, step: Step) -> Named | None:
    """Values that differ from what their projection made: of one position, or in their order."""
    return _in_time(evidence, step, "values")


def _in_time(evidence: Evidence, step: Step, what: str) -> Named | None:
    """`name_in_time` of keys or values [1, G, T, D]."""
    x, y = (part.transpose(1, 2).flatten(2) for part in (step.expected, step.found))
    return name_in_time(what, x, y, CLEAR * evidence.rounding)


PLACES = {"normed_attn": "norm before attention", "normed_mlp": "norm before the MLP", "normed": "last norm"}


def _normed(read: Tensor) -> dict[str, Tensor]:
    """What each kind of norm makes of a stream [T, C], without gains."""
    shape = read.shape[-1:]
    return {"RMSNorm": F.rms_norm(read, shape, eps=1e-60), "LayerNorm": F.layer_norm(read, shape, eps=1e-60)}


def _channels(x: Tensor, y: Tensor) -> tuple[Tensor, Tensor]:
    """The factor and the constant of each channel that make y [T, C] of x."""
    apart = x - x.mean(0)
    factor = (apart * (y - y.mean(0))).sum(0) / apart.square().sum(0).clamp(min=1e-30)
    return factor, y.mean(0) - factor * x.mean(0)


def _of_other_kind(evidence: Evidence, step: Step, read: Tensor) -> Named | None:
    """No norm at all, or LayerNorm for RMSNorm and the other way round, with the gains and the bias that the first
    run's has."""
    x, y = step.pair
    allowed = EXPLAINED * min(step.error, 1.0) + evidence.rounding
    where = PLACES.get(step.part, step.part)
    if distance(y, read) <= evidence.rounding:
        return "norm missing", where, "what enters the norm leaves it unchanged"
    normed = _normed(read)
    for kind, own in normed.items():
        gain, bias = _channels(own, x)
        if distance(gain * own + bias, x) > min(0.01, step.error / 4):
            continue
        for made in (gain * read + bias, gain * read):
            if distance(made, y) <= allowed:
                return "norm missing", where, "what enters is multiplied by the gains alone, and not normed"
        other = next(name for name in normed if name != kind)
        for made in (gain * normed[other] + bias, gain * normed[other]):
            if distance(made, y) <= allowed:
                return "norm kind", other, f"{other} where {kind} was expected, with the same gains"
    return None


def name_norm(evidence: Evidence, step: Step, entering: Tensor | None) -> Named | None:
    """The cause of a difference behind a norm: no norm, another kind of norm, another eps, other gains."""
    x, y = step.pair  # [T, C]
    if entering is not None and entering.shape[1:] == x.shape:
        read = entering[0].double()
        named = _of_other_kind(evidence, step, read) or _eps(read, x, y, evidence.rounding)
        if named is not None:
            return named
    ratio = (x * y).sum(0) / (x * x).sum(0).clamp(min=1e-30)  # per channel
    if distance(ratio * x, y) <= EXPLAINED / 4 * step.error + evidence.rounding:
        return "norm gain", rms(ratio - 1), "the same factor for each channel at every position"
    bias = name_bias(step.expected, step.found, evidence.rounding)
    if bias is not None:
        return "norm bias", bias, "the same vector added at every position"
    slope, constant = _channels(x, y)  # a norm's own bias stays
    # One factor below 1 in all channels may as well be an eps, where all that is normed has one size.
    alike = float(slope.min()) > 0 and float(slope.std()) < 0.2 * float((1 - slope).mean())
    allowed = EXPLAINED * step.error + evidence.rounding
    if len(x) > 3 and not alike and distance(slope * x + constant, y) <= allowed:
        return "norm gain", rms(slope - 1), "one factor and one constant for each channel"
    centred = x - x.mean(-1, keepdim=True)
    per_token = (centred * y).sum(-1, keepdim=True) / (centred * centred).sum(-1, keepdim=True)
    if distance(per_token * centred, y) <= allowed:
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
    if distance(ratio * (x - bias) + bias, y) > EXPLAINED * distance(x, y) + rounding:
        return None
    ratio = ratio[:, 0]
    trials = []
    for size in (read.square().mean(-1), read.var(-1, unbiased=False)):
        # (size + e) = ratio^2 (size + e'): two unknowns, one equation for each position, each as a share of its size
        matrix = torch.stack((torch.ones_like(ratio), -ratio.square()), -1) / size[:, None]
        was, now = torch.linalg.lstsq(matrix, (ratio.square() - 1)[:, None]).solution[:, 0].tolist()
        made = ((size + was) / (size + now)).clamp(min=0).sqrt()
        trials.append((float((made - ratio).abs().max()), now, was))
    left, now, was = min(trials)
    if min(now, was) < 0:  # only their difference is clear where both are small beside what is normed
        now, was = now - min(now, was), was - min(now, was)
    if left > 0.02 * float((ratio - 1).abs().max()) + 4 * rounding or float(ratio.std()) < 1e-7:
        return None
    return "norm eps", now, f"eps of about {now:.3g} where about {max(was, 0.0):.3g} was expected"


def _bias_of(read: Tensor, x: Tensor) -> Tensor:
    """A norm's own bias [C]: what is left of each channel of its output [T, C] where its input is 0; 0 where no norm
    fits."""
    best, least = torch.zeros_like(x[0]), 0.01  # of the output's size: what eps may do to the fit
    for own in _normed(read).values():
        gain, bias = _channels(own, x)
        left = distance(gain * own + bias, x)
        if left < least:
            best, least = bias, left
    return best.where(best.abs() > 1e-3 * x.abs().max(), 0.0)


def name_projection(evidence: Evidence, step: Step) -> Named | None:
    """Which of queries, keys and values other weights made, of a fused projection [1, T, (H + 2G) D]."""
    bias = name_bias(step.expected, step.found, evidence.rounding)
    if bias is not None:
        return "bias", bias, "the projections add another vector at every position"
    parts = projections(evidence.b, step.name, step.expected, step.found)
    errors = {name: distance(x, y) for name, (x, y) in parts.items()}
    off = [name for name, error in errors.items() if error > 0.2 * max(errors.values())]
    named = _reordered(evidence, step, parts) if off == ["q", "k"] else None
    named = named or _projected_in_time(evidence, {name: parts[name] for name in off})
    named = named or layers.name_unnormed(evidence, dict.fromkeys(off, step))
    if named is not None or in_places(step.expected, step.found, CLEAR * evidence.rounding):
        return named
    (k, k_found), (v, v_found) = parts["k"], parts["v"]
    if max(distance(k, v_found), distance(v, k_found)) <= EXPLAINED * step.error + evidence.rounding:
        return "weights", "W_K and W_V", "W_K and W_V are exchanged: keys are values, and values keys"
    names = " and ".join(f"W_{name.upper()}" for name in off)
    return other_product(names, *(errors[name] for name in off))


def other_product(names: str, *errors: float) -> Named:
    """The verdict on weights that make something else of their input, each by its error."""
    said = f"relative difference{'s' * (len(errors) > 1)} {' and '.join(f'{error:.3g}' for error in errors)}"
    return "weights", names, f"{names}: another product of the same input, {said}"


def _projected_in_time(evidence: Evidence, off: dict[str, tuple[Tensor, Tensor]]) -> Named | None:
    """Keys, values or both that are others at one position, or those of another position."""
    if not off or "q" in off:
        return None
    names = {"k": "keys", "v": "values"}
    found = [name_in_time(names[part], *pair, CLEAR * evidence.rounding) for part, pair in off.items()]
    if len(found) == 1 or None in found:
        return found[0] if len(found) == 1 else None
    kinds = {(each[0].split()[0], each[1]) for each in found if each is not None}
    if len(kinds) > 1:
        return None
    [(kind, value)] = kinds
    how = f"of position {value:g} are others" if kind == "stale" else f"stand {value:g} positions late"
    return f"{kind} keys and values", value, f"keys and values {how}"


def _reordered(evidence: Evidence, step: Step, parts: dict[str, tuple[Tensor, Tensor]]) -> Named | None:
    """Rows of W_Q and W_K in the order of the other layout of RoPE's planes, as a conversion leaves them."""
    d = evidence.b[f"blocks.{step.layer}.attn.q"].shape[-1]
    x, y = (torch.cat(both, -1).unflatten(-1, (-1, d)) for both in zip(parts["q"], parts["k"]))
    for layout, order in layout_orders(d).items():
        if distance(x[..., order], y) <= EXPLAINED * distance(x, y) + evidence.rounding:
            return "rope layout", layout, f"rows of W_Q and W_K stand in the order of the layout {layout!r}"
    return None


def name_turned(evidence: Evidence, step: Step) -> Named | None:
    """What was done to queries or keys [1, H, T, D] between their projection and the scores."""
    named = _in_time(evidence, step, "keys") if step.part == "attn.k" else None
    changes = (_name_turning(evidence, step, turned) for turned in turnings_of(evidence, step))
    named = named or next(filter(None, changes), None)
    named = named or _name_qk_norm(evidence, step) or _coarse_table(evidence, step)
    if named is not None:
        return named
    x, y = step.pair
    lengths = (x * y).sum(-1) / x.square().sum(-1)  # of each head and token
    normed = any(float((size := part.norm(dim=-1)).std() / size.mean()) < 1e-2 for part in (x, y))
    allowed = EXPLAINED * step.error + evidence.rounding
    if normed and lengths.std() > 1e-3 and distance(lengths[..., None] * x, y) <= allowed:
        said = "directions are the same, and in one of the runs all have one length"
        return "qk-norm", float(lengths.mean()), said
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
    """How the planes of queries or keys turn in both runs, by which their difference is named; None where nothing turns
    them."""
    found = list(turnings_of(evidence, step)) if step.part in ("attn.q", "attn.k") else []
    named = (turned for turned in found if _name_turning(evidence, step, turned) is not None)
    best = next(named, found[0] if found else None)
    return None if best is None else best[2:]


def turnings_of(evidence: Evidence, step: Step, fits: bool = True) -> Iterator[Turned]:
    """Rotations that explain both runs' queries or keys; the first run's alone where they need not both `fits`."""
    x, exact = step.expected[0], evidence.a.has_network and evidence.rounding <= ROUNDING[torch.float32]
    for raw in _raw(evidence, step):
        for y in other_layouts(evidence, step.found[0]):
            own, other = (rotary_width(raw, part) for part in (x, y))
            if min(own, other) < 3 or not exact:
                own = other = max(own, other)
            a, b = best_turning(raw[..., :own], x[..., :own]), best_turning(raw[..., :other], y[..., :other])
            allowed = 0.05 + 8 * evidence.rounding
            if a.residual < allowed and (b.residual < allowed or not fits):
                yield raw, y, a, b


def _name_qk_norm(evidence: Evidence, step: Step) -> Named | None:
    """Queries or keys that are not normed, or are behind their rotation: with the norm's gains, of what the projection
    makes."""
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
            left, allowed = distance(gain * turning.applied(unit), y), EXPLAINED * min(step.error, 0.3)
            if distance(gain * unit, before) < LEFT and left <= allowed:
                said = "queries and keys are normed behind their rotation, not before it"
                return "qk-norm", "behind RoPE", said
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
    """Queries or keys before they are turned, [H, T, D]: as the first model has them of the second run's projection;
    without a network, the first run's turned back by each base and layout that models are released with, of which the
    one is right that explains both."""
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
    trials = []
    for (was, one), (now, other) in permutations(ACTIVATIONS.items(), 2):
        clear = one(pre).abs() > 1e-3
        left = distance((x * (other(pre) / one(pre)))[clear], y[clear])
        trials.append((left, was, now))
    left, was, now = min(trials, key=lambda trial: trial[0])
    if left <= EXPLAINED * step.error + evidence.rounding:
        return "activation", now, f"{now} where {was} was expected"
    dropped, plain = name_dropout(x, y), any(distance(one(pre), x) <= LEFT for one in ACTIVATIONS.values())
    # Without a gate nothing else is multiplied.
    return dropped or (None if plain else other_product("W_up", step.error))


def name_sum(evidence: Evidence, step: Step, entering: Tensor | None, added: Tensor | None) -> Named | None:
    """A residual addition that adds another multiple of what the sublayer gave."""
    if entering is None or added is None or entering.shape != added.shape:
        return None
    entering, added = entering.double(), added.double()
    gap = step.found - entering
    factor = float((gap * added).sum() / added.square().sum().clamp(min=1e-300))
    left = distance(entering + factor * added, step.found)
    if left <= EXPLAINED * step.error + evidence.rounding and abs(factor - 1) > 1e-3:
        return "residual", factor, f"the sublayer's output is added {factor:.4g} times"
    return name_dropout(added, gap)


def name_embedding(evidence: Evidence, step: Step) -> Named | None:
    """Another factor on the embedding, another table, or other position vectors."""
    dropped = name_dropout(step.expected, step.found)
    factor = name_factor(step.expected, step.found, evidence.rounding)
    if dropped is None and factor is not None:
        return "embedding scale", factor, f"the embedding times {factor:.5g}"
    named = dropped or name_positions(evidence, {"embed": step.found})
    if named is not None:
        return named
    gap = (step.found - step.expected)[0].double()
    ids, apart = evidence.b.ids, []
    for token in set(ids):
        where = [i for i, other in enumerate(ids) if other == token]
        apart += [distance(gap[where[0]], gap[i]) for i in where[1:]]
    if not apart:  # where no token comes twice, its vector and its position's cannot be told apart
        return None
    if max(apart) > 0.1:
        said = "equal tokens differ by another vector at each position: position vectors differ"
        return "positions", "embedded", said
    return "weights", "embedding", f"tokens have other vectors: relative difference {step.error:.3g}"


def _embedded(evidence: Evidence) -> bool:
    """Whether positions are in the embedding of the first model."""
    own = {"embed": evidence.a["embed"]}
    return not torch.equal(evidence.a.answers_to(own, partial(Moved, by=1))["embed"], own["embed"])


def name_positions(evidence: Evidence, found: dict[str, Tensor]) -> Named | None:
    """By how many positions the first model must read the text further on to have these tensors in front of its second
    layer."""
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
        left = (distance(spread(made[name], value), value) for name, value in found.items())
        if max(left) <= CLEAR * evidence.rounding:
            how = "as padding in front makes it without position_ids"
            return "position offset", float(by), f"every token is read as {by} positions further, {how}"
    return None


def nearest_cap(bound: Tensor, free: Tensor) -> float:
    """The number c of which c * tanh(free / c) is nearest to what is bound."""

    def miss(log: float) -> float:
        return distance(2.0**log * torch.tanh(free / 2.0**log), bound)

    found = minimize_scalar(miss, bounds=(-4.0, 12.0), method="bounded", options={"xatol": 1e-4})
    return float(2.0**found.x)


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
        cap = nearest_cap(bound, free)
        left = distance(cap * torch.tanh(free / cap), bound)
        if left <= EXPLAINED * step.error + evidence.rounding and float(bound.abs().max()) <= cap * 1.001:
            if bound is x:
                return "logit soft-cap", "none", f"logits are not bounded by {cap:.4g}"
            return "logit soft-cap", cap, f"logits bounded by {cap:.4g} * tanh(logit / {cap:.4g})"
    bias = name_bias(step.expected, step.found, evidence.rounding)
    if bias is not None:
        return "bias", bias, "the head adds another vector at every position"
    return "weights", "head", other_product("the head", step.error)[2]
