"""Why scores are divided by sqrt(d), and logits by sqrt(E): variances of sums, measured on real heads.

A score q . k is a sum of d products. If these are independent with one variance v, the sum's variance is d v; what
training adds is that they are not independent. Sources: Transformer with PyTorch, section 1.2, Eq. 4; LLM notes,
section 2.1, Eq. 3 and 4; Mu and Viswanath 2018 ("All-but-the-Top") for the isotropy of embeddings.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Float
from torch import Tensor, nn

from tlmviz.errors import BadText
from tlmviz.networks.transformer import TransformerLM
from tlmviz.networks.twins import drawn_from
from tlmviz.protocols import LanguageModelLike
from tlmviz.tracing.trace import Trace

MOST_PAIRS = 20_000  # of a query and a key, measured of one head
MOST_ROWS = 4096  # of an embedding, compared with one another
STRIP = 64  # directions at a time, which bounds memory for a large vocabulary


@dataclass(frozen=True)
class Growth:
    """Of one head: the covariance [D, D] of the products q_j k_j over the pairs of a query and a key that it may
    see."""

    covariance: Float[np.ndarray, "d d"]
    pairs: int

    @property
    def variance(self) -> float:
        """Variance of the whole score q . k."""
        return float(self.covariance.sum())

    @property
    def of_one(self) -> float:
        """Mean variance of one product."""
        return float(np.diag(self.covariance).mean())

    @property
    def pull(self) -> float:
        """How many times larger the score's variance is than that of as many independent products."""
        return self.variance / (len(self.covariance) * self.of_one)

    def by_dimensions(self) -> Float[np.ndarray, " d"]:
        """Variance of the sum over 1, 2, ... D products, in the mean over all ways to choose them: exact, nothing is
        drawn.

        Of d products chosen at random each contributes its variance, and each ordered pair its covariance:
        d v + d (d - 1) c with the means v and c.
        """
        size = len(self.covariance)
        together = (self.variance - size * self.of_one) / max(1, size * (size - 1))
        d = np.arange(1, size + 1)
        return d * self.of_one + d * (d - 1) * together


def growth(q: Float[Tensor, "t d"], k: Float[Tensor, "s d"], pairs: tuple[Tensor, Tensor] | None = None) -> Growth:
    """The covariance of a head's products, in float64; `pairs` are positions of queries and keys, by default
    `causal_pairs`."""
    queries, keys = causal_pairs(len(q)) if pairs is None else pairs
    products = q.double()[queries] * k.double()[keys]  # [n, D]
    return Growth(np.atleast_2d(torch.cov(products.T).numpy()), len(products))


def causal_pairs(length: int, most: int = MOST_PAIRS) -> tuple[Tensor, Tensor]:
    """Positions of queries and keys at or before them: all, or `most` spread evenly over them. Raises BadText below 3
    tokens."""
    if length < 3:
        raise BadText(
            f"The text has {length} token{'s' if length != 1 else ''}, too few for a variance; type three words or "
            "more."
        )
    queries, keys = torch.tril_indices(length, length)
    if len(queries) > most:
        chosen = torch.linspace(0, len(queries) - 1, most).round().long()
        queries, keys = queries[chosen], keys[chosen]
    return queries, keys


def all_growths(trace: Trace) -> list[list[Growth]]:
    """`growth` of every head, by layer. Raises BadText."""
    pairs, found = causal_pairs(len(trace)), []
    for layer in range(trace.n_layers):
        heads = [trace.qk(layer, head) for head in range(trace.n_heads)]
        found.append([growth(q, k, pairs) for q, k, _ in heads])
    return found


@dataclass(frozen=True)
class Softness:
    """What softmax makes of a head's scores when they are divided by one number: means over the rows with more than one
    key."""

    divisor: float
    spread: float  # standard deviation of the scores
    entropy: float  # bits
    largest: float  # weight
    slope: float  # the mean of sum p (1 - p): what is left of a gradient on its way back through softmax


def softness(scores: Float[Tensor, "t s"], divisors: Sequence[float]) -> list[Softness]:
    """Of a head's undivided, causal scores q . k [T, S] with each divisor; what lies in the future is left out."""
    length = len(scores)
    future = torch.ones(length, length, dtype=torch.bool).triu(1)
    seen = scores.double()[~future]
    found = []
    for divisor in divisors:
        divided = (scores.double() / divisor).masked_fill(future, -torch.inf)
        weights = divided.softmax(-1)[1:]
        entropy = torch.special.entr(weights).sum(-1) / np.log(2)
        slope = (weights * (1 - weights)).sum(-1)
        found.append(
            Softness(
                divisor,
                float(seen.std() / divisor),
                float(entropy.mean()),
                float(weights.amax(-1).mean()),
                float(slope.mean()),
            )
        )
    return found


