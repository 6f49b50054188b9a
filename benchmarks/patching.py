"""Activation patching beside TransformerLens on the same weights: the grid of all heads' outputs, and the preview.

    python benchmarks/patching.py [--rounds 3] [--json FILE] [--models stories-rope smollm2-135m]

Both run every head of every layer alone (kind "z", layer x head) on the same two texts; their grids must agree. They
take turns, the medians count, and the ratio is that of one round. SmolLM2 comes with `tlmviz get smollm2-135m`. Exit
status 1 when a bar is missed. Without TransformerLens its columns stay empty.
"""

from __future__ import annotations

import argparse
import json
import logging
import os
import statistics
import sys
import time
import warnings
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path

sys.path[0] = str(Path(__file__).resolve().parents[1])
os.environ.update(HF_HUB_OFFLINE="1", WANDB_MODE="disabled", TQDM_DISABLE="1")  # nothing downloaded or reported
warnings.filterwarnings("ignore")
logging.disable(logging.WARNING)

import torch  # noqa: E402

import tlmviz  # noqa: E402
from tlmviz.analysis.workbench.patching import Task, patch_grid, patch_preview, task_of  # noqa: E402
from tlmviz.facades.language_model import LanguageModel

TEXTS = {
    "stories-rope": (
        "Lily had a red ball. One day, Lily lost the red",
        "Lily had a red hat. One day, Lily lost the red",
        "ball",
        "hat",
    ),
    "smollm2-135m": (
        "When Mary and John went to the big old store in the town of Rome, John gave a drink to",
        "When Mary and John went to the big old store in the town of Rome, Mary gave a drink to",
        "Mary",
        "John",
    ),
}
BARS = {"stories-rope": (2.0, 1.5), "smollm2-135m": (40.0, 1.5)}  # seconds of the grid, of the preview
AGREE = 2e-3  # between two grids, in shares of the clean run's logit difference


@dataclass
class Row:
    """One model: seconds of the grid, of the preview and of TransformerLens' grid, and how far both grids are apart."""

    model: str
    cells: int
    tokens: int
    grid: float
    preview: float
    lens: float | None = None
    ratio: float | None = None
    apart: float | None = None

    @property
    def passed(self) -> bool:
        """Whether every bar is met."""
        most = BARS[self.model]
        return self.grid <= most[0] and self.preview <= most[1] and (self.ratio or 1) <= 1


def in_lens(lm: LanguageModel):
    """A HookedTransformer with a model's weights: RoPE in pairs side by side, RMSNorm, SwiGLU, grouped heads."""
    from transformer_lens import HookedTransformer, HookedTransformerConfig

    config, blocks = lm.config, lm.network.blocks
    attention, width = config.attention, config.d_model
    heads, groups = attention.n_heads, attention.n_kv_heads
    size = attention.head_dim or width // heads
    model = HookedTransformer(
        HookedTransformerConfig(
            n_layers=config.n_layers,
            d_model=width,
            n_ctx=128,
            d_head=size,
            n_heads=heads,
            n_key_value_heads=groups if groups != heads else None,
            d_mlp=config.feedforward.hidden,
            d_vocab=config.vocab_size,
            act_fn="silu",
            gated_mlp=True,
            normalization_type="RMS",
            eps=config.norm.eps,
            positional_embedding_type="rotary",
            rotary_dim=size,
            rotary_base=int(config.positions.rope_base),
            rotary_adjacent_pairs=True,
            device="cpu",
            init_weights=False,
        )
    ).eval()
    own = {name: torch.zeros_like(value) for name, value in model.state_dict().items()}
    shared = "" if groups == heads else "_"

    def put(name: str, value: torch.Tensor) -> None:
        own[name] = value.reshape(own[name].shape).clone()

    put("embed.W_E", lm.network.token_emb.weight)
    put("unembed.W_U", lm.network.head.weight.T)
    put("ln_final.w", lm.network.norm.weight)
    for layer, block in enumerate(blocks):
        at = f"blocks.{layer}."
        parts = block.attn.qkv.weight.split([heads * size, groups * size, groups * size])
        for name, part in zip(("W_Q", f"{shared}W_K", f"{shared}W_V"), parts):
            put(f"{at}attn.{name}", part.unflatten(0, (-1, size)).mT)  # [heads, d_model, d_head]
        put(f"{at}attn.W_O", block.attn.proj.weight.T.unflatten(0, (heads, size)))
        gate, up = block.mlp.gate_up.weight.chunk(2)
        put(f"{at}mlp.W_gate", gate.T)
        put(f"{at}mlp.W_in", up.T)
        put(f"{at}mlp.W_out", block.mlp.down.weight.T)
        put(f"{at}ln1.w", block.norm1.weight)
        put(f"{at}ln2.w", block.norm2.weight)
    # The causal mask and the tables of the rotation are no weights.
    keep = {
        name: value
        for name, value in model.state_dict().items()
        if "rotary" in name or "mask" in name or "IGNORE" in name
    }
    model.load_state_dict(own | keep)
    return model


