"""What was done to the rotation of queries or keys: angles measured plane by plane against numbers that were not turned yet."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Float
from torch import Tensor

LAYOUTS = ("interleaved", "half")
NEAR = 0.03  # radians a token: slopes closer than this share of their size are one


@dataclass(frozen=True)
class Turning:
    """How planes turn with position under one layout: angle = slope * t + start, and the factor on their length.

    `residual` is the share of the numbers' size that no such rotation explains.
    """

    layout: str
    slopes: np.ndarray  # [P], radians a token
    starts: np.ndarray  # [P]
    factor: float
    residual: float


def planes(x: Float[Tensor, "h t d"], layout: str) -> np.ndarray:
    """Pairs of dimensions as complex numbers [H, T, P]."""
    x = x.double()
    if layout == "interleaved":
        pairs = x[..., 0::2], x[..., 1::2]
    else:
        pairs = x[..., : x.shape[-1] // 2], x[..., x.shape[-1] // 2 :]
    return torch.complex(*pairs).numpy()


def turning(before: Float[Tensor, "h t d"], behind: Float[Tensor, "h t d"], layout: str) -> Turning:
    """The rotation that best explains `behind` from `before`: per plane one slope and one start over all positions."""
    x, y = planes(before, layout), planes(behind, layout)
    moved = (y * x.conj()).sum(0)  # [T, P]: angle of each plane at each position, weighted by length
    steps = (moved[1:] * moved[:-1].conj()).sum(0)
    slopes, t = np.angle(steps), np.arange(moved.shape[0])
    for _ in range(20):  # a first slope is refined until the rest does not drift
        rest = moved * np.exp(-1j * slopes * t[:, None])
        for lag in (4, 16, 64):
            if lag < len(t):
                drift = np.angle((rest[lag:] * rest[:-lag].conj()).sum(0)) / lag
                rest = rest * np.exp(-1j * drift * t[:, None])
                slopes = slopes + drift
    starts = np.angle((moved * np.exp(-1j * slopes * t[:, None])).sum(0))
    turned = x * np.exp(1j * (slopes * t[:, None] + starts))
    factor = float((turned.conj() * y).real.sum() / (np.abs(turned) ** 2).sum())
    residual = float(np.sqrt((np.abs(y - factor * turned) ** 2).sum() / (np.abs(y) ** 2).sum()))
    return Turning(layout, slopes, starts, factor, residual)


def best_turning(before: Float[Tensor, "h t d"], behind: Float[Tensor, "h t d"]) -> Turning:
    """The layout and rotation that leave the least unexplained."""
    return min((turning(before, behind, layout) for layout in LAYOUTS), key=lambda found: found.residual)


def rotary_width(before: Tensor, behind: Tensor) -> int:
    """How many leading dimensions are turned at all: the rest are the same before and behind."""
    same = (before.double() - behind.double()).abs().amax((0, 1)) <= 1e-6 * before.double().abs().amax()
    width = before.shape[-1]
    while width > 2 and bool(same[width - 1]):
        width -= 1
    return width + width % 2


def name_change(a: Turning, b: Turning, noise: float) -> tuple[str, float | str, str] | None:
    """What turned the second run's planes otherwise than the first's: cause, value and a sentence; None where none fits."""
    size = np.abs(a.slopes)
    clear = size > 4 * noise + 1e-6  # planes that turn fast enough to be measured
    if np.abs(b.slopes).max() < 0.02 * size.max():  # unturned numbers fit either layout
        return "rope missing", 0.0, "no plane turns with position"
    if b.layout != a.layout and b.residual < a.residual + 0.1 + noise:
        return "rope layout", b.layout, f"planes turn as pairs of the layout {b.layout!r}, not {a.layout!r}"
    same = np.abs(b.slopes - a.slopes) <= NEAR * size + noise
    if same[clear].all():
        return _same_slopes(a, b, noise)
    ratio = b.slopes[clear] / a.slopes[clear]
    if np.ptp(ratio) < 0.05 * abs(ratio.mean()):
        factor = float(1 / np.median(ratio))
        return (
            "rope scaling",
            factor,
            f"all planes turn {factor:.4g} times slower: positions divided by {factor:.4g}",
        )
    order = np.flatnonzero(clear)
    logs = np.log(np.abs(ratio).clip(1e-9))
    slope = float((order * logs).sum() / max((order**2).sum(), 1))
    if np.abs(logs - slope * order).max() < 0.05 + 0.1 * np.abs(logs).max() and (ratio > 0).all():
        base = _base_of(b.slopes[clear], order, len(a.slopes))
        return "rope base", base, f"plane j turns by base^(-2j/d) with a base of about {base:.6g}"
    if abs(ratio[0] - 1) < 0.05:
        factor = float(1 / ratio.min())
        return (
            "rope scaling",
            factor,
            f"slow planes turn {factor:.4g} times slower, fast ones as before: scaling by parts",
        )
    return None


def coarse_bits(
    before: Tensor, expected: Tensor, found: Tensor, layout: str, error: float, rounding: float
) -> str | None:
    """The 16-bit format whose rounding of angles or of their cosines and sines tells two rotations [H, T, D] apart.

    Every head must be turned by one table [T, P], which is off by no more than such rounding of angles as large as they are makes
    it, and not by one factor throughout.
    """
    x, *turned = (planes(part, layout) for part in (before, expected, found))
    weight = (np.abs(x) ** 2).sum(0) + 1e-30
    own, other = ((part * x.conj()).sum(0) / weight for part in turned)
    left = np.sqrt((np.abs(turned[1] - other * x) ** 2).sum() / (np.abs(turned[1]) ** 2).sum())
    off = other / own - 1
    size = np.sqrt((np.abs(off) ** 2).mean())
    if left > 0.1 * error + rounding or np.abs(off.mean()) > 0.5 * size:
        return None
    slopes = np.abs(np.angle((own[1:] * own[:-1].conj()).sum(0)))
    angles = np.maximum(np.arange(len(off))[:, None] * slopes, 1.0)
    worst = (np.abs(off) / angles).max()
    return None if worst > 2.0**-7 else "bfloat16" if worst > 2.0**-10 else "float16"


def _same_slopes(a: Turning, b: Turning, noise: float) -> tuple[str, float | str, str] | None:
    if abs(b.factor / a.factor - 1) > 1e-3 + 4 * noise:
        ratio = b.factor / a.factor
        return "rope factor", ratio, f"planes turn alike and are {ratio:.4g} times as long"
    moved = b.starts - a.starts
    if np.abs(np.angle(np.exp(1j * moved))).max() < 1e-3 + 4 * noise:
        return None
    offsets = np.concatenate([np.arange(1, 513), -np.arange(1, 513)])
    misses = [np.abs(np.angle(np.exp(1j * (moved - o * a.slopes)))).mean() for o in offsets]
    best = int(np.argmin(misses))
    if misses[best] > 0.05 + 4 * noise:
        return None
    moved_by = int(offsets[best])
    places = f"{moved_by} position{'s' * (abs(moved_by) != 1)}"
    return "position offset", float(moved_by), f"every plane stands {places} further"


def _base_of(slopes: np.ndarray, order: np.ndarray, count: int) -> float:
    """The base whose powers are these slopes: log slope = -(j / P) log base, by least squares."""
    logs = np.log(np.abs(slopes))
    weights = order**2
    return float(math.exp(-(order * logs).sum() * count / max(weights.sum(), 1)))
