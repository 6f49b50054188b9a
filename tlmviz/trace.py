"""What a recorded forward pass leaves: the trace.

An attention map is a view, not a tensor. A trace keeps q, k, v and each row's
log-sum-exp, O(T) memory, and recomputes any part of any map exactly when asked:
p = exp(q.k * scale + bias - lse).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
import torch
from jaxtyping import Float
from torch import Tensor

from . import kernels
from .errors import UnknownName
from .kernels import AttentionMask
from .recording import Edit, Recording, Tap, name_taps, recording

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["AttentionSpec", "Edit", "Recording", "Tap", "Trace", "keep_attention", "name_taps", "recording"]
STAGES = ("dot", "scaled", "masked", "softmax")


@dataclass(frozen=True)
class AttentionSpec:
    """What besides q and k decides a layer's map: the scale, and the mask with its bias."""

    scale: float
    mask: AttentionMask = AttentionMask()

    def detached(self) -> AttentionSpec:
        """The same without gradients, which a view of what was computed does not need."""
        return replace(self, mask=self.mask.detached())


KEPT_PER_LAYER = ("q", "k", "v", "lse")


def keep_attention(name: str) -> bool:
    """What a trace holds by default: each layer's q, k, v and lse, and the logits."""
    return name.rpartition(".")[2] in (*KEPT_PER_LAYER, "logits")


