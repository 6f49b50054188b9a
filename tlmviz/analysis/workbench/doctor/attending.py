"""What was done between queries, keys, values and attention's output, inferred from log-sum-exps and outputs alone.

The second run's own masks and scales are not read: a fault that is hidden in a kernel does not change what its trace
declares.
"""

from __future__ import annotations

import statistics
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property

import torch
from scipy.optimize import minimize_scalar
from torch import Tensor

from tlmviz import kernels
from tlmviz.tracing.trace import AttentionSpec

from .evidence import CLEAR, EXPLAINED, Evidence, Named, Step, distance, rms

LSE = 1e-4  # log-sum-exps are float32 whatever the weights are: differences beyond this are real
EXACT = 0.03  # a change that is computed anew leaves less of the difference than a fitted one
HALF = 0.5  # where rounding is as large as the difference, an explanation must still halve it
OFFSETS = (-3, -2, -1, 1, 2, 3)  # of a causal mask
MOST_HIDDEN = 16  # neighbouring keys
LATE = {1: "1 position late", 2: "2 positions late", -1: "1 position early"}  # as keys or values may stand


@dataclass(frozen=True, eq=False)
class Attended:
    """A layer's attention in the second run, in float64, and what the first model makes of its queries, keys and
    values.

    `lse` and `z` are pairs, expected and found, [H, T] and [H, T, D]; None where they were not recorded. `noise` is
    what rounding does to log-sum-exps, and `rounding` to outputs, as shares of their size.
    """

    q: Tensor  # [1, H, T, D]
    k: Tensor  # [1, G, T, D]
    v: Tensor | None  # [G, T, D]
    lse: tuple[Tensor, Tensor] | None
    z: tuple[Tensor, Tensor] | None
    spec: AttentionSpec
    noise: float
    rounding: float

    @cached_property
    def own(self) -> Tensor:
        """Masked scores [H, T, S] as the first model has them."""
        return self.scores()

    @cached_property
    def unmasked(self) -> Tensor:
        """Scores of earlier and later keys alike."""
        return self.scores(causal=False, window=None)

    @cached_property
    def apart(self) -> Tensor:
        """How many positions each key stands before the query, [T, S]."""
        rows = torch.arange(self.q.shape[2])
        return rows[:, None] - rows[None, :]

    @property
    def shared(self) -> int:
        """How many query heads read one group of keys and values."""
        return self.q.shape[1] // self.k.shape[1]

    def scores(self, factor: float = 1.0, k: Tensor | None = None, **parts: object) -> Tensor:
        """Masked scores of a mask with other parts, times a factor, of other keys."""
        keys, mask = self.k if k is None else k, replace(self.spec.mask, **parts)  # type: ignore[arg-type]
        return kernels.attention_scores(self.q, keys, mask, scale=factor * self.spec.scale)[0].double()

    def made(self, scores: Tensor, v: Tensor | None = None) -> tuple[Tensor, Tensor | None]:
        """Log-sum-exps [H, T] and outputs [H, T, D] of masked scores and values [G, T, D]; NaN where no key is seen."""
        lse, sinks = scores.logsumexp(-1), self.spec.mask.sinks
        if sinks is not None:
            lse = torch.logaddexp(lse, sinks.double()[:, None])
        values = self.v if v is None else v
        if values is None:
            return lse, None
        weights = (scores - lse[..., None]).exp()
        return lse, weights @ values.repeat_interleave(self.shared, 0)

    def merit(self, lse: Tensor, z: Tensor | None) -> float:
        """How little an explanation leaves of what was found, as a share of its size; infinity where it does not
        explain it.

        Positions that see no key at all, or had none in the second run, prove nothing.
        """
        total, told = 0.0, False
        for pair, own, noise in ((self.lse, lse, self.noise), (self.z, z, CLEAR * self.rounding)):
            if pair is None or own is None:
                continue
            expected, found, own = (part if part.ndim > 2 else part[..., None] for part in (*pair, own))
            rows = (own.isfinite() & found.isfinite()).all(-1)
            if rows.float().mean() < HALF:
                return float("inf")
            size = rms(expected[rows]) or 1e-30
            gap, left = (rms((part - found)[rows]) for part in (expected, own))
            allowed = EXACT * gap + noise * size
            if left > (min(allowed, HALF * gap) if gap > noise * size else allowed):
                return float("inf")
            total, told = total + left / size, True
        return total if told else float("inf")

    def differs(self, part: str) -> bool:
        """Whether "lse" or "z" differ by more than rounding."""
        pair, noise = (self.lse, max(LSE, self.noise)) if part == "lse" else (self.z, CLEAR * self.rounding)
        return pair is not None and distance(*pair) > noise


