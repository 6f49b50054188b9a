"""Lesson 14, "Small numbers": its claims measured plainly."""

import pytest
import torch
from torch.nn import functional as F

import tlmviz
from tlmviz.analysis.samples import sample_text
from tlmviz.ui.lessons import rounding, runner, small


@pytest.fixture(scope="module")
def found():
    return runner.measured("small", rounding.STORY)


@pytest.fixture(scope="module")
def lm():
    return tlmviz.load("stories-rope")


def told(scene):
    """The pictures of a scene before and after its answer."""
    sent = runner.payload(small.LESSON)["scenes"][scene]
    return sent["before"], sent["after"]


def kept(x, largest, axis=None):
    """Numbers in equal steps of which the last is the largest of all, or of each row."""
    top = x.abs().max() if axis is None else x.abs().amax(axis, keepdim=True)
    return (x * largest / top).round() * top / largest


def shares(lm, monkeypatch, change, ids=None):
    """What comes next at each place where every product x W' is made of changed numbers."""
    plain = F.linear
    monkeypatch.setattr(F, "linear", lambda x, w, bias=None: plain(*change(x, w), bias))
    with torch.no_grad():
        logits = lm.network(torch.tensor([ids or lm.trace(rounding.STORY).ids]))[0]
    monkeypatch.setattr(F, "linear", plain)
    return logits.double().softmax(-1)


def split(x, w, largest):
    """One scale for each matrix of x and for each of those that are one tensor: queries, keys and values; gate and
    up."""
    parts = {576: 3, 960: 2}.get(len(w), 1)
    return kept(x, largest), torch.cat([kept(each, largest) for each in w.chunk(parts)])


def by_32(x, largest):
    """Numbers in equal steps, a scale for each 32 of a row."""
    return kept(x.unflatten(-1, (-1, 32)), largest, -1).flatten(-2)


def test_eight_bits_leave_the_guess(found, lm, monkeypatch):
    ball = lm.encode(" ball")[-1]
    exact = shares(lm, monkeypatch, lambda x, w: (x, w))[-1]
    assert found.sure == pytest.approx(float(exact[ball]), abs=1e-4) and int(exact.argmax()) == ball
    eight = float(shares(lm, monkeypatch, lambda x, w: (x, kept(w, 127, 1)))[-1, ball])
    assert found.best == "ball" and found.eight == pytest.approx(eight, abs=2e-3) and abs(eight - found.sure) < 0.005
    assert found.count == sum(each.numel() for each in lm.network.parameters() if each.ndim == 2)


def test_with_sixteen_steps_scales_count(found, lm, monkeypatch):
    ids = lm.tokenizer.encode(sample_text(), bos=True)[: rounding.READ]
    plain = {
        "full": lambda x, w: (x, w),
        "eight": lambda x, w: split(x, w, 127),
        "each": lambda x, w: (kept(x, 127, -1), kept(w, 127, 1)),
        "parts": lambda x, w: (by_32(x, 127), by_32(w, 127)),
        "four": lambda x, w: split(x, w, 7),
        "rows": lambda x, w: (kept(x, 7, -1), kept(w, 7, 1)),
        "blocks": lambda x, w: (by_32(x, 7), by_32(w, 7)),
    }
    for name, change in plain.items():
        guesses = shares(lm, monkeypatch, change, ids).argmax(-1).tolist()[:-1]
        right = sum(guess == after for guess, after in zip(guesses, ids[1:])) / len(guesses)
        # Moved by 1e-5 of itself, a number near the middle of two steps goes to the other: shares then spread over up
        # to 0.028.
        assert found.right[name] == pytest.approx(right, abs=0.03 if name in ("four", "rows", "blocks") else 0.01)
    full, eight, each, parts, four, rows, blocks = (found.right[name] for name in plain)
    assert max(abs(full - few) for few in (eight, each, parts)) < 0.01  # "in 8 bits that hardly counts"
    assert four < rows - 0.02 and rows < blocks < full


