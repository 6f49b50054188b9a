"""Rules of positions: which AttentionMask they are, whichever way the text was cut into calls."""

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from transformers import masking_utils as hf

from tlmviz.watching import masks
from tlmviz.watching.masks import Chosen, Everything, Given, LazyMask, RowMask, Rule, recognised


def asked(function, first, count, total, start=0, padding=None, batch=1):
    """The rule of one call that reads positions `first` to `first + count - 1` of a cache that begins at `start`."""
    request = dict(
        batch_size=batch,
        q_length=count,
        kv_length=total - start,
        q_offset=first,
        kv_offset=start,
        mask_function=function,
        attention_mask=padding,
        device="cpu",
    )
    return LazyMask(hf.sdpa_mask, request).rule()


def whole(function, cuts, length, places=None, row=0):
    """One text of `length` positions, read in calls that begin at `cuts`."""
    stops = [*cuts[1:], length]
    rules = tuple(asked(function, start, stop - start, stop) for start, stop in zip(cuts, stops))
    places = torch.arange(length) if places is None else places
    return RowMask(rules, row, places, places, tuple(cuts))


FUNCTIONS = {
    "causal": lambda window: hf.causal_mask_function,
    "window": hf.sliding_window_causal_mask_function,
    "both": hf.sliding_window_bidirectional_mask_function,
}


@given(
    length=st.integers(2, 20),
    window=st.integers(1, 25),
    kind=st.sampled_from(sorted(FUNCTIONS)),
    steps=st.integers(0, 5),
    padding=st.integers(0, 4),
    strip=st.sampled_from([1, 30, 1000]),
)
@settings(max_examples=80, deadline=None)
def test_windows_are_found_whatever_the_calls_and_the_padding(length, window, kind, steps, padding, strip):
    steps = 0 if kind == "both" else min(steps, length - 1)
    total = length + padding
    cuts = [0, *range(total - steps, total)]
    visible = whole(FUNCTIONS[kind](window), cuts, total, torch.arange(padding, total))
    distance = torch.arange(length)[:, None] - torch.arange(length)
    seen = (distance >= 0) if kind != "both" else torch.ones(length, length, dtype=torch.bool)
    if kind == "window":
        seen &= distance < window
    if kind == "both":  # half of it to either side
        half = FUNCTIONS[kind](window)(0, 0, torch.arange(length)[:, None], torch.arange(length))
        seen &= half
    every = torch.arange(length)
    assert torch.equal(visible(every, every), seen)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(masks, "STRIP", strip)
        found = recognised(visible)
    again = distance >= 0 if found.causal else torch.ones_like(seen)
    assert torch.equal(again if found.window is None else again & (distance.abs() < found.window), seen)
    assert found.visible is None


def test_chunks_stay_a_function():
    chunked = hf.chunked_causal_mask_function(4, torch.zeros(1, dtype=torch.long))
    found = recognised(visible := whole(chunked, [0], 10))
    assert found.visible is visible and not found.causal
    rows, cols = torch.tensor([9, 2, 5]), torch.tensor([8, 0, 4, 5])
    exact = (cols <= rows[:, None]) & (cols // 4 == rows[:, None] // 4)
    assert torch.equal(visible(rows, cols), exact)
    assert visible(rows[:0], cols).shape == (0, 4)


def test_a_sliding_cache_holds_its_last_keys_only():
    """Position 9 read with keys 6 to 9 in the cache: what is no longer held is not seen."""
    rule = asked(hf.causal_mask_function, 9, 1, 10, start=6)
    seen = rule.answer(0, torch.tensor([9]), torch.arange(12))
    assert seen[0].tolist() == [False] * 6 + [True] * 4 + [False] * 2


@pytest.mark.parametrize("own", [torch.bool, torch.float32, torch.bfloat16], ids=str)
def test_a_tensor_that_the_model_made(own):
    seen = torch.rand(2, 1, 5, 7, generator=torch.Generator().manual_seed(0)) > 0.4
    made = seen if own is torch.bool else torch.where(seen, 0.0, torch.finfo(own).min).to(own)
    answer, added = Given.parted(made, first=2)
    rows, cols = torch.tensor([2, 6]), torch.tensor([0, 6, 3])
    assert added is None and torch.equal(answer(1, rows, cols), seen[1, 0][rows - 2][:, cols])
    assert not answer(0, rows, torch.tensor([7]))[:, 0].any()
    one, _ = Given.parted(made[:, :, :1], first=0)  # a row for all queries
    assert torch.equal(one(1, rows, cols), seen[1, 0, :1].expand(2, -1)[:, cols])


def test_a_tensor_that_does_more_than_hide_is_added_whole():
    seen = torch.ones(1, 2, 4, 4, dtype=torch.bool).tril()
    row, head = seen.clone(), seen.clone()
    row[:, :, 2], head[:, 1, 3, 1] = False, False
    lowest = torch.finfo(torch.float32).min
    for mask, hides in (
        (torch.where(seen, 0.0, lowest), True),
        (torch.where(row, 0.0, -torch.inf), True),
        (torch.where(row, 0.0, lowest), False),
        (torch.where(head, 0.0, lowest), False),
        (torch.where(seen, 0.5, lowest), False),
        (torch.where(seen, 0.0, -20.0), False),
        (head, False),
    ):
        answer, added = Given.parted(mask, 0)
        assert (added is None) == hides
        every = torch.arange(4)
        if not hides:
            assert answer(0, every, every).all() and not answer(0, every, torch.tensor([4])).any()
            exact = torch.where(head, 0.0, -torch.inf) if mask.dtype == torch.bool else mask
            assert torch.equal(added, exact)


def test_keys_that_an_index_names():
    indices = torch.tensor([[[0, 1], [0, 1], [2, 0], [1, 3]]])
    answer = Chosen(Everything(causal=True), indices, 0)
    every = torch.arange(4)
    exact = torch.tensor([[1, 0, 0, 0], [1, 1, 0, 0], [1, 0, 1, 0], [0, 1, 0, 1]]).bool()
    assert torch.equal(answer(0, every, every), exact)


def test_cross_attention_counts_its_queries_anew_in_each_call():
    rules = tuple(Rule(Everything(), first, 6) for first in (3, 5, 5))
    visible = RowMask(rules, 0, torch.arange(5), torch.arange(6), (0, 3, 4))
    assert visible(torch.arange(5), torch.arange(6)).all()
    assert recognised(visible).plain and not recognised(visible).causal


def test_masks_within_a_list_are_tensors():
    request = dict(
        batch_size=1,
        q_length=3,
        kv_length=3,
        q_offset=0,
        kv_offset=0,
        mask_function=hf.causal_mask_function,
        device="cpu",
    )
    mask = LazyMask(hf.sdpa_mask, request)
    seen = torch.ones(3, 3).tril().bool()
    assert torch.equal(torch.cat([mask, mask], dim=-1)[0, 0], torch.cat([seen, seen], -1))
    assert torch.equal((~mask)[0, 0], ~seen) and torch.equal(torch.where(mask, 1, 0)[0, 0], seen.long())
