"""What the page One layer's bill claims, held against plain counting and against passes with parts left out."""

import math
from types import SimpleNamespace

import pytest
import torch

import tlmviz
from pages.cost.layer_bill import claims, data
from pages.cost.layer_bill.state import BILL, FFN, GROWTH, HAND, PARAMETERS, Bill
from tests import tiny
from tests.pages.helpers import assert_healthy, only_models, open_page
from tests.pages.states import above_the_picture, agree, each_speaks_and_is_silent
from tlmviz.figures.written import large
from tlmviz.ui import compute
from tlmviz.ui.inputs import DEFAULT_TEXT

START = {name: control.default for name, control in Bill.controls.items()}
TEXTS = (DEFAULT_TEXT, "Où est passé le chat 🐈 ?", "Hello", "The cat sat on the mat. " * 125)
DEPTHS = {"GPT-2 small": 12, "Mistral 7B": 32}  # Llama 3 8B has layers of the same sizes
LLAMA = {"n": 8192, "d": 4096, "h": 32, "g": 8, "f": 14336, "gated": True, "head": 128}
KINDS = {"token_emb": "embedding"}
LAYERS = [
    {},
    LLAMA,
    *({"n": n} for n in (1, 16, 769, 4609, 100_000, 1 << 20)),
    {"h": 1, "g": 1},
    {"h": 12, "g": 3, "batch": 7},
    {"d": 64, "h": 8, "g": 8, "f": 17, "n": 40, "bytes": 4},
    {"d": 10, "h": 7, "g": 7},
]


def chosen(**values) -> Bill:
    return Bill(**{**START, "model": "stories-rope", **values})


def share(part: float) -> str:
    """As the page writes a share; beyond its ends, what it is over or under."""
    if 0.995 <= part < 1:
        return "99.5%"
    if 0 < part < 0.0005:
        return "0.1%"
    return f"{part:.0%}" if part >= 0.0995 or part == 0 else f"{part:.1%}"


def of_bill(shown: data.Data) -> dict[str, list | None]:
    s = shown.sizes
    width, n, d, f = s.head or s.d // s.h, s.n, s.d, s.f
    cells = s.batch * s.h * n * n
    making = d * (s.h * width + 2 * s.g * width)
    output, dense = s.h * width * d, (3 if s.gated else 2) * d * f
    soft = 2 * 2 * cells * width + 5 * cells
    rest = 2 * s.batch * n * (making + output + dense)
    part, weights = soft / (soft + rest), making + output + dense
    names = (
        "most_is_quadratic",
        "most_is_linear",
        "heads_cost_nothing",
        "sharing_saves",
        "maps_outgrow_weights",
        "maps_are_small",
        "training_keeps",
    )
    expected: dict[str, list | None] = dict.fromkeys(names)
    if part > 0.5:
        expected["most_is_quadratic"] = [f"{n:,}", share(part), f"{(4 * soft + 2 * rest) / (soft + rest):.3g}"]
    else:
        over = weights / (2 * s.h * width)
        expected["most_is_linear"] = [f"{n:,}", share(1 - part), share(part), f"{over:,.0f}"]
    if s.h > 1 and s.g == s.h:
        expected["heads_cost_nothing"] = [s.h]
    if s.g != s.h:
        one = 2 * s.batch * n * d * 3 * s.h * width
        expected["sharing_saves"] = [s.h, s.g, large(2 * s.batch * n * making), large(one)]
    maps, at = s.bytes * cells, f"{math.sqrt(weights / (s.batch * s.h)):,.0f}"
    expected["maps_outgrow_weights" if maps > s.bytes * weights else "maps_are_small"] = [
        large(maps),
        large(s.bytes * weights),
        at,
    ]
    if (count := DEPTHS.get(shown.name)) is not None:
        inner = s.f * (4 if s.gated else 2)
        layer = s.bytes * (s.batch * n * (2 * d + 4 * s.h * width + inner) + cells)
        few = s.bytes * count * s.batch * n * d + layer
        expected["training_keeps"] = [large(layer), large(count * layer), count, large(few)]
    return expected


def of_hand(shown: data.Data) -> dict[str, list | None]:
    n, d, h = shown.chosen.toy
    products = 3 * n * d * d + 2 * n * n * d + n * d * d
    if h == 1:
        return {"same_products": None, "one_head_only": [f"{products:,}"]}
    cells = [h, f"{products:,}", f"{h * n * n:,}", f"{n * n:,}"]
    return {"same_products": cells, "one_head_only": None}


