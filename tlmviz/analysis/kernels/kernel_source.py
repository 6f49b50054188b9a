"""The lines of the Triton forward kernel that a page shows beside its loops, read from the source file.

The file is read as text: importing it needs Triton, which a machine without a GPU may not have.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path

from tlmviz.errors import UnknownName

FILE = Path(__file__).resolve().parents[2] / "kernels" / "attention_triton.py"

# (function, what the line starts with, when it runs). "masked" and "plain" are the two branches of a tile.
PARTS = (
    ("forward_kernel", "block = blocks - 1", "start"),
    ("forward_kernel", "rows = block * BLOCK_M", "start"),
    ("forward_kernel", "q = load_tile(", "start"),
    ("forward_kernel", "start, full, past, stop = key_span(", "start"),
    ("forward_kernel", "acc = tl.zeros", "start"),
    ("forward_kernel", "m_i = tl.full", "start"),
    ("forward_kernel", "l_i = tl.zeros", "start"),
    ("_attn_inner", "for at in range(start, stop", "load"),
    ("_attn_inner", "k = load_tile(", "load"),
    ("_attn_inner", "qk = tl.dot(", "load"),
    ("_attn_inner", "if MASKED or ALIBI:", "biased"),
    ("_attn_inner", "scores = biased(", "biased"),
    ("_attn_inner", "if MASKED:", "hide"),
    ("_attn_inner", "seen = visible(", "hide"),
    ("_attn_inner", "scores = tl.where(seen", "hide"),
    ("_attn_inner", "m_new = tl.maximum(m_i, tl.max(scores", "biased"),
    ("_attn_inner", "m_safe = tl.where(", "biased"),
    ("_attn_inner", "p = tl.exp2(scores", "biased"),
    ("_attn_inner", "else:", "plain"),
    ("_attn_inner", "m_new = tl.maximum(m_i, tl.max(qk", "plain"),
    ("_attn_inner", "p = tl.exp2(qk", "plain"),
    ("_attn_inner", "alpha = ", "add"),
    ("_attn_inner", "l_i = l_i * alpha", "add"),
    ("_attn_inner", "v = load_tile(", "add"),
    ("_attn_inner", "acc = tl.dot(", "add"),
    ("_attn_inner", "m_i = m_new", "add"),
    ("forward_kernel", "acc = acc / ", "finish"),
    ("forward_kernel", "lse = tl.where(", "finish"),
    ("forward_kernel", "tl.store(lse_ptr", "finish"),
    ("forward_kernel", "store_tile(out_ptr", "finish"),
)


@dataclass(frozen=True)
class Line:
    """One quoted line without its function's indentation: its function, number in the file, and when it runs."""

    function: str
    number: int
    code: str
    when: str


@cache
def kernel_lines() -> tuple[Line, ...]:
    """The kernel's lines in the order in which they run.

    Raises UnknownName when one is gone: the kernel has changed under the page.
    """
    text = FILE.read_text(encoding="utf-8").splitlines()
    return tuple(_find(text, *part) for part in PARTS)


def running(stage: str, masked: bool, biased: bool) -> frozenset[str]:
    """Which kinds of lines run in a stage ("start", "load", "scores", "add", "finish") of a tile."""
    if stage != "scores":
        return frozenset({stage})
    if masked:
        return frozenset({"biased", "hide"})
    return frozenset({"biased"}) if biased else frozenset({"plain"})


def _find(text: list[str], function: str, beginning: str, when: str) -> Line:
    inside = False
    for number, line in enumerate(text, 1):
        if line.startswith("def "):
            inside = line.startswith(f"def {function}(")
        elif inside and line.strip().startswith(beginning):
            return Line(function, number, line.rstrip()[4:], when)
    raise UnknownName(f"{function} has no line that starts with {beginning!r} any more; quote another one.")
