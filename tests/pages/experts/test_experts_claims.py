"""What the page Experts claims, held against passes of the model, counted and measured plainly."""

import json
import math
from collections import Counter
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
import torch

from pages.experts.experts import claims, data
from pages.experts.experts.state import CAPACITY, COST, LOAD, MIXED, MUTING, REMOVED, ROUTING, TRAINING, Experts
from tests import tiny
from tests.pages.helpers import ROOT, assert_healthy, only_models, open_page
from tests.pages.states import above_the_picture, agree, each_speaks_and_is_silent
from tlmviz.analysis.attention.interventions import combine
from tlmviz.analysis.experts import edits
from tlmviz.figures import number
from tlmviz.figures.written import large
from tlmviz.ui import compute, inputs, markdown

START = {name: control.default for name, control in Experts.controls.items()}
TEXTS = (inputs.DEFAULT_TEXT, "Où est passé le chat 🐈 ? Où est le chat ?", "Hello", "The cat sat on the mat. " * 125)
SMALL = {
    "tiny-bias": tiny.VARIANTS["experts"],
    "tiny-none": tiny.VARIANTS["sparse"],  # no bias
    "tiny-all": {"experts": dict(count=2, chosen=2, hidden=20)},  # every token reaches both
    "tiny-zero": {"experts": dict(count=4, chosen=1, hidden=20, score="sigmoid", bias=True)},  # a bias of zeros
}


def networks(tokenizer) -> dict:
    """Random models with other routers."""
    torch.manual_seed(3)
    found = {name: tiny.network(**each, vocab_size=tokenizer.vocab_size) for name, each in SMALL.items()}
    for name, value in found["tiny-zero"].named_parameters():
        if name.endswith("choice_bias"):
            value.data.zero_()
    return found


def chosen(model: str, text: str, **values) -> Experts:
    lm = compute.model(model)
    return Experts(**{**START, **values, "model": model, "text": lm.fit(text)[0] if len(text) > 500 else text})


def routed(lm, text: str, edit=None) -> tuple[object, np.ndarray, np.ndarray]:
    """The trace, the choices [L, T, k], and whether each expert read each token [L, T, E]; from the recorded
    routing."""
    trace = lm.trace(text, edit=edit)
    picks = np.stack([trace.routing(layer).chosen.numpy() for layer in trace.expert_layers])
    weights = np.stack([trace.routing(layer).weights.numpy() for layer in trace.expert_layers])
    read = np.zeros((*picks.shape[:2], lm.config.experts.count), bool)
    for place in np.ndindex(picks.shape):
        read[place[0], place[1], picks[place]] |= weights[place] > 0
    return trace, picks, read


def per_cent(share: float) -> str:
    return f"{share:.0%}"


def taste_of(model: str, trace, read: np.ndarray) -> list | None:
    """The expert of the held-out count whose words the text shows, the words that few experts share first."""
    file = ROOT / "models" / model / "survey.json"
    if not file.exists():
        return None
    found, best = json.loads(file.read_text()), []
    named = [answer["token"] for layer in found["experts"] for one in layer for answer in one["answers"]]
    for layer, experts in zip(found["layers"], found["experts"], strict=True):
        place = trace.expert_layers.index(layer)
        for expert, one in enumerate(experts):
            shares, worth = [], 0.0
            for answer in one["answers"]:
                token = answer["token"]
                places = [t for t, each in enumerate(trace.tokens) if each == token]
                is_word = token[0] == " " and len(token) >= 4 and token.strip().isalpha()
                if not (is_word and answer["share"] >= 0.9 and places):
                    continue
                if all(read[place, t, expert] for t in places):
                    shares.append([per_cent(answer["share"]), markdown.quoted(token)])
                    worth += 1 / named.count(token)
            if len(shares) >= 2:
                load = per_cent(one["load"])
                best.append((worth, -layer, -expert, [expert, layer, f"{found['tokens']:,}", load, *sum(shares, [])]))
    return max(best)[-1] if best else None