def of_growth(shown: data.Data) -> dict[str, list | None]:
    state, s = shown.chosen, shown.sizes
    width = s.head or s.d // s.h
    weights = s.d * (s.h + 2 * s.g) * width + s.h * width * s.d + (3 if s.gated else 2) * s.d * s.f

    def taken(queries: int, keys: int) -> int:
        if state.counted == "tokens":
            return queries
        pairs = queries * keys
        return pairs if state.counted == "cells" else 2 * queries * weights + pairs * (4 * s.h * width + 5 * s.h)

    places = range(state.prompt + 1, state.prompt + state.steps + 1)
    without, cached = sum(taken(t, t) for t in places), sum(taken(1, t) for t in places)
    times = float(f"{without / cached:.2g}")
    named = [shown.name] if state.counted == "operations" else []
    head = [state.steps, f"{state.steps:,}", f"{state.prompt:,}", large(without)]
    if times > 1:
        return {"cache_saves": [*head, *named, large(cached), f"{times:,.15g}"], "cache_saves_nothing": None}
    return {"cache_saves": None, "cache_saves_nothing": [*head, *named]}


def held(shown, expected: dict[str, list | None]) -> dict[str, bool]:
    plain = {name: lambda expected, name=name: expected[name] for name in expected}
    return agree(claims.CLAIMS[shown.chosen.part], plain, shown, expected)


def test_every_claim_about_a_layer_follows_from_counting():
    shown = [data.Data(chosen(part=BILL, **values)) for values in LAYERS]
    each_speaks_and_is_silent([held(each, of_bill(each)) for each in shown])


def test_every_claim_about_the_toy_follows_from_counting():
    shown = [data.Data(chosen(part=HAND, toy=toy)) for toy in ((4, 8, 2), (1000, 768, 12), (3, 6, 1), (1, 1, 1))]
    each_speaks_and_is_silent([held(each, of_hand(each)) for each in shown])


@pytest.mark.parametrize("counted", ["tokens", "cells", "operations"])
def test_every_claim_about_the_areas_follows_from_sums(counted):
    cases = [
        {"prompt": prompt, "steps": steps, "counted": counted}
        for prompt, steps in ((16, 100), (1, 1), (2000, 2000), (1, 7))
    ]
    found = [held(each, of_growth(each)) for each in (data.Data(chosen(part=GROWTH, **case)) for case in cases)]
    once = SimpleNamespace(without=(5,), cached=(5,))  # as where a text of one token is read
    same = data.Data(chosen(part=GROWTH, counted=counted))
    stub = SimpleNamespace(chosen=same.chosen, growths={counted: once}, name="a layer")
    found.append({claim.__name__: bool(claim(stub)) for claim in claims.CLAIMS[GROWTH]})
    each_speaks_and_is_silent(found)


def test_every_claim_about_parameters_follows_from_the_tensors(tokenizer, tmp_path):
    found = []
    torch.manual_seed(1)
    wide = {"tiny-wide": tiny.network(vocab_size=tokenizer.vocab_size, d_ff=4)}
    with only_models(wide, tokenizer, tmp_path):
        found.append(_of_parameters("tiny-wide"))
    found += [_of_parameters(name) for name in ("stories-rope", "stories-moe", "zoo-mla")]
    heavy = SimpleNamespace(by_part={"norms": 3, "attention": 100})
    found.append({**found[0], "vocabulary": bool(claims.vocabulary(heavy))})
    each_speaks_and_is_silent(found)


def _of_parameters(model: str) -> dict[str, bool]:
    lm = compute.model(model)
    sums = dict.fromkeys(("ffn", "layers", "all"), 0)
    kinds: dict[str, int] = {}
    for name, tensor in lm.network.named_parameters():
        sums["all"] += tensor.numel()
        sums["layers"] += tensor.numel() * name.startswith("blocks.")
        sums["ffn"] += tensor.numel() * (".mlp." in name)
        kind = "feed-forward" if ".mlp." in name else "attention" if ".attn." in name else name.split(".")[0]
        kinds[kind] = kinds.get(kind, 0) + tensor.numel()
    expected: dict[str, list | None] = dict.fromkeys(each.__name__ for each in claims.CLAIMS[PARAMETERS])
    shares = [share(sums["ffn"] / sums["all"]), share(sums["ffn"] / sums["layers"])]
    rows = sum(each.numel() for each in lm.network.parameters() if each.shape[0] == lm.tokenizer.vocab_size)
    expected["vocabulary"] = [f"{lm.tokenizer.vocab_size:,}", lm.config.d_model, share(rows / sums["all"])]
    largest = max(kinds, key=lambda kind: kinds[kind])
    if largest == "feed-forward":
        expected["mostly_feed_forward"] = [shares[0], model, shares[1]]
    else:
        expected["another_is_larger"] = [
            model,
            KINDS.get(largest, largest),
            share(kinds[largest] / sums["all"]),
            *shares,
        ]
    return held(data.Data(chosen(part=PARAMETERS, model=model)), expected)


