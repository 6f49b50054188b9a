"""The lesson "Why writing is cheap": its claims measured plainly."""

import math

import pytest
import torch

import tlmviz
from tlmviz.analysis.samples import sample_text
from tlmviz.ui.lessons import cheap, kept, runner


@pytest.fixture(scope="module")
def lm():
    return tlmviz.load(kept.OWN)


@pytest.fixture(scope="module")
def found():
    return runner.measured("cheap", kept.STORY)


def keys_and_values(lm, text, layer):
    trace = lm.trace(text)
    return [trace[f"blocks.{layer}.attn.{name}"][0].double() for name in "kv"]


def multiplications(lm, length, queries):
    """Of a pass: one for each weight of a matrix that a word meets, and each look's products."""
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
    assert near < far < 1.5 * near and bare > 100 * far  # "a little more"
    looks = multiplications(lm, 200, 1) - multiplications(lm, 20, 1)
    assert looks == 2 * 4 * 8 * 16 * 180  # nothing grows but looks at 180 more words
    for reply in runner.payload(cheap.LESSON)["scenes"][0]["act"]["replies"]:
        assert reply["reason"].startswith(f"{looks / 1e6:.1f} million more: it looks at 180 more words.")


def test_the_query_fits_the_key_of_the_thing_best_and_takes_mostly_its_value(lm, found):
    trace, (layer, head) = lm.trace(kept.STORY), kept.HEAD
    q, k, v = (trace[f"blocks.{layer}.attn.{name}"][0, head].double() for name in "qkv")
    weights = (k @ q[-1] / math.sqrt(len(q[-1]))).softmax(-1)
    assert found.looks == pytest.approx(weights.tolist(), abs=1e-4)
    assert int(weights.argmax()) == found.best and found.tokens[found.best] == " ball" and weights.max() > 0.5
    assert found.row == {"q": q[-1].tolist(), "k": k[found.best].tolist(), "v": v[found.best].tolist()}


def test_a_word_more_changes_nothing_before_it(lm, found):
    more = kept.STORY + found.new
    assert len(lm.encode(more)) == len(lm.encode(kept.STORY)) + 1
    for layer in range(4):
        for one, two in zip(keys_and_values(lm, kept.STORY, layer), keys_and_values(lm, more, layer)):
            assert (two[:, : one.shape[1]] - one).abs().max() < 1e-5 * one.abs().max()


def test_keys_and_values_are_enough_to_write_on(lm, found):
    """One word after another through a cache, which has no queries, gives what the whole text gives."""
    ids = lm.encode(kept.STORY)
    cache = lm.new_cache()
    for token in ids:
        last = lm(torch.tensor([[token]]), cache=cache)[0, -1]
    whole = lm(torch.tensor([ids]))[0, -1]
    assert (last - whole).abs().max() < 1e-3
    assert lm.tokenizer.decode([int(whole.argmax())]) == found.new == " ball"


def test_bytes_and_numbers_are_those_of_tensors(found):
    sizes = {kept.OWN: 2 * 8 * 16, kept.FOURS: 2 * 2 * 16, kept.ALL: 2 * 1 * 16, kept.SHORT: 64 + 8}
    assert found.numbers == sizes and found.bytes == {name: 4 * 4 * each for name, each in sizes.items()}
    assert found.letters == 4 and cheap.words(found, found)["times"] == "1,024"


def test_shared_keys_guess_nearly_as_well(found):
    for name in kept.MODELS:
        model = tlmviz.load(name)
        ids = model.tokenizer.encode(sample_text(), bos=True)
        hits = []
        for at in range(0, 8 * 256, 256):
            guesses = model(torch.tensor([ids[at : at + 256]]))[0].argmax(-1).tolist()
            hits += [one == two for one, two in zip(guesses, ids[at + 1 : at + 256])]
        assert found.right[name] == pytest.approx(sum(hits) / len(hits))
    own, fours, shared = (found.right[name] for name in (kept.OWN, kept.FOURS, kept.ALL))
    assert own > fours > shared > own - 0.03  # "hardly suffers"; "not better"