def of_routing(state: Experts, shown) -> dict[str, list | None]:
    lm = compute.model(state.model)
    trace, picks, read = routed(lm, state.text)
    part, tokens = lm.config.experts, trace.tokens
    best = []
    for name, times in Counter(tokens).items():
        places = [t for t, each in enumerate(tokens) if each == name]
        for layer in range(len(read)):
            for expert in range(part.count):
                load = read[layer, :, expert].mean()
                if times > 1 and name.strip() and read[layer, places, expert].all() and load < 0.5:
                    best.append((name.strip().isalpha(), -times * math.log(load), -layer, -expert, name, times, load))
    expected: dict[str, list | None] = dict.fromkeys(
        ("has_a_taste", "by_itself", "few_read", "bias_decides", "bias_changes_nothing", "no_bias", "shared")
    )
    if part.shared:
        expected["shared"] = [part.shared]
    if best:
        *_, layer, expert, name, times, load = max(best)
        expected["by_itself"] = [-expert, trace.expert_layers[-layer], markdown.quoted(name), times, per_cent(load)]
    if taste := taste_of(state.model, trace, read):
        expected |= {"has_a_taste": taste, "by_itself": None}
    if part.chosen < part.count:
        place = trace.expert_layers.index(shown.layer)
        *some, last = map(str, sorted(picks[place, shown.token].tolist()))
        token = markdown.quoted(tokens[shown.token])
        named = filter(None, (", ".join(some), last))
        expected["few_read"] = [shown.layer, token, part.chosen, part.count, *named]
    if not part.bias:
        return {**expected, "no_bias": []}
    turned, total, off = 0, 0, 0.0
    for layer in trace.expert_layers:
        one = trace.routing(layer)
        scores = one.scores.numpy().copy()
        if part.groups > 1:  # only the best groups can be chosen from, each as good as its two best
            grouped = scores.reshape(len(scores), part.groups, -1)
            worth = np.sort(grouped, -1)[..., -2:].sum(-1)
            kept = np.argsort(-worth, -1)[:, : part.chosen_groups]
            mask = np.zeros_like(worth, bool)
            np.put_along_axis(mask, kept, True, -1)
            scores = np.where(mask[..., None], grouped, -np.inf).reshape(scores.shape)
        plain = np.sort(np.argsort(-scores, -1)[:, : part.chosen], -1)
        turned += int((plain != np.sort(one.chosen.numpy(), -1)).any(-1).sum())
        total += len(plain)
        with_bias = np.maximum(np.take_along_axis((one.scores + one.bias).numpy(), one.chosen.numpy(), -1), 0)
        weights = one.weights.numpy()
        mixed = weights.sum(-1, keepdims=True) * with_bias / np.maximum(with_bias.sum(-1, keepdims=True), 1e-20)
        off = max(off, float(np.abs(mixed - weights).max()))
    if turned:
        expected["bias_decides"] = [turned, f"{total:,}", per_cent(turned / total), f"{off:.3f}"]
    else:
        expected["bias_changes_nothing"] = []
    return expected


def of_load(state: Experts, shown) -> dict[str, list | None]:
    lm = compute.model(state.model)
    trace, _picks, read = routed(lm, state.text)
    loads, part = read.mean(1), lm.config.experts  # [L, E]
    file = ROOT / "models" / state.model / "survey.json"
    expected: dict[str, list | None] = {"by_itself": of_routing(state, shown)["by_itself"]}
    expected |= dict.fromkeys(("answers_to", "busiest", "even_over_many"))
    if per_cent(loads.max()) != per_cent(loads.min()):
        place, expert = divmod(int(loads.argmax()), part.count)
        even = per_cent(part.chosen / part.count)
        expected["busiest"] = [expert, trace.expert_layers[place], per_cent(loads.max()), even]
    if file.exists():
        found = json.loads(file.read_text())
        experts = found["experts"][found["layers"].index(shown.layer)]
        telling = [
            (answer["count"] * math.log(answer["share"] / one["load"]), -place, answer)
            for place, one in enumerate(experts)
            for answer in one["answers"]
        ]
        _most, place, answer = max(telling, key=lambda each: each[:2])
        expected["answers_to"] = [
            -place,
            shown.layer,
            per_cent(answer["share"]),
            markdown.quoted(answer["token"]),
            f"{found['tokens']:,}",
            per_cent(experts[-place]["load"]),
        ]
        even = part.chosen / part.count
        there = [one["load"] / even for layer in found["experts"] for one in layer]
        here, most = f"{loads.max() / even:.2f}", f"{max(there):.2f}"
        if float(here) > float(most):
            expected["even_over_many"] = [here, most, f"{found['tokens']:,}", f"{min(there):.2f}"]
    return expected


def named(experts) -> str:
    return ", ".join(f"expert {expert} of layer {layer}" for layer, expert in experts)


