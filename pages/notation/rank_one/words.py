"""The words of the page Rank-1 pictures: claim, what to notice, equation, captions and snippet."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from tlmviz.analysis.notation import rank_one
from tlmviz.analysis.notation.model_products import MIXED, OUTPUT, WHOLE
from tlmviz.analysis.notation.rank_one import COLUMNS, PRODUCT, ROWS, SINGULAR, Terms

from .compute import TOKENS
from .controls import OWN, Choice

CLAIM = "Every matrix is a sum of columns times rows: how few of them make most of it?"
NOTICE = (
    "A **rank-1** matrix is one column times one row: all its rows are multiples of one row. Every matrix is a sum of such.",
    "**P V** is a head's attention times its values. Each token gives one term: who looks at it (a column of P) times what it "
    "hands on (its row of V). Two tokens that hand on nearly the same could be one term: that is why so few singular terms do.",
    "**Singular** terms are the best there are: no sum of as many terms, of whatever kind, leaves less. The dotted line shows "
    "the other order of the same terms.",
    "**W_V W_O** is as wide as the stream, and its rank is the head's few dimensions: all singular values beyond are missing.",
)
NOTICE_MATHS = (
    "By columns and by rows the terms are orthogonal, so the squares of their norms add up: the largest first is then the best "
    "order. A product's terms are not, and a sum may even move away from the matrix before it comes nearer.",
    "Norms are Frobenius norms. After k singular terms $\\sqrt{\\sum_{i>k}\\sigma_i^2}$ is left, which no matrix of rank k "
    "undercuts.",
)
EQUATION = (
    r"A=\sum_j A_{:j}\,e_j^\top=\sum_i e_i\,A_{i:},\qquad XY=\sum_k X_{:k}\,Y_{k:},\qquad "
    r"A=\sum_k\sigma_k u_k v_k^\top,\quad "
    r"\min_{\operatorname{rank} B\le k}\lVert A-B\rVert_F=\sqrt{\textstyle\sum_{i>k}\sigma_i^2}",
    "LLM notes, section 1, Eq. 1 and 2; Eckart and Young 1936 (“The approximation of one matrix by another of lower rank”).",
    "Eq. 2 writes A_{i:}ᵀ, with the row as a column vector that is transposed; here A_{i:} is a row already.",
)
NAMES = {
    COLUMNS: ("By columns", "column"),
    ROWS: ("By rows", "row"),
    SINGULAR: ("Singular", "singular term"),
}
OF_PRODUCTS = {
    MIXED: ("By token", "token"),
    WHOLE: ("By dimension", "dimension"),
    OWN: ("Column × row", "term"),
}
HELPS = {
    "Terms": "How many outer products add up to the whole matrix.",
    "Leave 10 %": "Terms until at most a tenth of the matrix's norm is left, the largest first.",
    "Leave 1 %": "Terms until at most a hundredth is left, the largest first.",
    "As they stand": "Terms until at most a tenth is left, in the order of the matrix.",
}


def names(source: str) -> dict[str, tuple[str, str]]:
    """Each way's button, and what one of its terms is."""
    return {PRODUCT: OF_PRODUCTS.get(source, OF_PRODUCTS[OWN]), **NAMES}


def title(choice: Choice) -> str:
    """What the matrix is."""
    if choice.source == OWN:
        return "A matrix of one's own"
    return f"{choice.source} of layer {choice.layer}, head {choice.head} of {choice.model}"


def needed(every: Mapping[str, Terms], values: np.ndarray, source: str) -> list[dict]:
    """The table: each way, and how many of its terms leave a tenth and a hundredth."""
    rows = []
    for way, found in every.items():
        best, given = found.errors(found.largest_first()), found.errors()
        rows.append(
            {
                "Way": names(source)[way][0],
                "Terms": rank_one.rank(values) if way == SINGULAR else len(found),
                "Leave 10 %": rank_one.needed(best, 0.1),
                "Leave 1 %": rank_one.needed(best, 0.01),
                "As they stand": rank_one.needed(given, 0.1),
            }
        )
    return rows


def shown(choice: Choice, tokens: int) -> str:
    """What the matrix is of, and what was left out."""
    if choice.source == OWN:
        return (
            f"Rows of numbers, which semicolons separate; two matrices with × between them are multiplied. At most "
            f"{rank_one.LARGEST_SIDE} × {rank_one.LARGEST_SIDE}."
        )
    if choice.source == OUTPUT:
        return "W_O of one head: a row for each of the head's dimensions, a column for each of the stream's."
    if choice.source == WHOLE:
        return "What the head writes into the stream for what it reads there, before attention weighs it; without biases."
    cut = f" The first {TOKENS} of {tokens:,} tokens." if tokens > TOKENS else ""
    return f"Each row of P V is one token's mixture of values.{cut}"


def snippet(choice: Choice) -> str:
    """The terms with the public API."""
    if choice.source == OWN:
        made = f"product = rank_one.read({choice.typed!r})\n"
    else:
        made = f"""\
lm = tlmviz.load({choice.model!r})
trace = lm.trace({(choice.text or "Once upon a time")!r})
product = of_head(lm, trace, {choice.source!r}, layer={choice.layer}, head={choice.head}, stop={TOKENS})
"""
    return f"""\
import tlmviz
from tlmviz.analysis.notation import rank_one
from tlmviz.analysis.notation.model_products import of_head

{made}left = {{}}
for way in product.ways:
    terms = rank_one.terms(product, way)
    left[way] = terms.errors(terms.largest_first())  # shares of the norm after 0, 1, ... terms
    print(way, len(terms), left[way][:6])
"""
