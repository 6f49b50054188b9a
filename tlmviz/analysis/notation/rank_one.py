"""A matrix as a sum of outer products, a column times a row each: by columns, by rows, as a product's terms, and by its
SVD.

A = sum_k u_k v_k'. With A = X Y the terms are X's columns times Y's rows; with Y the identity they are A's own columns,
with X the identity its rows. Sources: LLM notes, section 1, Eq. 1 and 2; Eckart and Young 1936 for the terms of which
the first k are nearest to A for every k at once.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float, Int

from tlmviz.errors import BadShape

WAYS = PRODUCT, COLUMNS, ROWS, SINGULAR = "product", "columns", "rows", "singular"
LARGEST_SIDE = 24  # rows and columns of a matrix that is typed
LARGEST_NUMBER = 1e9
LONGEST = 6000  # characters that are typed
SMALLEST = 1e-12  # of the largest singular value: below, float64 has rounding alone
TIMES = re.compile(r"[×*@]")


@dataclass(frozen=True)
class Product:
    """A matrix A = X Y in float64: X [M, K] is `left`, Y [K, N] is `right`; None where A is X by itself."""

    left: Float[np.ndarray, "m k"]
    right: Float[np.ndarray, "k n"] | None = None

    @property
    def matrix(self) -> Float[np.ndarray, "m n"]:
        """A."""
        return self.left if self.right is None else self.left @ self.right

    @property
    def ways(self) -> tuple[str, ...]:
        """The ways to take it apart: a matrix by itself has no terms of a product."""
        return WAYS if self.right is not None else WAYS[1:]


@dataclass(frozen=True)
class Terms:
    """The outer products u_k v_k' that a matrix is the sum of: `columns` [M, K] holds u_k, `rows` [K, N] v_k."""

    columns: Float[np.ndarray, "m k"]
    rows: Float[np.ndarray, "k n"]

    def __len__(self) -> int:
        return len(self.rows)

    @property
    def sizes(self) -> Float[np.ndarray, " k"]:
        """The Frobenius norm of every term, |u_k| |v_k|."""
        sizes: np.ndarray = np.linalg.norm(self.columns, axis=0) * np.linalg.norm(self.rows, axis=1)
        return sizes

    def largest_first(self) -> Int[np.ndarray, " k"]:
        """The terms' numbers, the largest first."""
        return np.argsort(-self.sizes, kind="stable")

    def errors(self, order: Sequence[int] | Int[np.ndarray, " k"] | None = None) -> Float[np.ndarray, " k1"]:
        """|A - sum of the first k terms| / |A| in Frobenius norms for k from 0 to all, [K + 1]; zeros for A = 0.

        The squared norm of a sum of terms is the sum of their products with one another, (u_i . u_j)(v_i . v_j).
        """
        order = np.arange(len(self)) if order is None else np.asarray(order)
        u, v = self.columns[:, order], self.rows[order]
        together = (u.T @ u) * (v @ v.T)
        # From the end: entry k is the sum over the terms from k on.
        rest = together[::-1, ::-1].cumsum(0).cumsum(1).diagonal()[::-1]
        left = np.sqrt(np.append(rest, 0.0).clip(0))
        return left / left[0] if left[0] > 0 else np.zeros(len(left))


def svd(product: Product) -> tuple[Float[np.ndarray, "m r"], Float[np.ndarray, " r"], Float[np.ndarray, "r n"]]:
    """U, the singular values, largest first, and V' of A. A product is reduced to its inner size before it is
    decomposed."""
    if product.right is None or product.left.shape[1] >= min(product.matrix.shape):
        u, values, v = np.linalg.svd(product.matrix, full_matrices=False)
        return u, values, v
    (q, small), (p, other) = np.linalg.qr(product.left), np.linalg.qr(product.right.T)
    u, values, v = np.linalg.svd(small @ other.T)
    return q @ u, values, v @ p.T


def terms(product: Product, way: str) -> Terms:
    """The outer products of one of WAYS: of a product, its inner terms; singular ones with the value in the column."""
    if way == PRODUCT:
        assert product.right is not None
        return Terms(product.left, product.right)
    if way == SINGULAR:
        u, values, v = svd(product)
        return Terms(u * values, v)
    whole = product.matrix
    rows, columns = whole.shape
    return Terms(whole, np.eye(columns)) if way == COLUMNS else Terms(np.eye(rows), whole)


def rank(values: Float[np.ndarray, " r"]) -> int:
    """How many singular values are more than rounding."""
    return int((values > SMALLEST * values[0]).sum()) if len(values) and values[0] > 0 else 0


def needed(errors: Float[np.ndarray, " k1"], share: float = 0.1) -> int:
    """How many terms leave at most `share` of A out."""
    return int((errors > share).sum())


# --- a matrix that is typed -----------------------------------------------------------------------------


def read(text: str) -> Product:
    """A matrix, or two with × between them: numbers in rows, which semicolons or line ends separate. Raises
    BadShape."""
    if len(text) > LONGEST:
        raise BadShape(f"The matrix has {len(text):,} characters; at most {LONGEST:,} are read.")
    if not text.strip():
        raise BadShape("There is no matrix yet: write rows of numbers such as 1 2; 3 4, or two with × between them.")
    parts = TIMES.split(text)
    if len(parts) > 2:
        raise BadShape(f"There are {len(parts) - 1} signs ×; write one matrix, or two with one × between them.")
    matrices = [
        _matrix(part, f"{'The' if len(parts) == 1 else which} matrix")
        for part, which in zip(parts, ("The first", "The second"))
    ]
    if len(matrices) == 1:
        return Product(matrices[0])
    (m, k), (other, n) = (matrix.shape for matrix in matrices)
    if k != other:
        raise BadShape(
            f"{m} × {k} times {other} × {n} is no product: the first has {k} column{'s' if k != 1 else ''}, so the "
            f"second needs {k} row{'s' if k != 1 else ''}, and has {other}."
        )
    return Product(*matrices)


def _matrix(text: str, name: str) -> Float[np.ndarray, "m n"]:
    rows = [
        re.split(r"[\s,]+", row.strip(" ,\t[]"))
        for row in re.split(r"[;\n]", text.strip().strip(";"))
        if row.strip(" ,\t[]")
    ]
    if not rows:
        raise BadShape(f"{name} is empty: write rows of numbers such as 1 2; 3 4.")
    values = [[_number(value, name) for value in row] for row in rows]
    widths = [len(row) for row in rows]
    if len(set(widths)) > 1:
        odd = next(i for i, width in enumerate(widths) if width != widths[0])
        raise BadShape(
            f"{name} has {widths[0]} number{'s' if widths[0] != 1 else ''} in row 1 and {widths[odd]} in row "
            f"{odd + 1}; give every row equally many."
        )
    if max(len(rows), widths[0]) > LARGEST_SIDE:
        raise BadShape(f"{name} is {len(rows)} × {widths[0]}; at most {LARGEST_SIDE} × {LARGEST_SIDE} are read.")
    return np.array(values)


def _number(text: str, name: str) -> float:
    try:
        value = float(text.replace("−", "-"))
    except ValueError:
        raise BadShape(
            f"{name} has “{text[:20]}”, which is no number; write numbers such as 1, -2.5 or 3e-2."
        ) from None
    if not abs(value) <= LARGEST_NUMBER:
        raise BadShape(f"{name} has “{text[:20]}”; numbers from −10⁹ to 10⁹ are read, neither infinite nor NaN.")
    return value + 0.0  # a zero without a sign
