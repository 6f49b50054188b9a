"""Sources followed back, folded matrices, and the weight to begin with."""

import pytest
import torch

from tests.tiny import TEXT, sentence
from tlmviz.analysis.workbench import following
from tlmviz.analysis.workbench.following import OTHERS, Step
from tlmviz.errors import UnknownName


def test_names_of_heads():
    assert following.head_of("L10H2") == (10, 2)
    for other in ("token", "MLP 3", "biases", "L1H", "distance"):
        assert following.head_of(other) is None


def test_a_head_is_followed_to_the_key_it_reads_most(lm):
    trace = lm.trace(TEXT)
    step = following.follow(trace, "L0H3", 7)
    assert (step.layer, step.head, step.query, step.name) == (0, 3, 7, "L0H3")
    assert step.key == int(trace.attention(0, 3)[7].argmax())
    with pytest.raises(UnknownName, match="is no head") as error:
        following.follow(trace, "MLP 0", 7)
    sentence(error)


def test_visible_keys(variant):
    trace = variant.trace(TEXT)
    for layer in range(2):
        seen = following.visible_keys(trace, layer, 1, 6)
        weights = trace.attention(layer, 1)[6]
        assert set(weights.nonzero().flatten().tolist()) <= set(seen) <= set(range(7))


@pytest.mark.parametrize("count", [1, 3, 6, 7, 50])
def test_folding_keeps_every_sum(count):
    scores = torch.randn(8, 8, generator=torch.Generator().manual_seed(0), dtype=torch.float64)
    names = [f"L0H{i}" for i in range(8)]
    rows, columns, values = following.folded(names, scores, count)
    assert values.shape == (len(rows), len(columns)) and len(rows) == min(8, count + 1)
    assert float(values.sum()) == pytest.approx(float(scores.sum()))
    for i, name in enumerate(rows):
        if name != OTHERS:
            assert float(values[i].sum()) == pytest.approx(float(scores[names.index(name)].sum()))
    left_out = [i for i, name in enumerate(names) if name not in rows]
    if left_out:  # none of them has more in it than one that is shown
        size = scores.abs().sum(1)
        assert max(size[left_out]) <= min(size[names.index(name)] for name in rows if name != OTHERS)
        assert rows[-1] == OTHERS and float(values[-1].sum()) == pytest.approx(float(scores[left_out].sum()))


def test_without_a_repeat_the_last_query_is_shown(lm):
    trace = lm.trace("abc")
    step = following.striking(lm, trace)
    assert step == Step(1, 0, len(trace) - 1, int(trace.attention(1, 0)[-1].argmax()))


def test_a_repeat_is_looked_up(lm):
    trace = lm.trace(TEXT)
    step = following.striking(lm, trace)
    assert 0 <= step.key < step.query < len(trace)
    assert trace.ids[step.key - 1] == trace.ids[step.query]
