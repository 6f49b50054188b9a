"""Calls that go on with a cache: caches that are just full, and the reason where a call goes on with something else."""

import pytest
import torch
import transformers as hf

import tlmviz
from tlmviz.errors import BadModel

from ..tiny import sentence
from .families import FAMILIES, Family
from .test_callers_masks import own_maps

WINDOW = 6
OPTIONS = dict(max_new_tokens=4, min_new_tokens=4, do_sample=False, disable_compile=True)


def prompt(length, batch=2):
    return torch.randint(3, 50, (batch, length), generator=torch.Generator().manual_seed(length))


def layered(count):
    family = FAMILIES["llama"]
    return Family(family.config, dict(family.settings, num_hidden_layers=count)).make()


@pytest.fixture
def llama():
    return FAMILIES["llama"].make()


@pytest.mark.parametrize("cache", ["static", "dynamic"])
@pytest.mark.parametrize("length", range(WINDOW - 2, WINDOW + 3))
@pytest.mark.parametrize("family", ["mistral", "gemma2"])
def test_a_cache_that_is_just_full(family, length, cache):
    """Written over in place, it is no longer what the prompt left in it."""
    model = FAMILIES[family].make()
    model.config.sliding_window = WINDOW
    for chunk in (None, 3):
        chunks = {} if chunk is None else dict(prefill_chunk_size=chunk)
        with torch.no_grad(), tlmviz.watch(model, check=False) as watched:
            written = model.generate(prompt(length), **OPTIONS, **chunks, cache_implementation=cache)[:, :-1]
        exact = own_maps(model, input_ids=written, use_cache=False)
        for row, trace in enumerate(watched.traces):
            for layer in range(2):
                torch.testing.assert_close(trace.attentions(layer), exact[layer, row], atol=1e-5, rtol=0)


def test_what_is_kept_outlives_the_cache(llama):
    """A cache of fixed size that the prompt fills is handed over itself, and may be used again for another text."""
    cache = hf.StaticCache(config=llama.config, max_cache_len=5)
    with torch.no_grad(), tlmviz.watch(llama, check=False) as watched:
        llama(input_ids=prompt(5, 1), past_key_values=cache)
    exact = own_maps(llama, input_ids=prompt(5, 1), use_cache=False)[:, 0]
    cache.reset()
    with torch.no_grad():
        llama(input_ids=prompt(5, 1) + 1, past_key_values=cache)
    for layer in range(2):
        torch.testing.assert_close(watched.trace.attentions(layer), exact[layer], atol=1e-5, rtol=0)


def refused(model, call, words):
    with torch.no_grad(), tlmviz.watch(model, check=False), pytest.raises(BadModel, match=words) as error:
        call()
    assert sentence(error) and "this model cannot be watched" not in str(error.value)


class TestSettings:
    @pytest.mark.parametrize(
        "options, words",
        [
            (dict(num_beams=3), "num_beams=3 reorders .*generate with num_beams=1"),
            (dict(guidance_scale=1.5), "guidance_scale=1.5 runs the model on a second.*guidance_scale=None"),
            (dict(assistant_early_exit=2), "assistant_early_exit=2 drafts with the first layers"),
        ],
    )
    def test_of_generate_are_named(self, options, words):
        model = layered(4)
        refused(model, lambda: model.generate(prompt(6, 1), **OPTIONS, **options), words)

    def test_that_leave_one_text_are_not(self, llama):
        other = FAMILIES["llama"].make(seed=1)
        for options in (dict(assistant_model=other), dict(prompt_lookup_num_tokens=2), dict(guidance_scale=1.0)):
            with torch.no_grad(), tlmviz.watch(llama, check=False) as watched:
                written = llama.generate(prompt(6, 1), **OPTIONS, **options)
            read = written[:, : len(watched.trace)]
            exact = own_maps(llama, input_ids=read, use_cache=False)[:, 0]
            torch.testing.assert_close(watched.trace.attentions(1), exact[1], atol=1e-5, rtol=0)


