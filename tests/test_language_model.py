"""The public model: reading, scoring and continuing texts."""

import math

import pytest
import torch

import tlmviz
from tlmviz.decoding.sampling import next_token
from tlmviz.errors import BadShape, BadText, UnknownName
from tlmviz.facades import language_model
from tlmviz.tokens import END_OF_TEXT

from . import tiny
from .tiny import SENTENCES, TEXT, sentence


@pytest.fixture(scope="module")
def short(tokenizer):
    """A model whose context is smaller than most texts."""
    return tiny.language_model(tokenizer, context=24)


class TestEncode:
    def test_starts_with_end_of_text(self, lm):
        assert lm.encode(TEXT) == [lm.tokenizer.end_of_text, *lm.tokenizer.encode(TEXT)]

    def test_an_empty_text_is_refused(self, lm):
        with pytest.raises(BadText, match="empty") as error:
            lm.encode("")
        sentence(error)
        with pytest.raises(BadText):
            lm.trace("")

    def test_a_long_text_is_refused_with_both_numbers(self, short):
        with pytest.raises(BadText) as error:
            short.encode(TEXT * 3)
        text = sentence(error)
        assert f"{len(short.tokenizer.encode(TEXT * 3)) + 1} tokens" in text and "24" in text

    def test_the_longest_text_is_read(self, short):
        text, _ = short.fit(TEXT * 3)
        assert short.trace(text).logits.shape[0] <= 24

    def test_no_ids_are_refused(self, lm):
        with pytest.raises(BadText) as error:
            lm.trace_ids([])
        sentence(error)

    @pytest.mark.parametrize("text", [" ", "\x00", "😀", "a\ud83d", END_OF_TEXT, "<script>"])
    def test_odd_texts_are_read(self, lm, text):
        trace = lm.trace(text)
        assert trace.ids.count(lm.tokenizer.end_of_text) == 1 and torch.isfinite(trace.logits).all()


class TestFit:
    def test_a_short_text_stays(self, lm):
        assert lm.fit(TEXT) == (TEXT, len(lm.encode(TEXT)))

    @pytest.mark.parametrize(
        "text", [TEXT * 4, "😀" * 30, "שלום " * 20, "a" * 99], ids=["words", "emoji", "hebrew", "a"]
    )
    def test_a_long_text_is_cut_at_a_whole_character(self, short, text):
        part, tokens = short.fit(text)
        assert text.startswith(part) and 0 < len(part) < len(text)
        assert len(short.encode(part)) <= 24 and tokens == len(short.tokenizer.encode(text)) + 1
        whole = [cut for cut in range(len(text)) if len(short.tokenizer.encode(text[:cut], bos=True)) <= 24]
        assert len(part) >= 0.7 * max(whole)  # not much less than could have been kept


