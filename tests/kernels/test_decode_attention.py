"""One decoding step against contiguous and paged caches: both backends against a plain float64 softmax."""

import pytest
import torch

from tests.tiny import sentence
from tlmviz import kernels
from tlmviz.errors import BadShape
from tlmviz.kernels import decode_attention_triton
from tlmviz.kernels.reference import decode_attention as reference

from .triton_cases import BLOCK, SLOPES, assert_near, draw, plain_attention, qkv, small_tiles

BOTH = pytest.mark.parametrize("backend", ["torch", "triton"])


@pytest.fixture(autouse=True)
def tiles(monkeypatch):
    with small_tiles(monkeypatch):
        yield


def row_by_row(q, k, v, lengths, **options):
    """Every row alone, with the keys it really has: the definition."""
    rows = [
        plain_attention(q[b : b + 1], k[b : b + 1, :, :n], v[b : b + 1, :, :n], **options)
        for b, n in enumerate(lengths)
    ]
    return torch.cat([out for out, _ in rows]), torch.cat([lse for _, lse in rows])


def paged(cache, page, seed=0):
    """The same cache as shuffled pages [pages, G, page, D], one of them never used, and its table."""
    batch, groups, keys, width = cache.shape
    count = -(-keys // page)
    padded = torch.full((batch, groups, count * page, width), torch.nan)
    padded[:, :, :keys] = cache
    table = torch.randperm(batch * count + 1, generator=torch.Generator().manual_seed(seed))[: batch * count].view(
        batch, count
    )
    pages = torch.full((batch * count + 1, groups, page, width), torch.nan)
    pages[table] = padded.unflatten(2, (count, page)).transpose(1, 2)
    return pages, table.int()


OPTIONS = {
    "all": {},
    "window": dict(window=9),
    "alibi": dict(slopes=SLOPES),
    "both": dict(window=20, slopes=SLOPES, scale=0.3),
}


@BOTH
@pytest.mark.parametrize("splits", [1, 3])
@pytest.mark.parametrize("options", OPTIONS.values(), ids=OPTIONS)
def test_contiguous_and_paged_equal_plain_softmax(options, splits, backend):
    lengths = torch.tensor([35, 6])
    q, k, v = qkv(1, 35, batch=2, values=12)
    out, lse = kernels.decode_attention(q, k, v, lengths=lengths, splits=splits, backend=backend, **options)
    exact, exact_lse = row_by_row(q, k, v, lengths, **options)
    assert_near(out, exact)
    assert_near(lse, exact_lse)
    (k, table), (v, _) = paged(k, 8), paged(v, 8)
    table[1, 1:] = -7  # pages beyond the length: may be anything
    again, again_lse = kernels.decode_attention(
        q, k, v, table=table, lengths=lengths, splits=splits, backend=backend, **options
    )
    assert_near(again, exact)
    assert_near(again_lse, exact_lse)


@BOTH
@pytest.mark.parametrize("keys", [1, BLOCK - 1, BLOCK, BLOCK + 1])
def test_is_the_last_row_of_full_attention(keys, backend):
    q, k, v = qkv(keys, keys, heads=2, groups=2)
    out, lse = kernels.attention(q, k, v, backend="torch")
    step, step_lse = kernels.decode_attention(q[:, :, -1:], k, v, splits=2, backend=backend)
    assert_near(step, out[:, :, -1:])
    assert_near(step_lse, lse[:, :, -1:])


@BOTH
def test_empty_rows_and_what_lies_beyond_them(backend):
    q, k, v = qkv(1, 20, batch=2)
    k[1], v[1] = torch.nan, torch.nan
    k[0, :, 4:], v[0, :, 4:] = torch.inf, torch.nan
    out, lse = kernels.decode_attention(q, k, v, lengths=torch.tensor([4, 0]), splits=2, backend=backend)
    assert_near(out[:1], plain_attention(q[:1], k[:1, :, :4], v[:1, :, :4])[0])
    assert (out[1] == 0).all() and (lse[1] == -torch.inf).all()
    out, lse = kernels.decode_attention(*qkv(1, 0), backend=backend)
    assert (out == 0).all() and (lse == -torch.inf).all()


@BOTH
@pytest.mark.parametrize("dtype, tolerance", [(torch.float16, 3e-3), (torch.bfloat16, 1e-2)], ids=str)
def test_sixteen_bits(dtype, tolerance, backend):
    q, k, v = qkv(1, 20, dtype=dtype)
    out, lse = kernels.decode_attention(q, k, v, backend=backend)
    assert out.dtype == dtype and lse.dtype == torch.float32
    assert_near(out, plain_attention(q, k, v)[0], tolerance)


def test_strided_and_large_inputs():
    q, k, v = (part * 1e4 for part in qkv(1, 18, heads=4, groups=2))
    k = k.transpose(1, 2).contiguous().transpose(1, 2)
    out, lse = kernels.decode_attention(q, k, v, backend="triton")
    assert torch.isfinite(lse).all()
    assert_near(out, plain_attention(q, k, v)[0], 1e-4)


def test_splits_fill_the_device_but_are_never_short(monkeypatch):
    q = draw(1, 1, 1, 8)
    assert decode_attention_triton.choose_splits(q, 1, 100) == 1
    monkeypatch.setattr(type(q), "is_cuda", True)
    monkeypatch.setattr(
        torch.cuda, "get_device_properties", lambda _: type("Card", (), dict(multi_processor_count=132))
    )
    assert decode_attention_triton.choose_splits(q, 8, 32768) == 33
    assert decode_attention_triton.choose_splits(q, 8, 1000) == 4
    assert decode_attention_triton.choose_splits(q, 1000, 32768) == 1
    assert decode_attention_triton.choose_splits(q, 1, 10**7) == decode_attention_triton.MOST_SPLITS


def test_the_backend_asked_for_is_the_one_that_runs(monkeypatch):
    ran = []
    q, k, v = qkv(1, 3)
    answer = kernels.decode_attention(q, k, v)
    for name, module in (("triton", decode_attention_triton), ("torch", reference)):
        monkeypatch.setattr(module, "decode_attention", lambda *_, _name=name: ran.append(_name) or answer)
    for backend in ("torch", "auto", "triton"):
        kernels.decode_attention(q, k, v, backend=backend)
    assert ran == ["torch", "torch", "triton"]


@pytest.mark.parametrize(
    "call, words",
    [
        (lambda: kernels.decode_attention(*qkv(2, 5)), ("[1, 2, 2, 8]",)),
        (
            lambda: kernels.decode_attention(draw(1, 3, 1, 8), *qkv(1, 5, groups=2)[1:]),
            ("[1, 3, 1, 8]", "[1, 2, 5, 8]"),
        ),
        (lambda: kernels.decode_attention(*qkv(1, 5), lengths=torch.tensor([1, 2])), ("[2]",)),
        (lambda: kernels.decode_attention(*qkv(1, 5), table=torch.zeros(3, 2).int()), ("[3, 2]", "[1, 2, 1, 8]")),
        (lambda: kernels.decode_attention(*qkv(1, 5), window=0), ("window is 0",)),
        (lambda: kernels.decode_attention(*qkv(1, 5), splits=0), ("splits is 0",)),
    ],
)
def test_what_does_not_fit_is_refused(call, words):
    with pytest.raises(BadShape) as error:
        call()
    assert all(word in sentence(error) for word in words)