class TestCaches:
    def chats(self, model, first, second):
        caches = [hf.DynamicCache(), hf.DynamicCache()]
        for ids, cache in zip((first, second), caches):
            model(input_ids=ids, past_key_values=cache)
        return lambda: model(input_ids=prompt(2, 1), past_key_values=caches[0])

    @pytest.mark.parametrize("layers", [1, 2])
    @pytest.mark.parametrize("second", ["shorter", "longer", "same end"])
    def test_two_texts_in_turn(self, second, layers):
        model = layered(layers)
        one = prompt(6, 1)
        two = {"shorter": prompt(4, 1), "longer": prompt(8, 1), "same end": one.clone()}[second]
        two[0, 1] += 1
        with torch.no_grad(), tlmviz.watch(model, check=False) as watched:
            go_on = self.chats(model, one, two)
            wanted = watched.trace.attentions(0)
            with pytest.raises(BadModel, match="a cache of another text.*a with block of its own") as error:
                go_on()
            assert sentence(error)
        assert watched.trace.ids == two[0].tolist() and torch.equal(watched.trace.attentions(0), wanted)

    def test_one_text_in_several_generations(self, llama):
        cache = hf.DynamicCache()
        with torch.no_grad(), tlmviz.watch(llama, check=False) as watched:
            first = llama.generate(prompt(5, 1), **OPTIONS, past_key_values=cache)
            whole = torch.cat([first, prompt(3, 1)], 1)
            written = llama.generate(whole, **OPTIONS, past_key_values=cache)[:, :-1]
        exact = own_maps(llama, input_ids=written, use_cache=False)[:, 0]
        torch.testing.assert_close(watched.trace.attentions(1), exact[1], atol=1e-5, rtol=0)
        assert watched.trace.ids == written[0].tolist()

    def test_rows_that_are_reordered_or_repeated_by_hand(self, llama):
        for change, rows, words in (
            (lambda cache: cache.reorder_cache(torch.tensor([1, 0])), 2, "changed their order"),
            (lambda cache: cache.batch_repeat_interleave(2), 4, "goes on with 4 rows, and the calls before had 2"),
        ):
            cache = hf.DynamicCache()

            def call(change=change, rows=rows, cache=cache):
                llama(input_ids=prompt(5), past_key_values=cache)
                change(cache)
                llama(input_ids=prompt(1, rows), past_key_values=cache)

            refused(llama, call, words)

    def test_keys_that_a_cache_rounds(self, llama):
        cache = hf.DynamicCache()

        def call():
            llama(input_ids=prompt(5), past_key_values=cache)
            for layer in cache.layers:
                layer.keys = layer.keys.to(torch.float8_e4m3fn).float()
            llama(input_ids=prompt(1), past_key_values=cache)

        refused(llama, call, "as a quantised cache does")

    def test_a_call_that_an_error_ended(self, llama):
        with torch.no_grad(), tlmviz.watch(llama, check=False) as watched:
            llama(input_ids=prompt(5))
            hook = llama.model.layers[1].register_forward_pre_hook(lambda *_: 1 / 0)
            with pytest.raises(ZeroDivisionError):
                llama(input_ids=prompt(5) + 1)
            hook.remove()
            with pytest.raises(BadModel, match="ran 1 of the 2 layers of 'decoder'") as error:
                watched.trace  # noqa: B018
            assert sentence(error)
            llama(input_ids=prompt(5))
        assert watched.trace.ids == prompt(5)[0].tolist()


class TestOtherWays:
    def test_continuous_batching_is_refused(self, llama):
        settings = hf.GenerationConfig(max_new_tokens=2, do_sample=False)
        refused(llama, lambda: llama.generate_batch([[5, 6, 7]], generation_config=settings), "generate_batch")

    def test_a_change_that_transformers_makes_by_the_name_is_refused(self, llama):
        refused(llama, lambda: setattr(llama.config, "output_attentions", True), "by its name, 'sdpa'")

    @pytest.mark.parametrize("kind", ["paged|eager", "kernels-community/flash-attn", "nonsense"])
    def test_an_implementation_that_is_not_there_is_named(self, llama, kind):
        llama.config._attn_implementation_internal = kind
        with pytest.raises(BadModel, match="not installed, or for continuous batching") as error:
            tlmviz.watch(llama, check=False)
        assert sentence(error) and kind in str(error.value)

    def test_the_check_says_why_the_model_did_not_run(self, llama):
        def fail(*_):
            raise ImportError("no such kernel\nand more")

        llama.model.layers[0].register_forward_pre_hook(fail)
        with pytest.raises(BadModel, match=r"\(ImportError: no such kernel\)") as error, tlmviz.watch(llama):
            pass
        assert sentence(error)

    def test_attention_switched_inside(self, llama):
        def call():
            llama.set_attn_implementation("eager")
            llama(input_ids=prompt(5))

        refused(llama, call, "switched to 'eager' inside")
        assert llama.config._attn_implementation == "sdpa"
        with torch.no_grad(), tlmviz.watch(llama) as watched:
            llama(input_ids=prompt(5))
        assert len(watched.trace) == 5

    def test_an_export_inside_computes_no_numbers(self, llama):
        llama.config.use_cache = False
        refused(llama, lambda: torch.export.export(llama, (prompt(5),), strict=False), "is exported inside")


@pytest.mark.parametrize("kind", ["sdpa", "eager"])
@pytest.mark.parametrize("cache", ["dynamic", "static"])
@pytest.mark.parametrize("family", ["llama", "mistral"])
def test_callers_masks_step_by_step(family, cache, kind):
    """Of a cache of fixed size they cover the empty places too, of one with a window only what it still holds."""
    model = FAMILIES[family].make(attn_implementation=kind)
    ids, length = prompt(10, 1), 10
    distance = torch.arange(length)[:, None] - torch.arange(length)
    seen = (distance >= 0) & (distance < (4 if family == "mistral" else length))
    whole = torch.randn(1, 4, length, length, generator=torch.Generator().manual_seed(0))
    whole = whole.masked_fill(~seen, torch.finfo(torch.float32).min)
    exact = own_maps(model, input_ids=ids, attention_mask=whole, use_cache=False)[:, 0]
    held = (
        hf.DynamicCache(config=model.config)
        if cache == "dynamic"
        else hf.StaticCache(config=model.config, max_cache_len=12)
    )
    with torch.no_grad(), tlmviz.watch(model, check=False) as watched:
        for start, stop in ((0, 3), (3, 6), (6, 7), (7, 9), (9, 10)):
            keys, first = held.get_mask_sizes(stop - start, 0)
            mask = torch.full((1, 4, stop - start, keys), torch.finfo(torch.float32).min)
            inside = min(keys, stop - first)
            mask[..., :inside] = whole[:, :, start:stop, first : first + inside]
            model(input_ids=ids[:, start:stop], attention_mask=mask, past_key_values=held)
    for layer in range(2):
        torch.testing.assert_close(watched.trace.attentions(layer), exact[layer], atol=1e-5, rtol=0)
