"""Every family: outputs as unwatched, maps as its own eager attention gives them, generation token by token."""

import pytest
import torch

import tlmviz

from .families import DECODERS, ENCODERS, FAMILIES, FED, MORE, PAIRS, text

pytestmark = pytest.mark.slow

BOUND = 1e-5  # absolute, on weights between 0 and 1


def first_of(outputs):
    """The output that a user reads first."""
    return next(outputs[name] for name in ("logits", "last_hidden_state", "image_embeds") if name in outputs)


def eager_maps(model, **inputs):
    """Each stack's maps as the model's own eager attention gives them, a list of [B, H, T, S]."""
    kind = model.config._attn_implementation
    model.set_attn_implementation("eager")
    with torch.no_grad():
        out = model(**inputs, output_attentions=True)
    model.set_attn_implementation(kind)
    if "decoder_attentions" in out:
        names = {"encoder": "encoder_attentions", "decoder": "decoder_attentions", "cross": "cross_attentions"}
        return {stack: out[name] for stack, name in names.items()}
    if "text_model_output" in out:
        return {"text": out.text_model_output.attentions, "vision": out.vision_model_output.attentions}
    return {None: out.attentions}


def assert_maps(watched, exact, real=None, bound=BOUND):
    """Every map of every stack, layer, head and row of the batch against eager's."""
    assert exact
    for stack, layers in exact.items():
        name = stack or watched.stacks[0]
        assert watched.trace_of(name).n_layers == len(layers)
        for row in range(len(layers[0])):
            trace = watched.trace_of(name, row)
            for layer, maps in enumerate(layers):
                theirs = maps[row] if real is None else cut(maps[row], name, real[row])
                ours = torch.stack([trace.attention(layer, head) for head in range(trace.n_heads)])
                assert ours.shape == theirs.shape
                error = (ours - theirs).abs().max()
                assert error <= bound, f"{name}, layer {layer}, row {row}: {error:.1e}"


def cut(maps, stack, real):
    """Without padding: of keys and queries where they are the padded text, of the keys alone in cross attention."""
    if stack in ("vision", "decoder") and maps.shape[-1] != len(real):
        return maps
    return maps[:, :, real] if stack == "cross" else maps[:, real][:, :, real]


@pytest.mark.parametrize("name", FAMILIES)
def test_maps_are_eagers_and_outputs_its_own(name):
    family = FAMILIES[name]
    model = family.make()
    inputs, kind = family.inputs(model), model.config._attn_implementation
    with torch.no_grad():
        plain = first_of(model(**inputs))
        with tlmviz.watch(model) as watched:
            seen = first_of(model(**inputs))
    assert torch.equal(seen, plain), "its own attention function, called as it would have been"
    assert model.config._attn_implementation == kind
    real = inputs["attention_mask"].bool() if "attention_mask" in inputs else None
    exact = eager_maps(model, **inputs)
    assert all(maps.std(-2).max() > 1e-3 for layers in exact.values() for maps in layers), "alike maps hide a lost part"
    assert_maps(watched, exact, real)
    assert watched.verified.error <= BOUND and watched.verified.output_error <= BOUND
    assert watched.verified.layers == sum(watched.trace_of(stack).n_layers for stack in watched.stacks)


@pytest.mark.parametrize("name, layers", [("llama4", 2), ("deepseek_v32", 2), ("albert", 2), ("opt", 2)])
def test_unusual_ones_are_verified_too(name, layers):
    """Chunks, keys that an index names, one layer twice: the check compares every map."""
    model = MORE[name].make()
    inputs = MORE[name].inputs(model)
    with torch.no_grad():
        plain = first_of(model(**inputs))
        with tlmviz.watch(model) as watched:
            assert torch.equal(first_of(model(**inputs)), plain)
    assert watched.trace.n_layers == layers and watched.verified.error <= BOUND
    assert [len(trace) for trace in watched.traces] == [12, 7]


@pytest.mark.parametrize("side", ["left", "right"])
@pytest.mark.parametrize("name", ["llama", "mistral", "gemma2", "gpt_oss", "bert", "modernbert"])
def test_padding_on_either_side_is_left_out(name, side):
    model = FAMILIES[name].make()
    inputs = text(model, side)
    with torch.no_grad(), tlmviz.watch(model, check=False) as watched:
        model(**inputs)
    first, second = watched.traces
    assert (len(first), len(second)) == (12, 7)
    ids = inputs["input_ids"][1][inputs["attention_mask"][1].bool()]
    assert second.ids == ids.tolist() and second.tokens == [str(number) for number in ids.tolist()]
    assert_maps(watched, eager_maps(model, **inputs), inputs["attention_mask"].bool())


