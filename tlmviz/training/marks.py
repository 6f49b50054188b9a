"""Every question about many scenes at once: which cells its answer speaks of, and questions drawn so that marks are
frequent."""

from __future__ import annotations

import numpy as np
from jaxtyping import Bool, Float, Int

from ..facades.scenes import language

QUESTIONS = tuple(language.every_question())
KIND_OF = np.array([language.KINDS.index(question.kind) for question in QUESTIONS])
# How the answer to a question comes out: nothing to mark, digits that the question asks for, or, of a side, digits that
# are marked because there are several of them.
BLANK, MARKED, SEVERAL = OUTCOMES = range(3)
NAMES = ("blank", "marked", "several")
# How often each is asked about where a scene has all of them.
SHARES = np.array([0.45, 0.45, 0.1])


def truth(labels: Int[np.ndarray, "s 9"]) -> Bool[np.ndarray, "s q 9"]:
    """The cells that `language.cells` gives for each scene and each of QUESTIONS; labels are -1 where a cell is
    empty."""
    filled = labels >= 0
    digit = labels[:, None] == np.arange(10)[:, None]  # [S, 10, 9]
    single = digit.sum(-1, keepdims=True) == 1
    sides = [np.where(single, digit @ _moves(side) & filled[:, None], digit) for side in language.SIDES]
    places = np.eye(9, dtype=bool) & filled[:, None]
    whole = filled[:, None]
    return np.concatenate([*sides, digit, places, digit, whole, whole], 1)


def _moves(side: str) -> Bool[np.ndarray, "9 9"]:
    """From a cell (row) to the one beside it (column)."""
    moves = np.zeros((9, 9), bool)
    for cell in range(9):
        if (beside := language.beside(cell, side)) is not None:
            moves[cell, beside] = True
    return moves


def outcomes(labels: Int[np.ndarray, "s 9"], cells: Bool[np.ndarray, "s q 9"]) -> Int[np.ndarray, "s q"]:
    """One of OUTCOMES for each scene and question."""
    found = np.where(cells.any(-1), MARKED, BLANK)
    several = (labels[:, None] == np.arange(10)[:, None]).sum(-1) > 1  # [S, 10]
    sides = np.tile(several, (1, len(language.SIDES)))
    found[:, : sides.shape[1]][sides] = SEVERAL
    return found


def drawn(
    rng: np.random.Generator, found: Int[np.ndarray, "s q"], number: int, kinds: Float[np.ndarray, " k"]
) -> Int[np.ndarray, "s n"]:
    """`number` questions for each scene: kinds as often as `kinds` says, in each kind the outcomes as SHARES says."""
    weights = np.zeros(found.shape)
    for kind, share in enumerate(kinds):
        for outcome in OUTCOMES:
            members = (kind == KIND_OF) & (found == outcome)
            weights += members * share * SHARES[outcome] / np.maximum(1, members.sum(1, keepdims=True))
    up_to = weights.cumsum(1)
    points = rng.random((len(found), number, 1)) * up_to[:, None, -1:]
    return (points >= up_to[:, None]).sum(-1)