def attended(evidence: Evidence, layer: int) -> Attended | None:
    """A layer's attention; None where its queries and keys are of no plain shape."""
    q, k = (evidence.b[f"blocks.{layer}.attn.{part}"].double() for part in "qk")
    if q.shape[-1] != k.shape[-1] or q.shape[1] % k.shape[1] or q.shape[2] != k.shape[2]:
        return None
    v = evidence.found(f"blocks.{layer}.attn.v")
    steps = {part: evidence.step(f"blocks.{layer}.attn.{part}") for part in ("lse", "z")}
    pairs = {part: None if step is None else step.pair for part, step in steps.items()}
    if v is None or v.shape[:3] != k.shape[:3] or steps["z"] is None:
        v = pairs["z"] = None
    rounding = max(evidence.rounding, evidence.coarse.get(layer, 0.0))
    noise = max(usual(evidence, steps["lse"], rounding) if steps["lse"] is not None else 0.0, 2**-20)
    values = None if v is None else v[0].double()
    return Attended(q, k, values, pairs["lse"], pairs["z"], evidence.a.specs[layer], noise, rounding)


def usual(evidence: Evidence, step: Step, rounding: float) -> float:
    """Twice what the other layers' same step usually misses by. Where a fault is in every layer, their errors are the
    fault as well: rounding bounds what they excuse."""
    noise = [other.error for other in evidence.steps if other.part == step.part and other.layer != step.layer]
    return 2 * min(statistics.median(noise), rounding) if noise else 0.0


def infer(evidence: Evidence, layer: int) -> tuple[Named, Tensor] | None:
    """The one change of scale, bound, mask, window or time that makes the second run's sums and outputs, and its masked
    scores [H, T, S]."""
    at = attended(evidence, layer)
    if at is None or at.merit(*at.made(at.own)) < float("inf"):  # a cause of nothing explains nothing
        return None
    best, found = float("inf"), None
    for named, scores, v in _candidates(at):
        merit = at.merit(*at.made(scores, v))
        if merit < best * (1 - 1e-9):  # of causes that make the same the first is named
            best, found = merit, (named, scores)
    return found


Candidate = tuple[Named, Tensor, Tensor | None]


def _candidates(at: Attended) -> Iterator[Candidate]:
    if at.differs("lse"):
        yield from _factors(at)
        for named, seen in _masks(at):
            yield named, at.unmasked.masked_fill(~seen, -torch.inf), None
        yield from _hidden(at)
    yield from _late(at)


def _missed(at: Attended, scores: Tensor) -> float:
    """How far log-sum-exps are from those that were found."""
    assert at.lse is not None
    lse, _z = at.made(scores)
    rows = lse.isfinite() & at.lse[1].isfinite()
    return float((lse - at.lse[1])[rows].square().mean()) if bool(rows.any()) else float("inf")


def _least(miss: Callable[[float], float], low: float, high: float) -> float:
    """Where a function of one number is least: the best of a grid, refined between its neighbours."""
    grid = torch.linspace(low, high, 25).tolist()
    best = min(range(len(grid)), key=lambda i: miss(grid[i]))
    bounds = grid[max(best - 1, 0)], grid[min(best + 1, len(grid) - 1)]
    return float(minimize_scalar(miss, bounds=bounds, method="bounded", options={"xatol": 1e-6}).x)