class TestGenerate:
    def test_the_same_seed_gives_the_same_text(self, lm):
        first = lm.generate(TEXT, seed=3, temperature=1.5, top_k=None)
        assert first == lm.generate(TEXT, seed=3, temperature=1.5, top_k=None)
        others = {lm.generate(TEXT, seed=seed, temperature=1.5, top_k=None) for seed in range(4)}
        assert len(others) > 1

    def test_torchs_own_generator_is_left_alone(self, lm):
        state = torch.get_rng_state()
        lm.generate(TEXT, max_new_tokens=3)
        assert torch.equal(torch.get_rng_state(), state)

    def test_greedy_takes_the_largest_logit_each_time(self, variant):
        """Also: the cache changes nothing, as every step here reads the whole text again."""
        ids = variant.encode("Lily")
        new = []
        for _ in range(12):
            new.append(int(variant(torch.tensor([ids + new]))[0, -1].argmax()))
            if new[-1] == variant.tokenizer.end_of_text:
                break
        text = variant.generate("Lily", max_new_tokens=12, temperature=0)
        assert (
            text == variant.tokenizer.decode(new) == variant.generate("Lily", max_new_tokens=12, temperature=0, seed=9)
        )

    def test_sampling_without_a_cache_draws_the_same(self, variant):
        ids, generator = variant.encode("Tom"), torch.Generator().manual_seed(5)
        new = []
        for _ in range(12):
            token = next_token(variant(torch.tensor([ids + new]))[0, -1], 0.7, 20, 0.9, generator)
            if token == variant.tokenizer.end_of_text:
                break
            new.append(token)
        found = variant.generate("Tom", max_new_tokens=12, temperature=0.7, top_k=20, top_p=0.9, seed=5)
        assert found == variant.tokenizer.decode(new)

    def test_stops_at_end_of_text(self, lm, monkeypatch):
        word, end = lm.tokenizer.encode(" Lily"), lm.tokenizer.end_of_text
        script = iter([*word, end, *word])
        monkeypatch.setattr(language_model, "next_token", lambda *_: next(script))
        assert lm.generate("a", max_new_tokens=5) == " Lily"
        assert list(script) == word

    def test_goes_on_behind_a_full_context(self, short, monkeypatch):
        seen, word = [], short.tokenizer.encode("a")[0]
        monkeypatch.setattr(language_model, "next_token", lambda *_: seen.append(1) or word)
        assert short.generate("Tom", max_new_tokens=100) == "a" * 100 and len(seen) == 100

    def test_behind_a_full_context_it_reads_the_last_tokens(self, variant):
        """000 section 2.1.4: a text that fills the context, and ten more tokens, each after a crop by hand."""
        context, end = variant.config.context, variant.tokenizer.end_of_text
        text = variant.fit("Lily saw a red ball. " * context)[0]
        ids, new = variant.encode(text), []
        assert context - 3 <= len(ids) <= context
        while len(new) < 13:
            cropped = (ids + new)[-context:]
            new.append(int(variant(torch.tensor([cropped]))[0, -1].argmax()))
            if new[-1] == end:
                new.pop()
                break
        assert variant.generate(text, max_new_tokens=13, temperature=0) == variant.tokenizer.decode(new)

    def test_nothing_to_start_from_is_a_fresh_document(self, lm):
        assert lm.generate("", max_new_tokens=3, temperature=0) == lm.generate("", max_new_tokens=3, temperature=0)
        assert lm.generate("a", max_new_tokens=0) == ""

    @pytest.mark.parametrize(
        "bad", [dict(temperature=-1.0), dict(temperature=math.nan), dict(top_k=0), dict(top_p=0.0)]
    )
    def test_impossible_settings_are_refused(self, lm, bad):
        with pytest.raises(BadShape) as error:
            lm.generate("a", **bad)
        sentence(error)


