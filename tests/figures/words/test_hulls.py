"""The chart of hulls drawn for more and more points."""

import numpy as np

from tlmviz.figures import DARK
from tlmviz.figures.words.hulls import reach


def test_a_line_for_each_share_and_a_mark_where_training_ended():
    figure = reach([5, 50, 200], [1, 0.8, 0.2], [1, 1, 0.9], [1, 0.99, 0.98], 50, DARK, title="Shares")
    assert [trace.name for trace in figure.data] == ["area covered", "valid polygon", "exactly the hull"]
    assert [tuple(trace.y) for trace in figure.data] == [(1, 0.99, 0.98), (1, 1, 0.9), (1, 0.8, 0.2)]
    assert figure.layout.shapes[0].x0 == 50 and figure.layout.xaxis.type == "log"
    assert "50" in figure.layout.annotations[0].text and np.isclose(
        figure.layout.annotations[0].x, np.log10(50), atol=0.1
    )
