"""What was done between scores and weighted sum: cells seen, factors, bounds, distances, sinks, groups."""

from __future__ import annotations

import torch
from scipy.optimize import minimize_scalar
from torch import Tensor

from . import attending
from .attending import LSE, name_dropout, name_heads, name_stale
from .evidence import EXPLAINED, Evidence, Named, Step, distance, rms, scored
from .parts import nearest_cap


def scores_of(evidence: Evidence, layer: int) -> tuple[Tensor, Tensor]:
    """Masked scores [H, T, S] of the second run's queries and keys: as the first model scores them, and as is inferred,
    or else declared, that its own does."""
    expected, declared = declared_scores(evidence, layer)
    inferred = attending.infer(evidence, layer)
    return expected, declared if inferred is None else inferred[1]


def declared_scores(evidence: Evidence, layer: int) -> tuple[Tensor, Tensor]:
    """Masked scores [H, T, S] of the second run's queries and keys: as the first model scores them, and as its own says
    that it does."""
    q, k = (evidence.b[f"blocks.{layer}.attn.{part}"] for part in "qk")
    return scored(evidence.a.specs[layer], q, k), scored(evidence.b.specs[layer], q, k)


def name_cause(evidence: Evidence, step: Step) -> Named | None:
    """The cause of a difference at "attn.lse" or "attn.z", where queries, keys and values were the same."""
    assert step.layer is not None
    inferred = attending.infer(evidence, step.layer)
    if inferred is not None:
        return inferred[0]
    expected, found = declared_scores(evidence, step.layer)
    if not torch.equal(expected, found) and attending.explains(evidence, step.layer, found):
        named = _name_declared(expected, found, evidence.rounding)
        if named is not None:
            return named
    rules = _name_beside, _name_unturned, _name_sink, name_heads, name_stale, name_dropout
    return next(filter(None, (rule(evidence, step.layer) for rule in rules)), None)


def _name_declared(expected: Tensor, found: Tensor, rounding: float) -> Named | None:
    """What the second run's own trace says of its masks and scores."""
    seen, seen_there = torch.isfinite(expected), torch.isfinite(found)
    if not torch.equal(seen, seen_there):
        return name_mask(seen[0], seen_there[0])
    both = seen & seen_there
    if distance(expected[both], found[both]) > rounding:
        return _name_scores(expected, found, both, rounding)
    return None


def name_mask(seen: Tensor, there: Tensor) -> Named | None:
    """Which cells [T, S] the second run sees more or less, told as the mask that makes them."""
    more, less = there & ~seen, seen & ~there
    cells = f"{int(more.sum())} cells seen more, {int(less.sum())} less"
    if more.triu(1).any():
        return "causal mask", "lost", f"queries see later keys; {cells}"
    window, other = _window(seen), _window(there)
    if window is not None and other is not None and window != other:
        was, now = (f"{w}" if w < len(seen) else "no window" for w in (window, other))
        value = float(other) if other < len(seen) else "none"
        return "window", value, f"{now} where {was} was expected; {cells}"
    hidden, others = _hidden_columns(seen), _hidden_columns(there)
    if hidden is not None and others is not None and hidden != others:
        which, how = sorted({*hidden} ^ {*others}), "hidden" if {*others} - {*hidden} else "seen"
        return "padding", float(len(which)), f"columns {which[:8]} are {how} throughout; {cells}"
    first, others = _documents(seen), _documents(there)
    if first is not None and others is not None and first != others:
        return "documents", float(len(first)), f"documents begin at {first} and {others}; {cells}"
    return None


def _window(seen: Tensor) -> int | None:
    """The window of a causal mask: its size, T where it has none, None where it is no window."""
    size = int(seen.sum(1).max())
    return size if torch.equal(seen, torch.ones_like(seen).tril().triu(1 - size)) else None


def _hidden_columns(seen: Tensor) -> list[int] | None:
    """Columns that no query but its own sees of a causal mask; None where that does not make the mask."""
    hidden = [c for c in range(seen.shape[1]) if not seen[c + 1 :, c].any() and len(seen) > c + 1]
    made = torch.ones_like(seen).tril()
    made[:, hidden] = False
    rows = [r for r in range(len(seen)) if r not in hidden]
    return hidden if torch.equal(seen[rows], made[rows]) else None


def _documents(seen: Tensor) -> list[int] | None:
    """First positions of packed texts; None where the mask is not causal within blocks."""
    first = seen.int().argmax(1)
    made = (first[:, None] == first).tril()
    return sorted(set(first.tolist())) if torch.equal(seen, made) else None


def _name_scores(expected: Tensor, found: Tensor, both: Tensor, rounding: float) -> Named | None:
    """Scores that see the same cells and have other numbers."""
    x, y = expected[both], found[both]
    factor, cap = float((x * y).sum() / (x * x).sum()), nearest_cap(y, x)
    trials: list[tuple[Tensor, Named]] = [(factor * x, ("scale", factor, f"scores all times {factor:.5g}"))]
    if float(y.abs().max()) <= cap * 1.001:
        said = f"scores bounded by {cap:.4g} * tanh(score / {cap:.4g})"
        trials.append((cap * torch.tanh(x / cap), ("soft-cap", cap, said)))
    rows = torch.arange(expected.shape[1], dtype=torch.double)
    apart, gap = (rows[:, None] - rows) * both, (expected - found).where(both, 0.0)
    slopes = (apart * gap).sum((1, 2)) / apart.square().sum((1, 2)).clamp(min=1)
    said = "scores differ by a slope times the distance, head by head"
    made = (expected - slopes[:, None, None] * apart)[both]
    trials.append((made, ("alibi slopes", max(slopes.tolist(), key=abs), said)))
    left, named = min(((rms(y - made), named) for made, named in trials), key=lambda trial: trial[0])
    return named if left <= EXPLAINED * rms(y - x) + rounding * rms(x) else None


