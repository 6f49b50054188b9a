"""Digits drawn in strokes, as a pad inks them: plain ones, of which the collection of handwritten digits has few."""

from __future__ import annotations

import numpy as np
from jaxtyping import Float, Int

from .. import digits

Stroke = tuple[tuple[float, float], ...]
# The strokes of each digit as it is drawn in school: corners (x, y) in a box of side 1, y downwards. Some have two
# forms.
FORMS: dict[int, tuple[tuple[Stroke, ...], ...]] = {
    0: (
        (((0.5, 0), (0.2, 0.12), (0.03, 0.5), (0.2, 0.88), (0.5, 1), (0.8, 0.88), (0.97, 0.5), (0.8, 0.12), (0.5, 0)),),
    ),
    1: ((((0.5, 0), (0.5, 1)),), (((0.2, 0.28), (0.6, 0), (0.6, 1)),)),
    2: ((((0.08, 0.25), (0.3, 0.03), (0.7, 0.03), (0.9, 0.25), (0.75, 0.5), (0.05, 1), (0.95, 1)),),),
    3: (
        (
            ((0.1, 0.1), (0.5, 0), (0.85, 0.2), (0.75, 0.42), (0.4, 0.48)),
            ((0.4, 0.48), (0.8, 0.55), (0.9, 0.78), (0.5, 1), (0.08, 0.9)),
        ),
    ),
    4: (
        (((0.7, 1), (0.7, 0), (0.05, 0.65), (0.98, 0.65)),),
        (((0.15, 0), (0.1, 0.5), (0.9, 0.5)), ((0.75, 0.1), (0.7, 1))),
    ),
    5: ((((0.88, 0), (0.2, 0), (0.15, 0.45), (0.6, 0.4), (0.9, 0.65), (0.7, 0.95), (0.1, 0.97)),),),
    6: ((((0.75, 0), (0.3, 0.35), (0.08, 0.7), (0.3, 0.98), (0.7, 0.98), (0.9, 0.72), (0.65, 0.52), (0.18, 0.62)),),),
    7: ((((0.03, 0), (0.97, 0), (0.4, 1)),), (((0.03, 0), (0.97, 0), (0.4, 1)), ((0.25, 0.5), (0.85, 0.5)))),
    8: (
        (
            (
                (0.5, 0.47),
                (0.15, 0.25),
                (0.5, 0),
                (0.85, 0.25),
                (0.5, 0.47),
                (0.08, 0.75),
                (0.5, 1),
                (0.92, 0.75),
                (0.5, 0.47),
            ),
        ),
    ),
    9: (
        (
            (
                (0.87, 0.28),
                (0.6, 0.5),
                (0.2, 0.42),
                (0.12, 0.16),
                (0.5, 0),
                (0.85, 0.13),
                (0.87, 0.28),
                (0.8, 0.6),
                (0.55, 1),
            ),
        ),
    ),
}
POINTS = 24  # of a line from corner to corner
# How far a corner may lie from where it belongs, how far a digit leans, and what its ink covers, as on the pad or
# wider.
JITTER, LEAN, BRUSH = 0.05, 0.15, (1.0, 1.5)
TALL, WIDE = (2.8, 7.3), (0.4, 1.05)  # pixels, and a share of that


def drawn(rng: np.random.Generator, number: int) -> tuple[Float[np.ndarray, "n 8 8"], Int[np.ndarray, " n"]]:
    """Pictures of as many digits, drawn anywhere and in any size, and made as large as the collection's
    (digits.normalised)."""
    labels = rng.integers(0, 10, number)
    return np.stack([digits.normalised(_inked(rng, int(label))) for label in labels]), labels


def _inked(rng: np.random.Generator, digit: int) -> Float[np.ndarray, "8 8"]:
    """One digit on the pad, pixels of 0 to 16."""
    forms = FORMS[digit]
    tall = rng.uniform(*TALL)
    wide = min(tall * rng.uniform(*WIDE), digits.SIDE - 0.7)
    left, top = (rng.uniform(0.3, digits.SIDE - 0.3 - size) for size in (wide, tall))
    lean, lines = rng.normal(0, LEAN), []
    for stroke in forms[rng.integers(len(forms))]:
        corners = np.array(stroke) + rng.normal(0, JITTER, (len(stroke), 2))
        corners[:, 0] += lean * (0.5 - corners[:, 1])
        share = np.linspace(0, 1, POINTS)[:, None]
        lines += [a + share * (b - a) for a, b in zip(corners, corners[1:])]
    points = np.concatenate(lines) * (wide, tall) + (left, top)
    middles = np.stack(np.meshgrid(*[np.arange(digits.SIDE) + 0.5] * 2), -1)  # [8, 8, (x, y)]
    apart = np.linalg.norm(middles[:, :, None] - points, axis=-1).min(-1)
    found: Float[np.ndarray, "8 8"] = np.round(digits.INK * np.clip(rng.uniform(*BRUSH) - apart, 0, 1))
    return found
