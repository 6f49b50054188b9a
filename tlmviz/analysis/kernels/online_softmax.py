"""One row of attention in as few passes over its logits as possible, step by step in float32.

Letters: N logits of one query, D values per key. x are the logits [N], v the values [N, D], m_i the
running maximum, l_i the normaliser (d_i in the notes), a the weights, o the output. Source: 000 section 4, Eq. 72-87;
Milakov and Gimelshein 2018.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from tlmviz.errors import BadShape

LONGEST = 64  # logits of one row that are walked, one frame per visit
LARGEST = float(np.finfo(np.float32).max)


def rises(x: np.ndarray) -> int:
    """How often the running maximum of a row of logits [N] grows: so often what was summed before is rescaled."""
    m_i = np.maximum.accumulate(np.asarray(x)[-LONGEST:])
    return int((m_i[1:] > m_i[:-1]).sum())


@dataclass(frozen=True)
class Pass:
    """One loop over the row: what it is called, and which of m_i, l_i and out it fills in ("out" is a or o)."""

    name: str
    fills: tuple[str, ...]


@dataclass(frozen=True)
class Walk:
    """Everything one algorithm computed. m_i, l_i, alpha and the first axis of `out` have one entry per logit, [N].

    `alpha` is exp(m_old - m_new), by which earlier sums are rescaled, or None where nothing is.
    `out` holds weights a_i [N] or the running outputs o_i [N, D]; `error` is its last state's largest
    distance from float64, and NaN where the algorithm itself gives NaN.
    """

    name: str
    equations: str
    passes: tuple[Pass, ...]
    m_i: np.ndarray | None
    l_i: np.ndarray
    alpha: np.ndarray | None
    out: np.ndarray
    error: float

    @property
    def visits(self) -> int:
        """How often a logit is read: passes x N."""
        return len(self.passes) * len(self.l_i)

    @property
    def finite(self) -> bool:
        """Whether every weight or output is a number."""
        return bool(np.isfinite(self.out).all())

    def progress(self, visit: int) -> tuple[Pass, int, dict[str, int]]:
        """The pass and the logit that visit 1, 2, ... reads, and how many entries of m_i, l_i and out are known after
        it.

        After the last visit the algorithm rests on its last logit.
        """
        n = len(self.l_i)
        visit = min(max(visit, 1), self.visits)
        current, at = divmod(visit - 1, n)
        known = {"m_i": 0, "l_i": 0, "out": 0}
        for number, one in enumerate(self.passes[: current + 1]):
            known.update({part: n if number < current else at + 1 for part in one.fills})
        return self.passes[current], at, known


def exact(x: np.ndarray) -> np.ndarray:
    """Softmax in float64, [N]; a row of -inf alone sees nothing and gets zeros."""
    x = np.asarray(x, np.float64)
    top = x.max()
    if top == -np.inf:
        return np.zeros_like(x)
    e = np.exp(x - top)
    return e / e.sum()


def naive(x: np.ndarray, v: np.ndarray | None = None) -> Walk:
    """Softmax as it is defined, without a maximum: exp overflows float32 beyond x = 88.7."""
    n, l_now = len(x), np.float32(0)
    l_i = np.zeros(n, np.float32)
    for i in range(n):
        l_now = l_now + np.exp(x[i])
        l_i[i] = l_now
    return _walk("Naive", "Eq. 2", [("sum", "l_i"), ("divide", "out")], None, l_i, None, np.exp(x) / l_now, x)


def three_passes(x: np.ndarray, v: np.ndarray | None = None) -> Walk:
    """Safe softmax: the maximum, then the sum, then the weights (Eq. 72-74)."""
    n = len(x)
    m_i, l_i = np.zeros(n, np.float32), np.zeros(n, np.float32)
    m_now, l_now = np.float32(-np.inf), np.float32(0)
    for i in range(n):
        m_now = m_i[i] = max(m_now, x[i])
    for i in range(n):
        l_now = l_i[i] = l_now + np.exp(x[i] - _safe(m_now))
    a = np.exp(x - _safe(m_now)) / _divisor(l_now)
    return _walk(
        "Three passes", "Eq. 72–74", [("maximum", "m_i"), ("sum", "l_i"), ("divide", "out")], m_i, l_i, None, a, x
    )


def two_passes(x: np.ndarray, v: np.ndarray | None = None) -> Walk:
    """Online softmax: maximum and sum in one pass, the sum rescaled when the maximum grows (Eq. 80-81)."""
    m_i, l_i, alpha = _online(x)
    a = np.exp(x - _safe(m_i[-1])) / _divisor(l_i[-1])
    return _walk(
        "Two passes, online", "Eq. 80–81", [("maximum and sum", "m_i l_i"), ("divide", "out")], m_i, l_i, alpha, a, x
    )


def online_attention(x: np.ndarray, v: np.ndarray) -> Walk:
    """Online softmax, then the weighted sum of the values in the second pass (Eq. 83-84)."""
    m_i, l_i, alpha = _online(x)
    out, o = np.zeros_like(v), np.zeros_like(v[0])
    for i in range(len(x)):
        o = out[i] = o + np.exp(x[i] - _safe(m_i[-1])) / _divisor(l_i[-1]) * v[i]
    passes = [("maximum and sum", "m_i l_i"), ("weighted sum", "out")]
    return _walk("Online attention", "Eq. 83–84", passes, m_i, l_i, alpha, out, x, v)


def one_pass(x: np.ndarray, v: np.ndarray) -> Walk:
    """Maximum, sum and output in a single pass: FlashAttention's recurrence (Eq. 87).

    The factor on the old output is exp(m_old - m_new) l_old / l_new; Eq. 86-87 print exp(m_new) / exp(m_old).
    """
    m_i, l_i, alpha = _online(x)
    out, o, before = np.zeros_like(v), np.zeros_like(v[0]), np.float32(0)
    for i in range(len(x)):
        share = np.exp(x[i] - _safe(m_i[i])) / _divisor(l_i[i])
        o = out[i] = o * (before / _divisor(l_i[i]) * alpha[i]) + share * v[i]
        before = l_i[i]
    return _walk("One pass", "Eq. 87", [("maximum, sum and output", "m_i l_i out")], m_i, l_i, alpha, out, x, v)


ALGORITHMS: tuple[Callable[..., Walk], ...] = (naive, three_passes, two_passes, online_attention, one_pass)


def walk_all(x: np.ndarray, v: np.ndarray) -> tuple[Walk, ...]:
    """Every algorithm on logits [N] and values [N, D], in float32. Raises BadShape when there is nothing or they do not
    fit."""
    x, v = np.asarray(x, np.float32), np.asarray(v, np.float32)
    if x.ndim != 1 or not len(x) or v.shape[:1] != x.shape:
        raise BadShape(
            f"Logits {list(x.shape)} and values {list(v.shape)} do not fit; give [N] and [N, D] with N of at least 1."
        )
    with np.errstate(all="ignore"):  # overflow and NaN are what the naive version is there to show
        return tuple(algorithm(x, v) for algorithm in ALGORITHMS)


def _online(x: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """m_i, l_i and alpha = exp(m_{i-1} - m_i), [N] each (Eq. 80)."""
    n = len(x)
    m_i, l_i, alpha = np.zeros(n, np.float32), np.zeros(n, np.float32), np.zeros(n, np.float32)
    m_now, l_now = np.float32(-np.inf), np.float32(0)
    for i in range(n):
        m_new = max(m_now, x[i])
        alpha[i] = np.exp(m_now - _safe(m_new))
        l_now = l_i[i] = l_now * alpha[i] + np.exp(x[i] - _safe(m_new))
        m_now = m_i[i] = m_new
    return m_i, l_i, alpha


def _safe(m_i: np.float32) -> np.float32:
    """What is subtracted: the maximum, or 0 while everything was -inf, because -inf - -inf is NaN."""
    return m_i if m_i > -np.inf else np.float32(0)


def _divisor(l_i: np.float32) -> np.float32:
    return l_i if l_i > 0 else np.float32(1)


def _walk(
    name: str,
    equations: str,
    passes: Sequence[tuple[str, str]],
    m_i: np.ndarray | None,
    l_i: np.ndarray,
    alpha: np.ndarray | None,
    out: np.ndarray,
    x: np.ndarray,
    v: np.ndarray | None = None,
) -> Walk:
    truth = exact(x) if v is None else exact(x) @ v.astype(np.float64)
    last = out if v is None else out[-1]
    named = tuple(Pass(title, tuple(fills.split())) for title, fills in passes)
    return Walk(name, equations, named, m_i, l_i, alpha, out, float(np.abs(last - truth).max()))


def parse_logits(text: str, limit: int) -> np.ndarray:
    """Logits typed by hand as float32, [N]: numbers split by commas, spaces or line ends; -inf hides a key.

    Raises BadShape with one sentence for anything else, for NaN and +inf, and for more than `limit` numbers.
    """
    words = [
        word for word in re.split(r"[\s,;]+", text.replace("−", "-").replace("∞", "inf").strip("[]() \n\t")) if word
    ]
    if not words:
        raise BadShape("There are no numbers among the logits; type some, for example 2.5, -1, 1e4, -inf.")
    if len(words) > limit:
        raise BadShape(
            f"You typed {len(words):,} logits and this row has {limit}; leave out {len(words) - limit:,} of them."
        )
    values = [_number(word, place) for place, word in enumerate(words, 1)]
    return np.array(values, np.float32)


def _number(word: str, place: int) -> float:
    shown = word if len(word) <= 20 else word[:19] + "…"
    try:
        value = float(word)
    except ValueError:
        raise BadShape(f"Logit {place}, “{shown}”, is not a number; write it like 2.5, 1e4 or -inf.") from None
    if value != value or (value > LARGEST):
        raise BadShape(
            f"Logit {place} is {shown}, where a softmax has no answer; use at most 3.4e38, or -inf to hide a key."
        )
    if -np.inf < value < -LARGEST:
        raise BadShape(f"Logit {place} is {shown}, below what float32 holds; use -inf to hide a key.")
    return value
