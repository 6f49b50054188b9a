"""Soft-capping, sinks, an added bias and masks given as functions, against the definition in float64."""

import sys

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from tlmviz import kernels
from tlmviz.errors import BadBackend, BadShape
from tlmviz.kernels import AttentionMask
from tlmviz.kernels.attention import TORCH_ONLY, attention_backend
from tlmviz.kernels.reference import attention as reference

from ..tiny import sentence
from .triton_cases import assert_near, draw, ids, plain_scores, qkv

HEADS, QUERIES, KEYS = 4, 13, 17
SINKS = torch.tensor([0.5, -2.0, 3.0, 0.0])


def even_or_near(rows, cols):
    """A mask that none of the other parts can say: even keys, and the two nearest ones."""
    return (cols % 2 == 0) | ((rows[:, None] + KEYS - QUERIES - cols).abs() < 2)


def by_row(rows, cols):
    """Another one for each row of the batch; its second row hides everything from query 3."""
    return torch.stack([even_or_near(rows, cols), (rows[:, None] != 3) & (cols > 1)])


def bias_of(batch, heads, queries=QUERIES, keys=KEYS):
    return draw(batch, heads, queries, keys, seed=9)


PARTS = {
    "softcap": dict(softcap=1.5),
    "sinks": dict(sinks=SINKS),
    "sinks, window": dict(sinks=SINKS, window=4),
    "bias": dict(bias=bias_of(1, HEADS), causal=False),
    "bias of a row": dict(bias=bias_of(2, 1)),
    "visible": dict(visible=even_or_near, causal=False),
    "visible by row": dict(visible=by_row),
    "all": dict(
        softcap=2.0,
        sinks=SINKS,
        bias=bias_of(1, HEADS),
        visible=by_row,
        slopes=torch.tensor([0.5, 0.25, 0.125, 0.0625]),
        window=9,
        lengths=torch.tensor([17, 12]),
        relative=draw(5, 8, seed=7),
    ),
}
parts = pytest.mark.parametrize("options", PARTS.values(), ids=PARTS)


@pytest.fixture(autouse=True)
def small_tiles(monkeypatch):
    """Eight rows a tile, so that short inputs cross the tile edges that long ones do."""
    monkeypatch.setattr(reference, "TILE_ROWS", 8)


