"""What the part Matrix by hand says about its picture, each where it is true."""

from __future__ import annotations

from tlmviz.figures import number
from tlmviz.ui.hints import Hint
from tlmviz.ui.language import N_, ngettext

from ..claims import COVERAGE
from ..data import Covered
from .matrices import read_matrix
from .state import MOST, Hand


def never_looked_at(data: Covered) -> str | None:
    """Tokens that nobody looked at."""
    if not (count := sum(f"{total:.2f}" == "0.00" for total in data.sums)):
        return None
    return ngettext(
        "Nobody looked at {n} token: the penalty of the whole map is {total} nats.",
        "Nobody looked at {n} tokens: the penalty of the whole map is {total} nats.",
        count,
        total=number(float(data.costs.sum()), ".3f"),
    )


CLAIMS = never_looked_at, *COVERAGE
HINTS = (
    Hint(
        N_("Press *Most*."),
        lambda data: None if data.weights.tolist() == read_matrix(MOST).tolist() else Hand(matrix=MOST),
    ),
)


NOTICE = (
    N_(
        "*Least*: every step looks at the first word and two words get nothing. The coverage penalty (cp) is as "
        "low as it can be."
    ),
    N_(
        "*Most*: every word is looked at once. There is no penalty, and no step looks where another did: the "
        "overlap (covloss) is 0."
    ),
    N_(
        "*Even* has the same penalty as *most*: it depends on how much each word got in all, the overlap on the "
        "order of the steps."
    ),
)


MATHS = (N_("The lowest cp of three words is 2 β log floor; without the floor it would be −∞."),)