def lens_grid(lm: LanguageModel, task: Task) -> Callable[[], torch.Tensor]:
    """TransformerLens' own loop over layers and heads, the clean run's cache included as ours includes reading both
    texts."""
    from transformer_lens import patching

    model = in_lens(lm)
    clean, corrupted = (torch.tensor([trace.ids]) for trace in (task.clean, task.corrupted))
    with torch.inference_mode():
        torch.testing.assert_close(model(clean)[0, -1], task.clean.logits_at(-1), atol=5e-3, rtol=1e-3)

    @torch.inference_mode()
    def run() -> torch.Tensor:
        cache = model.run_with_cache(clean, names_filter=lambda name: name.endswith("hook_z"))[1]
        return patching.get_act_patch_attn_head_out_all_pos(
            model, corrupted, cache, lambda logits: task.restored(logits[0, -1])
        )

    return run


def timed(work: Callable[[], torch.Tensor]) -> tuple[float, torch.Tensor]:
    """Seconds of one call, and what it gives."""
    start = time.perf_counter()
    found = work()
    return time.perf_counter() - start, found


def measure(name: str, rounds: int) -> Row:
    """One model's row."""
    lm = tlmviz.load(name)
    task = task_of(lm, *TEXTS[name])
    works = {"grid": lambda: patch_grid(lm, task_of(lm, *TEXTS[name])), "preview": lambda: patch_preview(lm, task)}
    try:
        works["lens"] = lens_grid(lm, task)
    except ImportError as error:
        print(f"transformer-lens left out: {error}", file=sys.stderr)
    works["preview"]()
    times: dict[str, list[float]] = {each: [] for each in works}
    found: dict[str, torch.Tensor] = {}
    for turn in range(rounds):
        order = list(works)[:: -1 if turn % 2 else 1]
        for each in order:
            seconds, found[each] = timed(works[each])
            times[each].append(seconds)
    row = Row(
        name, found["grid"].numel(), len(task.clean), *(statistics.median(times[each]) for each in ("grid", "preview"))
    )
    if "lens" in works:
        row.lens = statistics.median(times["lens"])
        row.ratio = statistics.median(a / b for a, b in zip(times["grid"], times["lens"]))
        row.apart = float((found["grid"] - found["lens"]).abs().max())
        if row.apart > AGREE:
            raise ValueError(f"{name}: the two grids are {row.apart:.2g} apart.")
    return row


def main() -> int:
    """Print the table; 1 where a bar is missed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--json", type=Path)
    parser.add_argument("--models", nargs="+", choices=list(TEXTS), default=list(TEXTS))
    given = parser.parse_args()
    rows = []
    print("| model | cells | T | grid, s | preview, s | TransformerLens, s | grid by it | apart | |\n|" + " --- |" * 9)
    for name in given.models:
        row = measure(name, given.rounds)
        rows.append(row)
        peer = ["", "", ""] if row.lens is None else [f"{row.lens:.2f}", f"{row.ratio:.2f}", f"{row.apart:.0e}"]
        numbers = [row.model, str(row.cells), str(row.tokens), f"{row.grid:.2f}", f"{row.preview:.2f}", *peer]
        print("| " + " | ".join([*numbers, "pass" if row.passed else "FAIL"]) + " |", flush=True)
    if given.json:
        given.json.write_text(json.dumps([asdict(row) for row in rows], indent=1))
    return int(not all(row.passed for row in rows))


if __name__ == "__main__":
    sys.exit(main())
