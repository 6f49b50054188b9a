"""A token is called a patch if changing that patch's pixels, one patch at a time, changes it and no other."""

import pytest
import torch
import transformers as hf

import tlmviz

from .families import BASE, PICTURES, VISION, Family, image, pixels

BEHIND = [f"[detection {number}]" for number in (1, 2, 3)]
LEARNED = {  # what is no patch, in the order of the tokens
    "deit": ["[CLS]", "[distillation]"],
    "yolos": ["[CLS]", *BEHIND],
    "dinov2_registers": ["[CLS]", "[register 1]", "[register 2]", "[register 3]"],
    "dinov3": ["[CLS]", "[register 1]", "[register 2]"],
    **dict.fromkeys(("videomae", "pixtral_vision", "siglip_vision", "ijepa", "aimv2", "vjepa2"), []),
    "siglip2_vision": [],
}
CORE = ("deit", "yolos", "vit_mae", "videomae", "pixtral_vision", "siglip2_vision")


class Stop(Exception):
    """The input of the first attention is known."""


def embedded(model, module, inputs):
    """Hidden states [rows, T, C] that the first attention of a model is given, as the model makes them at one random
    state."""
    kept = []

    def keep(module, args, kwargs):
        kept.append(args[0] if args else kwargs["hidden_states"])
        raise Stop

    hook = module.register_forward_pre_hook(keep, with_kwargs=True)
    with torch.no_grad(), torch.random.fork_rng():
        torch.manual_seed(7)
        with pytest.raises(Stop):
            model(**inputs)
    hook.remove()
    return kept[0].flatten(1, -2)


def where_pixels(inputs):
    return next(name for name in inputs if name.startswith("pixel_values"))


def cells(model, inputs):
    """Each patch of each image: a name without the image, the image, and where its pixels lie."""
    values, config = inputs[where_pixels(inputs)], model.config
    if "spatial_shapes" in inputs:
        for number, (rows, columns) in enumerate(inputs["spatial_shapes"].tolist()):
            for row in range(rows):
                for column in range(columns):
                    yield f"patch {row},{column}", number, (number, row * columns + column)
        return
    tube = getattr(config, "tubelet_size", 1)
    tube = tube if isinstance(tube, int) else tube[0]
    frames = values.shape[1] if values.ndim == 5 else 0
    for number in range(len(values)):
        for first in range(0, frames, tube) if frames else (None,):
            video = () if first is None else (slice(first, first + tube),)
            said = "" if first is None else f"frame {first}, " if tube == 1 else f"frames {first}-{first + tube - 1}, "
            for row in range(values.shape[-2] // 4):
                for column in range(values.shape[-1] // 4):
                    block = (slice(4 * row, 4 * row + 4), slice(4 * column, 4 * column + 4))
                    yield f"{said}patch {row},{column}", number, (number, *video, slice(None), *block)


def found_one_by_one(model, module, inputs):
    """By token [rows][T]: the patches whose pixels change it, each with its image."""
    plain = embedded(model, module, inputs)
    reached = [[[] for _ in row] for row in plain]
    for name, number, where in cells(model, inputs):
        other = inputs[where_pixels(inputs)].clone()
        other[where] += 3 * torch.rand(other[where].shape, generator=torch.Generator().manual_seed(2))
        moved = (embedded(model, module, inputs | {where_pixels(inputs): other}) != plain).any(-1)
        for row, place in moved.nonzero().tolist():
            reached[row][place].append((number, name))
    return reached


def watched_run(model, inputs, **options):
    torch.manual_seed(7)
    with torch.no_grad(), tlmviz.watch(model, **options) as watched:
        torch.manual_seed(7)
        model(**inputs)
    return watched


def first_attention(model, watched):
    stack = watched.recorder.stacks[watched.stacks[0]]
    return model.get_submodule(stack.layers[0].name)


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=() if name in CORE else pytest.mark.slow) for name in PICTURES]
)
def test_each_patch_is_the_token_that_its_pixels_change(name):
    model = PICTURES[name].make()
    inputs = PICTURES[name].inputs(model)
    watched = watched_run(model, inputs, check=inputs)
    reached = found_one_by_one(model, first_attention(model, watched), inputs)
    learned = LEARNED.get(name, ["[CLS]"])
    for row, trace in enumerate(watched.traces):
        real = len(trace)  # padding behind is left out
        several = len({number for part in reached[row] for number, _ in part}) > 1
        names = [
            (f"image {part[0][0]}, {part[0][1]}" if several else part[0][1]) if len(part) == 1 else None
            for part in reached[row][:real]
        ]
        assert names.count(None) == len(learned)
        assert [one for one, patch in zip(trace.tokens, names) if patch is None] == learned
        assert [one for one, patch in zip(trace.tokens, names) if patch is not None] == [*filter(None, names)]


def grid(rows, columns, before=""):
    return [f"{before}patch {row},{column}" for row in range(rows) for column in range(columns)]


