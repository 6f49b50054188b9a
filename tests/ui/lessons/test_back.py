"""The claims of the lesson "From text to picture and back", measured plainly."""

import math

import numpy as np
import pytest
import torch

import tlmviz
from tlmviz import digits
from tlmviz.recording import recording
from tlmviz.ui.lessons import back, pictured, runner

ASKED = "what is left of the 7"


@pytest.fixture(scope="module")
def found():
    return runner.measured("back", "")


def laid(**cells):
    """Nine cells with held-out digits: c4=125 puts the 125th into the middle."""
    images = [digits.held_out().images[cells[f"c{n}"]] if f"c{n}" in cells else None for n in range(9)]
    return [images[row : row + 3] for row in (0, 3, 6)]


def of_cell(at):
    """The four patches of a cell, of six rows of six."""
    return [(at // 3 * 2 + row) * 6 + at % 3 * 2 + column for row in (0, 1) for column in (0, 1)]


def maps(model, grid, ids, stack):
    """Every head's weights [head, query, key], by softmax over products of what its queries and keys were."""
    pixels = torch.tensor(np.block([[np.zeros((8, 8)) if one is None else one for one in row] for row in grid])).float()
    with torch.inference_mode(), recording(lambda name: True) as record:
        model.network(pixels[None], torch.tensor([ids]))
    every = []
    for layer in range(len(getattr(model.network, stack))):
        q, k = (record.values[f"{stack}.{layer}.cross.{name}"][0].double() for name in ("q", "k"))
        every.append((q @ k.mT / math.sqrt(q.shape[-1])).softmax(-1))
    return torch.cat(every)


def test_the_model_says_what_lies_left_of_the_7_wherever_it_is_dropped(found):
    reader = tlmviz.load("digits-scenes")
    labels = digits.held_out().labels
    assert [labels[n] for n in (110, 125, 227, 295)] == [4, 9, 0, 7]
    left = {1: "a 4", 2: "nothing", 3: "nothing", 5: "a 9", 7: "a 0", 8: "nothing"}
    for at in left:
        assert reader.answer(laid(c0=110, c4=125, c6=227, **{f"c{at}": 295}), ASKED).text == left[at]
    assert found.answers == left and (found.at, found.named) == (5, 4)


def test_one_head_looks_at_what_is_asked_about_and_another_at_what_is_said(found):
    reader = tlmviz.load("digits-scenes")
    words = reader.tokenizer.words
    for at, digit in ((5, "9"), (1, "4"), (7, "0")):
        ids = [*reader.ids(ASKED), words.index("a"), words.index(digit)]
        grid = laid(c0=110, c4=125, c6=227, **{f"c{at}": 295})
        every = maps(reader, grid, ids, "cross")
        seven, said = every[:, 5], every[:, 7]  # of “7”; of “a”, behind the question's end
        shares = [[float(head[of_cell(cell)].sum()) for cell in range(9)] for head in seven]
        assert max(row[at] for row in shares) == max(map(max, shares)) > 0.8  # the sharpest looks at the 7
        others = [[float(head[of_cell(cell)].sum()) for cell in range(9)] for head in said]
        if at == 5:
            first, second = (int(np.argmax([max(row) for row in each])) for each in (shares, others))
        assert found.asked[at] == pytest.approx(seven[first].numpy(), abs=1e-4)
        assert found.said[at] == pytest.approx(said[second].numpy(), abs=1e-4)
        assert shares[first][at] > 0.8  # "finds the 7, wherever that lies"
        assert int(np.argmax(others[second])) == at - 1 and others[second][at - 1] > 0.5  # "what is left of the 7"
    assert first != second and pictured.by_cell(found.said[5])[4] > 0.8
    moved = pictured.by_cell(found.said[1])
    assert found.to == 1 and moved[0] > 0.8 and moved[1] < 0.2 and moved[4] < 0.005


def test_two_questions_find_two_things_in_one_picture(found):
    reader, labels = tlmviz.load("digits-scenes"), digits.held_out().labels
    grid = laid(c1=182, c2=139, c6=343)
    assert [labels[n] for n in (182, 139, 343)] == [2, 9, 3]
    assert reader.answer(grid, "where is the 2").text == found.where == "at the top and at the top right"
    assert (
        reader.answer(grid, "describe the picture").text == found.described == "a 2 left of a 9 above and right of a 3"
    )
    assert back.FACED[found.where] == (1, 2) and labels[pictured.TWICE[pictured.TAKEN]] == 9
    words = reader.tokenizer.words
    asked = maps(reader, grid, reader.ids("where is the 2"), "cross")[:, 3]  # of “2”
    ids = [*reader.ids("describe the picture"), *(words.index(each) for each in ["a", "2", "left", "of", "a"])]
    for look, every, cell in zip(found.twice, (asked, maps(reader, grid, ids, "cross")[:, -1]), (1, 2), strict=True):
        cells = [[float(head[of_cell(each)].sum()) for each in range(9)] for head in every]
        sharpest = int(np.argmax([max(row) for row in cells]))
        assert look == pytest.approx(every[sharpest].numpy(), abs=1e-4)
        assert cells[sharpest][cell] > 0.9


def test_only_the_patches_of_the_7_look_at_its_name_and_what_is_left_of_it_is_marked(found):
    marker = tlmviz.load("digits-scenes-turned")
    grid = laid(c0=110, c4=125, c5=295, c6=227)
    ids = marker.ids(ASKED)
    marking = marker.mark(grid, ASKED)
    assert marking.marked == found.marked == [4]
    every = maps(marker, grid, ids, "cross")[..., 5]  # of each patch, what “7” gets
    [head] = [each for each in every if np.allclose(each.numpy(), found.patches, atol=1e-4)]
    cells = [float(head[of_cell(cell)].mean()) for cell in range(9)]
    assert cells[5] > 0.8 and max(cells[0], cells[4], cells[6]) < 0.15
    assert found.full.tolist() == [float(any(at in of_cell(cell) for cell in (0, 4, 5, 6))) for at in range(36)]
    assert any(np.allclose(each.numpy(), found.patches, atol=1e-4) for each in every[:4])  # "first": in the first block


def test_of_eight_readers_seven_read_one_digit_and_one_two(found):
    reader = tlmviz.load("digits-perceiver")
    images, labels = digits.held_out().images, digits.held_out().labels
    grid = [[images[3 + row + column] for column in range(3)] for row in (0, 3, 6)]
    truth = labels[3:12].tolist()
    assert found.truth == truth == reader.classify(grid).digits == found.read
    lost = []
    for latent in range(8):
        read = reader.classify(grid, mute=[latent]).digits
        assert read == found.silenced[latent]
        lost.append([at for at in range(9) if read[at] != truth[at]])
    assert sorted(map(len, lost)) == [1] * 7 + [2] and sorted(sum(lost, [])) == [*range(9)]
    assert lost[found.double] == [2, 5] and found.size == (24 * 24, 48)
    weights = reader.classify(grid).maps[:, found.double].reshape(3, 3, 8, 3, 8).sum((2, 4)).reshape(3, 9)
    assert found.looks[:, found.double] == pytest.approx(weights, abs=1e-5)
    assert len(tlmviz.load("digits-perceiver").network.blocks) == len(weights) == 3  # one look a layer
    assert weights[0, 5] > 0.9 and weights[2, 2] > 0.9 and min(weights[1, 2], weights[1, 5]) > 0.45


def plainly_hidden(encoder, words, hidden):
    """Shares of what stands at the first of the hidden words."""
    names = [("" if word == "." else " ") + word for word in words]
    ids = [encoder.config.mask if n in hidden else encoder.tokenizer.encode(name)[0] for n, name in enumerate(names)]
    with torch.inference_mode():
        logits = encoder.network(torch.tensor([[encoder.config.cls, *ids, encoder.config.sep]]))[0, 1 + hidden[0]]
    return logits.double().softmax(-1)


def test_both_sides_say_proud_where_what_stands_before_says_happy(found):
    encoder, left = tlmviz.load("stories-encoder"), tlmviz.load("stories-rope")
    words = ["The", "little", "girl", "was", "so", "proud", "of", "herself", "."]
    shares, before = (
        plainly_hidden(encoder, words, [5]),
        left.trace("The little girl was so").logits_at(-1).double().softmax(-1),
    )
    for (name, share), (same, other) in zip(found.before, found.both, strict=True):
        assert name == same and share == pytest.approx(float(before[left.encode(f" {name}")[-1]]), abs=1e-4)
        assert other == pytest.approx(float(shares[encoder.tokenizer.encode(f" {name}")[-1]]), abs=1e-4)
    assert [name for name, _ in found.before] == ["happy", "excited", "proud"]
    assert (
        left.tokenizer.name(int(before.argmax())) == " happy"
        and encoder.tokenizer.name(int(shares.argmax())) == " proud"
    )
    proud = encoder.tokenizer.encode(" proud")[0]
    costs = {word: float(plainly_hidden(encoder, words, [5, n])[proud]) for n, word in enumerate(words) if n != 5}
    assert min(costs, key=costs.get) == found.tells == "of" and costs["of"] < 0.15


def test_it_is_proud_of_the_dark_by_one_small_word(found):
    encoder = tlmviz.load("stories-encoder")
    words = ["Tom", "was", "so", "proud", "of", "the", "dark", "."]
    proud = encoder.tokenizer.encode(" proud")[0]
    shares = plainly_hidden(encoder, words, [3])
    assert int(shares.argmax()) == proud and found.dark[0] == ("proud", pytest.approx(float(shares[proud]), abs=1e-4))
    assert found.dark[1][0] == "happy" and float(shares[encoder.tokenizer.encode(" scared")[0]]) < 0.01
    for n, word in ((6, "dark"), (4, "of")):
        assert found.sure[word] == pytest.approx(float(plainly_hidden(encoder, words, [3, n])[proud]), abs=1e-4)
    assert found.sure["dark"] > 0.7 and found.sure["of"] < 0.2
    without = plainly_hidden(encoder, words, [3, 4])
    assert found.wins == ("happy", pytest.approx(float(without.max()), abs=1e-4))
    assert int(without.argmax()) == encoder.tokenizer.encode(" happy")[0]
