"""Generation recorded step by step: it is `generate`, its rows are those of the whole text, its bytes are the
caches'."""

import numpy as np
import pytest
import torch

import tlmviz
from tests import tiny
from tlmviz.analysis.caches import cost, decode_steps
from tlmviz.analysis.caches.decode_steps import NAIVE, WITH, WITHOUT
from tlmviz.caches import ContiguousCache
from tlmviz.errors import BadShape, BadText, UnknownName

VARIANTS = {
    "MHA": {},
    "GQA": dict(n_kv_heads=2),
    "MQA": dict(n_kv_heads=1),
    "MLA": dict(latent_dim=12, rope_dim=4),
    "window": dict(window=9),
    "windows": dict(layers=({"window": 9}, {})),
    "relative": dict(positions="relative", relative_distance=5),
    "ALiBi": dict(positions="alibi", n_kv_heads=2),
    "learned": dict(positions="learned"),
}
LAYER, HEAD = 1, 2


@pytest.fixture(scope="module", params=VARIANTS)
def recorded(request, tokenizer):
    """A model of each kind, and 60 tokens that it generated after a prompt of 16 or so: beyond a first buffer of 64."""
    lm = tiny.language_model(tokenizer, **VARIANTS[request.param])
    runs = (decode_steps.decode(lm, lm.encode(tiny.TEXT), 60, LAYER, HEAD, seed=seed) for seed in range(40))
    return lm, next(done for done in runs if done.steps == 60)  # random models end their texts at random


def test_steps_are_what_a_single_pass_gives(recorded):
    lm, done = recorded
    assert done.steps == 60 and done.prompt + 60 == len(done.ids) == len(done.tokens)
    assert decode_steps.map_error(lm, done, LAYER, HEAD) < 1e-5
    assert decode_steps.rows_error(done) < 1e-5
    assert decode_steps.logits_error(lm, done) < 1e-3


def test_every_row_is_the_softmax_of_its_query_against_the_kept_keys(recorded):
    """From q and k alone, in float64: what is drawn beside the map makes the map."""
    lm, done = recorded
    spec = lm.network.specs()[LAYER]
    for row in range(len(done.ids)):
        first = max(0, row + 1 - (done.window or row + 1))
        q, distance = done.q[row].astype(np.float64), row - np.arange(first, row + 1)
        scores = done.k[first : row + 1].astype(np.float64) @ q * spec.scale
        if spec.mask.slopes is not None:
            scores -= float(spec.mask.slopes[HEAD]) * distance
        if spec.mask.relative is not None:
            scores += spec.mask.relative.double().numpy()[np.minimum(distance, len(spec.mask.relative) - 1)] @ q
        expected = np.exp(scores - scores.max())
        np.testing.assert_allclose(done.weights[row, first : row + 1], expected / expected.sum(), atol=1e-5)
        assert np.isnan(done.weights[row, :first]).all() and np.isnan(done.weights[row, row + 1 :]).all()


def test_used_bytes_are_the_formula_s_and_allocated_ones_the_cache_s(recorded):
    lm, done = recorded
    shape, cache = cost.Shape.of(lm.config), lm.new_cache()
    lm(torch.tensor([done.ids[: done.prompt]]), cache)
    allocated = [cache.nbytes]
    for token in done.ids[done.prompt :]:
        lm(torch.tensor([[token]]), cache)
        allocated.append(cache.nbytes)
    assert list(done.reserved_bytes) == allocated
    assert list(done.occupied_bytes) == [cost.cache_bytes(shape, done.prompt + step) for step in range(61)]
    assert (done.occupied_bytes <= done.reserved_bytes).all()
    room = sum(done.capacity(60, layer) for layer in range(done.layers))
    assert room * done.bytes_per_token_per_layer == allocated[-1]
    assert done.capacity(0) < done.capacity(60) or done.window  # it doubled on the way; a ring never grows


