"""A matrix as a sum of outer products, drawn in the browser: ways, orders and numbers of terms are chosen there."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from tlmviz import figures
from tlmviz.analysis.notation import rank_one
from tlmviz.analysis.notation.rank_one import Product, Terms
from tlmviz.ui.components.attention_view import pack
from tlmviz.ui.components.scripts import component

_component = component("tlmviz_rank_one", Path(__file__).parent)


def payload(
    product: Product,
    terms: Mapping[str, Terms],
    values: np.ndarray,
    *,
    names: Mapping[str, tuple[str, str]],
    tokens: Sequence[str] = (),
    **header: Any,
) -> bytes:
    """What the view begins with. `names` gives each way its button and what a term of it is; `tokens` names the rows of P V.

    `header` has `title`, `row` (what a row is), `way`, `count`, `sorted`, `origin` and `picture`.
    """
    ways = [
        {"key": way, "name": names[way][0], "term": names[way][1], "count": len(found)}
        for way, found in terms.items()
    ]
    rows, cols = product.left.shape[0], (product.left if product.right is None else product.right).shape[1]
    singular = terms[rank_one.SINGULAR]
    orders = {way: found.largest_first() for way, found in terms.items()}
    arrays = {
        "left": product.left,
        **({} if product.right is None else {"right": product.right}),
        "singular_columns": singular.columns,
        "singular_rows": singular.rows,
        "values": values,
        "errors": np.concatenate([found.errors() for found in terms.values()]),
        "sorted_errors": np.concatenate([found.errors(orders[way]) for way, found in terms.items()]),
    }
    shape = {"rows": rows, "cols": cols, "rank": rank_one.rank(values), "ways": ways, "tokens": list(tokens)}
    return pack(
        {**header, **shape, "colors": figures.palette()},
        {name: np.asarray(array, np.float32) for name, array in arrays.items()}
        | {"order": np.concatenate(list(orders.values())).astype(np.uint16)},
    )


def rank_one_view(data: bytes, *, key: str, on_change: Callable[[], None]) -> None:
    """Show the view; the browser sends {"way", "count", "sorted", "origin"} as `sum`."""
    _component(key=key, data=data, on_sum_change=on_change)
