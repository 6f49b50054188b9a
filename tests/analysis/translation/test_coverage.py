"""Repetition, coverage vectors and pinned next tokens against plain Python and the network itself."""

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from tests import tiny
from tlmviz.analysis.translation.coverage import next_tokens, overlaps, repeats
from tlmviz.decoding.penalties import coverage_loss
from tlmviz.errors import BadText

TEXT = "Lily had a ball."


@pytest.mark.parametrize(
    "text, size, count",
    [
        ("a b c", 2, 0),
        ("a b a b a", 2, 2),
        ("a a a a", 2, 2),
        ("a b", 3, 0),
        ("", 2, 0),
        ("a b c a b c", 3, 1),
        ("a a", 1, 1),
    ],
)
def test_repeats_worked_by_hand(text, size, count):
    assert repeats(text.split(), size) == count


@given(st.lists(st.integers(0, 3), max_size=20), st.integers(1, 4))
def test_repeats_are_the_grams_that_were_there_before(tokens, size):
    seen, again = [], 0
    for i in range(len(tokens) - size + 1):
        again += tokens[i : i + size] in seen
        seen.append(tokens[i : i + size])
    assert repeats(tokens, size) == again


@pytest.mark.parametrize("average", [False, True])
def test_overlaps_are_what_was_looked_at_before_and_again(average):
    a = np.random.default_rng(1).dirichlet(np.ones(5), 7)
    c, both = overlaps(a, average)
    for t in range(7):
        before = a[:t].sum(0) / (max(t, 1) if average else 1)
        assert c[t] == pytest.approx(before) and both[t] == pytest.approx(np.minimum(a[t], before))
    assert both.sum(1) == pytest.approx(coverage_loss(a, average))


@pytest.mark.parametrize("kind", tiny.TRANSLATORS)
def test_next_tokens_are_the_networks_own_and_pins_change_them(tokenizer, kind):
    mt = tiny.translator(tokenizer, kind)
    written = [5, 9]
    out = mt.network(torch.tensor([mt.encode(TEXT)]), torch.tensor([[mt.tokenizer.end_of_text, *written]]))
    logits = out if kind == "transformer" else out[0]
    free = next_tokens(mt, TEXT, written)
    torch.testing.assert_close(free, logits[0, -1].softmax(-1), atol=1e-5, rtol=1e-3)
    bound = {place: next_tokens(mt, TEXT, written, {2: place}) for place in (0, 3)}
    assert all(torch.isclose(each.sum(), torch.tensor(1.0), atol=1e-4) for each in bound.values())
    assert not torch.allclose(bound[0], bound[3], atol=1e-4) and not torch.allclose(free, bound[0], atol=1e-4)
    later = next_tokens(mt, TEXT, written, {3: 0})  # a pin on a later step changes nothing here
    torch.testing.assert_close(later, free)


def test_a_pin_beyond_the_source_is_one_sentence(tokenizer):
    with pytest.raises(BadText) as error:
        next_tokens(tiny.translator(tokenizer), TEXT, [], {0: 99})
    tiny.sentence(error)
