"""Masks that the caller hands over: maps are the model's own softmax, whatever the mask is made of."""

import pytest
import torch
import transformers as hf

import tlmviz
from tlmviz.errors import BadModel

from ..tiny import sentence
from .families import BASE, FAMILIES, PAIRS

LENGTH = 8
IDS = torch.arange(5, 5 + LENGTH)[None]
CAUSAL = torch.ones(LENGTH, LENGTH, dtype=torch.bool).tril()[None, None]


def alike(batch=1):
    """One key is hidden from the later queries of all heads."""
    seen = CAUSAL.repeat(batch, 1, 1, 1)
    seen[0, :, 3:, 2] = False
    return seen


def by_head(batch=1):
    """One key is hidden from the later queries of head 2 alone."""
    seen = CAUSAL.repeat(batch, 4, 1, 1)
    seen[-1, 2, 3:, 2] = False
    return seen


def hidden_row(batch=1):
    """A query that sees nothing."""
    seen = CAUSAL.repeat(batch, 1, 1, 1)
    seen[-1, :, 3] = False
    return seen


def hidden_row_of_a_head(batch=1):
    seen = by_head(batch)
    seen[0, 1, 5] = False
    return seen


SEEN = [alike, by_head, hidden_row, hidden_row_of_a_head]
NUMBERS = {"lowest": None, "-1e9": -1e9, "-65504": -65504.0, "-inf": -torch.inf, "-20": -20.0}


def own_maps(model, **inputs):
    """The maps [L, B, H, T, S] that the model's eager attention returns."""
    kind = model.config._attn_implementation
    model.set_attn_implementation("eager")
    with torch.no_grad():
        maps = model(**inputs, output_attentions=True).attentions
    model.set_attn_implementation(kind)
    return torch.stack(maps)


def watched_maps(model, **inputs):
    """The same from traces of a pass whose outputs are seen to be those of the model when it is not watched."""
    with torch.no_grad():
        plain = model(**inputs).logits
        with tlmviz.watch(model, check=False) as watched:
            assert torch.equal(model(**inputs).logits, plain)
    traces = watched.traces
    layers = range(traces[0].n_layers)
    return torch.stack([torch.stack([trace.attentions(layer) for trace in traces]) for layer in layers])


@pytest.mark.parametrize("kind", ["eager", "sdpa"])
@pytest.mark.parametrize("number", NUMBERS)
@pytest.mark.parametrize("seen", SEEN)
def test_maps_are_the_models_own(seen, number, kind):
    model = FAMILIES["llama"].make(attn_implementation=kind)
    lowest = torch.finfo(torch.float32).min if NUMBERS[number] is None else NUMBERS[number]
    shown = seen(2)
    if number == "-inf":  # of a row of them eager attention makes no number: see below
        shown[..., torch.arange(LENGTH), torch.arange(LENGTH)] = True
    inputs = dict(input_ids=IDS.repeat(2, 1), attention_mask=torch.where(shown, 0.0, lowest))
    exact = own_maps(model, **inputs)
    found = watched_maps(model, **inputs)
    torch.testing.assert_close(found, exact, atol=2e-3 if number == "-65504" else 1e-5, rtol=0)
    if number != "-20" and shown.any(-1).all():
        assert (found[:, ~shown.expand(2, 4, -1, -1)] == 0).all()


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16], ids=str)
@pytest.mark.parametrize("number", [None, -1e9, -1e4])
@pytest.mark.parametrize("seen", SEEN)
def test_sixteen_bits_lose_scores_beside_the_masks_numbers(seen, number, dtype):
    model = FAMILIES["llama"].make(attn_implementation="eager").to(dtype)
    number = torch.finfo(dtype).min if number is None or number < torch.finfo(dtype).min else number
    inputs = dict(input_ids=IDS, attention_mask=torch.where(seen(), 0.0, number).to(dtype))
    exact = own_maps(model, **inputs).float()
    torch.testing.assert_close(watched_maps(model, **inputs), exact, atol=2e-2, rtol=0)


@pytest.mark.parametrize("dtype, weight", [(torch.bfloat16, 1 / LENGTH), (torch.float16, 0.0)], ids=str)
def test_autocast_rounds_the_masks_numbers_for_sdpa(dtype, weight):
    """To another number near -1e9, of which nothing is left beside it, or to -inf, of which SDPA makes zeros."""
    model = FAMILIES["llama"].make()
    with torch.autocast("cpu", dtype):
        found = watched_maps(model, input_ids=IDS, attention_mask=torch.where(hidden_row(), 0.0, -1e9))
    torch.testing.assert_close(found[:, 0, :, 3], torch.full((2, 4, LENGTH), weight))


