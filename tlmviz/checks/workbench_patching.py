"""The identities behind the page Patch: what all patches together, none of them, and a layer's heads must give."""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch

from tlmviz.analysis.workbench import patching
from tlmviz.analysis.workbench.patching import Cell, Task

from .cases import is_language_model
from .registry import identity
from .result import OF_LARGEST, ROUNDING, beside_largest, largest, worst

if TYPE_CHECKING:
    from ..facades.language_model import LanguageModel


def two_runs(lm: LanguageModel, text: str) -> tuple[LanguageModel, Task]:
    """(lm, task): the text, and the same with its last token but one exchanged; the answers are what that moves apart
    most."""
    clean = lm.encode(text)
    corrupted, where = list(clean), max(0, len(clean) - 2)
    corrupted[where] = (clean[where] + 1) % lm.config.vocab_size
    both = patching.read_both(lm, clean, corrupted)
    moved = both[0].logits_at(-1) - both[1].logits_at(-1)
    return lm, Task(*both, int(moved.argmax()), int(moved.argmin()))


@identity(
    "All patched = clean",
    "everything patched gives the clean run",
    ROUNDING,
    OF_LARGEST,
    when=is_language_model,
    inputs=two_runs,
)
def everything_patched_is_clean(lm: LanguageModel, task: Task) -> float:
    """The corrupted run with the stream that enters, every head's output and every MLP's from the clean one."""
    entering = [Cell("resid", 0, position) for position in range(len(task.clean))]
    cells = [*entering, *patching.every_cell(task, "z"), *patching.every_cell(task, "mlp")]
    return beside_largest(patching.patched_trace(lm, task, cells).logits_at(-1), task.clean.logits_at(-1))


@identity(
    "None patched = corrupted",
    "a run begun at any block without a patch is the corrupted one",
    ROUNDING,
    OF_LARGEST,
    when=is_language_model,
    inputs=two_runs,
)
def nothing_patched_is_corrupted(lm: LanguageModel, task: Task) -> float:
    """The grid begins each run at the block that it changes; without a change every one must end as the corrupted
    run."""
    expected = task.corrupted.logits_at(-1)
    begun = (patching.run_from(lm, task.corrupted, layer)[0] for layer in range(task.clean.n_layers))
    return largest([beside_largest(found, expected) for found in begun])


@identity(
    "Heads add up",
    "to first order, a layer's heads add up to its attention",
    1e-3,
    "max relative",
    when=is_language_model,
    inputs=two_runs,
)
def heads_add_up(lm: LanguageModel, task: Task) -> float:
    """Previews of a layer's heads summed against those of what its attention gives at all positions: W_O is linear."""
    heads = patching.patch_preview(lm, task, "z").sum(1)
    attention = patching.patch_preview(lm, task, "attn").sum(1)
    return worst(heads - attention) / max(worst(attention), torch.finfo(torch.float32).tiny)