def _factors(at: Attended) -> Iterator[Candidate]:
    """Scores times a number, or bounded."""
    log = _least(lambda log: _missed(at, at.scores(2.0**log)), -6.0, 6.0)
    factor = 2.0**log
    if abs(factor - 1) > LSE:
        yield ("scale", factor, f"scores all times {factor:.5g}"), at.scores(factor), None
    cap = 2.0 ** _least(lambda log: _missed(at, at.scores(softcap=2.0**log)), -3.0, 9.0)
    if at.spec.mask.softcap is None or abs(cap / at.spec.mask.softcap - 1) > 0.01:
        said = f"scores bounded by {cap:.4g} * tanh(score / {cap:.4g})"
        yield ("soft-cap", cap, said), at.scores(softcap=cap), None
    if at.spec.mask.softcap is not None:
        yield ("soft-cap", "none", "scores are not bounded"), at.scores(softcap=None), None


def _masks(at: Attended) -> Iterator[tuple[Named, Tensor]]:
    """Another causal mask or window, and the cells [T, S] that are seen."""
    mask, apart, count = at.spec.mask, at.apart, len(at.apart)
    width = mask.window or count
    if not mask.causal:
        return
    for seen in (apart < width, apart < count):
        cells = int((seen & (apart < 0)).sum())
        yield ("causal mask", "lost", f"queries see later keys; {cells} cells seen more"), seen
    for offset in OFFSETS:
        how = "loose: queries see later keys" if offset > 0 else "strict: queries miss their latest keys"
        said = f"the causal mask is {abs(offset)} position{'s' * (abs(offset) > 1)} too {how}"
        yield ("mask offset", float(offset), said), (apart >= -offset) & (apart < width)
    window = _nearest_window(at)
    if window != width:
        value, was = (float(window) if window < count else "none", mask.window or "no window")
        said = f"a window of {value:g}" if isinstance(value, float) else "no window"
        yield ("window", value, f"{said} where {was} was expected"), (apart >= 0) & (apart < window)


def _hidden(at: Attended) -> Iterator[Candidate]:
    """Neighbouring keys that no query sees, or none but their own: those whose weights the sums lack."""
    assert at.lse is not None
    total = at.lse[0][..., None]
    weights = (at.own - total).exp().masked_fill(at.apart <= 0, 0.0).nan_to_num()  # of keys behind the query
    ratio = (at.lse[1] - at.lse[0]).exp()
    best, places = (float("inf"), 0, 0), torch.arange(len(at.apart))
    for count in range(1, min(MOST_HIDDEN, len(places) - 1) + 1):
        lost = weights.unfold(-1, count, 1).sum(-1)  # [H, T, S - count + 1]
        rows = places[:, None] >= torch.arange(lost.shape[-1]) + count  # behind all of them
        missed = ((1 - lost - ratio[..., None]).square() * rows).nan_to_num(posinf=1.0).sum((0, 1))
        first = int((missed + (~rows.any(0)) * 1e30).argmin())
        left = float(missed[first] / rows[:, first].sum().clamp(min=1))
        gone = float((lost[..., first].square() * rows[:, first]).mean())
        if left < EXACT * gone and left < best[0]:
            best = left, first, count
    _left, first, count = best
    if not count:
        return
    columns = (places >= first) & (places < first + count)
    which = list(range(first, first + count))[:8]
    for hidden in (columns.expand_as(at.apart), columns & (at.apart != 0)):
        said = f"columns {which} are hidden throughout"
        yield ("padding", float(count), said), at.own.masked_fill(hidden, -torch.inf), None


def _nearest_window(at: Attended) -> int:
    """The window whose log-sum-exps are nearest to those found: of all windows at once, summed from the query
    backwards."""
    assert at.lse is not None
    # In place j of query t stands its score with key t - j, the one so many positions before it.
    back = at.unmasked.gather(-1, at.apart.clamp(min=0).expand_as(at.unmasked))
    sums = back.masked_fill(at.apart < 0, -torch.inf).logcumsumexp(-1)
    if at.spec.mask.sinks is not None:
        sums = torch.logaddexp(sums, at.spec.mask.sinks.double()[:, None, None])
    clear = sums.isfinite().all(-1) & at.lse[1].isfinite()
    missed = (sums - at.lse[1][..., None])[clear].square().mean(0)
    return int(missed.argmin()) + 1


