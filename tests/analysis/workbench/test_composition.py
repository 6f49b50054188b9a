"""Composition scores against products of whole C x C matrices in float64."""

import pytest
import torch

from tests import tiny
from tlmviz.analysis.workbench.composition import composition, head_matrices
from tlmviz.errors import BadShape


def plainly(heads, kind, writer, reader):
    """||A B|| / (||A|| ||B||) of the matrices written out."""

    def of(name, index):
        return getattr(heads, name)[index].double()

    written = of("o", writer) @ of("v", writer)
    read = of("o", reader) @ of("v", reader) if kind == "v" else of("q", reader).T @ of("k", reader)
    read = read.T if kind == "q" else read
    return float((read @ written).norm() / (read.norm() * written.norm()))


@pytest.mark.parametrize(
    "changes", [{}, {"n_kv_heads": 2}, tiny.VARIANTS["qwen"], tiny.VARIANTS["gemma"], tiny.VARIANTS["olmo"]]
)
def test_scores(tokenizer, changes):
    lm = tiny.language_model(tokenizer, **changes)
    heads, found = head_matrices(lm), composition(lm)
    assert found.keys() == {"q", "k", "v"}
    for kind, scores in found.items():
        assert scores.shape == (8, 8)
        assert (scores[:, :4] == 0).all() and (scores[4:] == 0).all()  # a writer comes before its reader
        for writer, reader in ((0, 0), (1, 3), (3, 2)):
            expected = plainly(heads, kind, (0, writer), (1, reader))
            assert float(scores[writer, 4 + reader]) == pytest.approx(expected, rel=1e-4)


def test_matrices_are_what_the_layer_does(lm):
    """A head's scores and its output, computed from its matrices on the stream divided by its size."""
    trace, heads = lm.trace(tiny.TEXT), head_matrices(lm)
    stream = trace["blocks.1.resid_pre"][0]
    read = stream / (stream.square().mean(-1, keepdim=True) + lm.network.blocks[1].norm1.eps).sqrt()
    v = read @ heads.v[1, 2].T
    z = trace.attention(1, 2) @ v
    torch.testing.assert_close(z, trace["blocks.1.attn.z"][0, 2], atol=1e-4, rtol=1e-4)
    q, k = read[0] @ heads.q[1, 2].T, read[0] @ heads.k[1, 2].T  # position 0, where RoPE turns nothing
    assert float(q @ k) * 8**-0.5 == pytest.approx(float(trace.scores(1, 2)[0, 0]), abs=1e-3)


def test_a_head_that_reads_what_another_writes(tokenizer):
    """Keys that read exactly the space a head writes into score far above the others."""
    lm = tiny.language_model(tokenizer)
    first, second = lm.network.blocks[0].attn, lm.network.blocks[1].attn
    written = first.proj.weight[:, 8:16]  # of head 1
    rows = slice(32 + 16, 32 + 24)  # keys of head 2
    second.qkv.weight[rows] = written.T / lm.network.blocks[1].norm1.weight
    scores = composition(lm)["k"][:4, 4 + 2]
    assert scores.argmax() == 1 and scores[1] > 1.5 * scores.sort().values[-2]


def test_latent_attention_is_refused(tokenizer):
    with pytest.raises(BadShape, match="latent"):
        composition(tiny.language_model(tokenizer, latent_dim=12, rope_dim=4))
