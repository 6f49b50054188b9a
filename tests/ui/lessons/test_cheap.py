"""The lesson "Why writing is cheap": its claims measured plainly."""

import math

import pandas as pd
import pytest
import torch

import tlmviz
from tlmviz.checkpoints.folders import models_folder
from tlmviz.ui.lessons import cheap, runner


@pytest.fixture(scope="module")
def lm():
    return tlmviz.load(cheap.OWN)


@pytest.fixture(scope="module")
def found():
    return runner.measured("cheap", cheap.STORY)


def keys_and_values(lm, text, layer):
    trace = lm.trace(text)
    return [trace[f"blocks.{layer}.attn.{name}"][0].double() for name in "kv"]


def test_a_word_more_changes_nothing_before_it(lm, found):
    text, more = cheap.STORY, cheap.STORY + found.written[0]
    assert found.apart < 1e-5 and len(lm.encode(more)) == len(lm.encode(text)) + 1
    for layer in range(4):
        for one, two in zip(keys_and_values(lm, text, layer), keys_and_values(lm, more, layer)):
            assert (two[:, : one.shape[1]] - one).abs().max() < 1e-5 * one.abs().max()


def test_keys_and_values_are_enough_to_write_on(lm, found):
    """One word after another through a cache, which has no queries, gives what the whole text gives."""
    text = cheap.STORY
    for piece in found.written:
        ids = lm.encode(text)
        cache = lm.new_cache()
        for token in ids:
            last = lm(torch.tensor([[token]]), cache=cache)[0, -1]
        whole = lm(torch.tensor([ids]))[0, -1]
        assert (last - whole).abs().max() < 1e-3
        assert lm.tokenizer.decode([int(whole.argmax())]) == piece
        text += piece


def test_reading_again_is_counted_cell_by_cell(found):
    seen, every, again = set(), 0, 0
    for step in range(cheap.WRITTEN):
        for place in range(found.read + step):
            every, again = every + 1, again + (place in seen)
            seen.add(place)
    assert found.done == (every, len(seen), pytest.approx(again / every))


def multiplications(lm, length, queries):
    """Of a pass: two numbers for each weight of a matrix that a word meets, and each look's products."""
    config, network = lm.config, lm.on_cpu.network
    matrices = sum(
        weight.numel() for name, weight in network.named_parameters() if "blocks" in name and weight.ndim == 2
    )
    logits = config.d_model * config.vocab_size
    looks = 2 * config.n_layers * config.n_heads * config.head_dim * length
    return queries * (matrices + logits + looks)


def test_a_later_word_takes_hardly_more(lm, found):
    near, far, bare = found.work
    plainly = [multiplications(lm, length, queries) for length, queries in ((20, 1), (200, 1), (200, 200))]
    assert [near, far, bare] == pytest.approx(plainly)
    assert near < far < 1.5 * near and bare > 100 * far


def test_bytes_are_those_of_tensors_and_letters_those_of_the_cards(found):
    sizes = {cheap.OWN: 2 * 8 * 16, cheap.FOURS: 2 * 2 * 16, cheap.ALL: 2 * 1 * 16, cheap.SHORT: 64 + 8}
    assert found.numbers == sizes and found.bytes == {name: 4 * 4 * each for name, each in sizes.items()}
    table = pd.read_csv(models_folder() / "zoo.csv")
    for name in cheap.MODELS:
        card = (models_folder() / name / "card.md").read_text()
        bits = float(table[table["model"] == name]["bits_per_byte"].iloc[0])
        assert f"held-out stories: {bits:.4f}" in card
        assert found.letter[name] == pytest.approx(math.exp(-bits * math.log(2)))
        assert found.letter[name] > found.letter[cheap.OWN] - 0.01


def test_six_are_served_as_they_are_alone(lm, found):
    alone = [lm.generate(*each, 0.8, seed=i) for i, each in enumerate(zip(cheap.REQUESTS, cheap.TOKENS))]
    for run in found.runs.values():
        assert [len(answer) for answer in run.answers] == list(cheap.TOKENS)
        assert list(run.texts) == [str(text).removeprefix(prompt) for text, prompt in zip(alone, cheap.REQUESTS)]
    steps = {name: len(run.steps) for name, run in found.runs.items()}
    assert steps["one"] == sum(cheap.TOKENS) and steps["one"] / 4 < steps["four"] < steps["wait"] < steps["one"]
    assert max(cheap.TOKENS) + 2 == steps["four"]  # D, who comes in the third step


def test_whose_pages_are_shared(lm, found):
    pages, shared = found.pages
    ids = [lm.encode(each) for each in cheap.REQUESTS]
    assert pages == [math.ceil(len(each) / 4) for each in ids]
    alike = [[one == two for one, two in zip(each, ids[0])].index(False) for each in ids[1:]]
    assert shared == [0, *(each // 4 for each in alike)] and shared[4] == 0
    assert [i for i, each in enumerate(shared) if each] == [1, 2]


def test_another_first_word_moves_every_later_key_above_the_first_layer(lm):
    one, two = cheap.STORY, cheap.STORY.replace(cheap.FIRST, cheap.OTHER, 1)
    for layer in range(4):
        for a, b in zip(keys_and_values(lm, one, layer), keys_and_values(lm, two, layer)):
            apart = (a - b)[:, 2:].norm(dim=(0, 2)) / a[:, 2:].norm(dim=(0, 2))
            assert (apart.max() < 1e-5) if layer == 0 else (apart.min() > 1e-3)
