"""Runs of which only what enters attention is known: queries, keys, values, log-sum-exps and logits, as files hold.

What was done is applied to what the first run has, in all of queries, keys and values that differ, and must make the
second's.
"""

from __future__ import annotations

from collections.abc import Iterator

import torch
from torch import Tensor

from . import layers, parts, scores
from .evidence import CLEAR, EXPLAINED, Evidence, Named, Step, distance, relaid

SPARE = 3  # positions more than weights have rows: from then on not everything is a product with some


def name_entering(evidence: Evidence, step: Step) -> Named | None:
    """Of the first layer that differs: what makes all of q, k and v that do. Where only logits do, the cause lies
    behind the last attention: a factor, a bound and an offset show in them, weights and norms do not."""
    if step.name == "logits" or step.layer is None:
        named = parts.name_logits(evidence, step)
        return named if named is not None and named[0].startswith("logit") else None
    steps = {part: evidence.step(f"blocks.{step.layer}.attn.{part}") for part in "qkv"}
    off = {part: other for part, other in steps.items() if other is not None and evidence.stands_out(other)}
    if not off:
        return scores.name_cause(evidence, step)
    rules = _name_heads, _name_moved, layers.name_unnormed, _name_each
    return next(filter(None, (rule(evidence, off) for rule in rules)), None)


def _heads_of(evidence: Evidence, step: Step) -> tuple[list[int], list[int]] | None:
    """Of each query head, which group of equal heads it should read and which it does; None where it is none of
    them."""
    heads = evidence.a.n_heads
    x, y = (
        part[0].repeat_interleave(heads // part.shape[1], 0).flatten(1).double() for part in (step.expected, step.found)
    )
    allowed = CLEAR * evidence.rounding * x.norm(dim=-1)
    same, found = torch.cdist(x, x) <= allowed, torch.cdist(y, x) <= allowed
    first = same.int().argmax(-1)
    group = (first[:, None] > first.unique()).sum(-1)  # number of its first head among all firsts
    return (group.tolist(), group[found.int().argmax(-1)].tolist()) if bool(found.any(-1).all()) else None


def _name_heads(evidence: Evidence, off: dict[str, Step]) -> Named | None:
    """Heads in another order, or keys and values that other query heads read, as tiled groups in place of repeated ones
    make."""
    orders = [_heads_of(evidence, step) for step in off.values()]
    (own, read), others = orders[0] or ([], []), orders[1:]
    if "q" in off:
        fits = all(order is not None and order[1] == [order[0][h] for h in read] for order in others)
        said = f"{', '.join(off)} have their heads in the order {read}"
        return ("head order", str(read), said) if read and fits else None
    if not read or any(order != (own, read) for order in others):
        return None
    moved = float(sum(mine != other for mine, other in zip(own, read)))
    first = next(iter(off.values()))
    alone = {"attn.k": "key heads", "attn.v": "value heads"}[first.part]
    what = alone if len(off) == 1 and evidence.step(first.name[:-1] + "v") else "key/value groups"
    return what, moved, f"query heads read {' and '.join(off)} of groups {read}, expected {own}"


def _name_moved(evidence: Evidence, off: dict[str, Step]) -> Named | None:
    """Positions that count what stands in front of the text as well."""
    names = {step.name: step.found for step in off.values()}
    return parts.name_positions(evidence, names) if next(iter(off.values())).layer == 0 else None


def _name_each(evidence: Evidence, off: dict[str, Step]) -> Named | None:
    """One cause, with one value, of each of q, k and v that differ."""
    named = {part: _name_one(evidence, part, step) for part, step in off.items()}
    first = next(iter(named.values()))
    if first is None or any(other is None or not _alike(first, other) for other in named.values()):
        return None
    if first[0] == "weights":
        names = " and ".join(f"W_{part.upper()}" for part in off)
        return "weights", names, f"{names}: another product of the same input"
    return first


def _alike(one: Named, other: Named) -> bool:
    """Of numbers that say how large a difference is, and not what makes it, each part has its own."""
    same = one[0] in ("bias", "weights", "qk-norm")
    if isinstance(one[1], float) and isinstance(other[1], float):
        same = same or abs(one[1] - other[1]) <= 0.02 * abs(one[1])
    return one[0] == other[0] and (same or one[1] == other[1])


def _name_one(evidence: Evidence, part: str, step: Step) -> Named | None:
    """What makes queries, keys or values: another rotation or norm, one vector for all positions, other weights."""
    if part == "v":
        return parts.name_values(evidence, step) or _name_made(evidence, step, *step.pair)
    named = parts.name_turned(evidence, step)
    if named is None:
        for _before, y, turning, _other in parts.turnings_of(evidence, step, fits=False):
            back = (turning.applied(each, back=True) for each in (step.expected[0], y))
            return _name_made(evidence, step, *back)
    return named


def _name_made(evidence: Evidence, step: Step, expected: Tensor, found: Tensor) -> Named | None:
    """What projections [H, T, D] made: a vector more at every position, or another product of the same normed stream,
    where that has more different positions than dimensions."""
    x, y = (part.transpose(0, 1).flatten(1)[None].double() for part in (expected, found))
    bias = parts.name_bias(x, y, evidence.rounding)
    if bias is not None:
        return "bias", bias, "the projections add another vector at every position"
    name = f"blocks.{step.layer}.normed_attn"
    if not evidence.a.has_network or name not in evidence.a.tap_names:
        return None
    read = evidence.a[name][0].double()
    different = len(torch.unique((read / read.abs().max()).mul(1e4).round(), dim=0))
    made = read @ torch.linalg.lstsq(read, y[0], driver="gelsd").solution
    if different < read.shape[1] + SPARE or distance(made, y[0]) > CLEAR * evidence.rounding:
        return None
    return "weights", f"W_{step.part[-1].upper()}", "another product of the same input"


def offsets(evidence: Evidence) -> Iterator[tuple[Step, Named]]:
    """Queries that all stand some positions further, with keys that do too: of RoPE the scores, and so all else, are
    the same."""
    pair = relaid(evidence.a, evidence.b, 0, evidence.rounding).get("q")
    if pair is None or pair[0].shape != pair[1].shape or distance(*pair) <= EXPLAINED:
        return
    step = Step("blocks.0.attn.q", *pair, distance(*pair))
    named = parts.name_turned(evidence, step)
    if named is not None and named[0] == "position offset":
        yield step, named
