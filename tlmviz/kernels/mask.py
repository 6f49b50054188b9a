"""The attention mask: which keys a query sees, and what distance adds to a score, as one object."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import torch
from jaxtyping import Float, Int
from torch import Tensor

from ..errors import BadShape
from .arguments import check_added, check_bias, check_lengths, check_qk
from .bias import DistanceBias

# Which keys queries see, answered for a tile: (query indices [R], key indices [C]) -> True where seen, [R, C] or [B, R,
# C].
Visible = Callable[[Tensor, Tensor], Tensor]
TENSORS = ("slopes", "relative", "segments", "lengths", "sinks", "bias")


@dataclass(frozen=True, eq=False)
class AttentionMask:
    """Which keys a query sees, and what becomes of its scores; every part but `causal` may be absent.

    `causal` hides later positions. `window` counts the positions a query sees, itself included. `slopes` adds
    ALiBi's -slope * distance to the scaled scores, and `relative` adds q_i . relative[min(|i - j|, R - 1)], one vector
    per distance that is multiplied by the scale already. `segments` numbers the texts packed into one row, one id per
    position or a pair of ids per query and per key: a query sees only keys of its own id (a block-diagonal mask).
    `lengths` hides the keys from a row's length on (padding at the end); it moves no query, which stay the last T of
    the S positions.

    `softcap` turns each scaled score s into softcap * tanh(s / softcap), before anything is added to it. `bias`, a
    tensor or a DistanceBias, is added to the scores. `sinks` are one score per head that only joins the softmax's
    denominator, so that lse includes it. `visible(rows, cols)` says which keys are seen where none of the other parts
    can: it is asked tile by tile with indices into q and k, and answers True where seen, alike for all heads; what it
    answers is never kept.

    The order: scale, softcap, what is added (slopes, relative, bias), what is hidden, then the sink in the denominator.
    Shapes are checked against q and k when the mask is used; a bias that is not of floating-point numbers raises
    BadShape.

    Source: 000 section 1.2, 003 section 4.5; ALiBi: Press et al. 2022; `relative`: Shaw et al. 2018, equation 4, with
    the vectors of the keys; `softcap`: Gemma 2, section 2; `bias`: T5, section 2.1; `sinks`: gpt-oss's model card,
    section 2.2. Example: `attention(q, k, v, AttentionMask(window=64))`.
    """

    causal: bool = True
    window: int | None = None
    slopes: Float[Tensor, " h"] | None = None
    relative: Float[Tensor, "r d"] | None = None
    segments: Int[Tensor, "b s"] | tuple[Int[Tensor, "b t"], Int[Tensor, "b s"]] | None = None
    lengths: Int[Tensor, " b"] | None = None
    softcap: float | None = None
    sinks: Float[Tensor, " h"] | None = None
    bias: Float[Tensor, "#b #h t s"] | DistanceBias | None = None
    visible: Visible | None = None

    def __post_init__(self) -> None:
        bias = self.bias
        added = isinstance(bias, DistanceBias) or (isinstance(bias, Tensor) and bias.is_floating_point())
        if bias is not None and not added:
            raise BadShape(
                f"bias is {_kind(bias)}, and is added to the scores, so must hold floating-point numbers; {HOW}."
            )

    @property
    def per_row(self) -> bool:
        """Whether it differs between the batch's rows."""
        return self.segments is not None or self.lengths is not None or self.visible is not None

    @property
    def plain(self) -> bool:
        """Whether it is at most causal."""
        parts = (self.window, self.slopes, self.relative, self.softcap, self.sinks, self.bias)
        return not self.per_row and all(part is None for part in parts)

    @property
    def query_ids(self) -> Int[Tensor, "b t"] | None:
        """Segment ids of the queries, of a mask that `fit` returned."""
        return None if self.segments is None else self.segments[0]

    @property
    def key_ids(self) -> Int[Tensor, "b s"] | None:
        """Segment ids of the keys, of a mask that `fit` returned."""
        return None if self.segments is None else self.segments[1]

    def of_heads(self, heads: slice) -> AttentionMask:
        """The mask of some of the query heads."""
        changed = {name: getattr(self, name)[heads] for name in ("slopes", "sinks") if getattr(self, name) is not None}
        if self.bias is not None and self.bias.shape[1] > 1:
            bias = self.bias
            changed["bias"] = bias.of_heads(heads) if isinstance(bias, DistanceBias) else bias[:, heads]
        return replace(self, **changed) if changed else self

    def detached(self) -> AttentionMask:
        """The same without gradients, which a view of what was computed does not need."""
        parts = {name: getattr(self, name) for name in ("relative", "sinks", "bias")}
        changed = {name: part.detach() for name, part in parts.items() if part is not None}
        return replace(self, **changed) if changed else self

    @property
    def identity(self) -> tuple[float | None, ...]:
        """What two masks share when they treat every q and k alike: their numbers, and which tensors they hold."""
        numbers = self.causal, self.window, self.softcap
        return *numbers, *(id(getattr(self, name)) for name in (*TENSORS, "visible"))

    def written(self, queries: int, keys: int) -> AttentionMask:
        """The same without a function, for T queries and S keys of one text: what `visible` hides is -inf in `bias`."""
        bias = None if self.bias is None else self.bias[:, :, :, :]
        if self.visible is not None:
            seen = self.visible(torch.arange(queries), torch.arange(keys))
            seen = seen[None, None] if seen.ndim == 2 else seen[:, None]
            shown = torch.zeros(1, 1, queries, keys) if bias is None else bias
            bias = shown.masked_fill(~seen, -torch.inf)
        return self if bias is None else replace(self, bias=bias, visible=None)

    def to(self, device: torch.device) -> AttentionMask:
        """The same with every tensor on a device."""

        def moved(part: Any) -> Any:
            if isinstance(part, tuple):
                return tuple(each.to(device) for each in part)
            return None if part is None else part.to(device)

        return replace(self, **{name: moved(getattr(self, name)) for name in TENSORS})

    def fit(self, q: Float[Tensor, "b h t d"], k: Float[Tensor, "b g s d"]) -> AttentionMask:
        """The mask of one call, with `segments` as a pair. Raises BadShape where a part does not fit q and k."""
        check_qk(q, k)
        check_bias(q, self.window, self.slopes, self.relative)
        check_lengths(q, self.lengths)
        check_added(q, k.shape[2], self.softcap, self.sinks, self.bias)
        return self if self.segments is None else replace(self, segments=_pair(self.segments, q, k))


