"""From a traced text to matrices ready to draw, with their axes named."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from torch import Tensor

from tlmviz.analysis.streams.mixing import stream
from tlmviz.protocols import LanguageModelLike
from tlmviz.tracing.trace import Trace

from .matrices import SOURCE, Panel
from .placements import placement

if TYPE_CHECKING:
    from .stacks import Stack

ROWS, CELLS = 128, 100_000  # most tokens, and most cells, of one matrix's picture


def thin(length: int, limit: int) -> np.ndarray:
    """At most `limit` evenly spaced positions, the first one included."""
    return np.arange(0, length, -(-length // max(1, limit)))


def input_name(config: Any) -> str:
    """What the input of a sublayer is called."""
    return "x normalised" if config.norm.before else "x"


class Reader:
    """One layer and head of one trace. Shapes are written with the letters of `tlmviz.layers`."""

    part = "attn"  # of the block: which attention the steps are of
    variable = "trace"  # what a snippet calls the trace

    def __init__(self, lm: LanguageModelLike | Stack, trace: Trace, layer: int, head: int):
        self.lm, self.trace, self.layer, self.head = lm, trace, layer, head
        self.config, self.network = lm.config, lm.on_cpu.network
        self.block: Any = self.network.blocks[layer]  # its parts are of the kinds that `config` names
        self.attn = getattr(self.block, self.part)
        self.place = placement(self.config, self.block)
        self.length = len(trace)
        self.key = SOURCE if trace.crosses else "key token"
        self.group = head * lm.config.n_kv_heads // lm.config.n_heads

    def __getitem__(self, part: str) -> Tensor:
        """A tapped tensor of this layer without its batch dimension."""
        return self.trace[f"blocks.{self.layer}.{part}"][0]

    def state(self, part: str) -> Tensor:
        """The residual stream [T, C] at a tap of this layer, or the mean of its streams."""
        return stream(self.trace, f"blocks.{self.layer}.{part}")

    def input(self, which: int) -> tuple[str, str]:
        """The tap that sublayer 1 or 2 reads, and what it is called."""
        return self.place.reads[which - 1], input_name(self.config)

    def normed(self, which: int) -> Tensor:
        """What norm 1 or 2 reads, [T, C]: with several streams, what H_pre makes of them."""
        name = self.place.normed[which - 1]
        if name is None:
            return self.total(which)
        joined = f"join_{('attn', 'mlp')[which - 1]}.read"
        return self[joined] if self.config.connection.kind != "residual" else self[name]

    def total(self, which: int) -> Tensor:
        """The stream right after addition 1 or 2: post-norm blocks tap its norm alone, so it is added again."""
        if self.place.normed[which - 1] is None:
            return self[("resid_pre", "resid_mid")[which - 1]] + self[self.place.added[which - 1]]
        return self.state(("resid_mid", "resid_post")[which - 1])

    @property
    def sees(self) -> str:
        """What a query sees: the "past" of its text, "all" of it, or the "source", another text."""
        return "source" if self.trace.crosses else "past" if self.trace.specs[self.layer].mask.causal else "all"

    def python(self, part: str) -> str:
        """The public expression for a tapped tensor of this layer."""
        return f'{self.variable}["blocks.{self.layer}.{part}"]'

    @property
    def weights(self) -> str:
        """The public expression for the module of this layer's attention."""
        return f"lm.network.blocks[{self.layer}].{self.part}"

    def shape(self, **sizes: int) -> str:
        """ "[B=1, T=31, C=192]": a shape with its axes named."""
        return "[B=1, " + ", ".join(f"{name}={size}" for name, size in sizes.items()) + "]"

    def stream(self, name: str, values: Tensor, limit: float | None = None) -> Panel:
        """A [T, C] matrix of the residual stream's width."""
        return self.panel(name, values, self.shape(T=self.length, C=values.shape[1]), limit=limit)

    def panel(self, name: str, values: Tensor, shape: str, **drawn: Any) -> Panel:
        """Tokens down, columns across; long texts are thinned out, which the note says."""
        count = values.shape[1]
        source = drawn.get("y") == SOURCE
        tokens = self.trace.key_tokens if source else self.trace.tokens
        rows = thin(len(tokens), min(ROWS, max(1, CELLS // count)))
        labels = tuple(tokens[row] for row in rows)
        return Panel(
            name,
            shape,
            values[torch.from_numpy(rows)].float().numpy(),
            rows,
            np.arange(count),
            note=_note(rows),
            row_labels=labels,
            **drawn,
        )

    def of_head(self, name: str, values: Tensor, limit: float, *, shared: bool = False) -> Panel:
        """A [T, D] matrix of the chosen head, or of the key/value head that its group shares."""
        heads, head = (self.config.n_kv_heads, self.group) if shared else (self.config.n_heads, self.head)
        letter, rows = ("S", SOURCE) if shared and self.trace.crosses else ("T", "token")
        shape = self.shape(**{self.letter(shared): heads, letter: len(values), "D": values.shape[1]})
        return self.panel(f"{name}, head {head}", values, shape, x="dimension", y=rows, limit=limit)

    def letter(self, shared: bool) -> str:
        """The head axis: G for key/value heads where they are fewer than the query heads."""
        return "G" if shared and self.config.n_kv_heads != self.config.n_heads else "H"

    def square(self, name: str, values: Tensor, *, kind: str = "signed", note: str = "") -> Panel:
        """A [T, S] map of the chosen head, queries down and keys across; -inf is hidden."""
        where, keys = thin(self.length, ROWS), thin(len(self.trace.key_tokens), ROWS)
        if values.shape[0] == self.length and not note:  # else it was pooled to these rows already
            values = values[torch.from_numpy(where)][:, torch.from_numpy(keys)]
        drawn = values.float().numpy()
        # A pooled cell may hold a visible one beside hidden ones: only what is zero can be hidden.
        hidden = ~self.visible(where, keys) & (drawn == 0) if kind == "probability" else np.isneginf(drawn)
        shape = self.shape(H=self.config.n_heads, T=self.length, S=len(self.trace.key_tokens))
        return Panel(
            f"{name}, head {self.head}",
            shape,
            np.where(hidden, np.float32("nan"), drawn),
            where,
            keys,
            kind,
            x=self.key,
            y="query token",
            note=note or _note(where),
            row_labels=tuple(self.trace.tokens[position] for position in where),
            col_labels=tuple(self.trace.key_tokens[position] for position in keys),
        )

    def visible(self, where: np.ndarray, keys: np.ndarray) -> np.ndarray:
        """Which of these keys each of these positions may look at, [N, M]."""
        if self.sees != "past":
            return np.ones((len(where), len(keys)), bool)
        distance = where[:, None] - keys[None, :]
        window = self.config.layer(self.layer).window
        return (distance >= 0) & (distance < (window or self.length))


def _note(rows: np.ndarray) -> str:
    step = int(rows[1] - rows[0]) if len(rows) > 1 else 1
    return f"1 in {step} tokens drawn" if step > 1 else ""


def spread(*values: Tensor) -> float:
    """One end of a colour scale for several matrices: their 99.5th percentile, so that outliers do not dim the rest."""
    together = torch.cat([value.abs().flatten() for value in values]).float().numpy()
    return float(np.quantile(together, 0.995)) or 1.0
