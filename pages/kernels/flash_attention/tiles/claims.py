"""What the part Tiles says about its picture, each where it is true."""

from __future__ import annotations

from tlmviz.analysis.kernels.kernel_run import KernelRun
from tlmviz.figures.written import number
from tlmviz.ui.hints import Hint, to, within
from tlmviz.ui.language import N_, _, ngettext

from .data import Data


def moves_less(data: Data) -> str | None:
    """The kernel moves less than standard attention."""
    kernel, standard = _moved(data)
    if kernel >= standard:
        return None
    return _(
        "The map of {n} × {n} weights is never stored: the kernel moves {kernel} kB through slow memory, standard "
        "attention {standard} kB.",
        n=data.length,
        kernel=kernel,
        standard=standard,
    )


def moves_more(data: Data) -> str | None:
    """Blocks of few rows read the keys so often that nothing is saved."""
    kernel, standard = _moved(data)
    if kernel < standard:
        return None
    return ngettext(
        "In blocks of {rows} rows the keys of {n} token are read so often that nothing is saved: {kernel} kB are "
        "moved, {standard} kB by standard attention.",
        "In blocks of {rows} rows the keys of {n} tokens are read so often that nothing is saved: {kernel} kB are "
        "moved, {standard} kB by standard attention.",
        data.length,
        rows=data.walk.rows,
        kernel=kernel,
        standard=standard,
    )


def skips(data: Data) -> str | None:
    """Tiles behind the mask are not loaded."""
    if not data.skipped:
        return None
    return ngettext(
        "{n} of {tiles} tiles lies behind the mask (grey) and is never loaded.",
        "{n} of {tiles} tiles lie behind the mask (grey) and are never loaded.",
        data.skipped,
        tiles=data.skipped + len(data.walk.visits),
    )


def cut(data: Data) -> str | None:
    """Only the first tokens are walked."""
    if len(data.tokens) == data.length:
        return None
    return _("The first {n} of {tokens} tokens are walked.", n=data.length, tokens=f"{len(data.tokens):,}")


def no_kernel(data: Data) -> str | None:
    """The model's positions are none that the kernel has."""
    if data.inputs.relative is None:
        return None
    return _("The quoted kernel has no relative positions: this model runs in torch. The walk adds them to each tile.")


CLAIMS = moves_less, moves_more, skips, no_kernel, cut
HINTS = (Hint(N_("Press ▶; then move *Rows of a tile, Br* to 4."), to(rows=4)), Hint(N_("Press ▶."), within))


def _moved(data: Data) -> tuple[float, float]:
    """Kilobytes as they are written."""
    return tuple(round(data.moved[name] / 1000, 1) for name in ("kernel", "standard"))  # type: ignore[return-value]


def title(data: Data) -> str:
    """The head, and its tiles."""
    return _(
        "L{layer}H{head}: {visited} tiles of {rows} × {cols} visited, {skipped} skipped by the mask",
        layer=data.chosen.layer,
        head=data.chosen.head,
        visited=len(data.walk.visits),
        rows=data.walk.rows,
        cols=data.walk.cols,
        skipped=data.skipped,
    )


def kernel(run: KernelRun, data: Data) -> str:
    """What ran where, on how many of the text's tokens, and how far it lies from torch."""
    length = len(run.lse)
    where = _("in Triton's interpreter") if run.interpreted else _("on the card")
    said = _(
        "The Triton kernel ran {where} in {seconds:.2f} s. **Largest difference from torch: {error}**, of out and lse, "
        "over {n} queries.",
        where=where,
        seconds=run.seconds,
        error=number(run.error, ".1e"),
        n=length,
    )
    if len(data.tokens) == length:
        return said
    part = _("It ran on the first {n} of {tokens} tokens, as the walk above.", n=length, tokens=f"{len(data.tokens):,}")
    return f"{said} {part}"


NOTICE = (
    N_(
        "Each program keeps one block of queries on the chip and walks over the keys. The map is drawn so that you "
        "see where it reads; the kernel never has it."
    ),
    N_(
        "Per query a program keeps *m*, the largest score so far, *l*, the sum so far, and *acc*, the output so "
        "far. A larger score rescales the other two. Bytes are of float32."
    ),
    N_("On a GPU the programs run at once, the longest launched first; here one after the other, in launch order."),
)


MATHS = (
    N_("*m_i*, *l_i* and *acc* are all that a program stores. Only tiles that cross the mask check their cells."),
    N_(
        "The kernel keeps scores times log₂ e and calls exp2; *m_i* is shown in natural units. Its tiles are at least "
        "16 × 16."
    ),
)