def _late(at: Attended) -> Iterator[Candidate]:
    """Keys, values or both of another position than where they stand."""
    keyed = at.differs("lse")
    for by, how in LATE.items():
        for fill in ("repeated", "zero", "wrapped"):
            keys = at.scores(k=_moved(at.k, by, fill)) if keyed else at.own
            v = None if at.v is None else _moved(at.v, by, fill)
            if keyed:
                yield ("late keys", float(by), f"keys stand {how}"), keys, None
                if v is not None:
                    yield ("late keys and values", float(by), f"keys and values stand {how}"), keys, v
            elif v is not None:
                yield ("late values", float(by), f"values stand {how}"), keys, v


def _moved(part: Tensor, by: int, fill: str) -> Tensor:
    """Keys or values [..., T, D] that many positions later; what comes first is the nearest again, 0, or those of the
    end."""
    moved = part.roll(by, -2)
    edge, nearest = (slice(0, by), slice(0, 1)) if by > 0 else (slice(by, None), slice(-1, None))
    if fill != "wrapped":
        moved[..., edge, :] = 0.0 if fill == "zero" else part[..., nearest, :]
    return moved


def explains(evidence: Evidence, layer: int, scores: Tensor) -> bool:
    """Whether masked scores make the log-sum-exps and outputs that were found."""
    at, step = attended(evidence, layer), evidence.step(f"blocks.{layer}.attn.lse")
    if at is not None and at.lse is not None:
        return at.merit(*at.made(scores)) < float("inf")
    return step is None or distance(scores.logsumexp(-1), step.found[0]) <= CLEAR * evidence.rounding


