"""One short input through a model twice, eager and watched: are the maps and the outputs the same."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn

from ..errors import BadModel
from .capture import Layer, Recorder
from .interface import as_eager
from .refusals import check_recorded
from .session import recording
from .traces import make_trace, places

# A score of 50 is rounded by 4e-6 in float32, and layers upon layers add theirs; 16 bits have 8 to 11 of the 24 binary digits.
TOLERANCE = {torch.float64: 1e-8, torch.float32: 1e-4, torch.float16: 2e-2, torch.bfloat16: 6e-2}
LENGTH = 9


@dataclass(frozen=True)
class Verified:
    """What the comparison found: the model's family, how many maps were compared, and the largest errors.

    `error` is that of the maps, absolute; `output_error` that of the outputs, relative to the largest number in them.
    `left_out` names attention that ran and has no maps here: modules of torch itself, such as a pooling head.
    """

    family: str
    layers: int
    error: float
    output_error: float
    left_out: tuple[str, ...] = ()

    def __str__(self) -> str:
        return (
            f"{self.family}: maps of {self.layers} layers within {self.error:.1e} of its eager attention, "
            f"outputs within {self.output_error:.1e}"
        )


def verify(model: Any, inputs: Mapping[str, Any] | None = None) -> Verified:
    """Compare the watched model with itself in eager attention. Raises BadModel where maps or outputs differ."""
    given = [dict(inputs)] if inputs is not None else list(short_inputs(model))
    with evaluating(model), torch.no_grad():
        inputs = next((one for one in given if _runs(model, one)), None)
        if inputs is None:
            raise BadModel(
                f"{type(model).__name__} could not be run on a short random input to verify its maps; give an input that it "
                "takes with check={...}, or check=False."
            )
        recorder = Recorder(model)
        ran: set[nn.Module] = set()
        with recording(model, recorder), listening(model, lambda module, out: ran.add(module)):
            outputs = model(**inputs)
        left_out = check_recorded(model, recorder, ran)
        weights: dict[nn.Module, list[Tensor]] = {}
        keep = {module: recorder.names[module] for module in recorder.seen}

        def take(module: nn.Module, out: Any) -> None:
            maps = [part for part in (out if isinstance(out, tuple) else ()) if _is_map(part)]
            if module in keep and maps:
                weights.setdefault(module, []).append(maps[-1])

        with as_eager(model), listening(model, take):
            exact = model(**inputs)
        error, layers = _map_error(recorder, {keep[m]: maps for m, maps in weights.items()})
    dtype = next(model.parameters()).dtype
    result = Verified(model.config.model_type, layers, error, _output_error(outputs, exact, inputs), left_out)
    bound = TOLERANCE.get(dtype, 1e-4)
    if not (result.error <= bound and result.output_error <= bound):
        raise BadModel(
            f"{type(model).__name__} ({result.family}) is not reproduced: on a short input its maps differ by "
            f"{result.error:.1e} and its outputs by {result.output_error:.1e} from its eager attention; it cannot be watched."
        )
    return result


def short_inputs(model: Any) -> Iterator[dict[str, Tensor]]:
    """Inputs to try, each random: text with one padded row, an image, both, or sound."""
    config, generator = model.config, torch.Generator().manual_seed(0)
    dtype, device = next(model.parameters()).dtype, next(model.parameters()).device
    text_config = config.get_text_config()
    vocab = int(getattr(text_config, "vocab_size", 0) or 0)
    ids = (
        torch.randint(min(5, vocab - 1), min(vocab, 5000), (2, LENGTH), generator=generator)
        if vocab > 1
        else None
    )
    text, vision = {}, {}
    if ids is not None:
        mask = torch.ones_like(ids)
        # The side on which generation pads: a causal mask hides padding behind the text by itself.
        mask[
            1,
            slice(0, 3)
            if model.can_generate() and not config.is_encoder_decoder
            else slice(LENGTH - 3, None),
        ] = 0
        text = {"input_ids": ids, "attention_mask": mask}
        if config.is_encoder_decoder:
            text["decoder_input_ids"] = ids[:, :7]
    image = getattr(config, "vision_config", config)
    size, channels = getattr(image, "image_size", None), getattr(image, "num_channels", 3)
    if size is not None:
        height, width = (size, size) if isinstance(size, int) else size
        vision = {"pixel_values": torch.randn(2, channels, height, width, generator=generator).to(dtype)}
    tries: list[dict[str, Tensor]] = []
    if model.main_input_name == "input_features":
        frames = 2 * config.max_source_positions
        sound = torch.randn(2, config.num_mel_bins, frames, generator=generator).to(dtype)
        tries.append({"input_features": sound, "decoder_input_ids": ids[:, :7]})  # type: ignore[index]
    if model.main_input_name == "input_values":
        tries.append({"input_values": torch.randn(2, 4000, generator=generator).to(dtype)})
    tries += [part for part in (text, vision, text | vision) if part]
    for one in tries:
        yield {name: value.to(device) for name, value in one.items()}


@contextmanager
def evaluating(model: nn.Module) -> Iterator[None]:
    """Without dropout; every module's own flag comes back."""
    flags = {module: module.training for module in model.modules()}
    model.eval()
    try:
        yield
    finally:
        for module, flag in flags.items():
            module.training = flag


