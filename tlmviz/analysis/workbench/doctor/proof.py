"""What a diagnosis can be seen by: the errors of all steps as a table, and the numbers behind the cause that was
named."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from . import parts, scores
from .diagnosis import Diagnosis
from .evidence import Evidence, Step, distance, projections

POINTS = 3000  # of a scatter, drawn evenly from all
# In a table of cells: seen by both runs, by the second alone, by the first alone; 0 by neither.
BOTH, MORE, LESS = 1, 2, 3


@dataclass(frozen=True, eq=False)
class Proof:
    """The numbers behind a cause. `kind` says which:

    "scores", "sums" (log-sum-exps) and "values": `x` expected and `y` found, [N]; "angles": radians a token
    of each plane, `x` expected and `y` found; "ahead": `y` by how much each plane is ahead and `x` its radians a token;
    "cells": `x` [T, S] of BOTH, MORE, LESS and 0, with `before` columns in front of the text; "shares": `y` [L] or, of
    a fused projection, [3, L], the relative difference behind the same weights in every layer.
    """

    kind: str
    x: np.ndarray
    y: np.ndarray
    before: int = 0


def steps_table(evidence: Evidence) -> tuple[list[str], np.ndarray]:
    """Names of the parts in the order in which they happen, and errors [L + 2, P]: a row for what is in front of the
    layers, one for each layer and one for what is behind; NaN where there is no such step."""
    layers = range(evidence.a.n_layers)
    inside = list(dict.fromkeys(step.part for step in evidence.steps if step.layer is not None))
    front = [step.name for step in evidence.steps if step.name == "embed"]
    behind = [step.name for step in evidence.steps if step.layer is None and step.name != "embed"]
    names = [*front, *inside, *behind]
    table = np.full((len(layers) + 2, len(names)), np.nan)
    for step in evidence.steps:
        row = 0 if step.name in front else len(layers) + 1 if step.layer is None else step.layer + 1
        table[row, names.index(step.part)] = step.error
    return names, table


def proof(evidence: Evidence, said: Diagnosis) -> Proof:
    """The numbers that show what was said; of healthy runs those of the last step."""
    step = evidence.step(said.step or "") or evidence.steps[-1]
    kind = KINDS.get(said.cause)
    shown = kind(evidence, step) if kind else None
    return _values(evidence, step) if shown is None else shown


def _values(evidence: Evidence, step: Step) -> Proof:
    return _scatter("values", step.expected, step.found)


def _sums(evidence: Evidence, step: Step) -> Proof:
    lse = evidence.step(f"blocks.{step.layer}.attn.lse") or step
    return _scatter("sums", lse.expected, lse.found)


def _scores(evidence: Evidence, step: Step) -> Proof | None:
    if step.part not in ("attn.lse", "attn.z"):
        return None
    return _scatter("scores", *scores.scores_of(evidence, step.layer or 0))


def _scatter(kind: str, x: Tensor, y: Tensor) -> Proof:
    both = torch.isfinite(x) & torch.isfinite(y)
    every = max(1, int(both.sum()) // POINTS)
    across, up = (part[both][::every].double().numpy() for part in (x, y))
    return Proof(kind, across, up)


def _cells(evidence: Evidence, step: Step) -> Proof:
    """Which cells both runs see; columns in front of the text, which a mask should have hidden, stand at the left."""
    expected, found = scores.scores_of(evidence, step.layer or 0)
    seen, there = torch.isfinite(expected[0]).numpy(), torch.isfinite(found[0]).numpy()
    table = np.where(seen & there, BOTH, np.where(there, MORE, np.where(seen, LESS, 0)))
    count = 0
    if (seen == there).all() and evidence.beside is not None:
        named = scores.name_cause(evidence, step)
        count = int(named[1]) if named is not None and not isinstance(named[1], str) else 0
        table = np.hstack((np.full((len(table), count), MORE), table))
    return Proof("cells", table, table, count)


def _angles(evidence: Evidence, step: Step) -> Proof | None:
    """How fast every plane turns, radians a token."""
    pair = parts.turnings(evidence, step)
    return None if pair is None else Proof("angles", *(np.abs(turning.slopes) for turning in pair))


def _offset(evidence: Evidence, step: Step) -> Proof | None:
    """By how much every plane of the second run is ahead, and how far each turns in one position."""
    pair = parts.turnings(evidence, step)
    if pair is None:
        return None
    a, b = pair
    return Proof("ahead", a.slopes, np.angle(np.exp(1j * (b.starts - a.starts))))


def _shares(evidence: Evidence, step: Step) -> Proof | None:
    """The relative difference at the same place in every layer."""
    if step.layer is None:
        return None
    beside = [other for other in evidence.steps if other.part == step.part]
    if step.part != "attn.fused":
        return Proof("shares", np.arange(len(beside)), np.array([other.error for other in beside]))
    fused = (projections(evidence.b, other.name, other.expected, other.found) for other in beside)
    shares = [[distance(*pair) for pair in parts.values()] for parts in fused]
    return Proof("shares", np.arange(len(beside)), np.array(shares).T)


KINDS: dict[str, Callable[[Evidence, Step], Proof | None]] = {
    "scale": _scores,
    "soft-cap": _scores,
    "alibi slopes": _scores,
    "causal mask": _cells,
    "mask offset": _cells,
    "window": _cells,
    "padding": _cells,
    "documents": _cells,
    "rope base": _angles,
    "rope scaling": _angles,
    "rope missing": _angles,
    "position offset": _offset,
    "sink": _sums,
    "weights": _shares,
    "bias": _shares,
    "norm gain": _shares,
}