def untrained(lm: LanguageModelLike, seed: int = 0) -> LanguageModelLike:
    """The model as it was before training: the same network with the weights that training starts from."""
    with drawn_from(seed):
        network = TransformerLM(lm.config).eval()
    return type(lm)(network.requires_grad_(False), lm.tokenizer)  # type: ignore[call-arg]


# --- output logits ----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Spread:
    """Per position: the standard deviation of the logits over the vocabulary, and what sqrt(E) sigma RMS(x) predicts of
    it.

    `rms` is that of the vector the head reads, `sigma` the standard deviation of the head's weights.
    """

    measured: Float[np.ndarray, " t"]
    predicted: Float[np.ndarray, " t"]
    rms: Float[np.ndarray, " t"]
    sigma: float
    width: int


def spread(lm: LanguageModelLike, trace: Trace) -> Spread:
    """How far the logits of a text spread (LLM notes, Eq. 4 and what follows it)."""
    x, head = trace["normed"].double().cpu().reshape(len(trace), -1), head_weights(lm)
    rms = x.pow(2).mean(-1).sqrt()
    width, sigma = x.shape[-1], float(head.std())
    measured = (x @ head.T).std(-1)
    return Spread(measured.numpy(), (width**0.5 * sigma * rms).numpy(), rms.numpy(), sigma, width)


def head_weights(lm: LanguageModelLike) -> Float[Tensor, "v c"]:
    """The weights that make logits, in float64."""
    head: nn.Linear = lm.network.head
    return head.weight.detach().double().cpu()


def loss_by_divisor(trace: Trace, divisors: Sequence[float]) -> Float[np.ndarray, " n"]:
    """Bits per token of the text when all logits are divided by each number. Raises BadText for a text that predicts
    nothing."""
    if len(trace) < 2:
        raise BadText("The text has one token, so there is no next token to predict; type at least one more.")
    logits, targets = trace.logits[:-1].double().cpu(), torch.tensor(trace.ids[1:])
    right = logits.gather(1, targets[:, None])[:, 0]
    losses = [((logits / d).logsumexp(-1) - right / d).mean() for d in divisors]
    return np.array([float(loss) for loss in losses]) / np.log(2)


def coordinates(trace: Trace) -> Float[np.ndarray, " c"]:
    """Root mean square over the text of each coordinate of the vector that the head reads: all alike if it is
    isotropic."""
    x = trace["normed"].double().cpu().reshape(len(trace), -1)
    return x.pow(2).mean(0).sqrt().numpy()


# --- isotropy ---------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Isotropy:
    """How evenly vectors [N, C] point in all directions.

    `cosines` of so many pairs of rows, `shares` of the variance along each main axis (they sum to 1), `points`
    [n, 2] the rows along the two largest, `partition` the least over the greatest of Z(c) = sum exp(v . c) over the
    main axes c in both directions, 1 for vectors without a direction of their own.
    """

    cosines: Float[np.ndarray, " n"]
    shares: Float[np.ndarray, " c"]
    points: Float[np.ndarray, "n 2"]
    partition: float

    @property
    def mean_cosine(self) -> float:
        """Mean cosine of two different rows."""
        return float(self.cosines.mean())

    def axes_for(self, share: float) -> int:
        """How many main axes hold this share of the variance."""
        return int(np.searchsorted(np.cumsum(self.shares), share - 1e-12) + 1)


def isotropy(vectors: Float[Tensor, "n c"], *, centred: bool = False) -> Isotropy:
    """Of all rows, about zero or, `centred`, about their mean; cosines of every second row with the next one."""
    rows = vectors.detach().double().cpu()
    rows = rows - rows.mean(0) if centred else rows
    values, axes = torch.linalg.eigh(rows.T @ rows)  # ascending
    shares, axes = values.flip(0).clamp(min=0) / values.sum(), axes.flip(1)
    units = nn.functional.normalize(sample_rows(rows), dim=-1)
    one, other = torch.triu_indices(len(units), len(units), 1)
    chosen = torch.linspace(0, len(one) - 1, min(len(one), MOST_PAIRS)).round().long()
    cosines = (units[one[chosen]] * units[other[chosen]]).sum(-1)
    strips = torch.cat([axes, -axes], 1).split(STRIP, 1)
    logs = torch.cat([torch.logsumexp(rows @ strip, 0) for strip in strips])
    return Isotropy(
        cosines.numpy(),
        shares.numpy(),
        (sample_rows(rows) @ axes[:, :2]).numpy(),
        float((logs.min() - logs.max()).exp()),
    )


def sample_rows(rows: Float[Tensor, "n c"], most: int = MOST_ROWS) -> Float[Tensor, "m c"]:
    """All rows, or so many spread evenly over them."""
    return rows[sampled(len(rows), most)]


def sampled(count: int, most: int = MOST_ROWS) -> Tensor:
    """The numbers of the rows that `sample_rows` takes of so many."""
    return torch.linspace(0, count - 1, min(count, most)).round().long()