@pytest.mark.parametrize("kind", ["eager", "sdpa"])
def test_numbers_that_are_added(kind):
    model = FAMILIES["llama"].make(attn_implementation=kind)
    added = torch.randn(2, 4, LENGTH, LENGTH, generator=torch.Generator().manual_seed(0))
    inputs = dict(input_ids=IDS.repeat(2, 1), attention_mask=added.masked_fill(~CAUSAL, -torch.inf))
    torch.testing.assert_close(watched_maps(model, **inputs), own_maps(model, **inputs), atol=1e-5, rtol=0)
    line = -0.3 * (torch.arange(LENGTH)[:, None] - torch.arange(LENGTH)).abs().float()[None, None]
    inputs["attention_mask"] = line.masked_fill(~CAUSAL, -torch.inf)
    torch.testing.assert_close(watched_maps(model, **inputs), own_maps(model, **inputs), atol=1e-5, rtol=0)


@pytest.mark.parametrize("seen", SEEN)
def test_a_boolean_mask_is_what_the_models_own_function_makes_of_it(seen):
    """SDPA hides where it is False, and a row that sees nothing has no weights; eager adds 0 and 1."""
    model = FAMILIES["llama"].make(attn_implementation="sdpa")
    inputs = dict(input_ids=IDS.repeat(2, 1), attention_mask=seen(2))
    first = watched_maps(model, **inputs)[0]
    added = torch.where(seen(2), 0.0, -torch.inf)
    exact = own_maps(model, **(inputs | {"attention_mask": added}))[0]
    torch.testing.assert_close(first, exact.nan_to_num(0.0), atol=1e-5, rtol=0)
    model.set_attn_implementation("eager")
    torch.testing.assert_close(watched_maps(model, **inputs), own_maps(model, **inputs), atol=1e-5, rtol=0)


def test_a_row_hidden_by_infinities_is_refused_where_the_model_has_no_number():
    model = FAMILIES["llama"].make(attn_implementation="eager")
    with tlmviz.watch(model, check=False), pytest.raises(BadModel, match="every key .* -inf.*NaN") as error:
        model(input_ids=IDS, attention_mask=torch.where(hidden_row(), 0.0, -torch.inf))
    assert sentence(error)


def test_a_mask_that_an_eager_attention_reads_otherwise_is_refused(monkeypatch):
    from transformers.models.llama import modeling_llama

    own = modeling_llama.eager_attention_forward

    def twice(module, query, key, value, attention_mask, **options):
        return own(module, query, key, value, attention_mask * 2, **options)

    monkeypatch.setattr(modeling_llama, "eager_attention_forward", twice)
    model = FAMILIES["llama"].make(attn_implementation="eager")
    with tlmviz.watch(model, check=False), pytest.raises(BadModel, match="another map") as error:
        model(input_ids=IDS, attention_mask=torch.randn(1, 1, LENGTH, LENGTH))
    assert sentence(error)


def test_layers_share_what_is_made_of_a_mask():
    model = FAMILIES["llama"].make()
    with torch.no_grad(), tlmviz.watch(model, check=False) as watched:
        model(input_ids=IDS, attention_mask=torch.where(by_head(), 0.0, -1e9))
        one, two = watched.recorder.stacks["decoder"].layers
        assert one.rules[0].answer is two.rules[0].answer and one.bias[0] is two.bias[0]
        model(input_ids=IDS, attention_mask=torch.where(CAUSAL, 0.0, -1e9))
    assert [spec.mask.causal for spec in watched.trace.specs] == [True, True], "a plain one is known as causal"


def test_steps_without_a_mask_after_a_prompt_with_one():
    model = FAMILIES["llama"].make()
    added = torch.randn(1, 4, 5, 5, generator=torch.Generator().manual_seed(0))
    added = added.masked_fill(~CAUSAL[..., :5, :5], -torch.inf)
    cache = hf.DynamicCache()
    with torch.no_grad(), tlmviz.watch(model, check=False) as watched:
        model(input_ids=IDS[:, :5], attention_mask=added, past_key_values=cache)
        model(input_ids=IDS[:, 5:], past_key_values=cache)
    whole = torch.zeros(1, 4, LENGTH, LENGTH).masked_fill(~CAUSAL, -torch.inf)
    whole[..., :5, :5] = added
    exact = own_maps(model, input_ids=IDS, attention_mask=whole)[:, 0]
    for layer in range(2):
        torch.testing.assert_close(watched.trace.attentions(layer), exact[layer], atol=1e-5, rtol=0)


def test_a_mask_beside_a_bias_of_the_model():
    model = PAIRS["t5"].make()
    seen = torch.ones(1, 1, LENGTH, LENGTH, dtype=torch.bool)
    seen[..., 2, :] = False
    seen[..., 5] = False
    encoder = model.get_encoder()
    inputs = dict(input_ids=IDS, attention_mask=torch.where(seen, 0.0, -1e9))
    with torch.no_grad(), tlmviz.watch(model, check=False) as watched:
        encoder(**inputs)
    exact = own_maps(encoder, **inputs)[:, 0]
    for layer in range(2):
        torch.testing.assert_close(watched.trace.attentions(layer), exact[layer], atol=1e-5, rtol=0)


