"""The words of the part Tiles: title, what to notice, equation, snippet."""

from __future__ import annotations

from tlmviz.analysis.kernels.kernel_run import KernelRun
from tlmviz.analysis.kernels.tile_steps import naive_moves
from tlmviz.analysis.kernels.tiling import Inputs, TileWalk

from ..controls import Choice
from .controls import TileChoice

NOTICE = (
    "Each program keeps one block of queries on the chip and walks over the keys. The map is drawn so that you see where it "
    "reads; the kernel never has it.",
    "Per query a program keeps three things: *m*, the largest score so far, *l*, the sum so far, and *acc*, the output so far. "
    "A larger score rescales the other two.",
    "Grey tiles lie behind the mask and are never loaded.",
    "On a GPU the programs run at once, the longest launched first; here one after the other, in launch order.",
)
NOTICE_MATHS = (
    "*m_i*, *l_i* and *acc* are all that a program stores. Only tiles that cross the mask check their cells.",
    "The kernel keeps scores times log₂ e and calls exp2; *m_i* is shown in natural units. Its tiles are at least 16 × 16.",
)
RELATIVE = (
    "The quoted kernel has no relative positions: this model runs in torch. The walk adds them to each tile."
)
EQUATION = (
    r"m_{new} = \max\big(m_i, \max_{s \in B} x_s\big),\quad \alpha = e^{m_i-m_{new}},\quad l_i \leftarrow \alpha\, l_i + "
    r"\sum_{s \in B} e^{x_s-m_{new}},\quad acc \leftarrow \alpha\, acc + \sum_{s \in B} e^{x_s-m_{new}} V_s,\quad Y = acc / l_i",
    "Decoder-Only Transformers in Einstein Notation, section 5, which writes m, z and N for m_i, l_i and acc; "
    "loop order of FlashAttention-2 (Dao 2023).",
)


KERNEL_HELP = (
    "The kernel that runs on CUDA, on this head: on the card where there is one, else line by line in Triton's interpreter, "
    "in a process of its own."
)
RUN_TRITON_KERNEL = "Run the Triton kernel"


def kernel(run: KernelRun, tokens: int) -> str:
    """What ran where, on how many of the text's tokens, and how far it lies from torch."""
    length = len(run.lse)
    where = "in Triton's interpreter" if run.interpreted else "on the card"
    part = (
        f" It ran on the first {length} of {tokens:,} tokens, as the walk above." if tokens > length else ""
    )
    return (
        f"The Triton kernel ran {where} in {run.seconds:.2f} s. **Largest difference from torch: {run.error:.1e}**, of out "
        f"and lse, over {length} queries.{part}"
    )


def notice(inputs: Inputs, walk: TileWalk, moved: int) -> tuple[str, ...]:
    """What to notice about the tiles of one head, whose walk has moved so many numbers."""
    return (_bytes(inputs, walk, moved), *NOTICE)


def notice_maths(inputs: Inputs) -> tuple[str, ...]:
    """What the kernel stores and computes for one head, at the reading level Maths."""
    return NOTICE_MATHS if inputs.relative is None else (*NOTICE_MATHS, RELATIVE)


def _bytes(inputs: Inputs, walk: TileWalk, moved: int) -> str:
    """What both algorithms move here, and what a larger block of queries changes."""
    length, width = inputs.q.shape
    standard = naive_moves(length, width)
    return (
        f"On these {length} tokens the kernel moves {moved * 4 / 1000:.1f} kB to and from HBM, standard attention "
        f"{standard * 4 / 1000:.1f} kB (float32). Every block of {walk.rows} queries reads its keys and values anew: with "
        f"smaller blocks the kernel moves more, and on longer texts standard attention's T × T numbers outgrow all else."
    )


def title(choice: Choice, walk: TileWalk, tokens: int) -> str:
    """The head, how many of its tiles are visited, and how many of the text's tokens were left out."""
    length = len(walk.out)
    part = f"; the first {length} of {tokens} tokens" if tokens > length else ""
    skipped = int(walk.skipped.sum())
    count = f"{len(walk.visits)} tiles of {walk.rows} × {walk.cols} visited, {skipped} skipped by the mask"
    return f"Layer {choice.layer}, head {choice.head}: {count}{part}"


def snippet(choice: TileChoice) -> str:
    """The walk over the tiles with the public API, and the kernel's own result beside it."""
    at = choice.at
    return f"""\
import torch

import tlmviz
from tlmviz import kernels
from tlmviz.analysis.kernels import tiling

trace = tlmviz.load({at.model!r}).trace({at.text!r})
inputs = tiling.head_inputs(trace, layer={at.layer}, head={at.head})
walk = tiling.walk(inputs, rows={choice.rows}, cols={choice.cols})
for visit in walk.visits:
    print(f"row block {{visit.block}}, tile {{visit.tile}}: m_i = {{visit.m_i}}, l_i = {{visit.l_i}}")
q, k, v = (torch.from_numpy(part)[None, None] for part in (inputs.q, inputs.k, inputs.v))
slopes = torch.tensor([inputs.slope]) if inputs.slope else None
relative = None if inputs.relative is None else torch.from_numpy(inputs.relative)
out, lse = kernels.attention(q, k, v, scale=inputs.scale, window=inputs.window, slopes=slopes, relative=relative)
print("largest difference:", (out[0, 0] - torch.from_numpy(walk.out)).abs().max().item())
"""
