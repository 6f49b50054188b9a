"""Pictures of grids, and one sentence for what is none."""

import numpy as np
import pytest

from tests.tiny import sentence
from tlmviz.errors import BadShape
from tlmviz.facades.scenes.grid import compose

INK = np.full((8, 8), 16)


def test_cells_stand_where_they_belong():
    images = np.random.default_rng(0).integers(1, 17, (9, 8, 8))
    picture = compose([[images[3 * row + column] if row != 1 else None for column in range(3)] for row in range(3)])
    for cell in range(9):
        row, column = divmod(cell, 3)
        part = picture[8 * row : 8 * row + 8, 8 * column : 8 * column + 8]
        assert np.array_equal(part, images[cell] if row != 1 else np.zeros((8, 8)))


@pytest.mark.parametrize(
    "grid, why",
    [
        ([[None] * 3] * 3, "blank"),
        ([[np.zeros((8, 8)), None, None], *[[None] * 3] * 2], "blank"),
        ([], "0 rows"),
        ([[INK] * 3] * 2, "2 rows"),
        ([[INK] * 2] * 3, "of 2, 2, 2 cells"),
        (None, "NoneType"),
        (5, "int"),
        ([[np.zeros((7, 8)), None, None], *[[None] * 3] * 2], "the top left has shape [7, 8]"),
        ([[None] * 3, [None, INK * 16, None], [None] * 3], "the middle has a pixel of 256"),
        ([[None] * 3, [None] * 3, [None, None, INK - 20]], "the bottom right has a pixel of -4"),
        ([[None] * 3, [INK * np.nan, None, None], [None] * 3], "a pixel of nan"),
        ([[None, "ink", None], *[[None] * 3] * 2], "the top is a str"),
    ],
)
def test_what_is_no_grid(grid, why):
    with pytest.raises(BadShape) as error:
        compose(grid)
    assert why in sentence(error)