class TestRuns:
    """What else the search may not do, and where it may not answer."""

    def test_nothing_of_the_caller_is_moved(self):
        model = PICTURES["vit_mae"].make().train()
        inputs, calls = image(model), []
        model.embeddings.register_forward_hook(lambda *_: calls.append(1))
        torch.manual_seed(3)
        plain = model(**inputs).last_hidden_state
        state, calls[:] = torch.get_rng_state(), []
        torch.manual_seed(3)
        with tlmviz.watch(model, check=False) as watched:
            out = model(**inputs).last_hidden_state
            inside = watched.trace.tokens
        assert torch.equal(out, plain) and torch.equal(torch.get_rng_state(), state) and len(calls) == 1
        out.square().mean().backward()  # no parameter was written to
        assert model.embeddings.cls_token.grad.abs().max() > 0
        outside = watched_run(model, inputs, check=False).trace.tokens
        assert "patch" in inside[1] and "patch" in outside[1] and len(calls) == 2 and model.training
        assert model.config._attn_implementation == "sdpa" and len(set(inside)) == 13

    def test_the_check_moves_no_random_state_and_knows_a_model_that_draws(self):
        model = PICTURES["vit_mae"].make()
        state = torch.get_rng_state()
        with tlmviz.watch(model) as watched:
            pass
        assert torch.equal(torch.get_rng_state(), state) and watched.verified.output_error == 0

    def test_a_shuffle_that_is_not_known_any_more_has_no_places(self):
        names = {}
        for name in ("vit", "vit_mae"):
            model = PICTURES[name].make()
            watched = watched_run(model, PICTURES[name].inputs(model), check=False)
            with torch.no_grad():
                for parameter in model.parameters():
                    parameter.mul_(1.5)  # a step of training
            names[name] = watched.trace.tokens
        assert names["vit"] == ["[CLS]", *grid(2, 6)]
        assert names["vit_mae"] == [f"token {place}" for place in range(13)]

    def test_masked_patches_are_tokens(self):
        model = PICTURES["beit"].make()
        model = hf.BeitModel(model.config, add_pooling_layer=False).eval()
        model.embeddings.mask_token = torch.nn.Parameter(torch.randn(1, 1, 32))
        hidden = torch.zeros(2, 16, dtype=torch.bool)
        hidden[0, 3], hidden[1, 5] = True, True
        watched = watched_run(model, image(model) | {"bool_masked_pos": hidden}, check=False)
        whole = ["[CLS]", *grid(4, 4)]
        for trace, place in zip(watched.traces, (4, 6)):
            assert trace.tokens == [*whole[:place], f"token {place}", *whole[place + 1 :]]
            assert trace.patches is None

    def test_a_token_of_several_patches_has_no_place(self):
        """Patches that are read two pixels before their own: only the first sees nothing of another."""
        config = hf.VitPoseBackboneConfig(**VISION | {"image_size": [32, 32], "patch_size": [8, 8]})
        model = hf.VitPoseBackbone(config)
        watched = watched_run(model.eval(), pixels(model, 1, 3, 32, 32), check=False)
        assert watched.trace.tokens == ["patch 0,0", *(f"token {place}" for place in range(1, 16))]
        assert watched.trace.patches is None

    def test_several_images_in_one_row_are_told_apart(self):
        model = PICTURES["pixtral_vision"].make()
        tokens = watched_run(model, pixels(model, 2, 3, 8, 12)).trace.tokens
        assert tokens == grid(2, 3, "image 0, ") + grid(2, 3, "image 1, ")

    @pytest.mark.parametrize("name, patches", [("vit", (2, 6)), ("yolos", None), ("vit_mae", None)])
    def test_a_picture_is_kept_where_the_last_tokens_are_its_patches(self, name, patches):
        model = PICTURES[name].make()
        trace = watched_run(model, PICTURES[name].inputs(model), check=False).trace
        assert (trace.patches and (trace.patches.rows, trace.patches.columns)) == patches

    def test_what_is_cut_off_at_the_edges_is_in_no_picture(self):
        model = PICTURES["dinov2"].make()
        watched = watched_run(model, pixels(model, 1, 3, 10, 15), check=False)
        assert watched.trace.tokens == ["[CLS]", *grid(2, 3)] and watched.patches == (2, 3)
        assert watched.trace.patches.pixels.shape == (8, 12, 3)

    def test_a_part_of_a_larger_model(self):
        text = {name: value for name, value in BASE.items() if name != "max_position_embeddings"}
        family = Family(
            "LlavaConfig",
            dict(
                text_config=dict(text, model_type="llama"),
                vision_config=dict(VISION, model_type="clip_vision_model"),
                image_token_index=50,
            ),
            "LlavaForConditionalGeneration",
        )
        model = family.make()
        ids = torch.tensor([[4] + 32 * [50] + [5]])
        watched = watched_run(model, {"input_ids": ids} | image(model), check=False)
        assert watched.trace_of("vision", 1).tokens == ["[CLS]", *grid(4, 4)]
        assert watched.trace.ids == ids[0].tolist() and watched.patches == (4, 4)

    def test_cross_attention_names_the_patches_it_reads(self):
        text = dict(BASE, is_decoder=True, add_cross_attention=True)
        text.pop("num_key_value_heads")
        config = hf.VisionEncoderDecoderConfig.from_encoder_decoder_configs(
            hf.DeiTConfig(**VISION), hf.BertConfig(**text)
        )
        model = hf.VisionEncoderDecoderModel(config).eval()
        ids = torch.tensor([[4, 5, 6], [7, 8, 9]])
        watched = watched_run(model, image(model) | {"decoder_input_ids": ids}, check=False)
        assert watched.trace_of("cross").key_tokens == ["[CLS]", "[distillation]", *grid(4, 4)]
        assert watched.trace_of("cross").tokens == ["4", "5", "6"]
