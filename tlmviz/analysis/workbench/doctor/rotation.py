"""What was done to the rotation of queries or keys: angles measured plane by plane against numbers that were not turned
yet."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
import torch
from jaxtyping import Float
from torch import Tensor

LAYOUTS = ("interleaved", "half")
FACTORS = (1, 2, 3, 4, 5, 6, 8, 10, 16, 32, 40, 64)  # by which released models slow their planes down
Change = tuple[str, float | str, str]  # a cause, its value, a sentence
LAGS = (4, 16, 64)  # positions over which the drift of a slope is measured
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

    def applied(self, before: Float[Tensor, "h t d"], back: bool = False) -> Float[Tensor, "h t d"]:
        """The numbers so turned, or turned back; dimensions behind the planes as they are."""
        width = 2 * len(self.slopes)
        angles = self.slopes * np.arange(before.shape[1])[:, None] + self.starts
        turn = np.exp(-1j * angles) / self.factor if back else self.factor * np.exp(1j * angles)
        turned = torch.from_numpy(planes(before[..., :width], self.layout) * turn)
        pair = turned.real, turned.imag
        made = torch.stack(pair, -1).flatten(-2) if self.layout == "interleaved" else torch.cat(pair, -1)
        return torch.cat((made, before[..., width:].double()), -1)


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
        for lag in LAGS:
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


def name_change(a: Turning, b: Turning, noise: float, known: bool) -> Iterator[tuple[Change, Turning]]:
    """What may have turned the second run's planes otherwise than the first's: cause, value and a sentence, and the
    first's rotation so changed, which must make the second's numbers. `known` says whether the first's is measured and
    not assumed: of an assumed one only the difference is sure."""
    size = np.abs(a.slopes)
    if len(a.slopes) != len(b.slopes):
        count, base = 2 * len(b.slopes), _base_of(a.slopes, np.arange(len(a.slopes)), len(a.slopes))
        said = f"the first {count} dimensions of each head turn, where {2 * len(a.slopes)} were expected"
        slopes = base ** (-np.arange(count // 2) * 2 / count)
        turned = replace(b, slopes=slopes, starts=0 * slopes, factor=a.factor)
        yield ("rotary dim", float(count), said), turned
        return
    clear = size > 4 * noise + 1e-6  # planes that turn fast enough to be measured
    if np.abs(b.slopes).max() < 0.02 * size.max():  # unturned numbers fit either layout
        yield ("rope missing", 0.0, "no plane turns with position"), replace(b, slopes=0 * b.slopes)
    if b.layout != a.layout and b.residual < a.residual + 0.1 + noise:
        said = f"planes turn as pairs of the layout {b.layout!r}, not {a.layout!r}"
        yield ("rope layout", b.layout, said), replace(a, layout=b.layout)
    same = np.abs(b.slopes - a.slopes) <= NEAR * size + noise
    if same[clear].all():
        yield from _same_slopes(a, b, noise)
        return
    ratio = b.slopes[clear] / a.slopes[clear]
    usual = float(np.median(ratio))
    factor = _factor(usual, known) if np.ptp(ratio) < 0.05 * abs(ratio.mean()) else None
    if factor is not None:
        said = f"all planes turn {_times(factor)}: positions divided by {factor:.4g}"
        yield ("rope scaling", factor, said), replace(a, slopes=a.slopes * usual)
    order = np.flatnonzero(clear)
    logs = np.log(np.abs(ratio).clip(1e-9))
    slope = float((order * logs).sum() / max((order**2).sum(), 1))
    if np.abs(logs - slope * order).max() < 0.05 + 0.1 * np.abs(logs).max() and (ratio > 0).all():
        base = _base_of(b.slopes[clear], order, len(a.slopes))
        said = f"plane j turns by base^(-2j/d) with a base of about {base:.6g}"
        slopes = base ** (-np.arange(len(a.slopes)) / len(a.slopes))
        yield ("rope base", base, said), replace(a, slopes=slopes)
    yield from _by_parts(ratio, a, b, known, noise / LAGS[0] / size[clear])


def _by_parts(
    ratio: np.ndarray, a: Turning, b: Turning, known: bool, noise: np.ndarray
) -> Iterator[tuple[Change, Turning]]:
    """Fast planes as before, slow ones all slower or all faster by one factor, those between in between; each to its
    noise."""
    allowed = np.maximum(0.03 * abs(ratio[-1] - 1), 1e-3) + noise
    steady = np.abs(ratio - ratio[-1]) < allowed
    slow = float(np.median(ratio[steady]))
    rising = ratio if slow > 1 else -ratio
    in_order = (np.maximum.accumulate(rising) - rising <= allowed).all() and abs(ratio[0] - 1) <= allowed[0]
    factor = _factor(slow, known) if in_order and steady.sum() > 1 - known and slow > 0 else None
    if factor is not None:
        said = f"slow planes turn {_times(factor)}, fast ones as before: scaling by parts"
        yield ("rope scaling", factor, said), replace(a, slopes=b.slopes)


def _factor(ratio: float, known: bool) -> float | None:
    """How many times slower planes turn that turn `ratio` times as fast as the first run's. Of assumed slopes that only
    says by how much both runs' are apart: by which two factors that released models have; None where there are no two,
    or several."""
    if known:
        return 1 / ratio
    apart = ratio - 1
    pairs = [(x, y) for x in FACTORS for y in FACTORS if abs(1 / y - 1 / x - apart) < 0.004 * abs(apart)]
    return pairs[0][1] / pairs[0][0] if len(pairs) == 1 else None


def _times(factor: float) -> str:
    return f"{factor:.4g} times slower" if factor > 1 else f"{1 / factor:.4g} times faster"


def coarse_bits(
    before: Tensor, expected: Tensor, found: Tensor, layout: str, error: float, rounding: float
) -> str | None:
    """The 16-bit format whose rounding of angles or of their cosines and sines tells two rotations [H, T, D] apart.

    Every head must be turned by one table [T, P], which is off by no more than such rounding of angles as large as they
    are makes it, and not by one factor throughout.
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


def _same_slopes(a: Turning, b: Turning, noise: float) -> Iterator[tuple[Change, Turning]]:
    ratio = b.factor / a.factor
    if abs(ratio - 1) > 1e-3 + 4 * noise:
        said = f"planes turn alike and are {ratio:.4g} times as long"
        yield ("rope factor", ratio, said), replace(a, factor=b.factor)
    moved = b.starts - a.starts
    if np.abs(np.angle(np.exp(1j * moved))).max() >= 1e-3 + 4 * noise:
        offsets = np.concatenate([np.arange(1, 513), -np.arange(1, 513)])
        misses = [np.abs(np.angle(np.exp(1j * (moved - o * a.slopes)))).mean() for o in offsets]
        by = int(offsets[int(np.argmin(misses))])
        said = f"every plane stands {by} position{'s' * (abs(by) != 1)} further"
        yield ("position offset", float(by), said), replace(a, starts=a.starts + by * a.slopes)


def _base_of(slopes: np.ndarray, order: np.ndarray, count: int) -> float:
    """The base whose powers are these slopes: log slope = -(j / P) log base, by least squares."""
    logs = np.log(np.abs(slopes))
    return float(np.exp(-(order * logs).sum() * count / max((order**2).sum(), 1)))
