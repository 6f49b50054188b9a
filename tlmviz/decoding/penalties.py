"""What is added to log P when translations compete: length, coverage and end terms (004 sections 6.2-6.4, 7.1)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from ..errors import BadSearch

LENGTHS = ("gnmt", "power")


@dataclass(frozen=True)
class Score:
    """A hypothesis's score in nats, in parts that add up to `total`.

    `length` is what dividing by lp(Y) changed: log P / lp(Y) - log P, never negative.
    """

    logp: float
    length: float
    coverage: float
    end: float

    @property
    def total(self) -> float:
        """log P / lp(Y) + cp(X, Y) + ep(X, Y)."""
        return self.logp + self.length + self.coverage + self.end


@dataclass(frozen=True)
class Penalties:
    """score = log P / lp(Y) + cp(X, Y) + ep(X, Y) (004 Eq. 32-37, 41).

    `length` is "gnmt", ((5 + |Y|) / 6)^alpha (Wu et al. 2016), or "power", |Y|^alpha, which with alpha = 1 is the log
    of the geometric mean probability (Eq. 33). log P is negative, so a larger alpha favours longer outputs. Raises
    BadSearch for a negative or endless weight, and for a floor outside (0, 1].
    """

    alpha: float = 0.6
    beta: float = 0.2
    gamma: float = 0.0
    length: str = "gnmt"
    floor: float = 0.01

    def __post_init__(self) -> None:
        for name in ("alpha", "beta", "gamma"):
            if not 0 <= getattr(self, name) < float("inf"):
                raise BadSearch(f"{name} is {getattr(self, name)}; it must be 0 or more (0 switches that penalty off).")
        if self.length not in LENGTHS:
            raise BadSearch(f"The length penalty is {self.length!r}; choose one of {', '.join(LENGTHS)}.")
        if not 0 < self.floor <= 1:
            raise BadSearch(
                f"The coverage floor is {self.floor}; it must be above 0, so that its log exists, and at most 1."
            )

    def score(self, logp: float, count: int, covered: Float[np.ndarray, " s"] | None = None) -> Score:
        """Score of `count` target tokens with log-probability `logp`; `covered` is the attention each source token
        got."""
        divided = logp / length_penalty(count, self.alpha, self.length)
        if covered is None:
            return Score(logp, divided - logp, 0.0, 0.0)
        coverage = float(self.beta * token_coverage(covered, self.floor).sum()) if self.beta else 0.0
        return Score(logp, divided - logp, coverage, end_penalty(count, len(covered), self.gamma))


def length_penalty(count: int, alpha: float, kind: str = "gnmt") -> float:
    """lp(Y), which log P is divided by: ((5 + |Y|) / 6)^alpha, or |Y|^alpha for "power" (004 Eq. 32 and section 6.3.1).

    |Y| counts the end token, whose probability is part of log P.
    """
    penalty: float = ((5 + count) / 6) ** alpha if kind == "gnmt" else max(1, count) ** alpha
    return penalty


def token_coverage(covered: Float[np.ndarray, "*b s"], floor: float) -> Float[np.ndarray, "*b s"]:
    """log min(max(sum_i a_ij, floor), 1) of each source token j: 0 when it was attended to at least once in sum (Eq.
    37).

    The notes have no floor, and there a token without any attention costs infinitely much.
    """
    cost: np.ndarray = np.log(np.clip(covered, floor, 1.0))
    return cost


def coverage_penalty(attention: Float[np.ndarray, "t s"], beta: float, floor: float = 0.01) -> float:
    """cp(X, Y) = beta * sum_j log min(max(sum_i a_ij, floor), 1) (Eq. 37)."""
    return float(beta * token_coverage(attention.sum(0), floor).sum())


def end_penalty(count: int, source: int, gamma: float) -> float:
    """ep(X, Y) = gamma |Y| / |X| (Eq. 41): favours outputs that are long for their source."""
    return gamma * count / source


def coverage_vectors(attention: Float[np.ndarray, "t s"], average: bool = False) -> Float[np.ndarray, "t s"]:
    """c^t, the attention paid before step t, summed (Eq. 48) or averaged over the steps before (Eq. 50; zero at t =
    0)."""
    before: np.ndarray = np.cumsum(attention, 0) - attention
    return before / np.maximum(1, np.arange(len(attention)))[:, None] if average else before


def coverage_loss(attention: Float[np.ndarray, "t s"], average: bool = False) -> Float[np.ndarray, " t"]:
    """covloss_t = sum_i min(a_i^t, c_i^t), in [0, 1]: 1 where a step looks only where others looked (Eq. 49)."""
    loss: np.ndarray = np.minimum(attention, coverage_vectors(attention, average)).sum(1)
    return loss
