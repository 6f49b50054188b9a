"""The claims of the lesson "Many heads, one block", measured plainly."""

import pytest
import torch

import tlmviz
from tlmviz.ui.lessons import block, runner

LAYERS, HEADS = 6, 6


@pytest.fixture(scope="module")
def lm():
    return tlmviz.load("stories-rope")


@pytest.fixture(scope="module")
def m():
    return runner.measured("block", block.STORY)


def silent(lm, *names):
    """The story read with some tensors all zero."""
    return lm.trace(block.STORY, edit={name: lambda value, record: 0 * value for name in names})


def guess(lm, trace, name):
    """The likeliest word read off a row of numbers, its share, and all shares: RMS norm and unembedding in double
    precision."""
    network = lm.on_cpu.network
    x = trace[name][0, -1].double()
    normed = x / (x.square().mean() + network.norm.eps).sqrt() * network.norm.weight.double()
    shares = (network.head.weight.double() @ normed).softmax(-1)
    best = int(shares.argmax())
    return lm.tokenizer.name(best).strip(), float(shares[best]), shares


def test_the_guess_climbs_from_the_last_word_to_the_answer(lm, m):
    trace, answer = lm.trace(block.STORY), lm.encode(" ball")[-1]
    heights = ["blocks.0.resid_pre", *(f"blocks.{layer}.resid_post" for layer in range(LAYERS))]
    for n, name in enumerate(heights):
        best, share, shares = guess(lm, trace, name)
        assert m.guesses[n] == (best, pytest.approx(share, abs=1e-4))
        assert m.places[n] == int((shares > shares[answer]).sum()) + 1
    assert [best for best, _ in m.guesses] == ["little", *["girl"] * 5, "ball"] and m.rise == 6
    assert m.guesses[0][1] > 0.995 and m.places[5] < m.places[2]


def test_only_heads_bring_something_from_other_words(lm, m):
    deaf = silent(lm, *(f"blocks.{layer}.attn.out" for layer in range(LAYERS)))
    assert m.deaf == ("girl", pytest.approx(guess(lm, deaf, "blocks.5.resid_post")[1], abs=1e-4))
    first, sure, _ = guess(lm, deaf, "blocks.0.resid_post")
    assert m.first == (first, pytest.approx(sure, abs=1e-4)) and first == m.guesses[1][0]  # "no other word is needed"
    assert abs(sure - m.guesses[1][1]) < 0.03
    other = lm.trace(
        "Tom saw a cat. He had a dog. Anna saw it and the little",
        edit={f"blocks.{layer}.attn.out": lambda value, record: 0 * value for layer in range(LAYERS)},
    )
    shares = other.logits_at(-1).softmax(-1)  # of another story: the same guess
    assert float((shares - deaf.logits_at(-1).softmax(-1)).abs().max()) < 1e-5


def test_without_feed_forward_parts_nothing_is_left(lm, m):
    carried = silent(lm, *(f"blocks.{layer}.mlp.hidden" for layer in range(LAYERS)))
    _best, share, shares = guess(lm, carried, "blocks.5.resid_post")
    assert m.carried == (pytest.approx(share, abs=1e-4), pytest.approx(float(shares[lm.encode(" ball")[-1]]), abs=1e-4))
    assert share < 0.05 and m.carried[1] < 0.005


def test_of_the_last_blocks_heads_one_is_needed_most(lm, m):
    trace, aims = lm.trace(block.STORY), []
    for head in range(HEADS):
        q, k, *_ = trace.qk(LAYERS - 1, head)
        weights = (q[-1].double() @ k.double().T / q.shape[-1] ** 0.5).softmax(-1)
        assert m.rows[head] == pytest.approx(weights.tolist(), abs=1e-4)
        aims.append(trace.tokens[int(weights.argmax())])

        def edit(z, record, head=head):
            z = z.clone()
            z[:, head] = 0
            return z

        muted = lm.trace(block.STORY, edit={"blocks.5.attn.z": edit})
        best, _share, shares = guess(lm, muted, "blocks.5.resid_post")
        assert m.muted[head] == (best, pytest.approx(float(shares[lm.encode(" ball")[-1]]), abs=1e-4))
    assert aims == [" ball", " ball", " the", " ball", " ball", " ball"]
    assert m.needed == m.writer == 0 and m.muted[0][1] < 0.25 and min(share for _, share in m.muted[1:]) > 0.8
    scene = block._looks(m)
    assert scene.act.replies["1"].words["alike"] == "2, 4, 5, 6"
    drawn = scene.before[1].options["heads"]
    assert [head["says"] for head in drawn] == [
        f"“{aim.strip()}” {max(row):.0%}" for aim, row in zip(aims, m.rows, strict=True)
    ]


def test_what_goes_out_is_the_sum_of_all_that_is_written(lm, m):
    trace = lm.trace(block.STORY)
    come, one, more, feed, out = (torch.tensor(each) for each in m.written)
    torch.testing.assert_close(come + one + more + feed, out, atol=1e-4, rtol=0)
    proj = lm.on_cpu.network.blocks[5].attn.proj.weight
    each = [proj[:, 32 * head : 32 * head + 32] @ trace["blocks.5.attn.z"][0, head, -1] for head in range(HEADS)]
    assert m.writer == max(range(HEADS), key=lambda head: torch.linalg.norm(each[head]))
    torch.testing.assert_close(one, each[m.writer][: block.SHOWN], atol=1e-4, rtol=0)
    torch.testing.assert_close(one + more, sum(each)[: block.SHOWN], atol=1e-4, rtol=0)
    says = [round(each[m.told], 2) for each in m.written]
    assert says[4] == pytest.approx(sum(says[:4])) and len({says[0], says[3], says[4]}) == 3


def test_a_block_can_be_left_out_but_the_first_and_the_last(lm, m):
    for layer, (best, share, left) in enumerate(m.passed):
        word, most, shares = guess(
            lm, silent(lm, f"blocks.{layer}.attn.out", f"blocks.{layer}.mlp.out"), "blocks.5.resid_post"
        )
        assert (word, pytest.approx(most, abs=1e-4)) == (best.removeprefix("…"), share)
        assert best.startswith("…") == (word == "f")  # a piece of a word
        assert left == pytest.approx(float(shares[lm.encode(" ball")[-1]]), abs=1e-4)
        assert (left < 0.01 and best != "ball") if layer in (0, 5) else left > 0.7


def test_the_answer_is_lost_without_heads(lm, m):
    deaf = silent(lm, *(f"blocks.{layer}.attn.out" for layer in range(LAYERS)))
    assert m.silent == pytest.approx(float(deaf.logits_at(-1).double().softmax(-1)[lm.encode(" ball")[-1]]), abs=1e-4)
    assert m.silent < 0.1 * m.guesses[-1][1]


def test_without_which_block_the_answer_is_kept_is_all_in_sight_at_the_end(m):
    replies = block._pass(m).act.replies
    [found] = [reply for reply in replies.values() if reply.right]
    [bars] = [part.options["rows"] for part in found.shows if part.kind == "bars"]
    assert [row["share"] for row in bars] == pytest.approx(
        [m.guesses[-1][1], *(left for *_, left in m.passed)], abs=1e-5
    )