def definition(
    q, k, v, softcap=None, sinks=None, bias=None, visible=None, causal=True, window=None, scale=None, **rest
):
    """Probabilities, output and lse in float64, one whole matrix after another, in the order that the mask states."""
    slopes, relative = rest.pop("slopes", None), rest.pop("relative", None)
    dots = plain_scores(q, k, causal=False, scale=scale)
    scores = dots if softcap is None else softcap * torch.tanh(dots / softcap)
    added = plain_scores(q, k, causal, window, slopes, relative, scale, **rest)
    hidden = added == -torch.inf
    scores = scores + (added - dots).masked_fill(hidden, 0.0)
    if bias is not None:
        scores = scores + bias.double()
    if visible is not None:
        seen = visible(torch.arange(q.shape[2]), torch.arange(k.shape[2]))
        hidden = hidden | ~(seen if seen.ndim == 2 else seen[:, None])
    scores = scores.masked_fill(hidden, -torch.inf)
    if sinks is not None:
        column = sinks.double()[:, None, None].expand(*scores.shape[:3], 1)
        scores = torch.cat([scores, column], -1)
    p, lse = scores.softmax(-1).nan_to_num(0.0)[..., : k.shape[2]], scores.logsumexp(-1)
    return p, p @ v.double().repeat_interleave(q.shape[1] // k.shape[1], 1), lse


def case(dtype=torch.float32, groups=2, values=8):
    return qkv(QUERIES, KEYS, heads=HEADS, groups=groups, batch=2, values=values, dtype=dtype)


def widened(options, dtype):
    return {
        name: part.to(dtype) if torch.is_tensor(part) and part.is_floating_point() else part
        for name, part in options.items()
    }


@parts
@pytest.mark.parametrize("dtype, bound", [(torch.float32, 1e-5), (torch.float64, 1e-12)], ids=str)
def test_output_lse_and_map_are_the_definition(options, dtype, bound):
    q, k, v = case(dtype)
    options = widened(options, dtype)
    p, exact, exact_lse = definition(q, k, v, **options)
    out, lse = kernels.attention(q, k, v, **options)
    assert_near(out, exact, bound)
    assert_near(lse, exact_lse, bound)
    assert_near(kernels.attention_map(q, k, lse, **options), p, bound)
    tile = dict(rows=slice(2, 11, 3), cols=slice(1, 16, 2))
    assert_near(kernels.attention_map(q, k, lse, **tile, **options), p[:, :, 2:11:3, 1:16:2], bound)


@parts
def test_values_of_another_width(options):
    """Torch's fused kernel does not fit these: the formula runs."""
    q, k, v = case(values=5)
    assert_near(kernels.attention(q, k, v, **options)[0], definition(q, k, v, **options)[1])


@parts
def test_pooled_pictures_and_statistics(options):
    q, k, v = case(torch.float64)
    options = widened(options, torch.float64)
    p, _, lse = definition(q, k, v, **options)
    for size in (1, 4):
        exact = torch.nn.functional.adaptive_max_pool2d(p, size)
        assert_near(kernels.pooled_attention_map(q, k, lse, size=size, **options), exact, 1e-12)
    found = kernels.head_statistics(q, k, lse, **options)
    assert_near(found["entropy"], -torch.xlogy(p, p).sum(-1), 1e-10)
    assert_near(found["peak"], p.amax(-1), 1e-12)


@parts
def test_gradients_are_those_of_the_definition(options):
    """Of q, k, v and everything learned in the mask, through the output and through the lse."""
    q, k, v = (part.requires_grad_() for part in case(torch.float64))
    learned = [name for name in ("sinks", "bias", "relative") if name in options]
    options = {
        name: part.clone().requires_grad_() if name in learned else part
        for name, part in widened(options, torch.float64).items()
    }
    wanted = (q, k, v, *(options[name] for name in learned))
    out, lse = kernels.attention(q, k, v, **options)
    _, exact, exact_lse = definition(q, k, v, **options)
    seen = ~lse.isinf()
    grad, grad_lse = draw(*out.shape, seed=5).double(), draw(*lse.shape, seed=6).double()
    sums = [(a * grad).sum() + (b[seen] * grad_lse[seen]).sum() for a, b in ((out, lse), (exact, exact_lse))]
    ours, theirs = (torch.autograd.grad(total, wanted) for total in sums)
    for a, b in zip(ours, theirs):
        assert_near(a, b.nan_to_num(0.0), 1e-10)


@parts
def test_gradients_of_the_map(options):
    q, k, v = (part.requires_grad_() for part in case(torch.float64))
    options = widened(options, torch.float64)
    p, _, lse = definition(q, k, v, **options)
    lse = lse.detach()
    weights = draw(*p.shape, seed=8).double()
    found = kernels.attention_map(q, k, lse, **options)
    exact = (plain := _scores_of(q, k, options)) - lse.masked_fill(lse == -torch.inf, 0.0)[..., None]
    exact = exact.exp().masked_fill(plain == -torch.inf, 0.0)
    for a, b in zip(*(torch.autograd.grad((part * weights).sum(), (q, k)) for part in (found, exact))):
        assert_near(a, b.nan_to_num(0.0), 1e-10)


def _scores_of(q, k, options):
    """The definition's scores: log p plus the definition's own lse."""
    p, _, lse = definition(q, k, k, **options)
    return torch.where(p > 0, p, 1.0).log().masked_fill(p == 0, -torch.inf) + lse[..., None]


@given(
    queries=st.integers(1, 12),
    extra=st.integers(0, 6),
    softcap=st.none() | st.floats(0.3, 50),
    sink=st.none() | st.floats(-5, 5),
    window=st.none() | st.integers(1, 6),
    causal=st.booleans(),
    seed=st.integers(0, 99),
)
@settings(max_examples=40, deadline=None)
def test_any_combination(queries, extra, softcap, sink, window, causal, seed):
    keys = queries + extra
    q, k, v = (part.double() for part in qkv(queries, keys, heads=2, groups=1, batch=1))
    options = dict(
        softcap=softcap,
        sinks=None if sink is None else torch.tensor([sink, -sink], dtype=torch.float64),
        bias=draw(1, 2, queries, keys, seed=seed).double(),
        window=window,
        causal=causal,
    )
    p, exact, exact_lse = definition(q, k, v, **options)
    out, lse = kernels.attention(q, k, v, **options)
    assert_near(out, exact, 1e-11)
    assert_near(lse, exact_lse, 1e-11)
    assert_near(kernels.attention_map(q, k, lse, **options), p, 1e-11)


@pytest.mark.parametrize(
    "options",
    [
        dict(softcap=1.5),
        dict(sinks=SINKS),
        dict(sinks=SINKS, window=4),
        dict(bias=bias_of(1, HEADS, 1)),
        dict(bias=bias_of(2, 1, 1), window=5, softcap=2.0, sinks=SINKS),
        dict(bias=bias_of(2, HEADS, 1), softcap=2.0, sinks=SINKS),
    ],
    ids=lambda options: " ".join(options),
)
class TestDecoding:
    def test_is_one_query_of_attention(self, options):
        q, k, v = qkv(1, KEYS, heads=HEADS, groups=2, batch=2)
        for found, exact in zip(kernels.decode_attention(q, k, v, **options), definition(q, k, v, **options)[1:]):
            assert_near(found, exact)

    def test_rows_of_their_own_length(self, options):
        q, k, v = qkv(1, KEYS, heads=HEADS, groups=2, batch=2)
        lengths = torch.tensor([KEYS, 9])
        out, lse = kernels.decode_attention(q, k, v, lengths=lengths, **options)
        for row, n in enumerate(lengths):
            one = slice(row, row + 1)
            own = dict(options)
            if "bias" in own:
                own["bias"] = own["bias"][one if len(own["bias"]) > 1 else slice(None), ..., :n]
            _, exact, exact_lse = definition(q[one], k[one, :, :n], v[one, :, :n], **own)
            assert_near(out[one], exact)
            assert_near(lse[one], exact_lse)


def test_a_large_cap_and_a_low_sink_change_nothing():
    q, k, v = case(torch.float64)
    out, lse = kernels.attention(q, k, v)
    nothing = dict(softcap=1e6, sinks=torch.full((HEADS,), -1e3), bias=torch.zeros(1, 1, QUERIES, KEYS))
    for found, exact in zip(kernels.attention(q, k, v, **nothing), (out, lse)):
        torch.testing.assert_close(found, exact, atol=1e-9, rtol=0)


def test_a_row_that_sees_nothing_gives_all_its_mass_to_the_sink():
    q, k, v = case()
    out, lse = kernels.attention(q, k, v, sinks=SINKS, visible=lambda rows, cols: rows[:, None] * 0 + cols < 0)
    assert (out == 0).all() and torch.equal(lse, SINKS[None, :, None].expand_as(lse))


def test_sixteen_bits_keep_their_type():
    q, k, v = case(torch.bfloat16)
    out, lse = kernels.attention(q, k, v, sinks=SINKS, softcap=2.0)
    assert out.dtype == torch.bfloat16 and lse.dtype == torch.float32
    assert_near(out.float(), definition(q, k, v, sinks=SINKS, softcap=2.0)[1], 3e-2)


def test_a_mask_function_is_only_asked_for_tiles():
    """Nothing of [T, S] is made: no question is larger than a strip of rows."""
    asked = []

    def visible(rows, cols):
        asked.append((len(rows), len(cols)))
        return cols <= rows[:, None]

    q, k, v = qkv(50, 50)
    mask = AttentionMask(causal=False, visible=visible)
    out, lse = kernels.attention(q, k, v, mask)
    assert_near(out, kernels.attention(q, k, v)[0])
    kernels.head_statistics(q, k, lse, mask)
    kernels.attention_map(q, k, lse, mask, rows=slice(3, 4))
    assert asked[-1] == (1, 50) and max(rows for rows, _ in asked) <= 8


class TestMask:
    def test_of_heads_takes_each_part_of_them(self):
        q, k, v = case()
        mask = AttentionMask(sinks=SINKS, bias=bias_of(1, HEADS), softcap=2.0)
        whole = kernels.attention(q, k, v, mask)[0]
        part = kernels.attention(q[:, 2:], k[:, 1:], v[:, 1:], mask.of_heads(slice(2, 4)))[0]
        assert_near(part, whole[:, 2:])
        shared = AttentionMask(bias=bias_of(2, 1))
        assert shared.of_heads(slice(1, 2)) is shared

    def test_detached_and_moved(self):
        mask = AttentionMask(sinks=SINKS.clone().requires_grad_(), bias=bias_of(1, 1).requires_grad_())
        plain = mask.detached().to(torch.device("meta"))
        assert not plain.sinks.requires_grad and not plain.bias.requires_grad
        assert plain.sinks.device.type == plain.bias.device.type == "meta"

    @pytest.mark.parametrize("options", PARTS.values(), ids=PARTS)
    def test_none_of_them_is_plain(self, options):
        assert AttentionMask().plain and not AttentionMask(**options).plain

    def test_identity_tells_every_part_apart(self):
        masks = [AttentionMask(), *(AttentionMask(**options) for options in PARTS.values())]
        assert len({mask.identity for mask in masks}) == len(masks)
        assert AttentionMask(window=3).identity == AttentionMask(window=3).identity


def calls(q, k, v, options, backend="auto"):
    lse = torch.zeros(q.shape[:3])
    step = {**options, **({"bias": options["bias"][:, :, :1]} if "bias" in options else {})}
    yield lambda: kernels.attention(q, k, v, backend=backend, **options)
    yield lambda: kernels.attention_scores(q, k, backend=backend, **options)
    yield lambda: kernels.attention_map(q, k, lse, backend=backend, **options)
    yield lambda: kernels.pooled_attention_map(q, k, lse, backend=backend, **options)
    yield lambda: kernels.head_statistics(q, k, lse, backend=backend, **options)
    yield lambda: kernels.decode_attention(q[:, :, :1], k, v, backend=backend, **step)


@pytest.mark.parametrize(
    "options, words",
    [
        (dict(softcap=0.0), "softcap is 0.0"),
        (dict(softcap=float("nan")), "softcap is nan"),
        (dict(sinks=SINKS[:3]), r"sinks \[3\]"),
        (dict(bias=torch.zeros(1, 3, QUERIES, KEYS)), r"bias \[1, 3, .*1 or 4"),
        (dict(bias=torch.zeros(1, 1, QUERIES, KEYS - 1)), r"bias \[1, 1, .*17\]|bias \[1, 1"),
    ],
)
def test_parts_that_do_not_fit_are_refused_everywhere(options, words):
    for call in calls(*case(), options):
        with pytest.raises(BadShape, match=words) as error:
            call()
        assert sentence(error)


def test_decoding_has_no_mask_function_and_says_so():
    q, k, v = qkv(1, KEYS)
    with pytest.raises(BadShape, match="no visible") as error:
        kernels.decode_attention(q, k, v, visible=even_or_near)
    assert "lengths" in sentence(error)


@pytest.mark.parametrize(
    "part, words", [("softcap", "soft-capped"), ("sinks", "sinks"), ("bias", "a bias"), ("visible", "function")]
)
def test_triton_has_none_of_them_and_says_so(part, words):
    options = {part: PARTS["all"][part]}
    for call in list(calls(*case(), options, "triton"))[: 5 if part == "visible" else 6]:
        with pytest.raises(BadBackend, match=f"{words}.*use 'auto' or 'torch'") as error:
            call()
        assert sentence(error)


def test_auto_is_torch_where_triton_would_run(monkeypatch):
    module = sys.modules["tlmviz.kernels.attention"]  # the package exports the function of that name
    monkeypatch.setattr(module, "backend_for", lambda tensor, backend: "triton")
    q = draw(2, HEADS, QUERIES, 8)
    for part in TORCH_ONLY:
        assert attention_backend(q, "auto", AttentionMask(**{part: PARTS["all"][part]})) == "torch"
    assert attention_backend(q, "auto") == "triton"


def test_packed_texts_keep_their_sinks():
    q, k, v = qkv(QUERIES, QUERIES, heads=HEADS, groups=HEADS)
    options = dict(segments=ids(6, 7), sinks=SINKS)
    for found, exact in zip(kernels.attention(q, k, v, **options), definition(q, k, v, **options)[1:]):
        assert_near(found, exact)


class TestDistanceBias:
    """Against the tensor that it stands for."""

    def both(self, queries=QUERIES, keys=KEYS, dtype=torch.float64):
        line = draw(HEADS, queries + keys + 3, seed=4, dtype=dtype)
        where, there = torch.arange(queries) + 2, torch.arange(keys)
        short = kernels.DistanceBias(line, queries + 3, where, there)
        return short, line[:, there - where[:, None] + queries + 3][None]

    @pytest.mark.parametrize("options", [dict(causal=False), dict(window=4, softcap=1.5)], ids=str)
    def test_output_lse_map_and_gradients(self, options):
        short, whole = self.both()
        q, k, v = (part.requires_grad_() for part in case(torch.float64))
        found = kernels.attention(q, k, v, bias=short, **options)
        exact = kernels.attention(q, k, v, bias=whole, **options)
        for a, b in zip(found, exact):
            assert_near(a, b, 1e-12)
        for a, b in zip(*(torch.autograd.grad(out.sum(), (q, k, v)) for out, _ in (found, exact))):
            assert_near(a, b, 1e-12)
        rows = dict(rows=slice(1, 9, 2), cols=slice(3, 12), **options)
        lse = exact[1].detach()
        tiles = (kernels.attention_map(q, k, lse, bias=bias, **rows) for bias in (short, whole))
        assert_near(*tiles, 1e-12)

    def test_heads_shape_and_device(self):
        short, whole = self.both()
        assert short.shape == whole.shape and short.ndim == 4
        mask = AttentionMask(bias=short).of_heads(slice(1, 3)).detached().to(torch.device("cpu"))
        assert torch.equal(mask.bias[:, :, 2:5, :], whole[:, 1:3, 2:5])
        written = AttentionMask(bias=short, visible=even_or_near).written(QUERIES, KEYS)
        seen = even_or_near(torch.arange(QUERIES), torch.arange(KEYS))
        assert written.visible is None and torch.equal(written.bias, whole.masked_fill(~seen, -torch.inf))

    def test_one_decoding_step(self):
        short, whole = self.both(queries=1)
        q, k, v = (part.double() for part in qkv(1, KEYS, heads=HEADS, groups=2, batch=2))
        for a, b in zip(*(kernels.decode_attention(q, k, v, bias=bias) for bias in (short, whole))):
            assert_near(a, b, 1e-12)

    def test_lines_that_do_not_reach_or_want_a_gradient(self):
        for line, words in (
            (torch.zeros(2, 4), "does not reach the distances -4 to 4"),
            (torch.zeros(2, 9, requires_grad=True), "no gradient"),
        ):
            with pytest.raises(BadShape, match=words) as error:
                kernels.DistanceBias(line, 4, torch.arange(5), torch.arange(5))
            assert sentence(error)