class Trace:
    """One text's way through a model: tokens, logits, and every attention map as a view.

    Made by `lm.trace(text)`. `rerun(names)` repeats the same pass and returns other tensors,
    so that any tapped name can be asked for without having been kept.
    """

    def __init__(
        self,
        ids: list[int],
        tokens: list[str],
        record: Recording,
        specs: list[AttentionSpec],
        tap_names: frozenset[str],
        rerun: Callable[[Callable[[str], bool]], Recording],
    ):
        self.ids = ids
        self.tokens = tokens
        self.specs = [spec.detached() for spec in specs]
        self.tap_names = tap_names
        self._record = record
        self._rerun = rerun
        self._statistics: dict[str, np.ndarray] | None = None

    # --- sizes -------------------------------------------------------------------------------

    def __len__(self) -> int:
        return len(self.ids)

    @property
    def n_layers(self) -> int:
        """Number of attention layers."""
        return len(self.specs)

    @property
    def n_heads(self) -> int:
        """Number of query heads, H."""
        return self["blocks.0.attn.q"].shape[1]

    # --- tensors -----------------------------------------------------------------------------

    def __getitem__(self, name: str) -> Tensor:
        """A tapped tensor, batch dimension first ([1, H, T, D] for q). Raises UnknownName."""
        value = self._record.values.get(name)
        if value is not None:
            return value
        if name not in self.tap_names:
            examples = ", ".join(sorted(self.tap_names)[:4])
            raise UnknownName(
                f"There is no tensor named {name!r} in this model; some that exist: {examples}."
            )
        return self.tensors([name])[name]

    def tensors(self, names: list[str]) -> dict[str, Tensor]:
        """Several tapped tensors by name, with at most one further forward pass for those not kept."""
        missing = {name for name in names if name not in self._record.values}
        if missing:
            self._record.values.update(self._rerun(missing.__contains__).values)
        return {name: self[name] for name in names}

    @property
    def logits(self) -> Float[Tensor, "t v"]:
        """Next-token logits at every position, [T, V]."""
        return self["logits"][0]

    def probabilities(self, position: int = -1, temperature: float = 1.0) -> Float[Tensor, " v"]:
        """Next-token probabilities after one position, [V]. Temperature 0 puts everything on the largest logit."""
        logits = self.logits[position].float()
        if temperature <= 0:
            return torch.nn.functional.one_hot(logits.argmax(), logits.numel()).float()
        return torch.softmax(logits / temperature, dim=-1)

    def loss_per_token(self) -> Float[Tensor, " t_minus_1"]:
        """-log p of each next token in nats, [T - 1]: entry i is the loss of token i + 1."""
        if len(self) < 2:
            return torch.zeros(0)
        targets = torch.tensor(self.ids[1:], device=self.logits.device)
        return torch.nn.functional.cross_entropy(self.logits[:-1].float(), targets, reduction="none")

    # --- maps --------------------------------------------------------------------------------

    def qk(self, layer: int, head: int) -> tuple[Tensor, Tensor, Tensor]:
        """q [T, D], k [S, D] and lse [T] of one head; with GQA, k is its group's."""
        _existing("layer", layer, self.n_layers)
        q, k = self[f"blocks.{layer}.attn.q"], self[f"blocks.{layer}.attn.k"]
        group = _existing("head", head, q.shape[1]) * k.shape[1] // q.shape[1]
        return q[0, head], k[0, group], self[f"blocks.{layer}.attn.lse"][0, head]

    def batches(self) -> Iterator[tuple[Tensor, Tensor, Tensor, AttentionSpec]]:
        """q, k, lse and their spec, layers in the batch dimension.

        All layers at once for short texts with one kind of layer, where the cost is the number of
        calls; layer by layer for long ones, where it is memory.
        """
        q, k, lse = (
            [self[f"blocks.{i}.attn.{part}"] for i in range(self.n_layers)] for part in ("q", "k", "lse")
        )
        kinds = {
            (spec.scale, spec.mask.causal, spec.mask.window, id(spec.mask.slopes), id(spec.mask.relative))
            for spec in self.specs
        }
        if len(self) <= 256 and len(kinds) == 1:
            yield torch.cat(q), torch.cat(k), torch.cat(lse), self.specs[0]
        else:
            yield from zip(q, k, lse, self.specs)

    def _mask_of(self, layer: int, head: int) -> AttentionMask:
        return self.specs[layer].mask.of_heads(slice(head, head + 1))

    def scores(self, layer: int, head: int, stage: str = "scaled") -> Float[Tensor, "t s"]:
        """One head's map before the softmax: "dot" is q.k, "scaled" adds scale and bias, "masked" hides the future."""
        if stage not in STAGES:
            raise UnknownName(f"There is no stage {stage!r}; choose one of {', '.join(STAGES)}.")
        if stage == "softmax":
            return self.attention(layer, head)
        q, k, _ = self.qk(layer, head)
        if stage == "dot":
            return q @ k.T
        mask = self._mask_of(layer, head)
        if stage == "scaled":
            mask = replace(mask, causal=False, window=None)
        return kernels.attention_scores(q[None, None], k[None, None], mask, scale=self.specs[layer].scale)[
            0, 0
        ]

    def attention(
        self, layer: int, head: int, rows: slice = slice(None), cols: slice = slice(None)
    ) -> Float[Tensor, "t s"]:
        """One head's attention probabilities, exact, computed now: [T, T] or the tile rows x cols."""
        q, k, lse = self.qk(layer, head)
        one_head, scale = (q[None, None], k[None, None], lse[None, None]), self.specs[layer].scale
        tile = kernels.attention_map(
            *one_head, self._mask_of(layer, head), rows=rows, cols=cols, scale=scale
        )[0, 0]
        replaced = self._record.rows.get((layer, head))
        if replaced:
            shown = range(*rows.indices(q.shape[0]))
            for row, weights in replaced.items():
                if row in shown:
                    tile[shown.index(row)] = weights[cols]
        return tile

    def pooled(self, layer: int, head: int, size: int = 64, reduce: str = "max") -> Float[Tensor, "n n"]:
        """A size x size picture of one head's map at any T, without forming [T, T]."""
        q, k, lse = self.qk(layer, head)
        replaced = self._record.rows.get((layer, head), {})
        if replaced:
            lse = lse.clone()
            lse[list(replaced)] = torch.inf  # weight 0 everywhere: the row is put in below
        picture = kernels.pooled_attention_map(
            q[None, None],
            k[None, None],
            lse[None, None],
            self._mask_of(layer, head),
            size=size,
            reduce=reduce,
            scale=self.specs[layer].scale,
        )[0, 0]
        for row, weights in replaced.items():
            _pool_row(picture, row, weights, reduce)
        return picture

    def overview(self, size: int = 64, reduce: str = "max") -> Float[Tensor, "l h n n"]:
        """Every head's pooled picture, [L, H, size, size]."""
        pictures = torch.cat(
            [
                kernels.pooled_attention_map(q, k, lse, spec.mask, size=size, reduce=reduce, scale=spec.scale)
                for q, k, lse, spec in self.batches()
            ]
        )
        for layer, head in self._record.rows:
            pictures[layer, head] = self.pooled(layer, head, size, reduce)
        return pictures

    def row(self, position: int) -> Float[Tensor, "l h s"]:
        """What every head attends to from one position, [L, H, S]."""
        position = range(len(self))[position]
        rows = slice(position, position + 1)
        tiles = [
            kernels.attention_map(q, k, lse, spec.mask, rows=rows, scale=spec.scale)
            for q, k, lse, spec in self.batches()
        ]
        every = torch.cat(tiles)[:, :, 0]
        for (layer, head), replaced in self._record.rows.items():
            if position in replaced:
                every[layer, head] = replaced[position]
        return every

    def head_statistics(self) -> pd.DataFrame:
        """One line per head, averaged over query positions from the second on.

        Columns: layer, head, entropy (bits), sink (mass on the first token), self (mass on
        the query's own token), previous (mass on the token before), induction (mass on tokens
        that followed an earlier copy of the query's token; NaN when nothing repeats),
        distance (mean tokens back), peak (largest weight).
        """
        import pandas as pd  # late, as everywhere on the road to the first page: it costs half a second

        layer, head = np.divmod(np.arange(self.n_layers * self.n_heads), self.n_heads)
        return pd.DataFrame({"layer": layer, "head": head, **self.statistics()})

    def statistics(self) -> dict[str, np.ndarray]:
        """The columns of `head_statistics` but layer and head, [L * H] each, shared: not to be changed."""
        if self._statistics is None:
            ids = torch.tensor(self.ids, device=self.logits.device)
            parts = [
                kernels.head_statistics(q, k, lse, spec.mask, ids=ids, scale=spec.scale)
                for q, k, lse, spec in self.batches()
            ]
            rows = {name: torch.cat([part[name] for part in parts]) for name in parts[0]}  # [L, H, T] each
            for (layer, head), replaced in self._record.rows.items():
                for row, weights in replaced.items():
                    for name, value in _row_statistics(weights, row, ids).items():
                        rows[name][layer, head, row] = value
            first = min(1, len(self) - 1)  # row 0 sees only itself and would dilute every mean
            columns = {
                name: values[:, :, first:].nanmean(-1).flatten().numpy() for name, values in rows.items()
            }
            columns["entropy"] = columns["entropy"] / np.log(2)
            self._statistics = columns
        return self._statistics

    def arrays(self) -> dict[str, np.ndarray]:
        """What the trace keeps, as NumPy arrays ready for `np.savez`: ids, tokens, q, k, v, lse, logits."""
        kept = {
            name: value[0].float().numpy()
            for name, value in self._record.values.items()
            if keep_attention(name)
        }
        return {"ids": np.array(self.ids), "tokens": np.array(self.tokens), **kept}


