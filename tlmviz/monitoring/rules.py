"""What in a table of head statistics is worth a sentence: rules by name, each a function of the table alone.

A table has a line per step, layer and head, sorted so, with the columns of `COLUMNS`; every step has the same heads. A
rule tells each head once, at the first step at which it holds. A state counts when it lasted for `times` measurements
in a row: one batch or one unlucky step fires nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from jaxtyping import Bool, Float

if TYPE_CHECKING:
    import pandas as pd

Rule = Callable[["pd.DataFrame"], "list[Event]"]


@dataclass(frozen=True)
class Event:
    """A rule that fired: of which head and when, in one sentence. Where a whole model is meant, layer and head are
    None."""

    rule: str
    layer: int | None
    head: int | None
    step: int
    sentence: str

    @property
    def name(self) -> str:
        """The head, "L5H4"; empty for a whole model."""
        return "" if self.layer is None else f"L{self.layer}H{self.head}"


def entropy_collapse(table: pd.DataFrame, below: float = 0.15, times: int = 3) -> list[Event]:
    """Heads whose rows have come to one key each: mean entropy below `below` bits (0.15 bits are 0.1 nats).

    Heads that put half their mass on the query's own token, on the one before, or on what followed an earlier copy, are
    left out: one key a row is what they are for, and healthy trainings come to it. Source: Zhai et al. 2023,
    "Stabilizing Transformer Training by Preventing Attention Entropy Collapse".
    """
    entropy = _wide(table, "entropy")
    meant = [_wide(table, name) > 0.5 for name in ("self", "previous", "induction")]
    holds = (entropy < below) & ~np.any(meant, 0)
    return _events(
        table,
        "entropy collapse",
        _lasting(holds, times),
        lambda at, head, name: (
            f"The entropy of {name} has been below {below:g} bits since step {_since(table, at, times)}; "
            f"it is {entropy[at, head]:.3f}."
        ),
    )


def logits_growing(table: pd.DataFrame, above: float = 50.0, factor: float = 2.0, times: int = 3) -> list[Event]:
    """Heads whose largest score passed `above` and is `factor` times what it was `times` measurements before.

    Source: Dehghani et al. 2023, "Scaling Vision Transformers to 22 Billion Parameters", section 3.1.
    """
    largest = _wide(table, "max_logit")
    before = largest[np.maximum(np.arange(len(largest)) - times, 0)]
    holds = (largest > above) & (largest > factor * np.maximum(before, 0))
    return _events(
        table,
        "logits growing",
        holds,
        lambda at, head, name: (
            f"The largest score of {name} is {largest[at, head]:.0f} at step {_step(table, at)}; "
            f"at step {_step(table, max(at - times, 0))} it was {before[at, head]:.1f}."
        ),
    )


def sink_forming(table: pd.DataFrame, above: float = 0.5, rise: float = 0.25, times: int = 3) -> list[Event]:
    """Heads that put more than `above` of their mass on the first token, `rise` more than at the first measurement.

    Many healthy models have such heads; see notes 000 and Xiao et al. 2023, "Efficient Streaming Language Models with
    Attention Sinks".
    """
    sink = _wide(table, "sink")
    holds = (sink > above) & (sink > sink[:1] + rise)
    return _events(
        table,
        "sink forming",
        _lasting(holds, times),
        lambda at, head, name: (
            f"{name} puts {sink[at, head]:.0%} of its mass on the first token; at step {_step(table, 0)} it was "
            f"{sink[0, head]:.0%}."
        ),
    )


def head_dead(table: pd.DataFrame, share: float = 0.01, times: int = 3) -> list[Event]:
    """Heads whose output has a norm below `share` of the median head's, now or at any step before."""
    norm = _wide(table, "output_norm")
    usual = np.maximum.accumulate(np.nanmedian(norm, 1))[:, None]
    return _events(
        table,
        "head dead",
        _lasting(norm < share * usual, times),
        lambda at, head, name: (
            f"The output of {name} has a norm of {norm[at, head]:.2g} since step {_since(table, at, times)}, "
            f"{norm[at, head] / usual[at, 0]:.1%} of the median head's."
        ),
    )


def turned_induction(table: pd.DataFrame, above: float = 0.5, rise: float = 0.25, times: int = 3) -> list[Event]:
    """Heads that came to look at what followed an earlier copy of their token; good news.

    Source: Olsson et al. 2022, "In-context Learning and Induction Heads".
    """
    induction = _wide(table, "induction")
    holds = (induction > above) & (induction > induction[:1] + rise)
    return _events(
        table,
        "turned induction",
        _lasting(holds, times),
        lambda at, head, name: (
            f"{name} is an induction head since step {_since(table, at, times)}: {induction[at, head]:.0%} of its mass "
            "is on tokens that followed an earlier copy."
        ),
    )


RULES: Mapping[str, Rule] = {
    "entropy collapse": entropy_collapse,
    "logits growing": logits_growing,
    "sink forming": sink_forming,
    "head dead": head_dead,
    "turned induction": turned_induction,
}


# --- parts ---------------------------------------------------------------------------------------


def _steps(table: pd.DataFrame) -> np.ndarray:
    """The steps of a table whose every step has as many lines as the first one."""
    every: np.ndarray = table["step"].to_numpy()
    return every[:: int(np.searchsorted(every, every[0], side="right"))]


def _step(table: pd.DataFrame, at: int) -> int:
    return int(_steps(table)[at])


def _since(table: pd.DataFrame, at: int, times: int) -> int:
    """The step at which a state began that has lasted for `times` measurements."""
    return _step(table, at - times + 1)


def _wide(table: pd.DataFrame, column: str) -> Float[np.ndarray, "s n"]:
    """A column as measurements by heads."""
    wide: np.ndarray = table[column].to_numpy(dtype=np.float64).reshape(len(_steps(table)), -1)
    return wide


def _lasting(holds: Bool[np.ndarray, "s n"], times: int) -> Bool[np.ndarray, "s n"]:
    """Where a state holds and held in the `times` - 1 measurements before."""
    lasting = np.zeros_like(holds)
    if len(holds) >= times:
        windows = np.lib.stride_tricks.sliding_window_view(holds, times, axis=0)
        lasting[times - 1 :] = windows.all(-1)
    return lasting


def _events(
    table: pd.DataFrame, rule: str, holds: Bool[np.ndarray, "s n"], sentence: Callable[[int, int, str], str]
) -> list[Event]:
    """An event for each head at the first measurement at which `holds`, in the order of steps."""
    heads = holds.shape[1]
    layer, head = (table[name].to_numpy()[:heads] for name in ("layer", "head"))
    found = []
    for number in np.flatnonzero(holds.any(0)):
        at, n = int(holds[:, number].argmax()), int(number)
        place = int(layer[n]), int(head[n])
        said = sentence(at, n, f"L{place[0]}H{place[1]}")
        found.append(Event(rule, *place, _step(table, at), said))
    return sorted(found, key=lambda event: event.step)
