"""What the part One row says about its picture, each where it is true."""

from __future__ import annotations

import numpy as np

from tlmviz.figures.written import number
from tlmviz.ui.hints import Hint, to, where
from tlmviz.ui.language import N_, _, ngettext

from .data import Data
from .state import preset, written


def naive_breaks(data: Data) -> str | None:
    """The naive sum overflows."""
    worst = max(walk.error for walk in data.walks[1:])
    if data.walks[0].finite or not np.isfinite(data.x).any() or not np.isfinite(worst):
        return None
    return _(
        "Summing exp of these scores as they stand overflows: no answer. Taking off the largest score first, the "
        "others are off by {error} at most.",
        error=_small(worst),
    )


def sees_nothing(data: Data) -> str | None:
    """Every logit is −inf."""
    if np.isfinite(data.x).any():
        return None
    return _("This row sees no key at all: every score is −inf, and the kernel answers with zeros.")


def rises(data: Data) -> str | None:
    """The largest logit so far grows on the way."""
    if not data.rises or not np.isfinite(data.x).any():
        return None
    return ngettext(
        "Reading the scores once, a new largest one turns up {n} time: what was summed so far is scaled down, and "
        "nothing is read twice.",
        "Reading the scores once, a new largest one turns up {n} times: what was summed so far is scaled down each "
        "time, and nothing is read twice.",
        data.rises,
    )


def first_is_largest(data: Data) -> str | None:
    """No later logit is larger than the first."""
    if data.rises or len(data.x) < 2 or not np.isfinite(data.x).any():
        return None
    return _("No later score is larger than the first, so nothing has to be put right on the way.")


def alone(data: Data) -> str | None:
    """One logit."""
    if len(data.x) > 1 or not np.isfinite(data.x).any():
        return None
    return _("One score alone gets all of the weight, whatever it is.")


def own_or_typed(data: Data) -> str | None:
    """These logits are the visitor's."""
    if not data.typed:
        return None
    return ngettext("{n} score of yours, not the model's.", "{n} scores of yours, not the model's.", len(data.x))


def cut(data: Data) -> str | None:
    """Only the last keys are walked."""
    if not data.left_out:
        return None
    return _("The query sees {visible} keys; the last {n} are walked.", visible=data.own.visible, n=len(data.x))


CLAIMS = sees_nothing, naive_breaks, alone, rises, first_is_largest, own_or_typed, cut
HINTS = (
    Hint(
        N_("Take *One at 1e4* from *Presets*."),
        where(lambda data: data.x.max() < 1e4, to(logits=lambda data: written(preset("One at 1e4", data.own.x)))),
    ),
)


def _small(value: float) -> str:
    return number(float(value), ".3g") if value == 0 or abs(value) >= 1e-3 else number(float(value), ".2e")


def title(data: Data) -> str:
    """Whose row is walked."""
    n, at = len(data.x), data.chosen
    if data.typed:
        return ngettext("{n} typed logit", "{n} typed logits", n)
    return ngettext(
        "L{layer}H{head}, query {query}: {n} logit",
        "L{layer}H{head}, query {query}: {n} logits",
        n,
        layer=at.layer,
        head=at.head,
        query=at.query,
    )


def results(data: Data, maths: bool) -> str:
    """How each algorithm ended, as a table in Markdown; red where it overflowed."""
    sums = "l_i" if maths else _("sum")
    lines = [f"| | {_('reads')} | {sums} | {_('result')} | {_('off from float64 by')} |", "|---|---|---|---|---|"]
    for walk in data.walks:
        end = _("finite") if walk.finite else f":red[**{_('inf or NaN')}**]"
        lines.append(f"| {walk.name} | {len(walk.passes)} | {_cell(walk.l_i[-1])} | {end} | {_cell(walk.error)} |")
    return "\n".join(lines)


def _cell(value: float) -> str:
    return _small(value) if np.isfinite(value) else f":red[**{float(value):.0f}**]".replace("nan", "NaN")


NOTICE = (
    N_(
        "Blue steps are the largest logit so far. At an orange dot it grew, and everything summed so far was "
        "scaled down to match."
    ),
    N_(
        "*One pass* needs one read. The others read the row again, from slow memory if it is long: the picture "
        "opens in their second read."
    ),
)


MATHS = (
    N_(
        "The largest logit so far is *m_i*. The factor at an orange dot is alpha = exp(m_old − m_new), on *l_i*, "
        "and in *One pass* on the output *o* too."
    ),
)
