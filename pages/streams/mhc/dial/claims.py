"""What the Sinkhorn dial says of its picture: how near the sums are to 1, and whether they can get there."""

from __future__ import annotations

from collections.abc import Sequence

from pages.streams.mhc.state import MODEL, OWN
from tlmviz.figures import number
from tlmviz.ui import markdown
from tlmviz.ui.hints import Hint, within
from tlmviz.ui.language import N_, _, listed, ngettext

from .data import Dial

NAMED = 4  # entries that a verdict names
CLOSE = 1e-6
ROUNDING = 1e-15


def off(data: Dial) -> str | None:
    """How far sums are from 1 where the dial stands."""
    done, start = data.chosen.step // 2, _size(data.residuals[0])
    if not done:
        return _("**Before any iteration the sum that is furthest from 1 is off by {start}.**", start=start)
    return ngettext(
        "**After {n} iteration the sum that is furthest from 1 is off by {now}**; before any it was {start}.",
        "**After {n} iterations the sum that is furthest from 1 is off by {now}**; before any it was {start}.",
        done,
        now=_size(data.residuals[done]),
        start=start,
    )


def settles(data: Dial) -> str | None:
    """All sums come close to 1."""
    near = [k for k, residual in enumerate(data.residuals) if residual < CLOSE]
    if not near:
        return None
    return ngettext(
        "{n} iteration brings all sums within 0.000001 of 1.",
        "{n} iterations bring all sums within 0.000001 of 1.",
        near[0],
    )


def leaves(data: Dial) -> str | None:
    """What the model's own iterations leave, and what bounds its logits."""
    if data.typed is not None:
        return None
    said = _(
        "Columns are scaled last and end exact. Rows are what too few iterations leave wrong: this model’s {count} "
        "leave them off by up to {left} on this text.",
        count=data.connection.iterations,
        left=number(data.left, ".2g"),
    )
    if data.connection.bound is None:
        return said
    bound = _(
        "It bounds its logits to ±\u00a0{bound}, so that an iteration leaves less of that error on any text.",
        bound=f"{data.connection.bound:g}",
    )
    return said + " " + bound


def verdict(data: Dial) -> str | None:
    """Whether a typed matrix has a doubly stochastic scaling."""
    if data.typed is None:
        return None
    support, n = data.typed.support, len(data.typed.logits)
    if n == 1:
        return (
            _("One positive number becomes 1 at once.")
            if support.kind == "total"
            else _("A single 0 stays 0: no scaling.")
        )
    if support.kind == "none":
        return _no_support(support.rows, support.columns)
    if support.kind == "partial":
        return _partial(support.dropped)
    if support.blocks > 1:
        return _(
            "Total support, in {count} blocks that do not meet: each has exactly one doubly stochastic scaling.",
            count=support.blocks,
        )
    return _(
        "Total support: exactly one doubly stochastic scaling exists, and Sinkhorn-Knopp converges to it at a steady "
        "rate."
    )


CLAIMS = off, settles, leaves  # `verdict` stands in the picture
HINTS = (Hint(N_("Press ▶, or drag the dial."), within),)


def _no_support(rows: Sequence[int], columns: Sequence[int]) -> str:
    named = ngettext("row {rows}", "rows {rows}", len(rows), rows=listed([str(row + 1) for row in rows]))
    if not columns:
        have = ngettext("{rows} has no positive entry", "{rows} have no positive entry", len(rows), rows=named)
    else:
        where = ngettext(
            "column {columns}", "columns {columns}", len(columns), columns=listed([str(each + 1) for each in columns])
        )
        have = ngettext(
            "{rows} has positive entries in {where} alone",
            "{rows} have positive entries in {where} alone",
            len(rows),
            rows=named,
            where=where,
        )
    return _("No support, so no doubly stochastic scaling: {have}, and the residual never falls to 0.", have=have)


def _partial(dropped: Sequence[tuple[int, int]]) -> str:
    pairs = ", ".join(f"({row + 1}, {column + 1})" for row, column in dropped[:NAMED])
    if len(dropped) > NAMED:
        pairs = _("{pairs} and {count} more", pairs=pairs, count=len(dropped) - NAMED)
    return ngettext(
        "Support, but not total: no doubly stochastic scaling, only a limit in which the entry {pairs} is 0. The "
        "residual falls like 1/k, at no steady rate.",
        "Support, but not total: no doubly stochastic scaling, only a limit in which the entries {pairs} are 0. The "
        "residual falls like 1/k, at no steady rate.",
        len(dropped),
        pairs=pairs,
    )


def _size(residual: float) -> str:
    return _("less than {least}", least=f"{ROUNDING:g}") if residual < ROUNDING else number(residual, ".3g")


def no_logits(data: Dial) -> str:
    """Why a model has nothing for the dial."""
    said = (
        _(
            "{model} has a plain residual: one stream, carried on times 1, so there is nothing to scale. Here is a "
            "matrix of your own."
        )
        if data.connection.kind == "residual"
        else _(
            "{model} has free hyper-connections: no Sinkhorn constrains its H_res, so it has no logits. Here is a "
            "matrix of your own."
        )
    )
    return said.format(model=markdown.plain(data.chosen.model))


_READ = (
    N_("Each half step scales the rows or the columns to sums of 1, and moves the sums of the other side."),
    N_("The dashed line is how fast the error must fall in the end, by theory. A low temperature makes it slow."),
)
_RATE = N_(
    "The dashed line: × σ₂² per iteration, from the limit alone. A low temperature brings σ₂ near 1; symmetry can "
    "hide the slowest direction and make it faster."
)
NOTICE = {  # by whose matrix it is
    MODEL: _READ,
    OWN: (
        *_READ,
        N_(
            "Zeros decide whether a scaling exists: every positive entry must lie on a permutation of positive entries "
            "(total support). With some such permutation (support) the iterations converge, but other entries die out; "
            "without one they never settle."
        ),
    ),
}
MATHS = {
    MODEL: (
        _RATE,
        N_(
            "Exact columns make the backward gain 1 from the first iteration on. A product over depth multiplies the "
            "error of the rows: that is the forward gain."
        ),
    ),
    OWN: (_RATE,),
}
