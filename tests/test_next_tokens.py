"""The public face of speculative decoding and of a model that looks ahead."""

import pytest
import torch

import tlmviz
from tests import tiny
from tlmviz.checkpoints.native import save_network
from tlmviz.errors import BadShape, BadText

TEXT = "Once upon a time there was a little"


@pytest.fixture(scope="module")
def mtp():
    return tlmviz.load("stories-mtp")


@pytest.mark.parametrize("text", [TEXT, "Tom saw a big dog.", "a", "The dog was sad because"])
def test_heads_side_by_side_write_greedys_text_too(text):
    """Proposals are the heads' own first choices at the last state, and a wrong one is never kept."""
    lm = tlmviz.load("stories-mtp-parallel")
    said = lm.speculate(text, 40, least=0.0)
    assert said.text == lm.generate(text, 40, temperature=0) and said.accepted > 0
    ids = lm.encode(text)
    for each in said.rounds:
        if each.proposed:
            state = lm.network.read(torch.tensor([ids]))[0, -2]
            first = [int(head(state).argmax()) for head in lm.network.ahead]
            assert list(each.proposed) == first[: len(each.proposed)]
        ids = [*ids, *each.written]


@pytest.mark.parametrize("text", [TEXT, "Tom saw a big dog.", "a", "The dog was sad because"])
def test_the_text_is_greedys(mtp, text):
    greedy = mtp.generate(text, 50, temperature=0)
    for least in (None, 0.0, 0.7):
        said = mtp.speculate(text, 50, least=least)
        assert said.text == greedy, least
        assert said.passes == len(said.rounds) and 0 < said.accepted <= said.proposed, least
        assert said.passes + said.accepted >= len(said.ids), least
        if least == 0.0:
            assert said.passes < 0.75 * len(said.ids)  # it is worth something


def test_it_is_a_language_model_like_others(mtp):
    assert isinstance(mtp, tlmviz.LanguageModel) and mtp.task == "language" and "stories-mtp" in tlmviz.list_models()
    trace = mtp.trace(TEXT)
    assert trace.attention(0, 0).shape == (len(trace.ids), len(trace.ids))
    torch.testing.assert_close(trace.logits, mtp(torch.tensor([trace.ids]))[0], atol=1e-4, rtol=1e-4)


def test_a_draft_of_the_same_vocabulary():
    large, small = (tlmviz.load(name) for name in ("stories-rope", "zoo-mqa"))
    said = large.speculate(TEXT, 40, draft=small)
    assert said.text == large.generate(TEXT, 40, temperature=0) and said.accepted > 10


def test_drawn_texts_repeat_with_their_seed(mtp):
    one, two, other = (mtp.speculate(TEXT, 30, temperature=0.9, seed=seed).text for seed in (1, 1, 2))
    assert one == two != other


def test_predictions_ahead(mtp):
    ahead = mtp.ahead(TEXT)
    count = len(ahead.ids)
    assert [tuple(p.shape) for p in ahead.probabilities] == [(count - k, mtp.config.vocab_size) for k in range(4)]
    for p in ahead.probabilities:
        torch.testing.assert_close(p.sum(-1), torch.ones(len(p)))
    assert [len(ahead.right(k)) for k in range(5)] == [count - 1, count - 2, count - 3, count - 4, 0]
    assert len(mtp.ahead("").probabilities) == 1 if mtp.tokenizer.begin is None else True


def test_a_folder_comes_back_as_it_was(tmp_path):
    lm = tiny.next_token_model()
    save_network(tmp_path / "mine", lm.network, lm.tokenizer)
    again = tlmviz.load(tmp_path / "mine")
    assert again.depth == 3 and again.speculate("Lily had", 9).ids == lm.speculate("Lily had", 9).ids


class TestOneSentence:
    @pytest.mark.parametrize(
        "arguments, error, why",
        [
            (("",), BadText, "The text is empty"),
            ((TEXT, 0), BadShape, "at least 1 token"),
            ((TEXT, -3), BadShape, "max_new_tokens is -3"),
            ((TEXT, 255), BadText, "ask for at most"),
            (("ball " * 300, 5), BadText, "at most 256"),
        ],
    )
    def test_texts_and_counts(self, mtp, arguments, error, why):
        with pytest.raises(error, match=why):
            mtp.speculate(*arguments)

    def test_a_text_at_the_end_of_the_context(self, mtp):
        text = mtp.fit("Lily had a red ball. " * 60)[0]
        room = mtp.config.context - len(mtp.encode(text))
        with pytest.raises(BadText, match="all that stories-mtp reads" if not room else "at most"):
            mtp.speculate(text, room + 1)

    @pytest.mark.parametrize(
        "options, why",
        [(dict(ahead=-1), "ahead is -1"), (dict(least=2.0), "from 0 to 1"), (dict(temperature=-1.0), "temperature")],
    )
    def test_options(self, mtp, options, why):
        with pytest.raises(BadShape, match=why):
            mtp.speculate(TEXT, 5, **options)

    def test_models_that_cannot(self, mtp):
        rope = tlmviz.load("stories-rope")
        with pytest.raises(BadShape, match="has no modules that look ahead"):
            rope.speculate(TEXT)
        with pytest.raises(BadShape, match="different vocabularies"):
            mtp.speculate(TEXT, 5, draft=tiny.language_model(tiny.tokenizer()))
        with pytest.raises(BadShape, match="sliding window"):
            rope.speculate(TEXT, 5, draft=tlmviz.load("zoo-window"))
        with pytest.raises(BadText, match="zoo-mqa reads"):
            rope.speculate(TEXT, 300, draft=tlmviz.load("zoo-mqa"))
