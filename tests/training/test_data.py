"""From files to batches: nothing lost, nothing leaked, nothing misspelled."""

import gzip

import numpy as np
import pytest

from tlmviz.errors import BadText
from tlmviz.training.data import Corpus, Packer, read_corpus, split_documents

from ..tiny import SENTENCES, sentence
from ..tiny import tokenizer as make_tokenizer

STORIES = [f"{text} And then there were {i}." for i in range(40) for text in SENTENCES]


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "stories.txt").write_text("\n<|endoftext|>\n".join(STORIES) + "\n<|endoftext|>\n", encoding="utf-8")
    return tmp_path


@pytest.fixture
def own_tokenizer():
    """Packing switches BPE-dropout on and off, which the shared tokenizer's other users would feel."""
    return make_tokenizer()


class TestCorpus:
    def test_every_story_is_learned_from_or_judged_by_once(self, folder):
        corpus = read_corpus(folder)
        assert sorted(corpus.train + corpus.valid) == sorted(STORIES)
        assert 0 < len(corpus.valid) < len(STORIES) * 0.2

    def test_the_split_does_not_depend_on_order_or_company(self, folder):
        valid = set(read_corpus(folder).valid)
        (folder / "stories.txt").write_text("<|endoftext|>".join(reversed([*STORIES, "One more.", STORIES[0]])))
        assert set(read_corpus(folder).valid) - {"One more."} == valid

    def test_sentences_are_unique_and_english(self, folder):
        with gzip.open(folder / "eng-fra.tsv.gz", "wt", encoding="utf-8") as lines:
            lines.write("Go.\tVa !\tCC\nGo.\tMarche.\tCC\nI am cold.\tJ'ai froid.\tCC\n")
        assert read_corpus(folder).sentences == ["Go.", "I am cold."]

    def test_without_sentences_there_are_none(self, folder):
        assert read_corpus(folder).sentences == []

    @pytest.mark.parametrize("text", [None, "", "<|endoftext|>\n", "One story."])
    def test_too_little_data_is_refused(self, tmp_path, text):
        if text is not None:
            (tmp_path / "stories.txt").write_text(text)
        with pytest.raises(BadText) as error:
            read_corpus(tmp_path)
        assert "stories.txt" in sentence(error)

    def test_documents_end_at_the_separator(self):
        assert split_documents("\n a b\n<|endoftext|>\n<|endoftext|> c") == ["a b", "c"]


class TestPacker:
    def stream(self, packer, rows, length, share=0.0, batches=1):
        """Inputs of all rows, one after the other."""
        parts = [packer.batch(rows, length, share) for _ in range(batches)]
        assert all(x.shape == y.shape == (rows, length) for x, y in parts)
        return [x for x, _ in parts], [y for _, y in parts]

    def test_targets_are_the_next_tokens(self, own_tokenizer):
        inputs, targets = self.stream(Packer(Corpus(STORIES, [], []), own_tokenizer, 0), 3, 20)
        assert (inputs[0][:, 1:] == targets[0][:, :-1]).all()

    def test_no_token_is_lost(self, own_tokenizer):
        """Windows put end to end spell one pass over the stories: every document once, whole, behind its separator."""
        packer = Packer(Corpus(STORIES, [], []), own_tokenizer, 0)
        count = sum(len(own_tokenizer.encode(text)) + 1 for text in STORIES)
        inputs, _ = self.stream(packer, 1, 50, batches=count // 50)
        ids = np.concatenate([x.numpy().ravel() for x in inputs]).tolist()
        end = own_tokenizer.end_of_text
        assert ids[0] == end and packer.passes == 1
        starts = [i for i, token in enumerate(ids) if token == end]
        documents = [own_tokenizer.decode(ids[a + 1 : b]) for a, b in zip(starts, starts[1:])]
        assert set(documents) <= set(STORIES) and len(documents) == len(set(documents)) >= len(STORIES) - 10

    def test_a_new_pass_begins_in_another_order(self, own_tokenizer):
        packer = Packer(Corpus(STORIES, [], []), own_tokenizer, 0)
        first, second = packer._one_pass("stories"), packer._one_pass("stories")
        assert len(first) == len(second) and (first != second).any() and packer.passes == 2
        assert sorted(first) == sorted(second)

    def test_the_same_seed_packs_the_same(self, own_tokenizer):
        batches = [Packer(Corpus(STORIES, [], []), own_tokenizer, seed).batch(4, 30, 0)[0] for seed in (1, 1, 2)]
        assert (batches[0] == batches[1]).all() and (batches[0] != batches[2]).any()

    def test_dropout_spells_some_documents_differently_and_says_the_same(self, own_tokenizer):
        packer = Packer(Corpus(STORIES, [], []), own_tokenizer, 0, bpe_dropout=0.3)
        ids = packer._one_pass("stories")
        documents = np.split(ids, np.flatnonzero(ids == own_tokenizer.end_of_text))[1:]
        texts = [own_tokenizer.decode(document) for document in documents]
        assert sorted(texts) == sorted(STORIES)
        plain = [document[1:].tolist() == own_tokenizer.encode(text) for document, text in zip(documents, texts)]
        assert 0.3 < np.mean(plain) < 0.7  # half keep the spelling used at inference

    def test_dropout_follows_from_the_seed(self, own_tokenizer):
        passes = [
            Packer(Corpus(STORIES, [], []), own_tokenizer, seed, bpe_dropout=0.3)._one_pass("stories").tolist()
            for seed in (1, 1, 2)
        ]
        assert passes[0] == passes[1] != passes[2]

    def test_sentences_fill_their_share(self, own_tokenizer):
        packer = Packer(Corpus(["a story " * 9] * 5, [], ["I am cold."] * 700), own_tokenizer, 0)
        inputs, _ = self.stream(packer, 200, 12, share=0.25)
        cold = [("cold" in own_tokenizer.decode(row)) for row in inputs[0].tolist()]
        assert 0.15 < np.mean(cold) < 0.35

    def test_without_sentences_every_window_holds_stories(self, own_tokenizer):
        inputs, _ = self.stream(Packer(Corpus(STORIES, [], []), own_tokenizer, 0), 8, 40, share=1.0)
        assert (inputs[0] != own_tokenizer.end_of_text).float().mean() > 0.9

    def test_repeats_hold_one_span_and_skip_what_cannot_be_known(self, own_tokenizer):
        packer = Packer(Corpus(STORIES, [], []), own_tokenizer, seed=0)
        inputs, targets = packer.batch(64, 48, 0.0, repeat_share=1.0)
        spans = (targets == -100).sum(1) + 1  # the first copy cannot be known
        assert spans.min() >= 3 and spans.max() <= 16 and len(spans.unique()) > 5
        for row, span in enumerate(spans.tolist()):
            known = targets[row] != -100
            assert not known[: span - 1].any() and known[span - 1 :].all()
            assert (targets[row, :-1][known[:-1]] == inputs[row, 1:][known[:-1]]).all()
            again = inputs[row, span:]  # the second copy is the first one again
            assert (again == inputs[row, :span].repeat(16)[: len(again)]).all()

    def test_repeats_are_a_share_of_the_rows(self, own_tokenizer):
        packer = Packer(Corpus(STORIES, [], []), own_tokenizer, seed=0)
        share = np.mean(
            [(packer.batch(32, 48, 0.0, repeat_share=0.25)[1] == -100).any(1).float().mean() for _ in range(20)]
        )
        assert 0.2 < share < 0.3
