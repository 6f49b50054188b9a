"""What one step of a block is made of: matrices to draw, and the product behind each number."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Float
from torch import Tensor

from tlmviz.analysis.sources import Source

SOURCE = "source token"  # a row or a column of another text, which cross-attention reads


@dataclass(frozen=True)
class Panel:
    """One matrix as it is drawn: [R, N] float32, NaN where a cell is hidden.

    `rows` and `cols` are the positions in the full tensor of what is drawn, and `note` says what
    was left out. Labels stand at those positions; empty ones leave no tick. `edges` are columns
    where a part begins, `outline` the (first, past-the-last) column of the chosen head, `limit`
    the end of the colour scale where several matrices share one.
    """

    name: str
    shape: str
    values: Float[np.ndarray, "r n"]
    rows: np.ndarray
    cols: np.ndarray
    kind: str = "signed"  # or "probability"
    x: str = "channel"
    y: str = "token"
    note: str = ""
    row_labels: tuple[str, ...] = ()
    col_labels: tuple[str, ...] = ()
    edges: tuple[int, ...] = ()
    outline: tuple[int, int] | None = None
    limit: float | None = None

    @property
    def end(self) -> float:
        """Where the colour scale ends: at `limit`, else at the largest probability, or where nearly all signed cells
        stay below, as outliers must not dim the rest."""
        if self.limit:
            return self.limit
        seen = np.abs(self.values[np.isfinite(self.values)])
        share = 1.0 if self.kind == "probability" else 0.995
        return (float(np.quantile(seen, share)) if seen.size else 1.0) or 1.0


@dataclass(frozen=True)
class Cell:
    """One number of a product, taken apart: K factors of either side, their products, the bias, the model's own
    number."""

    left: Float[np.ndarray, " k"]
    right: Float[np.ndarray, " k"]
    products: Float[np.ndarray, " k"]
    bias: float
    total: float
    actual: float

    @property
    def tolerance(self) -> float:
        """What float32 may lose in a sum of terms this large."""
        return 1e-5 * max(1.0, float(np.abs(self.products).sum()))


@dataclass(frozen=True)
class Product:
    """The matrix product behind a step: out = left @ right + bias, [T, K] @ [K, N]."""

    left: Tensor
    right: Tensor
    out: Tensor
    bias: Tensor | None = None
    left_name: str = ""
    right_name: str = ""
    inner: str = "channel"
    column: str = "column"
    columns: tuple[int, ...] = ()  # the columns on offer; none given means all
    labels: tuple[str, ...] = ()  # their names, where they have any
    terms: tuple[str, ...] = ()  # the names of what is summed over, where they have any

    def __post_init__(self) -> None:
        if not self.columns:
            object.__setattr__(self, "columns", tuple(range(self.out.shape[1])))

    def cell(self, row: int, choice: int) -> Cell:
        """Row `row` times the `choice`-th column on offer, summed in float64."""
        col = self.columns[choice]
        left, right = self.left[row].double().numpy(), self.right[:, col].double().numpy()
        bias = 0.0 if self.bias is None else float(self.bias[col])
        products = left * right
        return Cell(left, right, products, bias, float(products.sum()) + bias, float(self.out[row, col]))

    def error(self) -> float:
        """Largest difference between the whole product and the model's tensor, relative to the tensor's largest
        number."""
        again = self.left @ self.right + (0.0 if self.bias is None else self.bias)
        return float((again - self.out).abs().max() / self.out.abs().max().clamp(min=1e-9))


@dataclass(frozen=True)
class HeadParts:
    """What each head writes: Y(i) = O(i) W_O(i), its mixed values times its own rows of the output matrix.

    `mixed` [H, T, D], `weight` [H, D, C], `out` [T, C] the model's own output, to which all parts and the bias [C] add
    up.
    """

    mixed: Tensor
    weight: Tensor
    out: Tensor
    bias: Tensor | None = None

    def of_head(self, head: int) -> Tensor:
        """One head's part at every token, [T, C]."""
        return self.mixed[head] @ self.weight[head]

    def of_token(self, token: int) -> Tensor:
        """Every head's part at one token, [H, C]."""
        return (self.mixed[:, token, None] @ self.weight)[:, 0]

    def error(self) -> float:
        """Largest difference between the sum of all parts and the model's output, relative to its largest number."""
        total = sum((self.of_head(head) for head in range(len(self.mixed))), torch.zeros_like(self.out))
        again = total if self.bias is None else total + self.bias
        return float((again - self.out).abs().max() / self.out.abs().max().clamp(min=1e-9))


@dataclass(frozen=True)
class Activation:
    """Activation curves over the range of this text's inputs, and how often each input occurs: N points, M bins."""

    own: str
    inputs: Float[np.ndarray, " n"]
    curves: dict[str, Float[np.ndarray, " n"]]
    counts: np.ndarray  # [M]
    centres: Float[np.ndarray, " m"]


@dataclass(frozen=True)
class Step:
    """What one step shows. `python` is the public expression of its main tensor.

    `sentence` holds for any text: where it tells of this one's, it has {share}, which is how long, beside the stream,
    what is added is on average.
    """

    name: str
    sentence: str
    sources: tuple[Source, ...]
    latex: str
    reference: str
    python: str
    panels: tuple[Panel, ...] = ()
    product: Product | None = None
    activation: Activation | None = None
    losses: Float[np.ndarray, " n"] | None = None  # of the tokens `scored` but the first
    scored: tuple[str, ...] = ()
    heads: HeadParts | None = None
    share: float | None = None

    @property
    def said(self) -> str:
        """The sentence about this text."""
        return self.sentence if self.share is None else self.sentence.format(share=f"{self.share:.0%}")
