"""What the part Rank-1 pictures says about its matrix, each where it is true, and what its parts are in any state."""

from __future__ import annotations

from tlmviz.analysis.notation import rank_one
from tlmviz.analysis.notation.model_products import MIXED, OUTPUT, WHOLE
from tlmviz.analysis.notation.rank_one import COLUMNS, LARGEST_SIDE, PRODUCT, ROWS, SINGULAR
from tlmviz.figures import readable
from tlmviz.ui import markdown
from tlmviz.ui.hints import Hint, to, where
from tlmviz.ui.language import N_, _, ngettext

from .data import TOKENS, Data
from .state import OWN

NAMES = {COLUMNS: N_("By columns"), ROWS: N_("By rows"), SINGULAR: N_("Singular")}
OF_PRODUCTS = {MIXED: N_("By token"), WHOLE: N_("By dimension"), OWN: N_("Column × row")}
TERMS = {COLUMNS: N_("column"), ROWS: N_("row"), SINGULAR: N_("singular term")}
OF_PRODUCT = {MIXED: N_("token"), WHOLE: N_("dimension"), OWN: N_("term")}


def all_zeros(data: Data) -> str | None:
    """There is nothing to take apart."""
    if data.rank:
        return None
    return _("Every number of this matrix is 0: it has rank 0 and needs no term.")


def no_term(data: Data) -> str | None:
    """Nothing is added up yet."""
    if not data.rank or data.count:
        return None
    return _("No term is added up yet. {rank}", rank=_enough(data))


def best_there_is(data: Data) -> str | None:
    """Singular terms are added up."""
    if not data.rank or not data.count or data.way != SINGULAR:
        return None
    return ngettext(
        "The first singular term leaves {left} of this {rows} × {columns} matrix, and no other term leaves less. "
        "{rank}",
        "The first {n} singular terms leave {left} of this {rows} × {columns} matrix, and no other {n} terms leave "
        "less. {rank}",
        data.count,
        left=share(data.left(SINGULAR, data.count)),
        rank=_enough(data),
        **_shape(data),
    )


def better_ones(data: Data) -> str | None:
    """As many singular terms leave less than those that are added up."""
    mine, best = _left(data)
    if not data.rank or not data.count or data.way == SINGULAR or mine == best:
        return None
    return ngettext(
        "One term “{way}” leaves {mine} of this {rows} × {columns} matrix; the best one there is leaves {best}. {rank}",
        "{n} terms “{way}” leave {mine} of this {rows} × {columns} matrix; the best {n} there are leave {best}. {rank}",
        data.count,
        way=name(data, data.way).lower(),
        mine=mine,
        best=best,
        rank=_enough(data),
        **_shape(data),
    )


def no_better_ones(data: Data) -> str | None:
    """They leave as much."""
    mine, best = _left(data)
    if not data.rank or not data.count or data.way == SINGULAR or mine != best:
        return None
    return ngettext(
        "One term “{way}” leaves {mine} of this {rows} × {columns} matrix, as the best one there is does. {rank}",
        "{n} terms “{way}” leave {mine} of this {rows} × {columns} matrix, as the best {n} there are do. {rank}",
        data.count,
        way=name(data, data.way).lower(),
        mine=mine,
        rank=_enough(data),
        **_shape(data),
    )


def loudest_token(data: Data) -> str | None:
    """Whose term of P V is the largest."""
    if not data.of_text or len(data.tokens) < 2 or not data.rank:
        return None
    sizes = data.terms[PRODUCT].sizes
    first, second = sorted(sizes, reverse=True)[:2]
    if f"{first:.2f}" == f"{second:.2f}":
        return None
    at = int(sizes.argmax())
    return _(
        "**Token “{token}” ({at})** hands on most: its term, who looks at it times what it hands on, has a size of "
        "{size}.",
        token=markdown.plain(readable(data.tokens[at])),
        at=at,
        size=f"{first:.2f}",
    )


