"""Flow to a prediction: conserved at every depth, split as written plainly, and its parts sum to the logit and to the
stream."""

import pytest
import torch

import tlmviz
from tlmviz.analysis.attention.attribution import attribute_logit
from tlmviz.analysis.attention.flow import LONGEST, follow, proximity, said_values, stream_error, why_not
from tlmviz.errors import BadShape

TEXT = "Lily had a red ball. One day, Lily lost the red"
MODELS = ["stories-rope", "stories-gpt", "zoo-gqa", "zoo-layernorm", "zoo-none"]


@pytest.fixture(params=MODELS)
def followed(request):
    lm = tlmviz.load(request.param)
    trace = lm.trace(TEXT)
    return lm, trace, follow(lm, trace, -1, int(trace.logits[-1].argmax()))


def test_flow_is_conserved_at_every_depth(followed):
    _, trace, flow = followed
    for depth in range(trace.n_layers + 1):
        stopped = float(flow.biases[depth:].sum()) + flow.rest
        assert float(flow.nodes[depth].sum()) + stopped == pytest.approx(1, abs=2e-5)
    assert flow.edges.flow.min() > 0 and (flow.edges.where[:, 3] <= flow.edges.where[:, 2]).all()


def test_a_node_is_what_its_edges_and_its_residual_connection_bring(followed):
    _, trace, flow = followed
    nodes = flow.stays.clone()
    layer, _, _, key = flow.edges.where.unbind(1)
    nodes.index_put_((layer, key), flow.edges.flow, accumulate=True)
    assert torch.allclose(nodes, flow.nodes[:-1], atol=2e-3)  # edges below the least flow are not listed


def test_direct_edges_and_mlps_sum_to_what_heads_and_mlps_add_to_the_logit(followed):
    lm, trace, flow = followed
    parts = attribute_logit(lm, trace, -1, flow.token)
    heads = torch.zeros_like(parts.heads)
    layer, head, query, _ = flow.edges.where.unbind(1)
    heads.index_put_((layer, head), flow.edges.adds, accumulate=True)
    assert torch.allclose(heads, parts.heads, atol=0.02)
    assert (flow.edges.adds[query != flow.position] == 0).all()
    total = float(heads.sum() + flow.mlp_adds.sum()) + parts.embedding + parts.rest
    assert total == pytest.approx(flow.logit, abs=0.05)


def test_one_layer_is_split_as_written_plainly():
    lm = tlmviz.load("stories-rope")
    trace = lm.trace(TEXT)
    flow = follow(lm, trace, -1, int(trace.logits[-1].argmax()))
    last, position = trace.n_layers - 1, len(trace) - 1
    # Only what the last MLP added flows into the last attention's sum, beside what the logit reads directly.
    middle = trace[f"blocks.{last}.resid_mid"][0, position].double()
    said = said_values(lm, trace, last).double()
    near = {}
    for head in range(trace.n_heads):
        row = trace.attention(last, head)[position].double()
        for key in range(len(trace)):
            near[head, key] = max(0.0, float(middle.abs().sum() - (middle - row[key] * said[head, key]).abs().sum()))
    before = trace[f"blocks.{last}.resid_pre"][0, position].double()
    total = sum(near.values()) + max(0.0, float(middle.abs().sum() - (middle - before).abs().sum()))
    parts = attribute_logit(lm, trace, -1, flow.token)
    direct = {}
    for layer in range(trace.n_layers):
        values = said_values(lm, trace, layer)
        share = parts.heads[layer]
        for head in range(trace.n_heads):
            row = trace.attention(layer, head)[position]
            z = torch.einsum("s,sc->c", row, values[head])
            stream = trace[f"blocks.{last}.resid_post"][0, position]
            scale = (stream.square().mean() + lm.network.norm.eps).sqrt()
            read = lm.network.norm.weight * lm.network.head.weight[flow.token] / scale
            assert float(z @ read) == pytest.approx(float(share[head]), abs=1e-3)
            for key in range(len(trace)):
                direct[layer, head, key] = float(row[key] * values[head, key] @ read)
    size = sum(map(abs, direct.values())) + float(parts.mlps.abs().sum()) + abs(parts.embedding) + abs(parts.rest)
    through = float(parts.mlps[last].abs()) / size
    for (layer, head, query, key), share in zip(flow.edges.where.tolist(), flow.edges.flow.tolist()):
        if layer == last and query == position:
            plain = abs(direct[layer, head, key]) / size + through * near[head, key] / total
            assert share == pytest.approx(plain, abs=2e-4)


def test_proximity_is_a_share():
    whole = torch.tensor([[3.0, 1.0]])
    shares = proximity(whole, torch.tensor([[[3.0, 0.0]], [[0.0, 1.0]], [[-1.0, 0.0]]]))
    assert shares[:, 0].tolist() == pytest.approx([0.75, 0.25, 0])
    assert proximity(torch.zeros(1, 2), torch.ones(2, 1, 2))[:, 0].tolist() == [1, 0]


def test_the_parts_sum_to_the_stream_until_values_are_changed(followed):
    lm, trace, _ = followed
    assert stream_error(lm, trace) < 3e-5
    broken = lm.trace(TEXT, edit={"blocks.1.attn.z": lambda z, record: 1.1 * z})
    assert stream_error(lm, broken) > 1e-3


@pytest.mark.parametrize(("name", "said"), [("zoo-post", "pre-norm"), ("zoo-mla", "MLA"), ("stories-mhc", "streams")])
def test_where_flow_cannot_be_followed_it_is_said(name, said):
    lm = tlmviz.load(name)
    assert said in why_not(lm, 3)
    with pytest.raises(BadShape, match=said):
        follow(lm, lm.trace(TEXT), -1, 0)
    assert str(LONGEST) in why_not(tlmviz.load("stories-rope"), LONGEST + 1)


def test_a_text_of_one_token_has_a_flow():
    lm = tlmviz.load("stories-rope")
    flow = follow(lm, lm.trace_ids([0]), 0, 5)
    assert flow.nodes[0, 0] + float(flow.biases.sum()) + flow.rest == pytest.approx(1, abs=1e-5)