def of_muting(state: Experts, shown) -> dict[str, list | None]:
    lm = compute.model(state.model)
    names = "one_token", "as_trained", "costs_or_helps", "some_gain", "most_missed"
    expected: dict[str, list | None] = dict.fromkeys(names)
    if len(lm.encode(state.text)) < 2:
        return {**expected, "one_token": []}
    before = lm.trace(state.text).loss_per_token().numpy()
    bias = state.bias if lm.config.experts.bias else START["bias"]  # what is not there cannot be taken away
    parts = [edits.force_experts(lm.config, state.forced), edits.mute_experts(lm.config, state.muted)]
    parts += {REMOVED: [edits.without_bias(lm.config)], MIXED: [edits.bias_in_the_mix(lm.config)]}.get(bias, [])
    if not state.muted and not state.forced and bias == START["bias"]:
        expected["as_trained"] = [f"{before.mean():.4f}"]
    else:
        after = lm.trace(state.text, edit=combine(*parts)).loss_per_token().numpy()
        at, off = int((after - before).argmax()), after - before
        expected["costs_or_helps"] = [
            f"{before.mean():.4f}",
            f"{after.mean():.4f}",
            *(named(each) for each in (state.muted, state.forced) if each),
            number(off.mean(), "+.4f"),
            at + 1,
            markdown.quoted(compute.model(state.model).trace(state.text).tokens[at + 1]),
            number(off[at], "+.2f"),
        ]
        if gains := int((after < before).sum()):
            expected["some_gain"] = [gains, len(before)]
    if len(before) < 40:
        change = [
            [
                float(lm.trace(state.text, edit=edits.mute_experts(lm.config, [(layer, e)])).loss_per_token().mean())
                - float(before.mean())
                for e in range(lm.config.experts.count)
            ]
            for layer in edits.expert_layers(lm.config)
        ]
        most = max(map(max, change))
        if f"{most:.2f}" not in ("0.00", "-0.00") and most > 0:
            place = next(i for i, row in enumerate(change) if most in row)
            unmissed = sum(round(each, 4) <= 0 for row in change for each in row)
            layer = edits.expert_layers(lm.config)[place]
            count = len(change) * len(change[0])
            expected["most_missed"] = [unmissed, change[place].index(most), layer, f"+{most:.2f}", count]
    return expected


def of_capacity(state: Experts, shown) -> dict[str, list | None]:
    lm = compute.model(state.model)
    part = lm.config.experts
    trace = lm.trace(state.text, edit=edits.limit_capacity(lm.config, state.factor))
    tokens = len(trace)
    room = math.ceil(state.factor * tokens * part.chosen / part.count)
    lost = sum((trace.routing(layer).weights == 0).sum(-1) for layer in trace.expert_layers).tolist()
    every = tokens * part.chosen * len(trace.expert_layers)
    expected: dict[str, list | None] = dict.fromkeys(("dropped", "room_for_all", "limit_costs", "late_lose"))
    if not sum(lost):
        loss = f"{float(lm.trace(state.text).loss_per_token().mean()):.4f}"
        return {**expected, "room_for_all": [room, f"{tokens:,}", f"{every:,}", *([loss] if tokens > 1 else [])]}
    expected["dropped"] = [room, f"{tokens:,}", sum(lost), f"{every:,}", f"{sum(lost) / every:.1%}"]
    if tokens > 1:
        losses = [float(each.loss_per_token().mean()) for each in (lm.trace(state.text), trace)]
        expected["limit_costs"] = [f"{each:.4f}" for each in losses]
    half = math.ceil(tokens / 2)
    if sum(lost[:half]) < sum(lost[half:]):
        expected["late_lose"] = [sum(lost[:half]), sum(lost[half:])]
    return expected


def of_training(state: Experts, shown) -> dict[str, list | None]:
    from safetensors.numpy import load_file

    expected: dict[str, list | None] = dict.fromkeys(("becomes_even", "more_even"))
    if not state.model.startswith("stories-moe"):
        return expected
    loads = {name: load_file(ROOT / "models" / name / "loads.safetensors")["loads"] for name in data.FAMILY[:2]}
    most = {name: (each / each.mean(-1, keepdims=True)).max((1, 2)) for name, each in loads.items()}
    own = most[state.model]
    counted = loads[state.model] * 2 * 2048  # two choices of each of 2,048 tokens
    np.testing.assert_allclose(counted, counted.round(), atol=0.01)
    expected["becomes_even"] = ["2,048", state.model, f"{own.max():.2f}", f"{own[-1]:.2f}"]
    (least, best), (last, other) = sorted((each[-1], name) for name, each in most.items())
    expected["more_even"] = [best, "2,048", f"{least:.2f}", other, f"{last:.2f}"]
    return expected


