"""The lightning indexer: torch and interpreted Triton against the formula written cell by cell."""

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from tlmviz import kernels
from tlmviz.errors import BadShape
from tlmviz.kernels import lightning_indexer_triton
from tlmviz.kernels.reference import lightning_indexer as reference

from .compare import BACKENDS, assert_near, forbid_other, nan_buffers

SIZES = [(1, 1), (7, 7), (15, 15), (16, 16), (17, 17), (5, 21), (20, 4), (33, 18)]
causality = pytest.mark.parametrize("causal", [True, False], ids=["causal", "all"])
backends = pytest.mark.parametrize("backend", BACKENDS)


@pytest.fixture(autouse=True, scope="module")
def poisoned():
    with nan_buffers(), pytest.MonkeyPatch.context() as patch:
        patch.setattr(reference, "TILE_ROWS", 8)
        yield


def inputs(queries, keys, heads=3, dim=5, dtype=torch.float32, batch=2):
    generator = torch.Generator().manual_seed(0)
    shapes = (batch, heads, queries, dim), (batch, keys, dim), (batch, queries, heads)
    return [torch.randn(shape, generator=generator, dtype=torch.float64).to(dtype) for shape in shapes]


def exact(q, k, w, causal=True):
    """Eq. 70 with a loop over heads, queries and keys as large tensors in float64."""
    q, k, w = q.double(), k.double(), w.double()
    scores = sum((q[:, j, :, None] * k[:, None]).sum(-1).clamp(min=0) * w[:, :, j, None] for j in range(q.shape[1]))
    hidden = torch.ones(scores.shape[1:], dtype=torch.bool).triu(1 + scores.shape[2] - scores.shape[1])
    return scores.masked_fill(hidden, -torch.inf) if causal else scores


@causality
@pytest.mark.parametrize("size", SIZES, ids=str)
def test_scores_and_gradients_equal_the_formula(size, causal):
    parts = [part.requires_grad_() for part in inputs(*size)]
    weight = torch.randn(2, *size)
    wanted = exact(*parts, causal)
    wanted_grads = torch.autograd.grad(wanted, parts, weight.double())
    for found in (
        kernels.index_scores(*parts, causal=causal),
        lightning_indexer_triton.index_scores(*parts, causal=causal, blocks=(16, 16)),
    ):
        assert_near(found, wanted, size=10)
        for one, other in zip(torch.autograd.grad(found, parts, weight), wanted_grads):
            torch.testing.assert_close(one, other, atol=1e-4, rtol=1e-5)


@backends
@causality
def test_gradient(causal, backend):
    parts = [part.requires_grad_() for part in inputs(10, 11, heads=2, dim=3, dtype=torch.float64, batch=1)]

    def call(q, k, w):
        scores = kernels.index_scores(q, k, w, causal=causal, backend=backend)
        return scores.masked_fill(scores == -torch.inf, 0)

    assert torch.autograd.gradcheck(call, parts, fast_mode=True)
    # Only some inputs learn: the others get no gradient.
    q, k, w = (part.detach() for part in parts)
    call(q, k, w.requires_grad_()).sum().backward()
    assert w.grad.abs().max() > 0 and q.grad is None and k.grad is None


# Not bfloat16 in Triton: its interpreter multiplies the integers that it keeps them in.
TYPES = [(dtype, "torch") for dtype in (torch.float16, torch.bfloat16, torch.float32, torch.float64)]
TYPES += [(dtype, "triton") for dtype in (torch.float16, torch.float32, torch.float64)]


@pytest.mark.parametrize("dtype, backend", TYPES, ids=str)
def test_sums_are_float32_at_least(dtype, backend):
    parts = inputs(9, 9, dtype=dtype)
    found = kernels.index_scores(*parts, backend=backend)
    assert found.dtype == (torch.float64 if dtype == torch.float64 else torch.float32)
    assert_near(found, exact(*parts), 1e-6 if dtype == torch.float64 else 1e-5, size=10)


@backends
@causality
def test_large_inputs_stay_finite(causal, backend):
    parts = [part * 1e4 for part in inputs(17, 17)]
    found = kernels.index_scores(*parts, causal=causal, backend=backend)
    assert_near(found, exact(*parts, causal), size=1e13)


@backends
@pytest.mark.parametrize("size", [(0, 3), (3, 0), (0, 0)], ids=str)
def test_no_queries_or_no_keys(size, backend):
    parts = [part.requires_grad_() for part in inputs(*size)]
    found = kernels.index_scores(*parts, backend=backend)
    assert found.shape == (2, *size)
    found.sum().backward()
    assert all((part.grad == 0).all() for part in parts)


@backends
def test_strided_inputs_stay_as_they_are(backend):
    q, k, w = inputs(9, 9)
    strided = [q.transpose(1, 2).contiguous().transpose(1, 2), k.mT.contiguous().mT, w.mT.contiguous().mT]
    assert not any(part.is_contiguous() for part in strided)
    assert_near(kernels.index_scores(*strided, backend=backend), exact(q, k, w), size=10)
    assert all(torch.equal(part, copy) for part, copy in zip(strided, (q, k, w)))