def test_traces_of_hidden_rows_are_saved_and_opened(tmp_path):
    model = FAMILIES["llama"].make(attn_implementation="eager")
    inputs = dict(input_ids=IDS, attention_mask=torch.where(hidden_row(), 0.0, -1e9))
    with torch.no_grad(), tlmviz.watch(model, check=False) as watched:
        model(**inputs)
    watched.trace.save(tmp_path / "x.safetensors")
    opened = tlmviz.open(tmp_path / "x.safetensors")
    assert torch.equal(opened.attentions(1), watched.trace.attentions(1))
    torch.testing.assert_close(opened.attention(1, 2)[3], torch.full((LENGTH,), 1 / LENGTH))


def test_image_blocks_under_generate():
    """Their mask function is a table of the prompt: steps that come later may not ask it for their keys."""
    text = dict(BASE, vocab_size=70, head_dim=8)
    vision = dict(
        hidden_size=32, num_hidden_layers=1, num_attention_heads=4, intermediate_size=48, image_size=32, patch_size=8
    )
    torch.manual_seed(0)
    config = hf.Gemma3Config(
        text_config=hf.Gemma3TextConfig(**text),
        vision_config=hf.SiglipVisionConfig(**vision),
        mm_tokens_per_image=4,
        image_token_index=65,
        boi_token_index=66,
        eoi_token_index=67,
    )
    model = hf.Gemma3ForConditionalGeneration(config).eval()
    ids = torch.tensor([[5, 66, 65, 65, 65, 65, 67, 9]])
    inputs = dict(pixel_values=torch.randn(1, 3, 32, 32))
    options = dict(max_new_tokens=4, min_new_tokens=4, do_sample=False)
    for cache in ("dynamic", "static"):
        kinds = (ids == 65).long()
        with torch.no_grad(), tlmviz.watch(model, check=False) as watched:
            written = model.generate(
                input_ids=ids,
                token_type_ids=kinds,
                **inputs,
                **options,
                cache_implementation=cache,
                disable_compile=True,
            )[:, :-1]
        kinds = torch.cat([kinds, torch.zeros(1, written.shape[1] - 8, dtype=torch.long)], 1)
        exact = own_maps(model, input_ids=written, token_type_ids=kinds, **inputs, use_cache=False)[:, 0]
        assert (exact[:, :, 2, 5] > 0).all(), "patches of one image see one another"
        trace = watched.trace_of("decoder")
        for layer in range(2):
            torch.testing.assert_close(trace.attentions(layer), exact[layer], atol=1e-5, rtol=0)


def test_an_image_mask_of_another_family_under_generate():
    text = dict(BASE, vocab_size=70, head_dim=8)
    vision = dict(
        hidden_size=32, num_hidden_layers=1, num_attention_heads=4, intermediate_size=48, image_size=16, patch_size=8
    )
    torch.manual_seed(0)
    config = hf.PaliGemmaConfig(
        text_config=hf.GemmaConfig(**text).to_dict(),
        vision_config=hf.SiglipVisionConfig(**vision).to_dict(),
        projection_dim=32,
        image_token_index=65,
    )
    model = hf.PaliGemmaForConditionalGeneration(config).eval()
    ids = torch.tensor([[65, 65, 65, 65, 5, 9, 7]])
    inputs = dict(pixel_values=torch.randn(1, 3, 16, 16))
    with torch.no_grad(), tlmviz.watch(model, check=False) as watched:
        model.generate(input_ids=ids, **inputs, max_new_tokens=3, min_new_tokens=3, do_sample=False)
    trace = watched.trace
    rows = trace.attentions(1)
    torch.testing.assert_close(rows.sum(-1), torch.ones(4, 9))
    assert (rows[:, :7, :7] > 0).all() and (rows[:, 7, 8] == 0).all()


def test_the_monitors_calls_too():
    """Own code: a row hidden by a finite number is what SDPA's softmax makes of it."""
    from tlmviz.monitoring.calls import attention_calls, call_traces

    class Own(torch.nn.Module):
        def forward(self, q, mask):
            return torch.nn.functional.scaled_dot_product_attention(q, q, q, attn_mask=mask)

    q = torch.randn(1, 2, 5, 8, generator=torch.Generator().manual_seed(0))
    mask = torch.zeros(5, 5)
    mask[2] = torch.finfo(torch.float32).min
    trace = call_traces(attention_calls(Own(), (q, mask), {}), None, "own")[0]
    exact = ((q * 8**-0.5) @ q.transpose(-1, -2) + mask).softmax(-1)[0]
    torch.testing.assert_close(trace.attentions(0), exact)
