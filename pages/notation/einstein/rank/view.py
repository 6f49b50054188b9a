"""Draws the part Rank-1 pictures: the matrix with its terms added one by one, and how many terms each way needs."""

from __future__ import annotations

import numpy as np
import streamlit as st

from tlmviz.analysis.notation import rank_one
from tlmviz.analysis.notation.model_products import MIXED
from tlmviz.analysis.notation.rank_one import SINGULAR
from tlmviz.ui import compute as shared
from tlmviz.ui import frame, inputs, link, live
from tlmviz.ui.language import _

from . import claims
from .data import TOKENS, Data
from .state import OWN, Rank

PICTURE = live.Picture(__file__, "rank", way=Rank.way, count=Rank.count, sorted=Rank.sorted)
EQUATION = (
    r"A=\sum_j A_{:j}\,e_j^\top=\sum_i e_i\,A_{i:},\qquad XY=\sum_k X_{:k}\,Y_{k:},\qquad "
    r"A=\sum_k\sigma_k u_k v_k^\top,\quad "
    r"\min_{\operatorname{rank} B\le k}\lVert A-B\rVert_F=\sqrt{\textstyle\sum_{i>k}\sigma_i^2}",
    "LLM notes, section 1, Eq. 1 and 2; Eckart and Young 1936 (“The approximation of one matrix by another of lower "
    "rank”).",
    "Eq. 2 writes A_{i:}ᵀ, with the row as a column vector that is transposed; here A_{i:} is a row already.",
)


def controls(model: str) -> Rank | None:
    """Draw the controls; what they say. None, with a sentence, when there is nothing to show yet."""
    whose, *places, _room = st.columns([0.46, 0.13, 0.13, 0.28], vertical_alignment="center")
    source = Rank.source.draw(whose)
    if source == OWN:
        Rank.typed.draw()
        return Rank.of_session(model="", text="", layer=0, head=0)
    lm = shared.model(model)
    text = inputs.text_box(lm) if source == MIXED else ""
    if text is None:
        return None
    link.open_on(f"rank_one:{model}", lambda: Data.plainest(model))
    layer, head = inputs.head_menus(lm.config.n_layers, lm.config.n_heads, places)
    link.FIELDS["head"].share()
    return Rank.of_session(model=model, text=text, layer=layer, head=head)


def picture(data: Data) -> None:
    """The matrix, its sum so far, the last term, what is left; singular values and errors."""
    product, every = data.product, data.terms
    ways = [
        {"key": way, "name": claims.name(data, way), "term": claims.term(data, way), "count": len(found)}
        for way, found in every.items()
    ]
    rows, cols = product.matrix.shape
    orders = {way: found.largest_first() for way, found in every.items()}
    arrays = {
        "left": product.left,
        **({} if product.right is None else {"right": product.right}),
        "singular_columns": every[SINGULAR].columns,
        "singular_rows": every[SINGULAR].rows,
        "values": data.values,
        "errors": np.concatenate([found.errors() for found in every.values()]),
        "sorted_errors": np.concatenate([found.errors(orders[way]) for way, found in every.items()]),
    }
    header = {
        "title": claims.title(data),
        "rows": rows,
        "cols": cols,
        "rank": data.rank,
        "ways": ways,
        "tokens": data.tokens,
        "row": _("token") if data.of_text else _("row"),
    }
    PICTURE.show(
        header,
        {name: np.asarray(array, np.float32) for name, array in arrays.items()}
        | {"order": np.concatenate(list(orders.values())).astype(np.uint16)},
    )


def needed(data: Data) -> None:
    """How many terms each way takes to leave a tenth or a hundredth of the matrix."""
    tenth, hundredth, stand, count = _("Leave 10%"), _("Leave 1%"), _("As they stand"), _("Terms")
    rows = []
    for way, found in data.terms.items():
        best, given = found.errors(found.largest_first()), found.errors()
        rows.append(
            {
                _("Way"): claims.name(data, way),
                count: data.rank if way == SINGULAR else len(found),
                tenth: rank_one.needed(best, 0.1),
                hundredth: rank_one.needed(best, 0.01),
                stand: rank_one.needed(given, 0.1),
            }
        )
    helps = {
        count: _("How many outer products add up to the whole matrix."),
        tenth: _("Terms until at most a tenth of the matrix's norm is left, the largest first."),
        hundredth: _("Terms until at most a hundredth is left, the largest first."),
        stand: _("Terms until at most a tenth is left, in the order of the matrix."),
    }
    frame.table(rows, {}, helps)
    frame.caption(claims.about(data))


def snippet(data: Data) -> str:
    """The terms with the public API."""
    chosen = data.chosen
    made = f"""\
lm = tlmviz.load({chosen.model!r})
trace = lm.trace({(chosen.text or "Once upon a time")!r})
product = of_head(lm, trace, {chosen.source!r}, layer={chosen.layer}, head={chosen.head}, stop={TOKENS})
"""
    if chosen.source == OWN:
        made = f"product = rank_one.read({chosen.typed!r})\n"
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