@backends
@settings(max_examples=15)
@given(seed=st.integers(0, 99), queries=st.integers(1, 20), extra=st.integers(0, 5))
def test_a_rotation_of_queries_and_keys_changes_nothing(backend, seed, queries, extra):
    """000 Eq. 71: (Uq).(Uk) = q.k for an orthogonal U."""
    q, k, w = inputs(queries, queries + extra)
    u = torch.linalg.qr(torch.randn(5, 5, generator=torch.Generator().manual_seed(seed), dtype=torch.float64))[
        0
    ].float()
    assert_near(kernels.index_scores(q @ u, k @ u, w, backend=backend), exact(q, k, w), size=10)


class TestTopK:
    def test_equals_sorting(self):
        scores = torch.randn(2, 9, 12, generator=torch.Generator().manual_seed(0))
        indices, mask = kernels.top_k(scores, 4)
        wanted = scores.argsort(-1, descending=True)[..., :4]
        assert torch.equal(indices, wanted)
        assert torch.equal(mask, torch.zeros_like(mask).scatter(-1, wanted, True))

    @settings(max_examples=25)
    @given(queries=st.integers(1, 12), extra=st.integers(0, 5), k=st.integers(1, 17), ties=st.booleans())
    def test_hidden_cells_are_never_chosen(self, queries, extra, k, ties):
        scores = exact(*inputs(queries, queries + extra))
        if ties:
            scores = scores.clamp(max=0)
        k = min(k, queries + extra)
        indices, mask = kernels.top_k(scores, k)
        seen = torch.arange(queries) + extra + 1
        assert torch.equal(mask.sum(-1), seen.clamp(max=k).expand(2, -1))
        assert not (mask & (scores == -torch.inf)).any()
        assert torch.equal((indices >= 0).sum(-1), mask.sum(-1))
        for b, t in ((0, 0), (1, queries - 1)):
            assert set(indices[b, t].tolist()) - {-1} == set(mask[b, t].nonzero().flatten().tolist())
            worst, left_out = scores[b, t][mask[b, t]].min(), scores[b, t][~mask[b, t]]
            assert not len(left_out) or worst >= left_out.max()

    def test_of_equal_scores_the_later_key_is_better(self):
        scores = torch.tensor([[[0.0, 2.0, 0.0, 1.0, 0.0, 1.0], [0.0, 0.0, 0.0, -torch.inf, -torch.inf, 0.0]]])
        indices, mask = kernels.top_k(scores, 4)
        assert indices.tolist() == [[[1, 5, 3, 4], [5, 2, 1, 0]]]
        assert mask.int().tolist() == [[[0, 1, 0, 1, 1, 1], [1, 1, 1, 0, 0, 1]]]
        assert kernels.top_k(scores, 1)[0].tolist() == [[[1], [5]]]
        assert kernels.top_k(scores, 5)[0].tolist() == [[[1, 5, 3, 4, 2], [5, 2, 1, 0, -1]]]

    @backends
    @pytest.mark.parametrize("k", [1, 3, 40])
    def test_scores_that_relu_makes_equal_are_ranked_by_position(self, backend, k):
        """No product is positive in half of the cells: their scores are 0 on every backend."""
        q, keys, w = inputs(50, 50, heads=1)
        scores = kernels.index_scores(q, keys, w, backend=backend)
        assert (scores == 0).sum() > 500
        indices, _ = kernels.top_k(scores, k)
        for b in range(2):
            for t in range(50):
                visible = [(-scores[b, t, s].item(), -s) for s in range(t + 1)]
                wanted = [-s for _, s in sorted(visible)][:k]
                assert indices[b, t].tolist() == wanted + [-1] * (k - len(wanted))

    @causality
    def test_as_many_as_keys_is_dense(self, causal):
        scores = exact(*inputs(6, 6), causal)
        assert torch.equal(kernels.top_k(scores, 6)[1], scores > -torch.inf)

    @pytest.mark.parametrize("k", [0, 7])
    def test_more_than_the_keys_is_refused(self, k):
        with pytest.raises(BadShape, match=f"k is {k}.*1 to 6"):
            kernels.top_k(torch.zeros(1, 2, 6), k)


@backends
def test_the_backend_asked_for_runs(backend, monkeypatch):
    parts = inputs(5, 5)
    forbid_other(monkeypatch, backend, "lightning_indexer", "index_scores")
    assert_near(kernels.index_scores(*parts, backend=backend), exact(*parts), size=10)


@pytest.mark.parametrize(
    "change, words",
    [
        (lambda q, k, w: (q, k[:1], w), ("[2, 3, 5, 5]", "[1, 6, 5]")),
        (lambda q, k, w: (q, k[..., :4], w), ("[2, 3, 5, 5]", "[2, 6, 4]")),
        (lambda q, k, w: (q, k[:, None], w), ("[2, 1, 6, 5]", "[B, S, D]")),
        (lambda q, k, w: (q, k, w.mT), ("[2, 3, 5]", "[B, T, H]")),
    ],
)
def test_bad_shapes_are_named(change, words):
    with pytest.raises(BadShape) as error:
        kernels.index_scores(*change(*inputs(5, 6)))
    assert all(word in str(error.value) for word in words)
