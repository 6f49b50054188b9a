"""What the page Head atlas says about its picture, each where it is true, and what its parts are in any state."""

from __future__ import annotations

import numpy as np

from tlmviz.figures import number
from tlmviz.ui import markdown
from tlmviz.ui.hints import Hint, where, within
from tlmviz.ui.language import N_, _, listed, ngettext

from .data import Data
from .state import ALL, NAMES, ONE

FEW = 4  # heads that are named one by one
CLOSE = 0.5  # a correlation from which on two statistics go together
WIDE = 2.0  # times the median passage: from here on a head does something in some texts and not in others
DOES = {  # what a head does that has much of a statistic
    "entropy": N_("spreads its attention by {value} bits, as over {count} tokens alike"),
    "peak": N_("puts {value} of its attention on one token on average"),
    "sink": N_("gives {value} of its attention to the first token"),
    "self": N_("gives {value} of its attention to the token itself"),
    "previous": N_("gives {value} of its attention to the token just before"),
    "distance": N_("looks {value} tokens back on average"),
    "induction": N_("gives {value} of its attention to what followed the same token before"),
}


def found_some(data: Data) -> str | None:
    """A query names some of the heads."""
    if not data.searched or not 0 < data.lit.sum() < len(data.lit):
        return None
    lit = np.flatnonzero(data.lit)
    named = [_name(data, n) for n in lit[:FEW]]
    if len(lit) > FEW:
        named.append(_("{n} more", n=len(lit) - FEW))
    return ngettext(
        "Of {count} heads one is like this: {names}.",
        "Of {count} heads {n} are like this: {names}.",
        len(lit),
        count=len(data.lit),
        names=listed(named),
    )


def found_none(data: Data) -> str | None:
    """A query names no head."""
    if not data.searched or data.lit.any():
        return None
    return _("None of the {count} heads is like this.", count=len(data.lit))


def found_all(data: Data) -> str | None:
    """A query names every head."""
    if not data.searched or not data.lit.all():
        return None
    return _("All {count} heads are like this.", count=len(data.lit))


def one_has_most(data: Data) -> str | None:
    """One head has more of the statistic upwards than any other."""
    if data.chosen.y not in DOES:
        return None
    values = _column(data, data.chosen.y)
    order = np.argsort(-np.nan_to_num(values, nan=-np.inf), kind="stable")
    if len(order) < 2 or not np.isfinite(values[order[:2]]).all():
        return None
    if written(data.chosen.y, values[order[0]]) == written(data.chosen.y, values[order[1]]):
        return None
    return _(
        "{head} {does}, more than any other of the {count} heads; next comes {other} with {value}.",
        head=_name(data, order[0]),
        does=_does(data.chosen.y, values[order[0]]),
        count=len(values),
        other=_name(data, order[1]),
        value=written(data.chosen.y, values[order[1]]),
    )


def averaged(data: Data) -> str | None:
    """Of any survey, where nothing more can be said."""
    if data.searched or one_has_most(data):
        return None
    if data.trained:
        return _(
            "Each dot is one of the {count} heads of {model} as they were at step {step} of its training.",
            count=len(data.heads),
            model=data.found.settings["model"],
            step=f"{data.trained.step:,}",
        )
    return _(
        "Each dot is one of the {count} heads of {model}, averaged over {tokens} tokens.",
        count=len(data.heads),
        model=data.found.settings["model"],
        tokens=f"{data.tokens:,}",
    )


def since_the_start(data: Data) -> str | None:
    """The head with the most of the statistic upwards had more or less of it when the training began."""
    column = data.chosen.y
    if not data.trained or column not in DOES:
        return None
    now = _column(data, column)
    if not np.isfinite(now).any():
        return None
    best = int(np.nan_to_num(now, nan=-np.inf).argmax())
    high, low = (written(column, table[column].iloc[best]) for table in (data.heads, data.trained.first))
    if high == low:
        return None
    return _(
        "**Since the start**: at step {first} {head} had {low} of “{y}”, at step {step} it has {high}.",
        first=f"{int(data.trained.first['step'].iloc[0]):,}",
        head=_name(data, best),
        low=low,
        y=_(NAMES[column]),
        step=f"{data.trained.step:,}",
        high=high,
    )


def go_together(data: Data) -> str | None:
    """Heads with much of the one have much of the other."""
    found = _correlation(data)
    if found is None or float(found) < CLOSE:
        return None
    return _(
        "**Heads with more of the one have more of the other**: {x} and {y} correlate with {r}.",
        x=_(NAMES[data.chosen.x]),
        y=_(NAMES[data.chosen.y]),
        r=found,
    )


def go_apart(data: Data) -> str | None:
    """Heads with much of the one have little of the other."""
    found = _correlation(data)
    if found is None or float(found) > -CLOSE:
        return None
    return _(
        "**Heads with more of the one have less of the other**: {x} and {y} correlate with {r}.",
        x=_(NAMES[data.chosen.x]),
        y=_(NAMES[data.chosen.y]),
        r=number(float(found), ".2f"),
    )


def does_most(data: Data) -> str | None:
    """No other head has as much of the statistic."""
    if _above(data) != 0:
        return None
    return _(
        "{head} {does}: no other of the {count} heads has more.",
        head=_name(data, data.index),
        does=_does(data.chosen.statistic, data.values[data.index]),
        count=len(data.values),
    )