def test_a_short_row_takes_more_work(found):
    model = tlmviz.load(kept.SHORT)
    own, latent, rope = model.config, model.config.attention.latent_dim, model.config.attention.rope_dim
    looks = (
        own.n_layers * own.n_heads * 200 * (2 * latent + rope)
    )  # scores meet all of a row, values all but the turned
    base = found.more - looks
    one = tlmviz.load(kept.OWN)
    assert found.more > 1.3 * found.work[1] and base == pytest.approx(multiplications(one, 0, 1), rel=0.1)
    assert latent + rope == found.numbers[kept.SHORT] and one.config.head_dim == 16


def test_six_are_served_as_they_are_alone_and_fill_a_sixth(lm, found):
    alone = [lm.generate(*each, 0.8, seed=i) for i, each in enumerate(zip(kept.REQUESTS, kept.TOKENS))]
    run = found.run
    assert [len(answer) for answer in run.answers] == list(kept.TOKENS)
    assert list(run.texts) == [str(text).removeprefix(prompt) for text, prompt in zip(alone, kept.REQUESTS)]
    lengths = [len(lm.encode(prompt)) + count for prompt, count in zip(kept.REQUESTS, kept.TOKENS)]
    assert found.lengths == lengths and found.filled == pytest.approx(sum(lengths) / (6 * 256))
    assert found.filled < 0.5  # "most lies empty"
    assert found.paged == sum(4 * math.ceil(length / 4) for length in lengths) < 6 * 256 / 4


def test_whose_pages_are_shared(lm, found):
    pages, shared = found.pages
    ids = [lm.encode(each) for each in kept.REQUESTS]
    assert pages == [math.ceil(len(each) / 4) for each in ids]
    alike = [[one == two for one, two in zip(each, ids[0])].index(False) for each in ids[1:]]
    assert shared == [0, *(each // 4 for each in alike)] and shared[4] == 0
    assert [i for i, each in enumerate(shared) if each] == [1, 2]


def test_the_pages_that_are_drawn_are_those_that_are_said(lm, found):
    """A's are drawn whole; B and C have a page each beside hers."""
    assert lm.encode(kept.REQUESTS[4])[1:] == lm.encode("".join(found.begins[1:]))[1:]
    *_story, grid = runner.payload(cheap.LESSON)["scenes"][-1]["after"]
    rows = grid["options"]["rows"]
    drawn = [sum(wide for _at, wide, state, _says in row["cells"] if state != "none") for row in rows]
    assert drawn == [7, 1, 1, 3, 7, 1] and [row["says"] for row in rows] == [f"pages: {each}" for each in drawn]
    words, pages = cheap.words(found, found), found.pages[0]
    assert words["fewer"] == f"{sum(drawn)}" and words["pages"] == f"{sum(pages)}"
    assert words["begun"] == f"{len(lm.encode(kept.REQUESTS[4]))}"


def test_bytes_can_be_worked_out_from_what_is_written(found):
    hints = [scene["hint"] for scene in runner.payload(cheap.LESSON)["scenes"]]
    assert "key is 16 numbers, a value 16, each of 4 bytes" in hints[4] and 2 * 8 * 16 * 4 * 4 == 4096
    assert "256 numbers × 4 layers × 4 bytes = 4,096" in hints[5]
    short, own = (f"{found.right[name]:.0%}" for name in (kept.SHORT, kept.OWN))
    for reply in runner.payload(cheap.LESSON)["scenes"][6]["act"]["replies"]:
        assert f"{short} of guesses right, not {own}: in this small model it does not pay." in reply["reason"]
        # DeepSeek-V2 and V3: 128 heads of 128 + 128 numbers, or a latent of 512 and 64 that are turned
        assert reply["reason"].endswith(f"a large model's 128 heads: {512 + 64} numbers, not {2 * 128 * 128:,}.")
    assert found.numbers[kept.SHORT] > found.numbers[kept.FOURS] and found.more > found.work[1]  # "does not pay"


def test_another_first_word_moves_every_later_key_above_the_first_layer(lm):
    one, two = kept.STORY, kept.STORY.replace(kept.FIRST, kept.OTHER, 1)
    for layer in range(4):
        for a, b in zip(keys_and_values(lm, one, layer), keys_and_values(lm, two, layer)):
            apart = (a - b)[:, 2:].norm(dim=(0, 2)) / a[:, 2:].norm(dim=(0, 2))
            assert (apart.max() < 1e-5) if layer == 0 else (apart.min() > 1e-3)