@pytest.mark.parametrize("name", [*DECODERS, *PAIRS])
def test_a_generation_is_one_trace_of_the_whole_text(name):
    model = FAMILIES[name].make()
    inputs = FED[FAMILIES[name].fed](model)
    inputs.pop("decoder_input_ids", None)
    options = dict(max_new_tokens=8, min_new_tokens=8, do_sample=False)
    with torch.no_grad():
        plain = model.generate(**inputs, **options)
        with tlmviz.watch(model, check=False) as watched:
            written = model.generate(**inputs, **options)
    assert torch.equal(written, plain)
    read = plain[:, :-1]  # nobody has read the last one
    if name in PAIRS:
        whole = torch.tensor([trace.ids for trace in watched.traces])
        assert torch.equal(whole[:, -read.shape[1] :], read)  # whisper returns its prompt shortened
        ids = {"decoder_input_ids": whole}
        real = inputs["attention_mask"].bool() if "attention_mask" in inputs else None
        return assert_maps(watched, eager_maps(model, **(inputs | ids)), real)
    mask = torch.cat([inputs["attention_mask"], torch.ones(2, read.shape[1] - 12, dtype=torch.long)], 1)
    places = (mask.cumsum(1) - 1).clamp(min=0)
    exact = eager_maps(model, input_ids=read, attention_mask=mask, position_ids=places, use_cache=False)
    assert watched.traces[1].ids == read[1][mask[1].bool()].tolist()
    return assert_maps(watched, exact, mask.bool())


@pytest.mark.parametrize("name", ["llama", "mistral", "gemma2"])
def test_a_cache_of_fixed_size(name):
    model = FAMILIES[name].make()
    inputs, options = text(model), dict(max_new_tokens=8, min_new_tokens=8, do_sample=False)
    options["disable_compile"] = True
    with torch.no_grad(), tlmviz.watch(model, check=False) as watched:
        dynamic = model.generate(**inputs, **options)
        one = [watched.trace.attention(layer, 1) for layer in range(2)]
        static = model.generate(**inputs, **options, cache_implementation="static")
    assert torch.equal(static, dynamic)
    for layer, exact in enumerate(one):
        torch.testing.assert_close(watched.trace.attention(layer, 1), exact, atol=BOUND, rtol=0)


@pytest.mark.parametrize("name", ["llama", "gemma2", "t5"])
def test_sixteen_bits_stay_sixteen_bits(name):
    model = FAMILIES[name].make().bfloat16()
    inputs = FAMILIES[name].inputs(model)
    with torch.no_grad():
        plain = first_of(model(**inputs))
        with tlmviz.watch(model) as watched:
            assert torch.equal(first_of(model(**inputs)), plain)
    assert plain.dtype == watched.trace["blocks.0.attn.q"].dtype == torch.bfloat16
    rows = watched.trace.attention(1, 0).sum(-1)
    torch.testing.assert_close(rows, torch.ones_like(rows), atol=5e-3, rtol=0)


@pytest.mark.parametrize("name", ["llama", "mistral", "bert"])
def test_either_of_a_models_own_functions(name):
    """eager as its own: outputs are those of eager, bit for bit."""
    model = FAMILIES[name].make()
    model.set_attn_implementation("eager")
    inputs = FAMILIES[name].inputs(model)
    with torch.no_grad():
        plain = model(**inputs, output_attentions=True)
        with tlmviz.watch(model) as watched:
            seen = model(**inputs)
    assert torch.equal(first_of(seen), first_of(plain)) and model.config._attn_implementation == "eager"
    assert_maps(watched, {None: plain.attentions}, inputs["attention_mask"].bool())


def test_gradients_pass_through():
    model = FAMILIES["llama"].make()
    inputs = text(model)

    def gradient():
        model.zero_grad()
        model(**inputs).logits.square().mean().backward()
        return model.model.layers[0].self_attn.q_proj.weight.grad.clone()

    plain = gradient()
    with tlmviz.watch(model) as watched:
        torch.testing.assert_close(gradient(), plain, atol=1e-6, rtol=1e-5)
    assert not watched.trace["blocks.0.attn.q"].requires_grad


def test_an_images_patches_are_named():
    for name, extra in (("vit", ["[CLS]"]), ("dinov2", ["[CLS]"]), ("siglip", [])):
        model = ENCODERS[name].make()
        with torch.no_grad(), tlmviz.watch(model) as watched:
            model(**ENCODERS[name].inputs(model))
        assert watched.patches == (4, 4)
        tokens = watched.trace_of("vision" if name == "siglip" else "encoder").tokens
        assert tokens == extra + [f"patch {row},{column}" for row in range(4) for column in range(4)]
    assert watched.verified.left_out == ("vision_model.head.attention",)


def test_windows_and_causality_are_recognised():
    """So that kernels skip what a window hides, and pages may draw it."""
    masks = {}
    for name in ("mistral", "gemma3", "modernbert", "bert", "t5"):
        model = FAMILIES[name].make()
        with torch.no_grad(), tlmviz.watch(model, check=False) as watched:
            model(**FAMILIES[name].inputs(model))
        masks[name] = [(spec.mask.causal, spec.mask.window, spec.mask.visible) for spec in watched.trace.specs]
    assert masks["mistral"] == [(True, 4, None)] * 2
    assert masks["gemma3"] == [(True, 4, None), (True, None, None), (True, 4, None)]
    assert masks["modernbert"] == [(False, None, None), (False, 3, None), (False, None, None)]
    assert masks["bert"] == [(False, None, None)] * 2
    assert masks["t5"] == [(True, None, None)] * 2
