"""Alignments made by hand against attention: words of tokens, error rates worked by hand, and the head that counts."""

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

import tlmviz
from tests import tiny
from tlmviz.analysis.translation import alignment
from tlmviz.analysis.translation.alignment import (
    ALIGNMENTS,
    Aligned,
    error_rates,
    read_alignments,
    word_attention,
    words_of_tokens,
)
from tlmviz.errors import BadText

TIE = 0.02
PAIR = Aligned("Lily had a ball.", "Tom saw Lily.", frozenset({(0, 2), (1, 1), (4, 3)}))


@pytest.fixture(scope="module")
def pairs():
    return read_alignments(ALIGNMENTS)


@pytest.fixture(scope="module", params=tiny.TRANSLATORS)
def mt(request, tokenizer):
    return tiny.translator(tokenizer, request.param)


class TestByHand:
    def test_the_file_holds_sentences_whose_links_exist(self, pairs):
        assert len(pairs) >= 20 and all(pair.links for pair in pairs)
        first = pairs[0]
        assert (first.source, first.target) == ("I am cold.", "J'ai froid.")
        assert first.links == {(0, 0), (1, 1), (2, 2), (3, 3)}  # I-J', am-ai, cold-froid, and the full stops

    def test_every_target_word_is_linked_or_left_out_on_purpose(self, pairs):
        linked = sum(len({t for _, t in pair.links}) for pair in pairs)
        assert linked / sum(len(alignment.WORDS.findall(pair.target)) for pair in pairs) > 0.85

    def test_a_link_to_a_missing_word_is_one_sentence(self, tmp_path):
        (tmp_path / "a.tsv").write_text("english\tfrench\tlinks\nI am.\tJe suis.\t0-0 5-1\n", encoding="utf-8")
        with pytest.raises(BadText, match="link") as error:
            read_alignments(tmp_path / "a.tsv")
        tiny.sentence(error)


class TestWordsOfTokens:
    def test_a_token_across_a_space_belongs_to_the_word_in_it(self):
        shares = words_of_tokens("ab cd.", [b"ab", b" c", b"d", b"."])
        assert shares.tolist() == [[1, 0, 0, 0], [0, 1, 1, 0], [0, 0, 0, 1]]

    def test_a_token_of_two_words_is_shared_by_bytes_and_a_space_is_nobodys(self):
        shares = words_of_tokens("ab c", [b"a", b"b", b" ", b"c"])
        assert shares[:, 2].tolist() == [0, 0]
        assert words_of_tokens("ab.", [b"ab."])[:, 0] == pytest.approx([2 / 3, 1 / 3])

    def test_letters_of_two_bytes_stay_with_their_word(self):
        text = "été là"
        pieces = [text.encode()[i : i + 1] for i in range(len(text.encode()))]
        shares = words_of_tokens(text, pieces)
        assert shares.sum(1).tolist() == [5, 3] and shares[:, 5].sum() == 0

    @given(st.text(alphabet="abé' .,", min_size=1, max_size=24), st.data())
    def test_columns_sum_to_one_or_to_nothing(self, text, data):
        raw, pieces = text.encode(), []
        while raw:
            cut = data.draw(st.integers(1, len(raw)))
            pieces.append(raw[:cut])
            raw = raw[cut:]
        shares = words_of_tokens(text, pieces)
        assert shares.shape == (len(alignment.WORDS.findall(text)), len(pieces))
        sums = shares.sum(0)
        assert np.all(np.isclose(sums, 1, atol=1e-6) | (sums == 0)) and (shares >= 0).all()


class TestErrorRates:
    def test_word_attention_spreads_each_target_word_over_the_source(self, mt):
        maps = word_attention(mt, PAIR)
        assert maps.shape == (len(mt.maps), 4, 5)
        assert (maps.sum(-1) <= 1 + 1e-4).all() and (maps >= 0).all()  # spaces alone belong to no word

    def test_it_is_the_mean_over_a_words_tokens_of_the_sum_over_the_others_tokens(self, mt):
        reading = mt.read(PAIR.source, [*mt.encode_target(PAIR.target), mt.tokenizer.end_of_text])
        source = words_of_tokens(PAIR.source, map(mt.tokenizer.token_bytes, mt.encode(PAIR.source)))
        target = words_of_tokens(PAIR.target, map(mt.tokenizer.token_bytes, mt.encode_target(PAIR.target)))
        maps = word_attention(mt, PAIR)
        for a in range(len(mt.maps)):
            for v, of_word in enumerate(target):
                rows = sum(share * reading.attention[t, a] for t, share in enumerate(of_word)) / of_word.sum()
                assert maps[a, v] == pytest.approx(source @ rows, abs=1e-5)

    @pytest.mark.parametrize(
        "looked, rate",
        [
            ([2, 1, 0, 4], 1 - 2 * 3 / (4 + 3)),  # all three links, and one word too many
            ([2, 1, 0, 0], 1 - 2 * 2 / (4 + 3)),
            ([3, 3, 3, 3], 1.0),
        ],
    )
    def test_rates_worked_by_hand(self, monkeypatch, looked, rate):
        """Links: Lily-Lily, had-saw, and the full stops; target words Tom, saw, Lily and the full stop."""

        class OneMap:
            maps = ["only"]

        pair = Aligned("Lily had a ball.", "Tom saw Lily.", frozenset({(0, 2), (1, 1), (4, 3)}))
        monkeypatch.setattr(alignment, "word_attention", lambda mt, pair: np.eye(5)[looked][None])
        rates = error_rates(OneMap, [pair])
        assert rates["only"] == pytest.approx(rate) and rates["mean"] == pytest.approx(rate)

    @pytest.mark.parametrize("tied, rate", [((0, 2), 0.5), ((0, 1, 2), 1 / 3), ((1, 3), 0.0)])
    def test_words_that_tie_share_their_link_wherever_they_stand(self, monkeypatch, tied, rate):
        """A saturated softmax ties exactly: which word comes first must not decide."""

        class OneMap:
            maps = ["only"]

        for right in (0, 2):
            pair = Aligned("one two three four", "un", frozenset({(right, 0)}))
            row = np.zeros((1, 1, 4), np.float32)
            row[0, 0, list(tied)] = 0.5
            monkeypatch.setattr(alignment, "word_attention", lambda mt, pair, row=row: row)
            assert 1 - error_rates(OneMap, [pair])["only"] == pytest.approx(rate)

    def test_every_map_and_the_mean_are_measured_and_sorted(self, mt):
        rates = error_rates(mt, [PAIR])
        assert set(rates.index) == {*mt.maps, "mean"} and rates.is_monotonic_increasing
        assert rates.between(0, 1).all()


@pytest.mark.quality
@pytest.mark.parametrize("name", tlmviz.list_models("translation"))
class TestBundled:
    def test_the_map_that_counts_aligns_best(self, name, pairs):
        torch.set_num_threads(1)
        mt = tlmviz.load(name)
        rates = error_rates(mt, pairs)
        chosen = "mean" if mt.align is None else mt.maps[mt.align]
        assert rates[chosen] <= rates.iloc[0] + TIE

    def test_it_is_far_better_than_chance(self, name, pairs):
        """Words looked at in order would be wrong in most places of sentences whose order differs."""
        mt = tlmviz.load(name)
        rates = error_rates(mt, pairs)
        assert rates.iloc[0] < 0.4