def _without(lm, text: str, layer: int) -> float:
    """Bits per byte with what one feed-forward part writes replaced by zeros."""
    trace = lm.trace(text, edit={f"blocks.{layer}.mlp.out": lambda value, _record: value * 0})
    return float(trace.loss_per_token().sum()) / math.log(2) / len(text.encode())


@pytest.mark.parametrize("model", ["stories-rope", "stories-gpt"])
def test_every_claim_about_feed_forward_parts_follows_from_passes(model, monkeypatch):
    found, lm = [], tlmviz.load(model)
    for text in TEXTS:
        text = lm.fit(text)[0] if len(text) > 500 else text
        for slow in (float("inf"), 0.0):
            monkeypatch.setattr(data, "SLOW", slow)
            shown = data.Data(chosen(part=FFN, model=model, text=text, layer=1))
            found.append(held(shown, _of_passes(lm, shown, text)))
    monkeypatch.setattr(data.Data, "has_units", False)
    found.append({**found[0], "dead_under_relu": bool(claims.dead_under_relu(shown))})
    names = {name for name in found[0] if len({each[name] for each in found}) == 2}
    assert names >= {"worst_without", "only_layer_without", "dead_under_relu"}


def _of_passes(lm, shown: data.Data, text: str) -> dict[str, list | None]:
    names = "worst_without", "only_layer_without", "hardly_missed", "dead_under_relu"
    expected: dict[str, list | None] = dict.fromkeys(names)
    base = lm.bits_per_byte(text)
    layers = [1] if data.SLOW == 0 else list(range(lm.config.n_layers))
    losses = [_without(lm, text, layer) for layer in layers]
    if len(layers) == 1:
        expected["only_layer_without"] = [1, f"{losses[0]:.2f}", f"{base:.2f}"]
    else:
        worst, least = losses.index(max(losses)), losses.index(min(losses))
        if float(f"{losses[worst]:.2f}") > float(f"{base:.2f}"):
            expected["worst_without"] = [worst, f"{losses[worst]:.2f}", f"{base:.2f}"]
        more = f"{100 * (losses[least] / base - 1):.0f}"
        if more.isdigit() and float(more) <= 10:
            expected["hardly_missed"] = [least, more]
    place = next(name for name in lm.network.tap_names() if name.startswith("blocks.1.mlp.") and "pre" in name)
    before = lm.trace(text)[place][0]
    if dead := int((before <= 0).all(0).sum()):
        expected["dead_under_relu"] = [dead, f"{dead:,}", f"{before.shape[1]:,}", 1]
    return expected


def test_a_time_is_shown_only_where_the_rounds_agree():
    assert data.agreed([1.0, 1.2, 1.4]) == 1.0
    assert data.agreed([1.0, 1.2, 1.6]) is None and data.agreed([None, None]) is None
    parts = {part: 0.001 for part in data.PARTS}

    def round_of(slower: float) -> tuple:
        return SimpleNamespace(seconds={**parts, "ffn": slower}), SimpleNamespace(seconds=parts)

    said = claims.measured(data.by_part([round_of(0.001), round_of(0.001)]))
    assert said == "Measured here, all parts take 6 ms with all heads and 6 ms with one."
    assert claims.measured(data.by_part([round_of(0.001), round_of(0.01)])) is None


@pytest.mark.parametrize("text", ["Où est passé le chat 🐈 ?", "The cat sat on the mat. " * 125])
def test_the_first_claim_survives_an_own_text(text):
    app = open_page("cost/layer_bill", lbview=FFN, text=text)
    assert_healthy(app)
    [said] = above_the_picture(app)
    assert said.startswith("Without the feed-forward part of layer")
