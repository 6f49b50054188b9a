"""What a recorded forward pass leaves: the trace.

An attention map is a view, not a tensor. A trace keeps q, k, v and each row's
log-sum-exp, O(T) memory, and recomputes any part of any map exactly when asked:
p = exp(q.k * scale + bias - lse).
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from jaxtyping import Float
from torch import Tensor

from .. import kernels
from ..errors import BadShape, NoNetwork, UnknownName
from ..kernels import AttentionMask
from ..patches import Patches
from ..recording import Edit, Recording, Tap, name_taps, recording
from ..routing import ROUTING, Routing
from ..showing import shown_by

if TYPE_CHECKING:
    import pandas as pd

    from .arrays import Arrays

__all__ = ["AttentionSpec", "Edit", "Recording", "Tap", "Trace", "keep_attention", "name_taps", "recording"]
STAGES = ("dot", "scaled", "masked", "softmax")
# The same pass once more: what to keep of it and, where given, other edits than its own.
Rerun = Callable[..., Recording]


@dataclass(frozen=True)
class AttentionSpec:
    """What besides q and k decides a layer's map: the scale, and the mask with its bias."""

    scale: float
    mask: AttentionMask = AttentionMask()

    def detached(self) -> AttentionSpec:
        """The same without gradients, which a view of what was computed does not need."""
        return replace(self, mask=self.mask.detached())

    def to(self, device: torch.device) -> AttentionSpec:
        """The same with its mask's tensors on a device."""
        return replace(self, mask=self.mask.to(device))


CPU = torch.device("cpu")
KEPT_PER_LAYER = ("q", "k", "v", "lse")
MIXED = ("pre", "post", "res")  # taps of a layer's connections with streams
OF_ONE_TEXT = ("self", "previous", "induction", "distance")  # statistics that need query and key in one text


LOGITS_AT_ONCE = 1 << 24  # numbers: of a large vocabulary, losses are computed for so many at a time


def keep_attention(name: str) -> bool:
    """What a trace holds by default: each layer's q, k, v and lse, what its router did and the small matrices that mix
    its streams, if it has them, and the final stream, of which logits are made."""
    part, _, last = name.rpartition(".")
    return (
        name == "normed"
        or last in KEPT_PER_LAYER
        or (last in ROUTING and part.endswith(".mlp"))
        or (last in MIXED and part.endswith((".join_attn", ".join_mlp")))
    )


def keep_maps(name: str) -> bool:
    """The same without v, which no map needs."""
    return keep_attention(name) and not name.endswith(".v")


