"""Parameters by part: every tensor of the module once, and each part as large as its formula says."""

import pytest

from tests import tiny
from tlmviz.analysis.cost import parameters
from tlmviz.networks.transformer import count_by_part, count_parameters


@pytest.mark.parametrize("variant", tiny.VARIANTS)
def test_parts_add_up_and_are_the_formulas(variant, tokenizer):
    lm = tiny.language_model(tokenizer, **tiny.VARIANTS[variant])
    every = parameters.parameters(lm)
    assert sum(each.count for each in every) == lm.n_parameters == count_parameters(lm.config)
    assert len({each.name for each in every}) == len(every)
    assert set(parameters.differences(lm).values()) == {0}
    assert {name for name, count in count_by_part(lm.config).items() if count} == set(parameters.by_part(every))


def test_parameters_say_where_they_are(tokenizer):
    found = {each.name: each for each in parameters.parameters(tiny.language_model(tokenizer))}
    table = found["token_emb.weight"]
    assert (table.part, table.layer) == ("embedding", None) and table.count == table.shape[0] * table.shape[1]
    assert (found["blocks.1.mlp.down.weight"].part, found["blocks.1.mlp.down.weight"].layer) == ("feed-forward", 1)
    assert found["blocks.0.norm1.weight"].part == found["norm.weight"].part == "norms"