def fewer_will_do(data: Data) -> str | None:
    """How many terms each way needs to leave a tenth, where singular ones need fewer."""
    if not data.rank or data.way == SINGULAR:
        return None
    mine, best = (_needed(data, way, 0.1) for way in (data.way, SINGULAR))
    if best >= mine:
        return None
    return ngettext(
        "**To leave a tenth** it takes {mine} terms “{way}”, and {n} singular one.",
        "**To leave a tenth** it takes {mine} terms “{way}”, and {n} singular ones.",
        best,
        mine=mine,
        way=name(data, data.way).lower(),
    )


CLAIMS = (all_zeros, no_term, best_there_is, better_ones, no_better_ones, loudest_token, fewer_will_do)
HINTS = (
    Hint(N_("Choose *Singular*."), where(lambda data: data.way != SINGULAR, to(way=SINGULAR))),
    Hint(N_("Take all terms away."), to(count=0)),
)


def _left(data: Data) -> tuple[str, str]:
    return share(data.left(data.way, data.count)), share(data.left(SINGULAR, data.count))


def _shape(data: Data) -> dict[str, int]:
    rows, columns = data.product.matrix.shape
    return {"rows": rows, "columns": columns}


def _needed(data: Data, way: str, part: float) -> int:
    found = data.terms[way]
    return rank_one.needed(found.errors(found.largest_first()), part)


def _enough(data: Data) -> str:
    """The rank, in words."""
    return ngettext(
        "One term is enough for all of it: its rank is 1.",
        "{n} terms are enough for all of it: its rank is {n}.",
        data.rank,
    )


def share(part: float) -> str:
    """A share of the norm, as the picture writes it."""
    if part >= 0.0005 or part < 5e-7:
        return f"{100 * part:.1f}%"
    return f"{float(f'{100 * part:.1e}'):.15g}%" if part >= 1e-6 else "0.0%"


def name(data: Data, way: str) -> str:
    """What a way is called."""
    return _(OF_PRODUCTS[data.chosen.source] if way == PRODUCT else NAMES[way])


def term(data: Data, way: str) -> str:
    """What one of its terms is."""
    return _(OF_PRODUCT[data.chosen.source] if way == PRODUCT else TERMS[way])


def title(data: Data) -> str:
    """What the matrix is."""
    chosen = data.chosen
    if chosen.source == OWN:
        return _("A matrix of one's own")
    return _(
        "{source} of L{layer}H{head} of {model}",
        source=chosen.source,
        layer=chosen.layer,
        head=chosen.head,
        model=chosen.model,
    )


def about(data: Data) -> str:
    """What the matrix is of, and what was left out."""
    said = {
        OWN: _(
            "Rows of numbers, which semicolons separate; two matrices with × between them are multiplied. At most "
            "{most} × {most}.",
            most=LARGEST_SIDE,
        ),
        OUTPUT: _("W_O of one head: a row for each of the head's dimensions, a column for each of the stream's."),
        WHOLE: _(
            "What the head writes into the stream for what it reads there, before attention weighs it; without biases."
        ),
        MIXED: _("Each row of P V is one token's mixture of values."),
    }[data.chosen.source]
    tokens = len(data.trace) if data.of_text else 0
    if tokens > TOKENS:
        said += " " + _("The first {some} of {all} tokens.", some=TOKENS, all=f"{tokens:,}")
    return said


NOTICE = (
    N_(
        "A **rank-1** matrix is one column times one row: all its rows are multiples of one row. Every matrix is a "
        "sum of such. Rows, columns and terms are counted from 0."
    ),
    N_(
        "**P V** is a head's attention times its values. Each token gives one term: who looks at it (a column of "
        "P) times what it hands on (its row of V). Two tokens that hand on nearly the same could be one term."
    ),
)


MATHS = (
    N_(
        "By columns and by rows the terms are orthogonal, so the squares of their norms add up: the largest first "
        "is then the best order. A product's terms are not, and a sum may even move away from the matrix before it "
        "comes nearer."
    ),
    N_(
        "Norms are Frobenius norms. After k singular terms $\\sqrt{\\sum_{i>k}\\sigma_i^2}$ is left, which no "
        "matrix of rank k undercuts."
    ),
)