def test_generation_is_that_of_generate():
    lm = tlmviz.load("stories-rope")
    done = decode_steps.decode(lm, lm.encode("Once upon a time"), 12, seed=5)
    assert lm.tokenizer.decode(done.ids[done.prompt :]) == lm.generate("Once upon a time", 12, seed=5)
    assert done.probabilities.shape == (12,) and (done.probabilities > 0).all() and (done.probabilities <= 1).all()
    greedy = decode_steps.decode(lm, lm.encode("Once upon a time"), 3, temperature=0)
    assert greedy.ids[greedy.prompt] == int(greedy.logits[0].argmax())


def test_the_end_of_text_is_read_and_ends_it(lm, monkeypatch):
    monkeypatch.setattr(decode_steps, "next_token", lambda *_: lm.tokenizer.end_of_text)
    done = decode_steps.decode(lm, [1, 2, 3], 9)
    assert done.steps == 1 and done.ids[-1] == lm.tokenizer.end_of_text


def test_a_tampered_cache_is_seen(lm, monkeypatch):
    """The measures are worth something: a cache that forgets gives rows that do not sum to 1."""
    append = ContiguousCache.append

    def forgetful(self, layer, k, v):
        keys, values = append(self, layer, k, v)
        keys[:, :, 0] = 0
        return keys, values

    monkeypatch.setattr(ContiguousCache, "append", forgetful)
    done = decode_steps.decode(lm, lm.encode(tiny.TEXT), 4)
    assert decode_steps.rows_error(done) > 1e-3 and decode_steps.map_error(lm, done, 0, 0) > 1e-3


def test_learned_positions_end_and_others_go_on(tokenizer):
    learned, rope = (tiny.language_model(tokenizer, positions=kind, context=24) for kind in ("learned", "rope"))
    ids = list(range(20))
    assert decode_steps.room(learned.config, 20) == 4 and decode_steps.room(rope.config, 20) is None
    assert decode_steps.decode(learned, ids, 4).steps == 4
    assert len(decode_steps.decode(rope, ids, 8).ids) == 28
    with pytest.raises(BadText) as error:
        decode_steps.decode(learned, ids, 5)
    text = tiny.sentence(error)
    assert "5 more" in text and "24" in text and "at most 4" in text and "RoPE" in text


@pytest.mark.parametrize(
    "arguments, kind",
    [
        (dict(ids=[]), BadText),
        (dict(tokens=0), BadShape),
        (dict(layer=2), UnknownName),
        (dict(head=-1), UnknownName),
        (dict(temperature=-1), BadShape),
    ],
)
def test_impossible_requests_are_one_sentence(lm, arguments, kind):
    with pytest.raises(kind) as error:
        decode_steps.decode(lm, **{"ids": [1, 2], "tokens": 2, **arguments})
    tiny.sentence(error)


def test_times_are_of_every_step_and_of_some_passes(tokenizer):
    lm = tiny.language_model(tokenizer, **VARIANTS["MLA"])
    timed = decode_steps.measure(lm, list(range(30)), 10, seconds=0.2, rounds=2, points=3)
    assert set(timed.ways) == {WITH, WITHOUT, NAIVE} and 1 <= timed.rounds <= 2
    lengths, ms = timed.ways[WITH]
    assert (
        list(lengths) == list(range(11, 31))
        and ms.shape == (timed.rounds, 20)
        and (timed.medians()[WITH][1] == np.median(ms, 0)).all()
        and (ms > 0).all()
    )
    assert list(timed.ways[WITHOUT][0]) == [11, 20, 30] or list(timed.ways[WITHOUT][0]) == [11, 21, 30]
    with pytest.raises(BadText) as error:
        decode_steps.measure(lm, [1, 2], 2)
    tiny.sentence(error)


class Timed:
    """Stands in for a model: notes when it reads how much."""

    def __init__(self, name: str, log: list):
        self.name, self.log = name, log

    def new_cache(self) -> str:
        return f"cache of {self.name}"

    def __call__(self, ids, cache) -> None:
        assert cache == f"cache of {self.name}"
        self.log.append((self.name, ids.shape[1]))


def test_models_are_timed_in_turns_after_a_step_that_does_not_count():
    log: list = []
    times = decode_steps.step_times([Timed("a", log), Timed("b", log)], [list(range(20))] * 2, 3)
    assert times.shape == (2, 3) and (times > 0).all()
    assert log == [("a", 16), ("b", 16), *[("a", 1), ("b", 1)] * 4]