CAUSAL = AttentionMask()


HOW = (
    "of a tensor that is True where a key is seen make AttentionMask(causal=False, bias=torch.where(seen, 0.0, "
    "-torch.inf)), with seen as [1 or B, 1 or H, T, S]"
)


def check_mask(mask: object) -> None:
    """Raises BadShape for what is no AttentionMask, such as the tensor that other attention functions take."""
    if not isinstance(mask, AttentionMask):
        raise BadShape(f"The mask is {_kind(mask)}, and must be an AttentionMask; {HOW}.")


def _kind(value: Any) -> str:
    of = f" of {str(value.dtype).removeprefix('torch.')}" if hasattr(value, "dtype") else ""
    return f"a {type(value).__name__}{of}"


def build_mask(mask: AttentionMask, parts: dict[str, Any]) -> AttentionMask:
    """The mask, or the one whose fields are `parts`. Raises BadShape where both are given, TypeError for no field."""
    check_mask(mask)
    if not parts:
        return mask
    if mask is not CAUSAL:
        raise BadShape(
            f"A mask and {', '.join(parts)} are given; put {', '.join(parts)} into the AttentionMask, or leave the "
            "mask out."
        )
    return AttentionMask(**parts)


def _pair(segments: Tensor | tuple[Tensor, ...], q: Tensor, k: Tensor) -> tuple[Tensor, Tensor]:
    """Segment ids of the queries [B, T] and of the keys [B, S]; the queries are the last T of the S positions."""
    queries, keys = (len(q), q.shape[2]), (len(k), k.shape[2])
    pair: tuple[Tensor, ...]
    if isinstance(segments, Tensor):
        first = max(0, segments.shape[-1] - q.shape[2]) if segments.ndim else 0
        pair = (segments[..., first:] if segments.ndim else segments, segments)
    else:
        pair = tuple(segments)
    if len(pair) != 2 or pair[0].shape != queries or pair[1].shape != keys:
        shapes = [list(part.shape) for part in ([segments] if isinstance(segments, Tensor) else segments)]
        raise BadShape(
            f"segments {shapes} must be one id per key position, {list(keys)}, "
            f"or a pair of ids per query {list(queries)} and per key {list(keys)}."
        )
    return pair[0], pair[1]