def test_no_weight_moves_further_than_half_a_step(found, lm):
    given, rounded, step = found.weights
    row = lm.network.blocks[1].mlp.down.weight[0].detach()
    assert step == pytest.approx(float(row.abs().max()) / 127)
    assert set(given) <= set(row.tolist())
    assert all(abs(one - other) <= step / 2 * 1.001 for one, other in zip(given, rounded))
    assert any(abs(one - other) > step / 4 for one, other in zip(given, rounded))
    assert all(abs(other / step - round(other / step)) < 1e-3 for other in rounded)


def test_drawn_steps_are_alike_wide():
    ticks = told(1)[0][0]["options"]["rows"][0]["ticks"]
    wide = [two - one for one, two in zip(ticks, ticks[1:])]
    assert max(wide) < 1.001 * min(wide)


def read(lm):
    """What the matrix of the lesson reads, at every word."""
    seen = []
    hook = lm.network.blocks[1].mlp.down.register_forward_pre_hook(lambda module, given: seen.append(given[0]))
    with torch.no_grad():
        lm.network(torch.tensor([lm.trace(rounding.STORY).ids]))
    hook.remove()
    return seen[0][0].double()


def test_one_large_number_makes_many_zero_and_scales_of_blocks_keep_them(found, lm):
    rows = read(lm)
    row = rows[-1]
    assert found.row == pytest.approx(row.tolist(), abs=1e-4) and row.max() == row.abs().max()
    assert sorted(row.abs().tolist())[-2] < 0.2 * found.loud  # "Its other numbers are much smaller"

    def lost(step):
        return float((row.abs() < step / 2).double().mean())

    step = found.loud / 127
    assert found.lost("one") == pytest.approx(lost(step), abs=0.005)
    assert found.lost("narrow") == pytest.approx(lost(step / 2), abs=0.005)
    assert max(found.kept["narrow"]) == pytest.approx(found.loud / 2, rel=1e-3)
    assert found.lost("all") == pytest.approx(lost(float(rows.abs().max()) / 127), abs=0.005)
    blocks = row.view(-1, 32)
    few = float((blocks.abs() < blocks.abs().amax(1, keepdim=True) / 254).double().mean())
    assert found.lost("block") == pytest.approx(few, abs=0.005)
    assert few < found.lost("narrow") < found.lost("one") < found.lost("all")


def test_fp8_has_as_many_steps_in_each_doubling_and_loses_hardly_any(found):
    plain = torch.arange(127, dtype=torch.uint8).view(torch.float8_e4m3fn).double().tolist()
    assert found.values == plain
    assert [sum(low <= each < 2 * low for each in plain) for low in (0.5, 1, 2, 4, 64)] == [8] * 5
    assert plain[plain.index(2) + 1] - 2 == 2 * (plain[plain.index(1) + 1] - 1)  # "from 2 on twice as far apart"
    before, after = (scene[0]["options"]["rows"][0]["ticks"] for scene in told(6))
    assert len(before) == 8 == sum(each >= 2 for each in after) and min(before) == 1 and max(after) < 4
    scale = plain[-1] / found.loud
    fp8 = (torch.tensor(found.row) * scale).to(torch.float8_e4m3fn).double() / scale
    assert found.kept["fp8"] == pytest.approx(fp8.tolist(), abs=1e-5)
    assert found.lost("fp8") == float((fp8 == 0).double().mean()) < 0.005
    at = found.coarse
    assert abs(found.kept["fp8"][at] - found.row[at]) > abs(found.kept["one"][at] - found.row[at])


def test_a_sum_of_ones_gets_stuck_where_steps_become_two_wide(found):
    total = torch.tensor(0.0)
    for each in found.sums:
        total = (total + 1).to(torch.float8_e4m3fn).float()
        assert each == total
    assert len(found.sums) == 100 and total == 16 == found.values[found.values.index(18) - 1]
    assert float(torch.tensor(100.0).to(torch.float8_e4m3fn)) == 96 and 104 in found.values and 100 not in found.values
