"""The claims of the lesson "Experts", measured plainly."""

import json
import re

import pytest
import torch
from safetensors.torch import load_file

import tlmviz
from tests.affected import ROOT
from tlmviz.analysis.samples import sample_text
from tlmviz.ui.lessons import experts, routed, runner

MODELS = ROOT / "models"


@pytest.fixture(scope="module")
def m():
    return runner.measured("experts", routed.STORY)


@pytest.fixture(scope="module")
def lm():
    return tlmviz.load(routed.MODEL)


def chosen(lm, text, layer):
    """The two experts of each token: those with the highest sums of the router's score and the bias."""
    trace = lm.trace(text)
    router = lm.network.blocks[layer].mlp
    scores = trace[f"blocks.{layer}.mlp.read"][0] @ router.router.weight.T
    sums = scores.sigmoid() + router.choice_bias
    return trace.tokens, [sorted(each) for each in sums.topk(2).indices.tolist()]


def test_who_reads_what_in_the_story(lm, m):
    tokens, pairs = chosen(lm, routed.STORY, routed.THIRD)
    assert m.chosen == pairs and m.tokens == list(tokens)
    named = [each.strip() for each in tokens]
    dogs = [pairs[at] for at, each in enumerate(named) if each == "dog"]
    assert dogs == [[1, 4]] * 2 and m.who == 4
    reads = [name for name, pair in zip(named, pairs) if 4 in pair]
    assert reads == ["dog", "ball", "boy", "dog"]
    assert sorted(dogs[1]) != sorted(pairs[named.index("the")]) == [0, 3]
    assert chosen(lm, "Tom saw a dog", routed.THIRD)[1][-1] == m.dog == [2, 4]


def test_it_reads_animals_and_things_and_no_adjectives(lm, m):
    for those, many in ((routed.ANIMALS, 8), (routed.THINGS, 8), (routed.LIKE, 0)):
        last = [chosen(lm, f"Tom saw a {each}", routed.THIRD) for each in those]
        assert [tokens[-1].strip() for tokens, _ in last] == list(those)  # one token each
        assert sum(4 in pairs[-1] for _, pairs in last) == many == m.read[those]


def test_what_it_reads_in_other_stories(m):
    found = json.loads((MODELS / routed.MODEL / "survey.json").read_text())
    there = found["experts"][found["layers"].index(routed.THIRD)]
    shares = {each["token"].strip(): each["share"] for each in there[4]["answers"]}
    assert m.surveyed == found["tokens"] and m.load == there[4]["load"] < 0.25
    for name in ("girl", "boy", "day", "time"):
        assert m.shares[name] == shares[name] > 0.9
    for name, expert in (("was", 6), ("the", 0)):
        answers = {each["token"]: each["share"] for each in there[expert]["answers"]}
        assert m.elsewhere[name] == (expert, answers[f" {name}"]) and answers[f" {name}"] > 0.99
        assert name not in shares


def test_half_of_the_numbers_work_and_a_dense_twin_has_as_many(lm, m):
    total = sum(each.numel() for each in lm.network.parameters())
    experts_of = [block.mlp for block in lm.network.blocks]
    idle = sum((each.gate_up.numel() + each.down.numel()) * 6 // 8 for each in experts_of)
    assert (m.sizes[0].total, m.sizes[0].active) == (total, total - idle)
    assert round(100 * (total - idle) / total) == 49
    ninth = sum(each.numel() for mlp in experts_of for name, each in mlp.named_parameters() if name[0] in "scr")
    assert m.parts == [total - 4 * idle // 3 - ninth, ninth, idle // 3]
    dense = sum(each.numel() for each in tlmviz.load(routed.DENSE).network.parameters())
    assert m.sizes[1].total == m.sizes[1].active == dense
    assert abs(m.sizes[0].flops / m.sizes[1].flops - 1) < 0.01
    for name, bits in zip((routed.MODEL, routed.DENSE), m.bits):
        card = (MODELS / name / "card.md").read_text()
        assert bits == pytest.approx(float(re.search(r"stories: ([\d.]+) bits", card)[1]), abs=1e-3)
    assert m.bits[0] < 0.98 * m.bits[1]


def test_soon_after_training_began_two_experts_read_nearly_all(m):
    logged = load_file(MODELS / routed.MODEL / "loads.safetensors")
    for at, shares in zip((0, routed.EARLY), m.early):
        row = logged["loads"][logged["steps"].tolist().index(at), routed.LAST]
        assert shares == pytest.approx((2 * row / row.sum()).tolist(), abs=1e-5)
    assert max(m.early[0]) < 0.5 and m.early[1][2] > 0.99 and m.early[1][0] > 0.9
    assert sorted(m.early[1])[5] < 0.1


def test_biases_that_are_moved_by_the_rule_make_loads_even(lm, m):
    biases = [torch.zeros(8) for _ in lm.network.blocks]
    edit = {f"blocks.{n}.mlp.bias": lambda old, record, n=n: biases[n].expand_as(old) for n in range(len(biases))}
    for step in range(41):
        trace = lm.trace(routed.STORY, edit=edit)
        loads = [torch.bincount(trace.routing(n).chosen.flatten(), minlength=8).float() for n in range(len(biases))]
        if step % 10 == 0:
            counts, shown = m.moved[step // 10]
            assert counts == loads[routed.LAST].tolist()
            assert shown == pytest.approx(biases[routed.LAST].tolist(), abs=1e-5)
        biases = [bias + 0.01 * (load.mean() - load).sign() for bias, load in zip(biases, loads, strict=True)]
    full = [counts[m.full] for counts, _ in m.moved]
    assert full == sorted(full, reverse=True) and full[0] == 13 and m.moved[0][1] == [0] * 8
    assert max(m.moved[-1][0]) <= 6 and min(m.moved[-1][0]) >= 1


def test_one_of_many_is_hardly_missed(lm, m):
    """Silenced: its sum is below all others."""

    def edit(choice, record):
        choice = choice.clone()
        choice[..., m.who] = -torch.inf
        return choice

    story = lm.fit(sample_text())[0]
    ids = torch.tensor(lm.encode(story))
    for share, edits in zip(m.right, (None, {f"blocks.{routed.THIRD}.mlp.choice": edit}), strict=True):
        guesses = lm.trace(story, edit=edits).logits.argmax(-1)
        assert share == pytest.approx(float((guesses[:-1] == ids[1:]).float().mean()), abs=1e-6)
    assert m.asked == len(ids) - 1 and m.right[0] > 0.5 and abs(m.right[1] - m.right[0]) < 0.02


def test_numbers_in_the_sentences(m):
    said = experts.words(m, m)
    assert (said["pair"], said["who"], said["full"], said["works"]) == ("B and E", "E", "C", "49%")
