"""Shares of attention by role, against the whole map times who said what."""

import pytest
import torch

from tests.tiny import TEXT, sentence
from tlmviz.analysis.attention import roles as measure
from tlmviz.analysis.attention.interventions import replace_row
from tlmviz.analysis.attention.roles import role_shares
from tlmviz.errors import BadShape


def plainly(trace, roles, queries, party):
    """[L, H], from maps held whole."""
    rows = [t for t, role in enumerate(roles) if queries in (None, role)]
    cols = [t for t, role in enumerate(roles) if (party == "sink") == (t == 0) and (t == 0 or role == party)]
    maps = [[trace.attention(i, h) for h in range(trace.n_heads)] for i in range(trace.n_layers)]
    return torch.tensor([[m[rows][:, cols].double().sum(-1).mean().item() for m in layer] for layer in maps])


@pytest.mark.parametrize("at_once", [1, 1 << 22])
@pytest.mark.parametrize("queries", [None, "user", "assistant"])
def test_against_whole_maps(variant, queries, at_once, monkeypatch):
    monkeypatch.setattr(measure, "WEIGHTS_AT_ONCE", at_once)
    trace = variant.trace(TEXT)
    cycle = ("template", "system", "user", "assistant", "user")
    roles = [cycle[t % len(cycle)] for t in range(len(trace))]
    found = role_shares(trace, roles, queries)
    assert found.parties == measure.PARTIES and found.queries == sum(queries in (None, role) for role in roles)
    for party in found.parties:
        torch.testing.assert_close(found.of(party), plainly(trace, roles, queries, party).float(), atol=1e-5, rtol=0)
    torch.testing.assert_close(found.shares.sum(-1), torch.ones(2, 4), atol=1e-5, rtol=0)


def test_replaced_rows_count_as_they_are_shown(lm):
    length = len(lm.encode(TEXT))
    weights = torch.zeros(length)
    weights[3] = 1.0
    trace = lm.trace(TEXT, edit=replace_row(1, 2, length - 1, weights))
    roles = ["user"] * (length - 1) + ["assistant"]
    found = role_shares(trace, roles, "assistant")
    torch.testing.assert_close(found.of("user"), plainly(trace, roles, "assistant", "user"), atol=1e-5, rtol=0)


def test_what_makes_no_sense_is_refused(lm):
    trace = lm.trace(TEXT)
    for roles, queries in ((["user"], None), (["user"] * len(trace), "assistant")):
        with pytest.raises(BadShape) as error:
            role_shares(trace, roles, queries)
        sentence(error)
