"""The identities behind the page Rank-1 pictures: outer products add up to the matrix, and the singular ones come
nearest."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tlmviz.analysis.notation import rank_one
from tlmviz.analysis.notation.model_products import MIXED, SOURCES, of_head
from tlmviz.analysis.notation.rank_one import Product

from ..tracing.trace import Trace
from .cases import is_language_model, reading
from .registry import identity
from .result import largest

if TYPE_CHECKING:
    from ..facades.language_model import LanguageModel

READ = 48  # tokens of P V
EXACT = 1e-6  # float64, of the norm; an error is the root of a difference, which doubles what rounding leaves


def first_heads(lm: LanguageModel, text: str) -> tuple[Product, ...]:
    """The products of every layer's first head. Raises BadText."""
    trace = lm.trace(text)
    return tuple(
        of_head(lm, trace, source, layer, 0, READ) for source in SOURCES for layer in range(lm.config.n_layers)
    )


@identity(
    "Terms add up",
    "outer products by columns, by rows, of a product and of the SVD add up to the matrix",
    EXACT,
    "relative",
    when=is_language_model,
    inputs=first_heads,
)
def terms_add_up(*products: Product) -> float:
    """The sum of all terms, by every way, against the matrix (002 Eq. 1 and 2)."""
    errors = []
    for product in products:
        whole = product.matrix
        size = float(np.linalg.norm(whole)) or 1.0
        for way in product.ways:
            found = rank_one.terms(product, way)
            errors.append(float(np.linalg.norm(found.columns @ found.rows - whole)) / size)
    return largest(errors)


@identity(
    "Singular terms come nearest",
    "no k terms of another way leave less of the matrix than the first k singular ones",
    EXACT,
    "relative",
    when=is_language_model,
    inputs=first_heads,
)
def singular_terms_come_nearest(*products: Product) -> float:
    """By how much another way's k terms, as they stand or the largest first, leave less of A (Eckart and Young
    1936)."""
    worst = 0.0
    for product in products:
        best = rank_one.terms(product, rank_one.SINGULAR).errors()
        for way in product.ways:
            found = rank_one.terms(product, way)
            for order in (None, found.largest_first()):
                errors = found.errors(order)
                shared = min(len(best), len(errors))
                worst = max(worst, float((best[:shared] - errors[:shared]).max()))
    return worst


@identity(
    "P V = the head's output",
    "the terms of all tokens add up to what the model's own head hands on",
    1e-5,
    "relative max abs",
    when=is_language_model,
    inputs=reading,
)
def mixed_is_the_output(lm: LanguageModel, trace: Trace) -> float:
    """P V of every head's first READ tokens, recomputed, against the model's own tensor z."""
    errors = []
    for layer, head in np.ndindex(trace.n_layers, trace.n_heads):
        found = of_head(lm, trace, MIXED, layer, head, READ).matrix
        own = trace[f"blocks.{layer}.attn.z"][0, head, :READ].double().cpu().numpy()
        errors.append(float(np.abs(found - own).max() / max(1e-30, np.abs(own).max())))
    return largest(errors)