@contextmanager
def listening(model: nn.Module, heard: Any) -> Iterator[None]:
    """`heard(module, output)` after each module's call."""
    with ExitStack() as hooks:
        for module in model.modules():
            hook = module.register_forward_hook(lambda module, args, out: heard(module, out))
            hooks.callback(hook.remove)
        yield


# --- parts ---------------------------------------------------------------------------------------


def _runs(model: Any, inputs: Mapping[str, Any]) -> bool:
    """Whether the model takes these inputs."""
    try:
        model(**inputs)
    except (RuntimeError, TypeError, ValueError, IndexError, KeyError, AttributeError):
        return False
    return True


def _is_map(part: Any) -> bool:
    return isinstance(part, Tensor) and part.ndim == 4


def _map_error(recorder: Recorder, weights: Mapping[str, list[Tensor]]) -> tuple[float, int]:
    """The largest difference between the maps of the traces and eager's own; and of how many layers there were both."""
    error, compared = 0.0, 0
    turns: dict[str, int] = {}
    for stack in recorder.stacks:
        layers = recorder.stacks[stack].layers
        for number, layer in enumerate(layers):
            turn = turns[layer.name] = turns.get(layer.name, -1) + 1
            exact = weights.get(layer.name, [])
            if turn < len(exact) and exact[turn].shape[-2:] == (layer.length, layer.joined("k").shape[2]):
                compared += 1
                error = max(error, _layer_error(recorder, stack, number, layer, exact[turn]))
    return error, compared


def _layer_error(recorder: Recorder, stack: str, number: int, layer: Layer, exact: Tensor) -> float:
    """One layer's largest error over rows of the batch and heads."""
    worst = 0.0
    for row in range(len(exact)):
        trace = make_trace(recorder, stack, row, None)
        queries, keys = places(recorder, recorder.stacks[stack], row)
        maps = exact[row][:, queries][:, :, keys].double().cpu()
        for head, one in enumerate(maps):
            worst = max(worst, float((trace.attention(number, head).double() - one).abs().max()))
    return worst


def _output_error(ours: Any, exact: Any, inputs: Mapping[str, Any]) -> float:
    """The largest difference between two outputs, relative to the largest number; rows of padding left out."""
    mask, worst = inputs.get("attention_mask"), 0.0
    for name in ("logits", "last_hidden_state", "image_embeds", "text_embeds"):
        a, b = (getattr(output, name, None) for output in (ours, exact))
        if a is None or b is None:
            continue
        if mask is not None and a.shape[:2] == mask.shape:
            a, b = a[mask.bool()], b[mask.bool()]
        worst = max(worst, float((a - b).abs().max() / b.abs().max().clamp(min=1e-12)))
    return worst