def of_cost(state: Experts, shown) -> dict[str, list | None]:
    lm = compute.model(state.model)
    part, total = lm.config.experts, sum(each.numel() for each in lm.network.parameters())
    expected: dict[str, list | None] = dict.fromkeys(("part_at_work", "all_at_work", "against_dense"))
    if part.chosen == part.count:
        return {**expected, "all_at_work": [state.model]}
    each = 3 * lm.config.d_model * part.hidden
    unread = len(edits.expert_layers(lm.config)) * (part.count - part.chosen) * each
    active = total - unread
    expected["part_at_work"] = [state.model, large(total), large(active), per_cent(active / total)]
    if state.model.startswith("stories-moe"):
        ends = [
            pd.read_csv(ROOT / "models" / name / "training.csv").valid_bpb.dropna().iloc[-1]
            for name in (state.model, "stories-dense")
        ]
        expected["against_dense"] = [state.model, *(f"{end:.3f}" for end in ends)]
        if len(lm.encode(state.text)) > 1:
            costs = [compute.model(name).bits_per_byte(state.text) for name in (state.model, "stories-dense")]
            expected["against_dense"] += [f"{float(cost):.3f}" for cost in costs]
    return expected


PLAIN = {
    ROUTING: of_routing,
    LOAD: of_load,
    MUTING: of_muting,
    CAPACITY: of_capacity,
    TRAINING: of_training,
    COST: of_cost,
}


def held(state: Experts) -> dict[str, bool]:
    shown = data.compute(state)
    expected = PLAIN[state.view](state, shown)
    plain = {name: lambda expected, name=name: expected[name] for name in expected}
    made = [each for each in claims.CLAIMS[state.view] if each is not claims.most_missed or len(shown.tokens) < 40]
    return agree(made, plain, shown, expected)


OF_VIEW = {
    ROUTING: [{"token": token, "layer": layer} for token, layer in ((None, None), (0, 0), (99, 3))],
    LOAD: [{"layer": layer} for layer in (None, 0, 3)],
    MUTING: [
        {},
        {"muted": ((0, 3),)},
        {"muted": ((0, 1), (1, 4)), "forced": ((1, 0),), "bias": REMOVED},
        {"bias": MIXED},
    ],
    CAPACITY: [{"factor": factor} for factor in (0.25, 1.0, 4.0)],
    TRAINING: [{}],
    COST: [{}],
}


@pytest.mark.parametrize("view", OF_VIEW)
def test_every_claim_follows_from_the_models(view, tokenizer, tmp_path):
    """Of the trained model, and of small random ones with other routers."""
    texts = TEXTS if view in (ROUTING, LOAD, CAPACITY) else TEXTS[:3]
    found = [held(chosen("stories-moe", text, view=view, **values)) for text in texts for values in OF_VIEW[view]]
    if view in (TRAINING, COST):
        found.append(held(chosen("stories-moe-aux", TEXTS[0], view=view)))
    with only_models(networks(tokenizer), tokenizer, tmp_path):
        for model in SMALL:
            values = [each for each in OF_VIEW[view] if not each.get("muted") or model == "tiny-bias"]
            for text in (tiny.TEXT, "Hello"):
                found += [held(chosen(model, text, view=view, **each)) for each in values]
    alone = SimpleNamespace(tokens=["Hello"])  # of a model that puts no start before a text
    found += [{**found[-1], "one_token": bool(claims.one_token(alone))}] if view == MUTING else []
    each_speaks_and_is_silent([each for each in found if len(each) == len(claims.CLAIMS[view])])


@pytest.mark.parametrize("text", TEXTS)
def test_the_first_claim_survives_an_own_text(text):
    app = open_page("experts/experts", {"text": text})
    assert_healthy(app)
    [said] = above_the_picture(app)
    lm = compute.model("stories-moe")
    trace, _picks, read = routed(lm, lm.fit(text)[0])
    repeats = len(set(text.split())) < len(text.split())
    assert said.startswith(
        "Nobody told it what to read"
        if taste_of("stories-moe", trace, read)
        else "Nobody told it to"
        if repeats
        else "The router of layer"
    )


def test_the_page_opens_on_the_expert_with_a_taste():
    """Its sentence, its mark in the picture, and a token that it reads; on a text that shows no taste nothing is
    marked."""
    lm = compute.model("stories-moe")
    for text in (inputs.DEFAULT_TEXT, "Hello"):
        shown = data.compute(chosen("stories-moe", text))
        trace, _picks, read = routed(lm, text)
        plainly = taste_of("stories-moe", trace, read)
        assert (shown.taste is None) == (plainly is None)
        if plainly:
            expert, layer = plainly[:2]
            assert shown.layer == layer
            assert read[trace.expert_layers.index(layer), shown.token, expert]
            assert lm.encode(text)[shown.token] in {lm.encode(each.token)[-1] for each in shown.taste.words}