class TestCall:
    def test_the_cache_continues(self, variant):
        ids = torch.tensor([variant.encode(TEXT)])
        cache = variant.new_cache()
        assert cache.nbytes == 0
        pieces = torch.cat([variant(ids[:, :5], cache), variant(ids[:, 5:6], cache), variant(ids[:, 6:], cache)], 1)
        torch.testing.assert_close(pieces, variant(ids), atol=1e-4, rtol=0)
        assert cache.length == ids.shape[1] and cache.nbytes > 0
        cache = variant.new_cache()
        steps = torch.cat([variant(piece, cache) for piece in ids.split(1, 1)], 1)
        torch.testing.assert_close(steps, variant(ids), atol=1e-4, rtol=0)

    def test_fewer_key_heads_need_less_memory(self, tokenizer):
        ids = torch.tensor([[1, 2, 3]])
        sizes = []
        for groups in (4, 2, 1):
            model = tiny.language_model(tokenizer, n_kv_heads=groups)
            cache = model.new_cache()
            model(ids, cache)
            sizes.append(cache.nbytes)
        assert sizes == [sizes[0], sizes[0] // 2, sizes[0] // 4]


def slow_bits(lm, documents):
    """One forward pass per token; a window starts every half context and a token belongs to the first that holds it."""
    bits, context, half = 0.0, lm.config.context, lm.config.context // 2
    for document in documents:
        ids = lm.tokenizer.encode(document, bos=True)
        for target in range(1, len(ids)):
            start = next(s for s in range(0, len(ids), half) if target <= s + context)
            logits = lm(torch.tensor([ids[start:target]]))[0, -1].double()
            bits -= logits.log_softmax(-1)[ids[target]].item() / math.log(2)
    return bits / sum(len(document.encode()) for document in documents)


class TestBitsPerByte:
    @pytest.fixture(params=["rope", "notes"])
    def model(self, request, tokenizer):
        return tiny.language_model(tokenizer, **tiny.VARIANTS[request.param] | dict(context=15))

    @pytest.mark.parametrize(
        "documents",
        [["a"], ["Lily."], SENTENCES[:1], [" ".join(SENTENCES)], [*SENTENCES, "é 😀", "a"]],
        ids=["letter", "word", "longer than the context", "much longer", "many"],
    )
    def test_equals_one_token_at_a_time(self, model, documents):
        assert model.bits_per_byte(documents) == pytest.approx(slow_bits(model, documents), rel=1e-5)

    def test_end_of_text_separates_documents(self, model):
        joined = f"\n{END_OF_TEXT}\n".join(SENTENCES) + f"\n{END_OF_TEXT}\n"
        assert model.bits_per_byte(joined) == pytest.approx(model.bits_per_byte(SENTENCES), rel=1e-6)

    def test_batches_do_not_matter(self, model):
        from tlmviz.evaluation import bits_per_byte

        found = [bits_per_byte(model.network, model.tokenizer, SENTENCES, size) for size in (1, 40, 100_000)]
        assert found == pytest.approx([found[0]] * 3, rel=1e-6)

    @pytest.mark.parametrize("text", ["", "  \n", [], ["", " "], END_OF_TEXT])
    def test_nothing_to_score_is_refused(self, model, text):
        with pytest.raises(BadText) as error:
            model.bits_per_byte(text)
        sentence(error)

    def test_half_an_emoji_is_scored(self, model):
        assert math.isfinite(model.bits_per_byte("a \ud83d b"))

    def test_a_uniform_model_needs_the_logarithm_of_its_vocabulary(self, tokenizer):
        model = tiny.language_model(tokenizer, tied=False)
        model.network.head.weight.zero_()
        tokens, size = len(tokenizer.encode(TEXT)), len(TEXT.encode())
        assert model.bits_per_byte(TEXT) == pytest.approx(tokens * math.log2(tokenizer.vocab_size) / size, rel=1e-6)


class TestBundled:
    STORY = (
        "Once upon a time, there was a little boy named Ben. He had a small brown dog. One sunny day, Ben and his dog "
        "went to the park to play. They saw a big tree and a little bird. The bird was sad because it could not fly. "
        'Ben said, "Do not be sad. We can help you." They were all very happy.'
    )

    @pytest.mark.quality
    def test_it_has_learned_to_write_stories(self, stories):
        assert stories.bits_per_byte(self.STORY) < 2.0
        scrambled = " ".join(sorted(self.STORY.split()))
        assert stories.bits_per_byte(self.STORY) < stories.bits_per_byte(scrambled) - 0.3

    def test_the_public_contract(self, stories):
        trace = stories.trace("Once upon a time")
        length, layers, heads = len(trace.tokens), stories.config.n_layers, stories.config.n_heads
        assert trace.logits.shape == (length, stories.config.vocab_size)
        assert trace.attention(layer=0, head=0).shape == (length, length)
        assert trace.pooled(0, 0, size=64, reduce="max").shape == (64, 64)
        assert len(trace.head_statistics()) == layers * heads
        assert trace["blocks.0.attn.q"].shape == (1, heads, length, stories.config.head_dim)
        assert stories.name in tlmviz.list_models() and tlmviz.list_models()[stories.name]
        assert isinstance(stories.generate("Once", max_new_tokens=4, temperature=0.8, top_k=40, top_p=1.0, seed=0), str)

    @pytest.mark.parametrize(
        "asked, meant", [("gpt-5", "stories-gpt"), ("stories_rope", "stories-rope"), ("zoo", "zoo-rope")]
    )
    def test_an_unknown_name_lists_those_that_are_near(self, asked, meant):
        with pytest.raises(UnknownName) as error:
            tlmviz.load(asked)
        assert meant in sentence(error) and str(len(tlmviz.list_models())) in sentence(error)
