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


def test_ten_per_cent_more_at_each_of_48_steps_is_97_times(m):
    said = streams.words(m, m)
    assert (said["steps"], said["grown"], said["shrunk"], said["plain"]) == ("48", "97", "0.6%", "5.8")
    assert round(1.1**48) == 97 and round(100 * 0.9**48, 1) == 0.6
    assert round(1000 ** (1 / 48), 2) == 1.15 and said["rate"] == "15%"


def guesses(lm, row):
    """The shares of what comes next that a row of numbers gives, by RMSNorm and the head's matrix."""
    network = lm.on_cpu.network
    normed = row.double() / (row.double().square().mean(-1, keepdim=True) + network.norm.eps).sqrt()
    return (normed * network.norm.weight.double() @ network.head.weight.double().T).softmax(-1)


def best(lm, shares):
    """The likeliest piece, and its share."""
    return lm.tokenizer.name(int(shares.argmax())).strip(), float(shares.max())


def test_one_stream_carries_the_word_whole_where_nothing_is_added(m):
    lm = tlmviz.load(streams.ONE)
    trace = lm.trace(streams.STORY)
    rows = trace["blocks.0.resid_pre"][0, -1], trace["blocks.7.resid_post"][0, -1]
    for row, numbers, (word, sure) in zip(rows, m.ends, m.says):
        assert numbers == pytest.approx(row[:24].tolist(), abs=1e-5)
        assert best(lm, guesses(lm, row)) == (word, pytest.approx(sure, abs=1e-4))
    parts = [trace[f"blocks.{n}.{part}.out"][0, -1] for n in range(8) for part in ("attn", "mlp")]
    np.testing.assert_allclose((rows[0] + sum(parts)).numpy(), rows[1].numpy(), atol=1e-3)  # steps only add
    assert m.steps == len(parts) == 16 and [word for word, _ in m.says] == ["big", "box"]
    before = streams._add(m).before[1].options["rows"]
    assert not before[0]["says"]  # how sure it is at first, is what is asked for
    assert m.silent == (m.says[0][0], pytest.approx(m.says[0][1], abs=1e-5)) and m.silent[1] > 0.9


def test_of_four_streams_one_keeps_the_word_that_one_alone_loses(m):
    ids = {word: tlmviz.load(streams.FOUR).encode(f" {word}")[-1] for word in ("big", "dog")}
    found = []
    for name in (streams.ONE, streams.FOUR):
        lm = tlmviz.load(name)
        trace = lm.trace(streams.STORY)
        begin, early = (trace[f"blocks.{n}.resid_{at}"][0, -1].reshape(-1, 160) for n, at in ((0, "pre"), (1, "post")))
        assert all(best(lm, row)[0] == "big" for row in guesses(lm, begin))  # "At first all say it."
        found += [*guesses(lm, early)]
    assert m.holds == pytest.approx([float(row[ids["big"]]) for row in found], abs=1e-4) and streams.EARLY == 4
    assert m.holds[0] < 0.01 and m.keeper == 2 and m.holds[2] > 0.9 and max(m.holds[1], *m.holds[3:]) < 0.2
    assert m.guess == (4, ("dog", pytest.approx(float(found[4][ids["dog"]]), abs=1e-4)))
    alone, sure = best(tlmviz.load(streams.ONE), found[0])
    assert best(lm, found[4])[0] == "dog" and alone not in ("big", "dog")
    assert m.alone == (alone, pytest.approx(sure, abs=1e-4)) and sure < 0.5 * m.guess[1][1]


def test_a_free_table_makes_more_of_ones_and_48_of_them_explode(m):
    free = tables(streams.FREE)
    np.testing.assert_allclose(m.free.numpy(), free, atol=1e-5)
    table = free[0].round(2)
    np.testing.assert_allclose(m.table.numpy(), table, atol=1e-6)
    rows = table.sum(1)
    assert m.most == rows.argmax() == 1 and rows[1] == pytest.approx(5.16)  # as it is added up by hand
    held = np.ones(4)
    for n, each in enumerate(free):
        held = each @ held
        assert streams.growth(m.free)[n] == pytest.approx(held.max(), rel=1e-4)
    assert 180_000 < held.max() < 195_000
    later = free[1:].sum(2).max()  # of four streams that hold 1
    assert streams.words(m, m)["later"] == f"{later:.2f}" and later < 0.5 * rows[1]
    growth = streams.growth(m.free)
    assert sum(after > before for before, after in zip(growth, growth[1:])) > 40  # "nearly all"


def test_numbers_leave_what_16_bits_can_hold_with_free_tables_and_not_with_bound_ones(m):
    for name, largest in zip((streams.FREE, streams.BOUND), m.largest):
        trace = tlmviz.load(name).trace(streams.STORY)
        found = [trace[f"blocks.{n}.resid_{at}"][0, -1].abs().max() for n in range(24) for at in ("pre", "mid", "post")]
        assert largest == pytest.approx(float(max(found)), rel=1e-4)
    assert m.largest[0] > 65_504 == float(np.finfo(np.float16).max) and m.largest[1] < 100


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
    shared = m.shared.numpy()
    assert min(abs(shared - table).max() for table in bound) < 0.0051 and shared.max() < 0.9
    assert shared.sum(0) == pytest.approx(1) and shared.sum(1) == pytest.approx(1)
    assert (shared @ np.array(streams.HOLDS)).max() < max(streams.HOLDS)


def test_an_empty_column_loses_its_stream():
    table = np.array(streams.EMPTY)
    assert table.sum(1) == pytest.approx([1, 1, 1, 1]) and not table[:, 3].any()
    assert table @ np.array(streams.HOLDS) == pytest.approx([1, 1, 1, 1])
    assert streams.words(*[runner.measured("streams", streams.STORY)] * 2)["left"] == "4"


def test_rows_and_columns_are_divided_in_turn_until_all_sums_are_1(m):
    table = tables(streams.FREE)[0].round(2)
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
