"""One short input through a model: are its outputs the same when it is watched, and its maps those of its eager
attention.

The maps are compared within one pass: eager attention is watched, and its own map lies beside the one made of its q and
k. So what two kinds of attention round differently, and a quantised model or many layers amplify, is in no error.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from ..errors import BadModel
from .capture import Recorder
from .interface import TOLERANCE, as_eager
from .refusals import check_recorded
from .session import recording
from .traces import make_trace, places

LENGTH = 9
UNFIT = (RuntimeError, TypeError, ValueError, LookupError, AttributeError, AssertionError)


@dataclass(frozen=True)
class Verified:
    """What the comparison found: the model's family, how many maps were compared, and the largest errors.

    `error` is that of the maps, absolute; `output_error` that of the outputs beside those of the model when it is not
    watched, relative to the largest number in them.
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
            f"outputs within {self.output_error:.1e} of its own"
        )


def verify(model: Any, inputs: Mapping[str, Any] | None = None) -> Verified:
    """Compare the watched model with itself. Raises BadModel where outputs differ, or maps from eager attention's."""
    given = [inputs] if inputs is not None else short_inputs(model)
    with evaluating(model), torch.no_grad():
        errors: list[Exception] = []
        tried = ((one, _outputs(model, one, errors)) for one in given)
        inputs, plain = next((pair for pair in tried if pair[1] is not None), ({}, None))
        if plain is None:
            raise BadModel(
                f"{type(model).__name__} could not be run on a short input to verify its maps{_first_line(errors)}; "
                "give an input that it takes with check={...}, or check=False."
            )
        recorder = Recorder(model)
        ran: set[nn.Module] = set()
        hear = listening(model, lambda module, out: ran.add(module))
        with recording(model, recorder), hear, forked(model.device):
            outputs = model(**inputs)
        left_out = check_recorded(model, recorder, ran)
        for stack in recorder.stacks:
            make_trace(recorder, stack, 0, None)  # its lse is seen to be that of its q and k
        error, layers, bound = _beside_eager(model, inputs)
    result = Verified(model.config.model_type, layers, error, _output_error(outputs, plain, inputs), left_out)
    if not (result.error <= bound and result.output_error <= bound):
        raise BadModel(
            f"{type(model).__name__} ({result.family}) is not reproduced: on a short input its maps differ by "
            f"{result.error:.1e} from its eager attention and its outputs by {result.output_error:.1e} from its own "
            "when it is not watched; give another input with check={...}, or check=False to watch it unverified."
        )
    return result


def _beside_eager(model: Any, inputs: Mapping[str, Any]) -> tuple[float, int, float]:
    """The largest error of maps beside those that eager attention returns, of how many layers, and what is allowed."""
    recorder, maps = Recorder(model), dict[str, list[Tensor]]()

    def take(module: nn.Module, out: Any) -> None:
        parts = out if isinstance(out, tuple) else ()
        found = [part for part in parts if isinstance(part, Tensor) and part.ndim == 4]
        if module in recorder.seen and found:
            maps.setdefault(recorder.names[module], []).append(found[-1])

    with as_eager(model), recording(model, recorder), listening(model, take), forked(model.device):
        model(**inputs)
    layers = [layer for stack in recorder.stacks.values() for layer in stack.layers]
    return *_map_error(recorder, maps), max(TOLERANCE.get(layer.q[0].dtype, 1e-4) for layer in layers)


def short_inputs(model: Any) -> Iterator[dict[str, Tensor]]:
    """Inputs to try, each random: text with one padded row, an image, both, or sound."""
    config, generator = model.config, torch.Generator().manual_seed(0)
    dtype, device = next(model.parameters()).dtype, next(model.parameters()).device
    text_config = config.get_text_config()
    vocab = int(getattr(text_config, "vocab_size", 0) or 0)
    ids, text, vision, video = None, {}, {}, {}
    if vocab > 1:
        ids = torch.randint(min(5, vocab - 1), min(vocab, 5000), (2, LENGTH), generator=generator)
        mask = torch.ones_like(ids)
        text = {"input_ids": ids, "attention_mask": mask}
        # The side on which generation pads: a causal mask hides padding behind the text by itself.
        front = model.can_generate() and not config.is_encoder_decoder
        # Not in float64: its lowest number is -inf in the float32 of eager's softmax, and a query that sees nothing
        # gets NaN.
        if dtype != torch.float64:
            mask[1, slice(0, 3) if front else slice(LENGTH - 3, None)] = 0
        if config.is_encoder_decoder:
            text["decoder_input_ids"] = ids[:, :7]
    image = getattr(config, "vision_config", config)
    size = getattr(image, "image_size", getattr(image, "crop_size", None))
    frames = getattr(image, "num_frames", None) or getattr(image, "frames_per_clip", None)
    if size is not None:
        shape = (getattr(image, "num_channels", 3), *((size, size) if isinstance(size, int) else size))
        vision = {"pixel_values": torch.randn(2, *shape, generator=generator).to(dtype)}
        if frames:
            video = {model.main_input_name: torch.randn(2, frames, *shape, generator=generator).to(dtype)}
    tries: list[dict[str, Tensor]] = []
    length, bins = getattr(config, "max_source_positions", 0), getattr(config, "num_mel_bins", 0)
    if model.main_input_name == "input_features" and length and bins and ids is not None:
        sound = torch.randn(2, bins, 2 * length, generator=generator).to(dtype)
        tries.append({"input_features": sound, "decoder_input_ids": ids[:, :7]})
    if model.main_input_name == "input_values":
        tries.append({"input_values": torch.randn(2, 4000, generator=generator).to(dtype)})
    tries += [part for part in (text, vision, text | vision, video) if part]
    for one in tries:
        yield {name: value.to(device) for name, value in one.items()}