def others_do_more(data: Data) -> str | None:
    """Other heads have more of the statistic."""
    if not (above := _above(data)):
        return None
    best = int(np.nan_to_num(data.values, nan=-np.inf).argmax())
    return ngettext(
        "{head} {does}; one of the {count} heads has more, {best}: {value}.",
        "{head} {does}; {n} of the {count} heads have more, most of all {best}: {value}.",
        above,
        head=_name(data, data.index),
        does=_does(data.chosen.statistic, data.values[data.index]),
        count=len(data.values),
        best=_name(data, best),
        value=written(data.chosen.statistic, data.values[best]),
    )


def never(data: Data) -> str | None:
    """The corpus has no place where the head could do it."""
    if _above(data) is not None:
        return None
    return _(
        "The corpus has no place at which {head} could show this: {name}.",
        head=_name(data, data.index),
        name=_(NAMES[data.chosen.statistic]),
    )


def depends_on_text(data: Data) -> str | None:
    """In some passages the head does it far more than in most."""
    if not (spread := _spread(data)) or spread[1] < WIDE * max(spread[0], 1e-9):
        return None
    return _(
        "**It depends on the text**: in one passage of ten it is {high} or more, in the median passage {middle}.",
        high=written(data.chosen.statistic, spread[1]),
        middle=written(data.chosen.statistic, spread[0]),
    )


def in_every_text(data: Data) -> str | None:
    """The passages are alike in it."""
    if not (spread := _spread(data)) or spread[1] >= WIDE * max(spread[0], 1e-9):
        return None
    return _(
        "**It does so in most texts alike**: in the median passage it is {middle}, and in nine of ten at most {high}.",
        high=written(data.chosen.statistic, spread[1]),
        middle=written(data.chosen.statistic, spread[0]),
    )


def in_the_passage(data: Data) -> str | None:
    """Where the pinned token of the passage looks."""
    if data.read is None or data.passage is None:
        return None
    tokens, row = data.read.trace.tokens, data.read.weights[data.pin]
    key = int(row.argmax())
    return _(
        "**In the passage shown**, {value}: from {query} most goes to {key}, {weight}.",
        value=written(data.chosen.statistic, data.passage.value),
        query=markdown.quoted(tokens[data.pin], data.pin),
        key=markdown.quoted(tokens[key], key),
        weight=written("peak", row[key]),
    )


ALL_CLAIMS = (found_some, found_none, found_all, one_has_most, averaged, since_the_start, go_together, go_apart)
ONE_CLAIMS = (does_most, others_do_more, never, depends_on_text, in_every_text, in_the_passage)
HINTS = {
    ALL: (Hint(N_("Click a dot, or a line of the table."), where(lambda data: data.lit.any(), within)),),
    ONE: (Hint(N_("Click another passage or another token."), within),),
}


def written(column: str, value: float) -> str:
    """A statistic as text: shares in per cent."""
    if column in ("entropy", "distance"):
        return number(float(value), ".2f" if column == "entropy" else ".1f")
    return number(float(value), ".1%")


def _does(column: str, value: float) -> str:
    return _(DOES[column], value=written(column, value), count=number(2.0 ** float(value), ".0f"))


def _name(data: Data, n: int) -> str:
    layer, head = divmod(int(n), data.found.settings["heads"])
    return f"L{layer}H{head}"


def _column(data: Data, column: str) -> np.ndarray:
    return data.heads[column].to_numpy(float)


def _correlation(data: Data) -> str | None:
    """Of the two statistics over heads, as it is written but for the sign; None where there is none."""
    chosen = data.chosen
    if chosen.x == chosen.y:
        return None
    r = float(data.heads[chosen.x].corr(data.heads[chosen.y]))
    return f"{r:.2f}" if np.isfinite(r) else None


def _above(data: Data) -> int | None:
    """How many heads have more of the statistic than the head; None where it has none of it."""
    own = data.values[data.index]
    return None if np.isnan(own) else int((data.values > own).sum())


def _spread(data: Data) -> tuple[float, float] | None:
    """The median and the ninth decile over passages; None where the head has none."""
    if not np.isfinite(data.spread).all():
        return None
    return float(data.spread[5]), float(data.spread[9])


def without(data: Data) -> str | None:
    """Heads that have no dot."""
    missing = int((np.isnan(_column(data, data.chosen.x)) | np.isnan(_column(data, data.chosen.y))).sum())
    if not missing:
        return None
    return ngettext(
        "One head lacks one of the two statistics: it stands in the table alone.",
        "{n} heads lack one of the two statistics: they stand in the table alone.",
        missing,
    )


ALL_NOTICE = (
    N_(
        "Each dot is a head: its statistics are **averages over every token of the corpus**, not over one sentence; of "
        "a training, over the texts that were measured while it learned, the same at every step, and so are the axes."
    ),
    N_(
        "The **finder** lights up the heads that a query names: `induction > 0.1`, `layer < 2 and not entropy > 6`, "
        "`previous > self`. The table has those heads; the titles of its columns sort it."
    ),
)
ALL_MATHS = (
    N_(
        "Means run over query rows from the second on; induction over those rows whose token occurred before, so that "
        "rare repeats do not dilute it."
    ),
)
ONE_NOTICE = (
    N_(
        "Left, the head (filled) among all others; the bar below its dots holds the middle eight tenths of the "
        "**passages**."
    ),
    N_(
        "The ten passages are those where the head has **most** of the statistic. Tokens are shaded by the weight that "
        "the framed one gives them."
    ),
)
ONE_MATHS = (
    N_(
        "Bins of distance double: 0, 1, 2, 3–4, 5–8, … Tokens are ranked by their share of the weight that is not on "
        "the first token; queries by the weight they give, keys by what they get."
    ),
)