def _name_beside(evidence: Evidence, layer: int) -> Named | None:
    """Keys in front of the text, padding or another text, that its queries saw: their number makes the sums of
    exp(score)."""
    beside, step = evidence.beside, evidence.step(f"blocks.{layer}.attn.lse")
    if beside is None or step is None or step.error <= LSE or not beside.keys[layer].shape[2]:
        return None
    keys = torch.cat((beside.keys[layer], evidence.b[f"blocks.{layer}.attn.k"]), 2)
    scores = _scored(evidence, layer, keys)
    found, count = step.found[0].double(), beside.keys[layer].shape[2]
    misses = [rms(scores[..., count - seen :].logsumexp(-1) - found) for seen in range(1, count + 1)]
    best = min(range(count), key=misses.__getitem__)
    if misses[best] > _allowed(evidence, step):
        return None
    what = {"padding": "of padding", "documents": "of the text in front"}[beside.cause]
    return (beside.cause, float(best + 1), f"queries see {best + 1} columns {what}: their scores join every sum")


def _name_unturned(evidence: Evidence, layer: int) -> Named | None:
    """Keys that were not turned when they were read, though they were when they were made: as a cache of unrotated keys
    has them. The newest key may come from the layer and not from the cache."""
    step, fused = (evidence.step(f"blocks.{layer}.attn.{part}") for part in ("lse", "fused"))
    if step is None or fused is None or step.error <= LSE:
        return None
    turned = evidence.b[f"blocks.{layer}.attn.k"]
    _, groups, _, d = turned.shape
    heads = evidence.b[f"blocks.{layer}.attn.q"].shape[1]
    raw = fused.found[0].unflatten(-1, (-1, d)).transpose(0, 1)[None, heads : heads + groups]
    if raw.shape != turned.shape:
        return None
    unturned, honest = (_scored(evidence, layer, keys) for keys in (raw, turned))
    newest = torch.eye(unturned.shape[1], dtype=torch.bool)
    for scores in (unturned, torch.where(newest, honest, unturned)):
        if rms(scores.logsumexp(-1) - step.found[0]) <= _allowed(evidence, step):
            return "rope missing", 0.0, "keys are turned when they are made, and were not when they were read"
    return None


def _scored(evidence: Evidence, layer: int, keys: Tensor) -> Tensor:
    """Masked scores [H, T, S] of the second run's queries and any keys, the last of which are the text's own."""
    return scored(evidence.b.specs[layer], evidence.b[f"blocks.{layer}.attn.q"], keys)


def _allowed(evidence: Evidence, step: Step) -> float:
    """How far log-sum-exps may stay apart behind an explanation: a share of the difference, and what rounding
    leaves."""
    x, y = step.pair
    return EXPLAINED * rms(x - y) + attending.usual(evidence, step, evidence.rounding) * rms(x)


def _name_sink(evidence: Evidence, layer: int) -> Named | None:
    """Scores that are the same under larger or smaller denominators: a logit that only joins the softmax's sum."""
    step = evidence.step(f"blocks.{layer}.attn.lse")
    if step is None or step.error <= LSE:
        return None
    x, y = step.pair  # [H, T]
    z = evidence.step(f"blocks.{layer}.attn.z")
    if z is not None:  # of an output, a larger sum leaves a smaller share and nothing else
        made = z.expected[0].double() * (x - y).exp()[..., None]
        if distance(made, z.found[0]) > EXPLAINED * z.error + 4 * evidence.rounding:
            return None
    gained = bool((y - x).mean() > 0)
    small, large = (x, y) if gained else (y, x)

    def missed(sink: float) -> float:
        return rms(torch.logaddexp(small, torch.full_like(small, sink)) - large)

    best = minimize_scalar(missed, bounds=(-20.0, 40.0), method="bounded", options={"xatol": 1e-5})
    sign = "has" if gained else "lacks"
    if best.fun > _allowed(evidence, step):
        return _sinks_of_heads(small, large, sign)
    said = f"same scores, other denominators: the second run {sign} a sink of logit {best.x:.4g}"
    return "sink", float(best.x), said


def _sinks_of_heads(small: Tensor, large: Tensor, sign: str) -> Named | None:
    """Sinks that differ between heads: in each, what joins the sum is the same for every query."""
    added = large.exp() - small.exp()  # [H, T]
    steady = added.std(-1) / added.abs().mean(-1).clamp(min=1e-300)
    if float(steady.max()) > 0.05:
        return None
    logits = added.abs().mean(-1).log()
    named = ", ".join(f"{value:.3g}" for value in logits[:6].tolist())
    said = f"other denominators: the second run {sign} sinks, of logits {named} by head"
    return "sink", float(logits.median()), said
