"""The claims of the lesson "Streams that neither fade nor explode", measured plainly."""

import re

import numpy as np
import pytest

import tlmviz
from tests.affected import ROOT
from tlmviz.ui.lessons import runner, streams


@pytest.fixture(scope="module")
def m():
    return runner.measured("streams", streams.STORY)


def tables(name):
    """The tables of all steps at the last word, in double precision."""
    trace = tlmviz.load(name).trace(streams.STORY)
    names = [f"blocks.{layer}.join_{part}.res" for layer in range(24) for part in ("attn", "mlp")]
    return np.stack([trace[each][0, -1].double().numpy() for each in names])


def test_ten_per_cent_more_at_each_of_48_steps_is_97_times():
    said = streams.words(*[runner.measured("streams", streams.STORY)] * 2)
    assert (said["steps"], said["grown"], said["shrunk"], said["plain"]) == ("48", "97", "0.6%", "5.8")
    assert round(1.1**48) == 97 and round(100 * 0.9**48, 1) == 0.6
    assert round(1000 ** (1 / 48), 2) == 1.15 and said["rate"] == "15%"


def test_a_free_table_makes_more_of_ones_and_48_of_them_explode(m):
    free = tables(streams.FREE)
    np.testing.assert_allclose(m.free.numpy(), free, atol=1e-5)
    rows = free[0].sum(1)
    assert m.most == rows.argmax() == 1 and rows[1] == pytest.approx(5.2, abs=0.005)
    held = np.ones(4)
    for n, table in enumerate(free):
        held = table @ held
        assert streams.growth(m.free)[n] == pytest.approx(held.max(), rel=1e-4)
    assert 170_000 < held.max() < 190_000 and free.sum(2).max() == pytest.approx(5.2, abs=0.005)


def test_a_bound_table_neither_enlarges_nor_loses(m):
    bound = tables(streams.BOUND)
    np.testing.assert_allclose(m.bound.numpy(), bound, atol=1e-5)
    assert bound.min() > 0
    assert abs(bound.sum(2) - 1).max() < 0.001 and abs(bound.sum(1) - 1).max() < 0.001
    product = np.eye(4)
    for table in bound:
        product = table @ product
    assert (product @ np.ones(4)).max() == pytest.approx(1, abs=0.005)
    assert abs(product - 0.25).max() < 0.005  # all streams alike
    assert (bound[0] @ np.array(streams.HOLDS)).max() < max(streams.HOLDS)


def test_an_empty_column_loses_its_stream():
    table = np.array(streams.EMPTY)
    assert table.sum(1) == pytest.approx([1, 1, 1, 1]) and not table[:, 3].any()
    assert table @ np.array(streams.HOLDS) == pytest.approx([1, 1, 1, 1])


def test_rows_and_columns_are_divided_in_turn_until_all_sums_are_1(m):
    table = tables(streams.FREE)[0]
    assert table.min() > 0
    for n, each in enumerate(m.divided):
        table = table / (table.sum(0, keepdims=True) if n % 2 else table.sum(1, keepdims=True))
        np.testing.assert_allclose(each.numpy(), table, atol=1e-5)
        off = max(abs(table.sum(axis) - 1).max() for axis in (0, 1))
        assert (off < 0.005) == (n == len(m.divided) - 1)
    assert len(m.divided) == 4


def bits(name):
    """What held-out stories cost a model, as its card says."""
    card = (ROOT / "models" / name / "card.md").read_text()
    return float(re.search(r"held-out stories: ([\d.]+) bits", card)[1])


def test_free_tables_learn_a_little_better_in_small_models():
    assert bits("stories-hc") < bits("stories-mhc") < bits("stories-residual")
    assert bits(streams.FREE) < bits(streams.BOUND)
