"""The attention view: the payload's layout, the state it carries, and the browser's arithmetic against NumPy."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from tests import tiny
from tests.javascript.node import evaluate
from tests.packed import unpacked
from tlmviz.kernels import AttentionMask
from tlmviz.tracing.trace import AttentionSpec
from tlmviz.ui.components import attention_view as view

DECODE = "tlmviz/ui/components/canvas/decode.js"
HEAD = "tlmviz/ui/components/attention_view/head.js"
LAYERS, HEADS, SIZE, DIM = 2, 3, 9, 4


class StubTrace:
    """As much of a trace as the payload asks for, from random q and k."""

    crosses = weights_only = False
    replaced_rows: dict = {}

    def __init__(self, size=SIZE, window=None, slope=None, distances=None):
        generator = torch.Generator().manual_seed(0)
        self.tokens = ["<|endoftext|>", " שלום", "\n", '<b>&"', " 👩‍👩‍👧", " a", "a", "  ", " b"][:size]
        self.n_layers, self.n_heads = LAYERS, HEADS
        slopes = None if slope is None else torch.full((HEADS,), slope)
        self.q, self.k = torch.randn(2, LAYERS, HEADS, size, DIM, generator=generator)
        relative = None if distances is None else torch.randn(distances, DIM, generator=generator)
        spec = AttentionSpec(DIM**-0.5, AttentionMask(True, window, slopes, relative))
        self.specs = [spec] * LAYERS
        distance = torch.arange(size)[:, None] - torch.arange(size)[None, :]
        self.dot = self.q @ self.k.transpose(-1, -2)
        self.scaled = self.dot * spec.scale - (slope or 0.0) * distance.abs()
        if distances is not None:
            vectors = relative[distance.abs().clamp(max=distances - 1)]  # [T, T, D]
            self.scaled = self.scaled + torch.einsum("lhid, ijd -> lhij", self.q, vectors)
        hidden = (distance < 0) | (distance.abs() >= (window or size))
        self.masked = self.scaled.masked_fill(hidden, -torch.inf)
        self.lse = self.masked.logsumexp(-1)
        self.p = (self.masked - self.lse[..., None]).exp()

    def __len__(self):
        return len(self.tokens)

    def qk(self, layer, head):
        return self.q[layer, head], self.k[layer, head], self.lse[layer, head]

    def batches(self):
        yield self.q, self.k, self.lse, self.specs[0]

    def overview(self, size):
        return self.p[..., :size, :size]

    def row(self, position):
        return self.p[:, :, position]

    def statistics(self):
        table = {name: np.full(LAYERS * HEADS, 1.5) for name in view.STATISTICS}
        return {**table, "induction": np.full(LAYERS * HEADS, np.nan)}


def build(trace, **state):
    return view.build_payload(trace, state, model="stub", origin="test", palette={})


def test_pack_aligns_every_array_and_round_trips():
    arrays = {
        "overview": np.arange(7, dtype=np.uint8),
        "q": np.arange(15, dtype=np.float64).reshape(3, 5),  # stored as float32
        "k": np.arange(12, dtype=np.float32).reshape(3, 4).T,  # not contiguous
    }
    payload = view.pack({"tokens": ["é", "\ud800"]}, arrays)
    header, back = unpacked(payload)
    assert (4 + int.from_bytes(payload[:4], "little")) % 8 == 0
    assert all(entry["offset"] % 8 == 0 for entry in header["arrays"].values())
    assert len(payload) % 8 == 0
    assert header["tokens"] == ["é", "\ud800"]
    for name, array in arrays.items():
        np.testing.assert_array_equal(back[name], array)


def test_pack_refuses_nan_in_the_header():
    with pytest.raises(ValueError, match="JSON"):
        view.pack({"value": float("nan")}, {})


@pytest.mark.parametrize("size", [1, 2, 5, SIZE])
def test_payload_holds_the_chosen_head(size):
    trace = StubTrace(size)
    header, arrays = unpacked(build(trace, layer=1, head=2))
    assert header["chosen"] == {"layer": 1, "head": 2}
    assert set(header["state"]) == set(view.STATE)
    assert header["stats"]["induction"] == [None] * (LAYERS * HEADS)
    assert header["overview_size"] == size
    assert "rows" not in arrays and "relative" not in arrays
    np.testing.assert_array_equal(arrays["q"], trace.q[1, 2])
    np.testing.assert_allclose((arrays["overview"][5] / 255.0) ** 2, trace.p[1, 2], atol=0.005)


def test_rows_come_with_a_pinned_query():
    trace = StubTrace()
    _, arrays = unpacked(build(trace, query=4))
    np.testing.assert_array_equal(arrays["rows"], trace.p[:, :, 4].reshape(-1, SIZE))


def test_relative_positions_travel_as_one_product_per_query_and_distance():
    trace = StubTrace(distances=3)
    _, arrays = unpacked(build(trace, layer=1, head=2))
    assert arrays["relative"].shape == (SIZE, 3)
    for t in range(SIZE):
        for r in range(3):
            product = float((trace.q[1, 2, t] * trace.specs[1].mask.relative[r]).sum())
            assert arrays["relative"][t, r] == pytest.approx(product, abs=1e-5)


def test_state_is_brought_inside_the_trace():
    state = view.clean_state(
        {"layer": 9, "head": -1, "query": 99, "key": 3, "overlay": [[0, 1], [7, 0]], "seq": 5}, StubTrace()
    )
    assert (state["layer"], state["head"]) == (LAYERS - 1, 0)
    assert state["query"] is None
    assert state["key"] is None
    assert state["overlay"] == [[0, 1]]
    assert state["seq"] == 5


def test_height_is_added_without_disturbing_the_arrays():
    payload = build(StubTrace())
    taller = view.with_height(payload, 520)
    header, arrays = unpacked(taller)
    assert header["height"] == 520
    assert (4 + int.from_bytes(taller[:4], "little")) % 8 == 0
    np.testing.assert_array_equal(arrays["lse"], unpacked(payload)[1]["lse"])


# --- the browser's side, run by node -------------------------------------------------------------


def run_in_node(body: str, payload: bytes) -> dict:
    """Run `body` with the payload as `given`; whatever it assigns to `result` comes back."""
    return evaluate({DECODE: "decode", HEAD: "Head, STAGES"}, body, payload)


@pytest.mark.parametrize(
    ("window", "slope", "distances"),
    [(None, None, None), (3, None, None), (None, 0.25, None), (2, 0.5, None)]
    + [(None, None, 1), (None, None, 3), (4, None, 2), (3, None, 5), (None, 0.25, SIZE), (None, None, 40)],
)
def test_the_browser_computes_the_same_map(window, slope, distances):
    trace = StubTrace(window=window, slope=slope, distances=distances)
    body = """
      const { header, arrays } = decode(given);
      const head = new Head(header, arrays);
      const T = header.tokens.length;
      result = { rows: [], pictures: {}, tokens: header.tokens };
      for (let i = 0; i < T; i++) result.rows.push(...head.row(i));
      result.scores = [[8, 0], [8, 7], [0, 3]].map(([i, j]) => head.score(i, j));
      for (const stage of STAGES) result.pictures[stage] = Array.from(head.picture(stage, 0, 0, T, T));
      result.part = Array.from(head.picture("softmax", 4, 2, 3, 3));
    """
    result = run_in_node(body, build(trace, layer=1, head=1))
    p = trace.p[1, 1].numpy()
    assert result["tokens"] == trace.tokens
    np.testing.assert_allclose(np.reshape(result["rows"], p.shape), p, atol=1e-6)

    def picture(name):  # hidden cells are NaN, which JSON writes as null
        return np.array(result["pictures"][name], dtype=float).reshape(p.shape)

    hidden = np.isneginf(trace.masked[1, 1].numpy())
    np.testing.assert_allclose(picture("softmax"), np.where(hidden, np.nan, p), atol=1e-6)
    np.testing.assert_allclose(picture("masked"), np.where(hidden, np.nan, trace.masked[1, 1]), atol=1e-5)
    np.testing.assert_allclose(picture("scaled"), trace.scaled[1, 1], atol=1e-5)
    np.testing.assert_allclose(picture("dot"), trace.dot[1, 1], atol=1e-5)
    np.testing.assert_allclose(result["scores"], trace.scaled[1, 1, [8, 8, 0], [0, 7, 3]], atol=1e-5)
    expected = np.where(hidden, np.nan, p)[4:7, 2:5]
    np.testing.assert_allclose(np.array(result["part"], dtype=float).reshape(3, 3), expected, atol=1e-6)


def test_the_browser_draws_the_map_of_a_model_with_relative_positions(tokenizer):
    model = tiny.language_model(tokenizer, positions="relative", relative_distance=6, n_kv_heads=2, window=11)
    trace = model.trace(tiny.TEXT)
    assert len(trace) > 12
    body = """
      const { header, arrays } = decode(given);
      const T = header.tokens.length, head = new Head(header, arrays);
      result = ["softmax", "scaled"].map((stage) => Array.from(head.picture(stage, 0, 0, T, T)));
    """
    for layer, chosen in ((0, 0), (1, 3)):
        shown = run_in_node(body, build(trace, layer=layer, head=chosen))
        p, scaled = (np.array(picture, dtype=float).reshape(len(trace), -1) for picture in shown)
        np.testing.assert_allclose(np.nan_to_num(p), trace.attention(layer, chosen), atol=1e-5)
        np.testing.assert_allclose(scaled, trace.scores(layer, chosen, "scaled"), atol=1e-4)


@pytest.mark.parametrize("size", [1, 2, 3, 63, 64, 65, 130])
@pytest.mark.parametrize("causal", [True, False])
def test_blocks_of_every_size_give_all_products(size, causal):
    rng = np.random.default_rng(size)
    q, k = rng.standard_normal((2, size, 5)).astype(np.float32)
    header = {"tokens": ["a"] * size, "scale": 1.0, "causal": causal}
    body = """
      const { header, arrays } = decode(given);
      const head = new Head(header, arrays);
      const first = Array.from(head.matrix(false));
      head.release();
      result = [first, Array.from(head.matrix(true))];
    """
    payload = view.pack(header, {"q": q, "k": k, "lse": np.zeros(size, np.float32)})
    seen, full = (np.array(dots).reshape(size, size) for dots in run_in_node(body, payload))
    np.testing.assert_allclose(full, q @ k.T, atol=1e-5)
    np.testing.assert_allclose(np.tril(seen), np.tril(q @ k.T), atol=1e-5)


def test_pooling_keeps_the_largest_weight():
    trace = StubTrace()
    body = """
      const { header, arrays } = decode(given);
      result = Array.from(new Head(header, arrays).picture("softmax", 0, 0, 9, 3));
    """
    pooled = np.array(run_in_node(body, build(trace)), dtype=float).reshape(3, 3)
    expected = trace.p[0, 0].reshape(3, 3, 3, 3).amax((1, 3)).numpy()
    np.testing.assert_allclose(np.nan_to_num(pooled), expected, atol=1e-6)
