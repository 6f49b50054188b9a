"""One token's row of every step's main tensor: what a token is on its way through one layer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from .matrices import SOURCE, Panel, Step
from .placements import ATTENTION, CROSS, MLP

MAIN = {"heads": 0, "split": 0, "RoPE": 1}  # the panel that is followed: the query's; of other steps the last one

# The step that ends a sublayer -> the sublayer.
SUBLAYERS = {"add 1": ATTENTION, "add cross": CROSS, "add 2": MLP}


@dataclass(frozen=True)
class Row:
    """One token's row of a step: its numbers [N], NaN where hidden, and where each stands in the full tensor.

    `cells` are the places of the numbers among the columns that the step's product offers; none without a product.
    """

    name: str
    what: str
    inside: str  # "attention", "cross-attention", "MLP", or nothing on the stream
    kind: str
    x: str
    values: Float[np.ndarray, " n"]
    places: np.ndarray
    labels: tuple[str, ...]
    product: bool
    token: int  # whose row it is: of a long text the nearest before that is drawn


def rows_of(steps: Sequence[Step], position: int) -> list[Row]:
    """The rows of all steps that have a matrix with a row for the token, in order."""
    return [
        _row(step, position, part)
        for step, part in zip(steps, inside([step.name for step in steps]))
        if step.panels and main_panel(step).y != SOURCE
    ]


def offered(step: Step, cell: int) -> int | None:
    """The place of a row's cell among the columns of the step's product; None where there is no product of it."""
    if step.product is None:
        return None
    panel = main_panel(step)
    offset = step.product.out.shape[1] - len(panel.cols) if step.name == "up" else 0  # the gate's columns come first
    columns = step.product.columns
    if len(columns) == len(panel.cols):
        return cell
    column = int(panel.cols[cell]) + offset
    return columns.index(column) if column in columns else None


def main_panel(step: Step) -> Panel:
    """The matrix whose row is followed."""
    return step.panels[MAIN.get(step.name, -1)]


def _row(step: Step, position: int, inside: str) -> Row:
    panel = main_panel(step)
    place = int(np.searchsorted(panel.rows, position, side="right")) - 1
    labels: tuple[str, ...] = ()
    if panel.x in ("key token", SOURCE):
        labels = panel.col_labels
    elif step.name == "logits":
        labels = panel.col_labels or (() if step.product is None else step.product.labels)
    return Row(
        step.name,
        panel.name,
        inside,
        panel.kind,
        panel.x,
        panel.values[place],
        panel.cols,
        labels,
        step.product is not None,
        int(panel.rows[place]),
    )


def inside(names: Sequence[str]) -> list[str]:
    """Which sublayer each step is part of: what lies between two additions; the additions are on the stream."""
    ends = {names.index(end): part for end, part in SUBLAYERS.items() if end in names}
    parts = [next((part for end, part in ends.items() if 0 < k < end), "") for k in range(len(names))]
    parts = ["" if k in ends else part for k, part in enumerate(parts)]
    # Post-norm: it normalises the stream itself.
    if "norm 1" in names and names.index("add 1") < names.index("norm 1"):
        parts[names.index("norm 1")] = ""
    return parts
