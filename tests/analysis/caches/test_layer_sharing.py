"""Maps of the layer below, against rows replaced one by one."""

import pytest

from tests.tiny import TEXT
from tlmviz.analysis.attention import interventions as edits
from tlmviz.analysis.caches.layer_sharing import reused_maps
from tlmviz.errors import BadText


def test_a_layer_reads_by_the_maps_below(variant):
    trace = variant.trace(TEXT)
    rows = []
    for head in range(4):
        weights = trace.attention(0, head)
        rows += [edits.replace_row(1, head, row, weights[row] / weights[row].sum()) for row in range(len(trace))]
    changed = variant.trace(TEXT, edit=edits.combine(*rows)).loss_per_token().mean()
    found = reused_maps(variant, trace.ids)
    assert found.shape == (1,)
    assert float(found[0]) == pytest.approx(float(changed - trace.loss_per_token().mean()), abs=2e-3)


def test_one_token_predicts_nothing(lm):
    with pytest.raises(BadText, match="one token"):
        reused_maps(lm, [3])