def name_heads(evidence: Evidence, layer: int) -> Named | None:
    """Query heads that read another group of keys, of values, or of both than their own."""
    at = attended(evidence, layer)
    if at is None or at.k.shape[1] == 1:
        return None
    heads, groups = range(at.q.shape[1]), range(at.k.shape[1])
    # Every head's scores with the keys of every group, and sums over its values: group g's stand in the place of all.
    every = [at.scores(k=_alone(at.k, g)) for g in groups]
    if at.v is not None and at.z is not None:
        found, limit = at.z[1], 0.02 + 8 * at.rounding
        made = {(g, i): at.made(every[g], _alone(at.v, i))[1] for g in groups for i in groups}
    elif at.lse is not None and at.differs("lse"):  # the sums alone tell which keys are read
        found, limit = at.lse[1], LSE + 2 * at.noise
        made = {(g, g): at.made(every[g])[0] for g in groups}
    else:
        return None
    read: list[tuple[int, int]] = []
    for h in heads:
        errors = {pair: distance(part[h], found[h]) for pair, part in made.items() if part is not None}
        best = min(errors, key=errors.__getitem__)
        if errors[best] > limit:
            return None
        read.append(best)
    own = [h // at.shared for h in heads]
    keys, values = map(list, zip(*read))
    moved = sum(pair != (g, g) for pair, g in zip(read, own))
    if not moved:
        return None
    if keys == own:
        return "value heads", float(moved), f"query heads read values of the heads {values}, expected {own}"
    if values == own:
        return "key heads", float(moved), f"query heads read keys of the heads {keys}, expected {own}"
    if keys != values:
        return None
    return "key/value groups", float(moved), f"query heads read groups {keys}, expected {own}"


def _alone(part: Tensor, group: int) -> Tensor:
    """One group's keys or values [..., G, T, D] in the place of all."""
    return part.narrow(-3, group, 1).expand_as(part).contiguous()


def name_stale(evidence: Evidence, layer: int) -> Named | None:
    """One position whose key, value or both are others: its new weight is what the sums gained, and one vector for each
    group of heads is what it then adds to every query behind it."""
    at = attended(evidence, layer)
    if at is None or at.v is None or at.z is None or at.lse is None:
        return None
    weights = (at.own - at.lse[0][..., None]).exp()  # [H, T, S]
    ratio = (at.lse[1] - at.lse[0]).exp()  # of the sums, [H, T]
    gained = ratio[..., None] * at.z[1] - at.z[0]  # [H, T, D]
    places = range(weights.shape[-1] - 2)
    tried = ((_stale_at(at, place, weights[..., place], ratio, gained), place) for place in places)
    trials = sorted((*found, place) for found, place in tried if found is not None)
    allowed = EXPLAINED * rms(gained) + at.rounding * rms(at.z[0])
    if not trials or trials[0][0] > allowed or (len(trials) > 1 and trials[1][0] < 3 * trials[0][0]):
        return None
    _left, what, place = trials[0]
    return f"stale {what}", float(place), f"{what} of position {place} are others, and all else is the same"


def _stale_at(at: Attended, place: int, weight: Tensor, ratio: Tensor, gained: Tensor) -> tuple[float, str] | None:
    """What is left when the entry of one position is another, and whether its key, value or both are."""
    assert at.v is not None
    seen = weight > 0
    keys = at.differs("lse")
    new = (ratio - 1 + weight) * seen if keys else weight  # the entry's weight, beside the sum expected
    rest = (ratio - 1)[~seen]
    if keys and rest.numel() and rms(rest) > EXPLAINED * rms(ratio - 1):
        return None
    if float(new.min()) < -1e-3 or float(new.max()) < 1e-6 or int(seen.sum(1).min()) < 3:
        return None
    honest = at.v[:, place].repeat_interleave(at.shared, 0)[:, None]  # [H, 1, D]
    added = gained + weight[..., None] * honest
    same = rms(added - new[..., None] * honest)
    groups = new.unflatten(0, (-1, at.shared))
    other = (groups[..., None] * added.unflatten(0, (-1, at.shared))).sum((1, 2))
    other = other / groups.square().sum((1, 2)).clamp(min=1e-30)[:, None]  # [G, D]
    fitted = other.repeat_interleave(at.shared, 0)[:, None]
    left = rms(added - new[..., None] * fitted)
    if keys and same <= 3 * left + EXPLAINED * rms(gained):
        return same, "keys"
    return left, "keys and values" if keys else "values"


def name_dropout(evidence: Evidence, layer: int) -> Named | None:
    """Weights of which some are 0 and all others are larger by one factor, under sums that are the same.

    A query's weights are what makes its output of the values that it sees, as long as these are fewer than their
    dimensions.
    """
    at = attended(evidence, layer)
    if at is None or at.v is None or at.z is None or at.lse is None or at.differs("lse"):
        return None
    weights = (at.own - at.lse[0][..., None]).exp()
    ratios = []
    for head in range(len(weights)):
        values = at.v[head // at.shared]
        for t in range(1, min(values.shape[1] // 2, len(values))):
            own, seen = weights[head, t], weights[head, t] > 0
            spread = torch.linalg.svdvals(values[seen])
            if float(spread[-1]) < 0.01 * float(spread[0]):  # equal tokens may have equal values
                continue
            solved = torch.linalg.lstsq(values[seen].T, at.z[1][head, t][:, None]).solution[:, 0]
            ratios.append((solved / own[seen])[own[seen] > 0.01])
    ratio = torch.cat(ratios) if ratios else at.z[1].new_zeros(0)
    kept = ratio[ratio > HALF]
    if len(ratio) < 20 or not len(kept):
        return None
    factor = float(kept.median())
    dropped = ratio.abs() < 0.05
    steady = dropped | ((ratio / factor - 1).abs() < 0.05)
    if factor < 1.01 or not dropped.any() or float(steady.double().mean()) < 0.95:
        return None
    said = f"weights are 0 at random, and all others {factor:.4g} times as large: dropout is on"
    return "dropout", 1 - 1 / factor, said
