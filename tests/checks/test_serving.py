"""The identities of paged memory hold on healthy models, and each notices what it is there to notice."""

from dataclasses import replace

import pytest

from tests.tiny import TEXT
from tlmviz import kernels
from tlmviz.caches import Sequence
from tlmviz.checks import caches_serving as serving
from tlmviz.checks import measure
from tlmviz.kernels.mask import CAUSAL


def failed(lm, trace):
    return {result.name for result in measure(serving, lm, trace) if not result.passed}


def test_every_variant_passes(variant):
    for trace in (variant.trace(TEXT), variant.trace_ids([5]), variant.trace_ids([5, 6]), variant.trace_ids([3] * 90)):
        assert not failed(variant, trace)


def test_the_bundled_model_passes(stories):
    assert not failed(stories, stories.trace("Once upon a time there was a little girl named Lily."))


@pytest.mark.parametrize(
    "change, name",
    [
        (lambda table, lengths: (table, lengths - 1), "Paged = contiguous"),
        (lambda table, lengths: (table.flip(0), lengths), "No leak in the batch"),  # the neighbour's pages
        (lambda table, lengths: (table, lengths.clamp(max=int(lengths.min()))), "Batch = alone"),
    ],
)
def test_a_wrong_table_is_noticed(lm, monkeypatch, change, name):
    honest = kernels.decode_attention

    def wrong(q, k, v, mask=CAUSAL, *, table=None, **options):
        if table is not None:
            table, lengths = change(table, mask.lengths)
            mask = replace(mask, lengths=lengths)
        return honest(q, k, v, mask, table=table, **options)

    monkeypatch.setattr(kernels, "decode_attention", wrong)
    assert name in failed(lm, lm.trace(TEXT))


def test_a_page_that_is_not_copied_is_noticed(lm, monkeypatch):
    monkeypatch.setattr(Sequence, "_writes_to_shared", lambda self, count: [])
    assert failed(lm, lm.trace(TEXT)) == {"Shared = fresh"}