class Trace:
    """One text's way through a model: tokens, logits, and every attention map as a view.

    Made by `lm.trace(text)`, or by `Trace.from_arrays` from arrays of any origin. `rerun(names)` repeats the same pass
    and returns other tensors, so that any tapped name can be asked for without having been kept; without it (None)
    there is no network behind the trace, and what was not kept does not exist. `unembed` makes logits of the final
    stream "normed", so that [T, V] of a large vocabulary exists only where somebody looks at all of it; None where
    logits were kept.

    `key_tokens` are given where the queries attend to another text (cross attention): maps are then [T, S].
    `positions` number the tokens in the text they come from, 0 to T - 1 unless given. `model` names the model, and
    `made_by` says what ran it. `patches` is the image that the tokens are patches of, if they are.

    What was kept stays where the model is, and maps and statistics are computed there (on CUDA by the Triton kernels);
    what a trace hands out lies on the CPU.
    """

    weights_only = False  # whether only weights are there, and not the q and k that they come from

    def __init__(
        self,
        ids: list[int],
        tokens: list[str],
        record: Recording,
        specs: list[AttentionSpec],
        tap_names: frozenset[str],
        rerun: Rerun | None,
        unembed: Callable[[Tensor], Tensor] | None = None,
        *,
        key_tokens: list[str] | None = None,
        positions: list[int] | None = None,
        model: str = "",
        made_by: str = "",
        patches: Patches | None = None,
    ):
        self.ids = ids
        self.tokens = tokens
        self.crosses = key_tokens is not None
        self.key_tokens = tokens if key_tokens is None else key_tokens
        self.positions = list(range(len(ids))) if positions is None else positions
        self.model = model
        self.made_by = made_by
        self.patches = patches
        self._specs = [spec.detached() for spec in specs]
        self.specs = [spec.to(CPU) for spec in self._specs]
        self.tap_names = tap_names
        self._record = record
        self._rerun = rerun
        self._unembed = unembed
        self._statistics: dict[str, np.ndarray] | None = None
        # Writes a file with the model that made this trace; set by that model.
        self.write_live: Callable[[str | os.PathLike[str]], None] | None = None

    @classmethod
    def from_arrays(
        cls,
        q: Arrays,
        k: Arrays,
        tokens: Sequence[str],
        *,
        v: Arrays | None = None,
        lse: Arrays | None = None,
        scale: float | Sequence[float] | None = None,
        mask: AttentionMask | Sequence[AttentionMask] | None = None,
        key_tokens: Sequence[str] | None = None,
        ids: Sequence[int] | None = None,
        positions: Sequence[int] | None = None,
        logits: Tensor | np.ndarray | None = None,
        model: str = "",
        made_by: str = "",
        patches: Patches | None = None,
        **parts: object,
    ) -> Trace:
        """A trace of queries and keys that any code computed, torch or NumPy: q [L, H, T, D] and k [L, G, S, D].

        Instead of one array, a list with an array per layer will do, and D and G may then differ between layers; with
        GQA, H is a multiple of G. q and k are as they enter the product (after RoPE). v [L, G, S, E] is kept if given,
        lse [L, H, T] (natural logarithm, scale included) is computed unless given. `scale` is 1 / sqrt(D) unless given,
        one number or one per layer; `mask` is an AttentionMask or one per layer, or `parts` are its fields
        (`causal=False`, `window=64`). It is causal unless given; with `key_tokens`, which name the S keys of another
        text (cross attention), nothing is hidden unless given. `ids` [T] say which tokens are equal, by their text
        unless given; `logits` [T, V] need them. `positions` [T] number the tokens in the text they come from. `model`
        and `made_by` name the model and what ran it; `patches` is the image that the last tokens are patches of.

        No network stands behind it: a tensor that was not given raises UnknownName. Raises BadShape where the arrays do
        not fit together, hold numbers that are not finite, or where the given lse is not that of q and k.
        Example: `Trace.from_arrays(q, k, ["The", " cat"]).attention(layer=0, head=0)`.
        """
        from .arrays import from_arrays

        return from_arrays(
            q,
            k,
            tokens,
            v=v,
            lse=lse,
            scale=scale,
            mask=mask,
            key_tokens=key_tokens,
            ids=ids,
            positions=positions,
            logits=logits,
            model=model,
            made_by=made_by,
            patches=patches,
            parts=parts,
        )

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
        return self._kept("blocks.0.attn.q").shape[1]

    @property
    def remarks(self) -> list[str]:
        """What a reader of its maps should know, a sentence each; most traces have nothing to remark."""
        return []

    @property
    def kept_names(self) -> frozenset[str]:
        """Names of the tensors that are there without a further pass."""
        return frozenset(self._record.values)

    @property
    def has_network(self) -> bool:
        """Whether a network stands behind it that can be run again."""
        return self._rerun is not None

    @property
    def replaced_rows(self) -> dict[tuple[int, int], dict[int, Tensor]]:
        """Rows of maps that an edit replaced: (layer, head) -> {row: weights [S]}."""
        return self._record.rows

    # --- tensors -----------------------------------------------------------------------------

    def __getitem__(self, name: str) -> Tensor:
        """A tapped tensor, batch dimension first ([1, H, T, D] for q). Raises UnknownName."""
        return self._kept(name).cpu()

    def tensors(self, names: list[str]) -> dict[str, Tensor]:
        """Several tapped tensors by name, with at most one further forward pass for those not kept."""
        missing = {name for name in names if name not in self._record.values}
        if "logits" in missing and self._unembed is not None:
            missing = missing - {"logits"} | ({"normed"} - self._record.values.keys())
        if missing and self._rerun is not None:
            self._record.values.update(self._rerun(missing.__contains__).values)
        return {name: self[name] for name in names}

    def _kept(self, name: str) -> Tensor:
        """A tapped tensor where the model is, from a further pass where it was not kept. Raises UnknownName."""
        if name not in self._record.values:
            if self._rerun is None:
                there = ", ".join(_summary(self._record.values))
                raise NoNetwork(
                    f"There is no tensor named {name!r} in this trace, and no network behind it to compute it; there "
                    f"are {there}."
                )
            if name not in self.tap_names:
                examples = ", ".join(sorted(self.tap_names)[:4])
                raise UnknownName(f"There is no tensor named {name!r} in this model; some that exist: {examples}.")
            if name == "logits" and self._unembed is not None:
                self._record.values[name] = self._logits(slice(None))[None]
            else:
                self._record.values.update(self._rerun({name}.__contains__).values)
        if name not in self._record.values:
            raise UnknownName(
                f"The network has a part that records {name!r}, and the pass left no such tensor: that part did not "
                "run, as where a block or its attention was replaced; call the part's taps in what replaces it."
            )
        return self._record.values[name]

    @torch.inference_mode()
    def _logits(self, rows: slice | list[int]) -> Tensor:
        """Logits at some positions, [R, V], where the model is; nothing of them is kept."""
        if self._unembed is None or "logits" in self._record.values:
            return self._kept("logits")[0, rows]
        return self._unembed(self._kept("normed")[0, rows])

    def answers_to(self, given: Mapping[str, Tensor], place: Callable[[Any], Any] | None = None) -> dict[str, Tensor]:
        """What this trace's network makes at every named tap when all taps before it hold the given tensors.

        Each part of the network is so asked alone: its answer to an input that another run had. `place` makes other
        `Positions` of the network's own for this pass. Raises NoNetwork for a trace from a file, and BadShape where a
        given tensor does not fit.
        """
        if self._rerun is None:
            raise NoNetwork("There is no network behind this trace that could answer to other tensors.")
        answers: dict[str, Tensor] = {}

        def asked(name: str) -> Edit:
            def edit(value: Tensor, record: Recording) -> Tensor:
                answers[name] = value.cpu()
                return given[name].to(value)

            return edit

        self._rerun(lambda name: False, {name: asked(name) for name in given}, place)
        return answers

    @property
    def logits(self) -> Float[Tensor, "t v"]:
        """Next-token logits at every position, [T, V]."""
        return self["logits"][0]

    def logits_at(self, position: int | Sequence[int]) -> Float[Tensor, "*r v"]:
        """Next-token logits after one position, [V], or after several, [R, V]: of a large vocabulary, without all
        others."""
        if isinstance(position, Sequence):
            return self._logits([range(len(self))[i] for i in position]).float().cpu()
        position = range(len(self))[position]
        return self._logits(slice(position, position + 1))[0].float().cpu()

    def probabilities(self, position: int = -1, temperature: float = 1.0) -> Float[Tensor, " v"]:
        """Next-token probabilities after one position, [V]. Temperature 0 puts everything on the largest logit."""
        logits = self.logits_at(position)
        if temperature <= 0:
            return torch.nn.functional.one_hot(logits.argmax(), logits.numel()).float()
        return torch.softmax(logits / temperature, dim=-1)

    def loss_per_token(self) -> Float[Tensor, " t_minus_1"]:
        """-log p of each next token in nats, [T - 1]: entry i is the loss of token i + 1."""
        if len(self) < 2:
            return torch.zeros(0)
        targets, losses = torch.tensor(self.ids[1:]), []
        strip = max(1, LOGITS_AT_ONCE // self._logits(slice(0, 1)).shape[-1])
        for start in range(0, len(targets), strip):
            part = targets[start : start + strip]
            logits = self._logits(slice(start, start + len(part))).float().cpu()
            losses.append(torch.nn.functional.cross_entropy(logits, part, reduction="none"))
        return torch.cat(losses)

    def routing(self, layer: int) -> Routing:
        """What the router of one layer did: scores [T, E] before the bias, bias [E], chosen [T, k], weights [T, k].

        Raises UnknownName for a layer that does not exist, that has no experts, or where the model has none at all.
        Example: `tlmviz.load("stories-moe").trace("Once upon a time").routing(0).chosen`.
        """
        _existing("layer", layer, self.n_layers)
        with_experts = self.expert_layers
        if layer not in with_experts:
            whose = self.model or "This model"
            where = ", ".join(map(str, with_experts))
            raise UnknownName(
                f"Layer {layer} of {whose} has no experts; choose one of layers {where}."
                if with_experts
                else f"{whose} has no experts, so nothing is routed; load a model that has some, such as stories-moe."
            )
        names = [f"blocks.{layer}.mlp.{part}" for part in ROUTING]
        scores, bias, chosen, weights = self.tensors(names).values()
        return Routing(scores[0].float(), bias[0, 0].float(), chosen[0], weights[0].float())

    @property
    def expert_layers(self) -> list[int]:
        """The layers whose feed-forward part is experts."""
        return [layer for layer in range(self.n_layers) if f"blocks.{layer}.mlp.chosen" in self.tap_names]

    # --- maps --------------------------------------------------------------------------------

    def qk(self, layer: int, head: int) -> tuple[Tensor, Tensor, Tensor]:
        """q [T, D], k [S, D] and lse [T] of one head; with GQA, k is its group's."""
        q, k, lse = self._qk(layer, head)
        return q.cpu(), k.cpu(), lse.cpu()

    def _qk(self, layer: int, head: int) -> tuple[Tensor, Tensor, Tensor]:
        """`qk` where the model is."""
        _existing("layer", layer, self.n_layers)
        q, k, lse = (self._kept(f"blocks.{layer}.attn.{part}") for part in ("q", "k", "lse"))
        group = _existing("head", head, q.shape[1]) * k.shape[1] // q.shape[1]
        return q[0, head], k[0, group], lse[0, head]

    def batches(self) -> Iterator[tuple[Tensor, Tensor, Tensor, AttentionSpec]]:
        """q, k, lse and their spec, layers in the batch dimension.

        All layers at once for short texts with one kind of layer, where the cost is the number of
        calls; layer by layer for long ones, where it is memory.
        """
        for q, k, lse, spec in self._batches():
            yield q.cpu(), k.cpu(), lse.cpu(), spec.to(CPU)

    def _batches(self) -> Iterator[tuple[Tensor, Tensor, Tensor, AttentionSpec]]:
        """`batches` where the model is."""
        q, k, lse = (
            [self._kept(f"blocks.{i}.attn.{part}") for i in range(self.n_layers)] for part in ("q", "k", "lse")
        )
        kinds = {(spec.scale, *spec.mask.identity, *q[i].shape, *k[i].shape) for i, spec in enumerate(self._specs)}
        # a mask that differs between the batch's rows is that of a batch of one
        if len(self) <= 256 and len(kinds) == 1 and not self._specs[0].mask.per_row:
            yield torch.cat(q), torch.cat(k), torch.cat(lse), self._specs[0]
        else:
            yield from zip(q, k, lse, self._specs)

    def _mask_of(self, layer: int, head: int) -> AttentionMask:
        return self._specs[layer].mask.of_heads(slice(head, head + 1))

    def scores(self, layer: int, head: int, stage: str = "scaled") -> Float[Tensor, "t s"]:
        """One head's map before the softmax: "dot" is q.k, "scaled" adds scale and bias, "masked" hides the future."""
        if stage not in STAGES:
            raise UnknownName(f"There is no stage {stage!r}; choose one of {', '.join(STAGES)}.")
        if stage == "softmax":
            return self.attention(layer, head)
        q, k, _ = self.qk(layer, head)
        if stage == "dot":
            return q @ k.T
        mask = self.specs[layer].mask.of_heads(slice(head, head + 1))
        if stage == "scaled":
            mask = replace(mask, causal=False, window=None, visible=None)
        return kernels.attention_scores(q[None, None], k[None, None], mask, scale=self.specs[layer].scale)[0, 0]

    def attention(
        self, layer: int, head: int, rows: slice = slice(None), cols: slice = slice(None)
    ) -> Float[Tensor, "t s"]:
        """One head's attention probabilities, exact, computed now: [T, T] or the tile rows x cols."""
        q, k, lse = self._qk(layer, head)
        one_head, scale = (q[None, None], k[None, None], lse[None, None]), self.specs[layer].scale
        tile = kernels.attention_map(*one_head, self._mask_of(layer, head), rows=rows, cols=cols, scale=scale)[
            0, 0
        ].cpu()
        replaced = self._record.rows.get((layer, head))
        if replaced:
            shown = range(*rows.indices(q.shape[0]))
            for row, weights in replaced.items():
                if row in shown:
                    tile[shown.index(row)] = weights[cols]
        return tile

    def attentions(self, layer: int, heads: slice = slice(None), rows: slice = slice(None)) -> Float[Tensor, "h t s"]:
        """The `attention` of several heads of one layer, [H, T, S], in one step: mind the memory of long texts."""
        _existing("layer", layer, self.n_layers)
        q, k, lse = (self._kept(f"blocks.{layer}.attn.{part}") for part in ("q", "k", "lse"))
        shown, spec = range(q.shape[1])[heads], self._specs[layer]
        groups = [head * k.shape[1] // q.shape[1] for head in shown]
        maps = kernels.attention_map(
            q[:, heads], k[:, groups], lse[:, heads], spec.mask.of_heads(heads), rows=rows, scale=spec.scale
        )[0].cpu()
        read = range(q.shape[2])[rows]
        for (there, head), replaced in self._record.rows.items():
            if there == layer and head in shown:
                for row, weights in replaced.items():
                    if row in read:
                        maps[shown.index(head), read.index(row)] = weights
        return maps

    def pooled(self, layer: int, head: int, size: int = 64, reduce: str = "max") -> Float[Tensor, "n n"]:
        """A size x size picture of one head's map at any T, without forming [T, T]."""
        q, k, lse = self._qk(layer, head)
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
        )[0, 0].cpu()
        for row, weights in replaced.items():
            _pool_row(picture, row, weights, reduce)
        return picture

    def overview(self, size: int = 64, reduce: str = "max") -> Float[Tensor, "l h n n"]:
        """Every head's pooled picture, [L, H, size, size]."""
        pictures = torch.cat(
            [
                kernels.pooled_attention_map(q, k, lse, spec.mask, size=size, reduce=reduce, scale=spec.scale)
                for q, k, lse, spec in self._batches()
            ]
        ).cpu()
        for layer, head in self._record.rows:
            pictures[layer, head] = self.pooled(layer, head, size, reduce)
        return pictures

    def row(self, position: int) -> Float[Tensor, "l h s"]:
        """What every head attends to from one position, [L, H, S]."""
        position = range(len(self))[position]
        rows = slice(position, position + 1)
        tiles = [
            kernels.attention_map(q, k, lse, spec.mask, rows=rows, scale=spec.scale)
            for q, k, lse, spec in self._batches()
        ]
        every = torch.cat(tiles)[:, :, 0].cpu()
        for (layer, head), replaced in self._record.rows.items():
            if position in replaced:
                every[layer, head] = replaced[position]
        return every

    def head_statistics(self) -> pd.DataFrame:
        """One line per head, averaged over query positions from the second on.

        Columns: layer, head, entropy (bits), sink (mass on the first token), self (mass on
        the query's own token), previous (mass on the token before), induction (mass on tokens
        that followed an earlier copy of the query's token; NaN when nothing repeats),
        distance (mean tokens back), peak (largest weight). Without a causal mask the first row counts too.
        max_logit is no mean but the largest score of any row (scaled, bias included, natural logarithm's unit) as q and
        k give it; NaN where only weights are there.
        In cross attention a query has no place among the keys: self, previous, induction and distance are NaN.
        """
        import pandas as pd  # late, as everywhere on the road to the first page: it costs half a second

        layer, head = np.divmod(np.arange(self.n_layers * self.n_heads), self.n_heads)
        return pd.DataFrame({"layer": layer, "head": head, **self.statistics()})

    def statistics(self) -> dict[str, np.ndarray]:
        """The columns of `head_statistics` but layer and head, [L * H] each, shared: not to be changed."""
        if self._statistics is None:
            ids = torch.tensor(self.ids)
            rows = self.row_statistics()
            for (layer, head), replaced in self._record.rows.items():
                for row, weights in replaced.items():
                    for name, value in row_statistics(weights, row, ids).items():
                        rows[name][layer, head, row] = value
            if self.crosses:
                rows |= {name: torch.full_like(rows["peak"], torch.nan) for name in OF_ONE_TEXT}
            causal = all(spec.mask.causal for spec in self.specs)
            first = min(int(causal), len(self) - 1)  # row 0 sees only itself and would dilute every mean
            columns = {name: values[:, :, first:].nanmean(-1).flatten().numpy() for name, values in rows.items()}
            columns["entropy"] = columns["entropy"] / np.log(2)
            columns["max_logit"] = rows["max_logit"].amax(-1).flatten().numpy()
            self._statistics = columns
        return self._statistics

    def norms(self) -> dict[str, Float[np.ndarray, "l h"]]:
        """Euclidean norms of each head's q_norm, k_norm (its group's) and output_norm, means over all positions, [L, H]
        each.

        The output is what the head adds up of v, before the output projection. Raises NoNetwork where v was not kept.
        """
        layers = []
        for layer, spec in enumerate(self._specs):
            q, k, v = (self._kept(f"blocks.{layer}.attn.{part}") for part in ("q", "k", "v"))
            with torch.no_grad(), torch.autocast(q.device.type, enabled=False):
                out, _ = kernels.attention(q, k, v, spec.mask, scale=spec.scale)
            every = [part[0].float().norm(dim=-1).mean(-1) for part in (q, k, out)]
            every[1] = every[1].repeat_interleave(q.shape[1] // k.shape[1])
            layers.append(torch.stack(every))
        parts = torch.stack(layers, 1).cpu().numpy()
        return dict(zip(("q_norm", "k_norm", "output_norm"), parts))

    def row_statistics(self) -> dict[str, Tensor]:
        """What `head_statistics` averages, of every row: [L, H, T] each, entropy in nats, before any row was
        replaced."""
        ids = torch.tensor(self.ids)
        parts = [
            kernels.head_statistics(
                q, k, lse, spec.mask, ids=None if self.crosses else ids.to(q.device), scale=spec.scale
            )
            for q, k, lse, spec in self._batches()
        ]
        return {name: torch.cat([part[name] for part in parts]).cpu() for name in parts[0]}

    def save(self, path: str | os.PathLike[str], logits: bool = False) -> None:
        """Write a file that `tlmviz.open` reads: q, k, v and lse per layer, masks, tokens; with `logits` [T, V] also
        those.

        The format is docs/dump.md's, a safetensors file. Raises BadFile where it cannot be written.
        """
        from .dump import save

        save(self, path, logits)

    def save_html(
        self,
        path: str | os.PathLike[str],
        layers: Iterable[int] | None = None,
        heads: Iterable[int] | None = None,
        live: bool = False,
    ) -> None:
        """Write one file of HTML that shows this trace without a network: overview, every map, arcs, exact statistics.

        Its weights are rounded, and the file says how far; 48 heads of 256 tokens take less than 2 MB, 270 heads of 512
        tokens about 10. `layers` and `heads` choose those whose maps are written, all unless given. With `live` the
        file holds the model instead of maps, and reads what is typed into it: see `LanguageModel.save_html`. Raises
        BadFile where it cannot be written, BadShape for cross attention and for more than a browser can open or run,
        and UnknownName.
        """
        if not live:
            shown_by("trace.html")(self, path, layers, heads)
            return
        if self.write_live is None:
            raise BadShape(
                "This trace is not of a language model's own pass over a text, without edits, so that there is no "
                "model to run live; write it without live=True."
            )
        if layers is not None or heads is not None:
            raise BadShape("layers and heads are given, and a live file has all of them; leave them out.")
        self.write_live(path)

    def _repr_mimebundle_(self, **_: object) -> object:
        """How a notebook shows a trace: as a widget where anywidget is installed (tlmviz[notebook]), else as
        `_repr_html_`.

        `_repr_svg_` is kept beside either, for viewers that run neither.
        """
        if not self._has_widget():
            return {}
        bundle = shown_by("trace.widget")(self)._repr_mimebundle_()
        data, about = bundle if isinstance(bundle, tuple) else (bundle, {})
        return {**(data or {}), "text/plain": repr(self)}, about

    def _has_widget(self) -> bool:
        return not self.crosses and find_spec("anywidget") is not None

    def _repr_html_(self) -> str | None:
        """The file of `save_html` within a frame; None beside a widget, for cross attention, and for what is too
        large."""
        if self._has_widget():
            return None
        try:
            html: str = shown_by("trace.frame")(self)
        except BadShape:
            return None
        return html

    def _repr_svg_(self) -> str | None:
        """The map of one head, which a saved notebook shows where nothing runs; None for cross attention."""
        return None if self.crosses else shown_by("trace.svg")(self)

    def __repr__(self) -> str:
        of = f" of {self.model}" if self.model else ""
        keys = f" by {len(self.key_tokens)} keys" if self.crosses else ""
        sizes = f"{self.n_layers} layers × {self.n_heads} heads, {len(self)} tokens{keys}"
        return " ".join([f"<{type(self).__name__}{of}: {sizes}>", *self.remarks])

    def arrays(self) -> dict[str, np.ndarray]:
        """What the trace keeps, as NumPy arrays for `np.savez`: ids, tokens, key_tokens of another text, q, k, v, lse,
        logits."""
        names = [f"blocks.{layer}.attn.{part}" for layer in range(self.n_layers) for part in KEPT_PER_LAYER]
        held = [name for name in (*names, "logits") if name in self.tap_names]
        kept = {name: value[0].float().numpy() for name, value in self.tensors(held).items()}
        other = {"key_tokens": np.array(self.key_tokens)} if self.crosses else {}
        return {"ids": np.array(self.ids), "tokens": np.array(self.tokens), **other, **kept}


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


def row_statistics(weights: Tensor, row: int, ids: Tensor | None) -> dict[str, Tensor]:
    """What `kernels.head_statistics` says of one row, from its weights [..., S]; without ids nothing that needs one
    text."""
    measures = {"entropy": -torch.xlogy(weights, weights).sum(-1), "peak": weights.amax(-1), "sink": weights[..., 0]}
    if ids is None:
        return measures
    where = torch.arange(weights.shape[-1])
    follows = (where > 0) & (where <= row) & (ids.roll(1) == ids[row])
    previous = weights[..., row - 1] if row else torch.zeros_like(weights[..., 0])
    induction = (weights * follows).sum(-1)
    return measures | {
        "self": weights[..., row],
        "previous": previous,
        "distance": (weights * (row - where)).sum(-1),
        "induction": induction if follows.any() else torch.full_like(induction, torch.nan),
    }


def _summary(names: Iterable[str]) -> list[str]:
    """Names of tensors for a sentence: what the layers have in common is said once."""
    return sorted({re.sub(r"^blocks\.\d+\.", "blocks.N.", name) for name in names})


def _existing(what: str, index: int, count: int) -> int:
    if not 0 <= index < count:
        raise UnknownName(f"There is no {what} {index}; this model has {what}s 0 to {count - 1}.")
    return index
