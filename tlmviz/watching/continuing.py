"""Whether a call goes on with the text that was watched before it; if not, the reason in a sentence."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Any

import torch
from torch import Tensor

from ..errors import BadModel

# Settings of `generate` that run the model on more than one text, or on rows that change: what each does, and the
# remedy.
SETTINGS: dict[str, tuple[str, int | None]] = {
    "num_beams": ("reorders the rows of the cache, as they are in a beam search", 1),
    "guidance_scale": ("runs the model on a second, unconditional text between the steps", None),
    "assistant_early_exit": ("drafts with the first layers of the model itself, on a cache of their own", None),
    "penalty_alpha": ("runs several candidates of a contrastive search on repeated rows of the cache", None),
}
OFF = {"num_beams": 1, "guidance_scale": 1, "penalty_alpha": 0}  # each also by None
ROUNDED = 0.25  # of the largest key: what a quantised cache changes is less


def check_continues(name: str, before: Tensor | None, held: Tensor, first: int) -> None:
    """Raises BadModel unless `held` [B, G, S, D], the cache's keys up to position `first`, ends what was kept
    `before`."""
    kept = None
    if before is not None and len(before) == len(held) and first <= before.shape[2]:
        kept = before[:, :, first - held.shape[2] : first] if held.shape[2] <= first else before[:, :, :0]
        if torch.equal(kept, held):
            return
    raise BadModel(_by_settings() or _by_keys(name, before, kept, held, first))


def _by_settings() -> str | None:
    """The reason that a `generate` which is running was asked for; None without one."""
    for config in _generating():
        for name, (does, remedy) in SETTINGS.items():
            value = getattr(config, name, None)
            if value is not None and value != OFF.get(name):
                return f"{name}={value} {does}; no one trace is of that, so generate with {name}={remedy}."
    return None


def _generating() -> Iterator[Any]:
    """The settings of each `generate` of transformers that is running, the innermost first."""
    frame = sys._getframe()
    while frame is not None:
        if frame.f_code.co_name == "generate" and "generation_config" in frame.f_code.co_varnames:
            yield frame.f_locals.get("generation_config")
        frame = frame.f_back  # type: ignore[assignment]


def _by_keys(name: str, before: Tensor | None, kept: Tensor | None, held: Tensor, first: int) -> str:
    """The reason that the keys themselves show."""
    if before is None:
        return (
            f"{name} goes on at position {first} of a text whose beginning was not watched: keys stand before it, "
            "of a cache or of prefix tuning. Call the model on the whole text, or generate, inside the with block; a "
            "learned prefix has no tokens and no queries, so a model with one cannot be watched, and its base model "
            "can."
        )
    if len(before) != len(held):
        return (
            f"{name} goes on with {len(held)} rows, and the calls before had {len(before)}: the rows of the cache were "
            "repeated or chosen among. A trace is of rows that stay; give the prompt as many rows as are generated."
        )
    if kept is not None and kept.shape == held.shape:
        same = (kept[:, None] == held).flatten(2).all(-1)  # [B, B]: row by row
        if same.any(0).all():
            return (
                "The rows of the cache changed their order, as they do in a beam search; generate with num_beams=1, or "
                "leave the rows where they are."
            )
        if (kept - held).abs().max() <= ROUNDED * kept.abs().max():
            return (
                f"The cache hands {name} other keys than were put into it, near to them, as a quantised cache does; "
                "use a cache that keeps its keys as they are."
            )
    return (
        f"{name} goes on at position {first} with a cache of another text than the one watched last, which has "
        f"{before.shape[2]} positions. A trace is of one text: where several are run in turn, each with a cache of its "
        "own, watch each in a with block of its own."
    )
