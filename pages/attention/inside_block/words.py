"""The words of the page Inside a block: claim, what to notice, and one cell in a sentence."""

from __future__ import annotations

from tlmviz.analysis.attention.matrices import Cell, Product

CLAIM = "Every step of one layer on your text: the tensor, its shape, the line of code that made it."
NOTICE = (
    "The stream keeps its shape: every sublayer ends at `[B, T, C]` again and *adds* to what is there.",
    "Up to *scale*, a token's scores see the future; after *mask* and *softmax*, a row is a distribution over the past.",
    "In the logit lens, a tied head reads the embedding as the token itself; the next word forms layer by layer.",
)
NO_SHARES = "Post-norm blocks normalise the stream after every addition, so a logit has no sum of shares."


def cell(position: int, product: Product, column: int, label: str, opened: Cell) -> str:
    """One cell of a product: where it is, the sum of its terms, and the model's own number."""
    name = f"{product.column} {product.columns[column]}" + (f" “{label}”" if label else "")
    bias = f" + bias {opened.bias:+.4f}" if product.bias is not None else ""
    return (
        f"Token {position}, {name}: Σ of {len(opened.products)} products{bias} = **{opened.total:+.5f}**; "
        f"in the model's tensor **{opened.actual:+.5f}**."
    )