def _pool_row(picture: Tensor, row: int, weights: Tensor, reduce: str) -> None:
    """Add one replaced row to a pooled picture [n, n] in which it counts as zero."""
    size, length = len(picture), len(weights)
    # a map of one query whose scores are log w has exactly these weights
    one, log = weights.new_ones(1, 1, 1, 1), weights.log()[None, None, :, None]
    row_picture = kernels.pooled_attention_map(
        one, log, one[..., 0] * 0, size=size, reduce=reduce, causal=False, scale=1.0
    )[0, 0, 0]
    for i in range(size):
        start, stop = i * length // size, -(-(i + 1) * length // size)
        if start <= row < stop:
            if reduce == "max":
                picture[i] = torch.maximum(picture[i], row_picture)
            else:
                picture[i] += row_picture / (stop - start if reduce == "mean" else 1)


def _row_statistics(weights: Tensor, row: int, ids: Tensor) -> dict[str, Tensor]:
    """What `kernels.head_statistics` says of one row, from its weights [S]."""
    where = torch.arange(len(weights), device=weights.device)
    follows = (where > 0) & (where <= row) & (ids.roll(1) == ids[row])
    return {
        "entropy": -torch.xlogy(weights, weights).sum(),
        "peak": weights.amax(),
        "sink": weights[0],
        "self": weights[row],
        "previous": weights[row - 1] if row else weights.new_zeros(()),
        "distance": (weights * (row - where)).sum(),
        "induction": (weights * follows).sum() if follows.any() else weights.new_tensor(torch.nan),
    }


def _existing(what: str, index: int, count: int) -> int:
    if not 0 <= index < count:
        raise UnknownName(f"There is no {what} {index}; this model has {what}s 0 to {count - 1}.")
    return index