@contextmanager
def evaluating(model: nn.Module) -> Iterator[None]:
    """Without dropout; every module's own flag comes back."""
    with ExitStack() as back:
        for module in model.modules():
            back.callback(setattr, module, "training", module.training)
        model.eval()
        yield


def forked(device: torch.device) -> Any:
    """What is drawn inside is drawn again behind it: runs draw the same numbers, and the caller's are not moved."""
    return torch.random.fork_rng([device] if device.type == "cuda" else [])


@contextmanager
def listening(model: nn.Module, heard: Any) -> Iterator[None]:
    """`heard(module, output)` after each module's call."""
    with ExitStack() as hooks:
        for module in model.modules():
            hook = module.register_forward_hook(lambda module, args, out: heard(module, out))
            hooks.callback(hook.remove)
        yield


# --- parts ---------------------------------------------------------------------------------------


def _outputs(model: Any, inputs: Mapping[str, Any], errors: list[Exception]) -> Any:
    """What the model gives, or None where it does not take these inputs, whose error then joins the others."""
    try:
        with forked(model.device):
            return model(**inputs)
    except (*UNFIT, ImportError) as error:
        errors.append(error)
        return None


def _first_line(errors: list[Exception]) -> str:
    """What the first try ended with, for a sentence."""
    lines = str(errors[0]).splitlines() if errors else []
    return f" ({type(errors[0]).__name__}: {lines[0][:200].rstrip('.')})" if lines else ""


def _map_error(recorder: Recorder, weights: Mapping[str, list[Tensor]]) -> tuple[float, int]:
    """The largest difference between the maps of the traces and eager's own; and of how many layers there were both."""
    error, compared = 0.0, 0
    turns: dict[str, int] = {}
    for name, stack in recorder.stacks.items():
        for number, layer in enumerate(stack.layers):
            turn = turns[layer.name] = turns.get(layer.name, -1) + 1
            exact = weights.get(layer.name, [])
            if exact and turn >= len(exact):
                raise BadModel(
                    f"{layer.name} calls its attention more often than it returns maps, so its layers cannot be told "
                    "apart; this model cannot be watched."
                )
            if turn < len(exact) and exact[turn].shape[-2:] == (layer.length, layer.joined("k").shape[2]):
                compared += 1
                error = float(np.maximum(error, _layer_error(recorder, name, number, exact[turn])))
    return error, compared


def _layer_error(recorder: Recorder, stack: str, number: int, exact: Tensor) -> float:
    """One layer's largest error over rows of the batch and heads; NaN where one is."""
    worst = 0.0
    for row in range(len(exact)):
        trace = make_trace(recorder, stack, row, None)
        queries, keys = places(recorder, recorder.stacks[stack], row)
        maps = exact[row][:, queries][:, :, keys].double().cpu()
        for head, one in enumerate(maps):
            worst = np.maximum(worst, float((trace.attention(number, head).double() - one).abs().max()))
    return worst


def _output_error(ours: Any, exact: Any, inputs: Mapping[str, Any]) -> float:
    """The largest difference between two outputs, relative to the largest number, NaN where one is; rows of padding
    left out."""
    mask, worst = inputs.get("attention_mask"), 0.0
    for name in ("logits", "last_hidden_state", "image_embeds", "text_embeds"):
        a, b = (getattr(output, name, None) for output in (ours, exact))
        if a is None or b is None:
            continue
        if mask is not None and a.shape[:2] == mask.shape:
            a, b = a[mask.bool()], b[mask.bool()]
        worst = float(np.maximum(worst, float((a - b).abs().max() / b.abs().max().clamp(min=1e-12))))
    return worst
