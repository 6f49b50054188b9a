"""The span in which a model is watched: its attention switched, its inputs noted."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import ExitStack
from typing import Any

from torch import Tensor, compiler, nn

from ..errors import BadModel
from .capture import Call, Recorder
from .interface import Switched, switched


def recording(model: nn.Module, recorder: Recorder) -> ExitStack:
    """Our attention in the model's place, and each (sub)model's inputs noted; undone when the stack closes."""
    ours: set[nn.Module] = set()

    def note(module: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        if compiler.is_exporting():
            raise BadModel(
                f"{type(module).__name__} is exported inside the with block, where it computes no numbers; export it "
                "before or after the block."
            )
        # The model itself, or a part that is called alone, as `generate` calls an encoder.
        if not recorder.depth:
            recorder.begin_pass()
        recorder.depth += 1
        if module in ours and not isinstance(module.config._attn_implementation, Switched):
            raise BadModel(
                f"The attention of {type(module).__name__} was switched to {str(module.config._attn_implementation)!r} "
                "inside the with block, and is no longer watched; switch it before the block."
            )
        recorder.inputs[module] = _inputs(args, kwargs)
        recorder.pictured[module] = Call.of(args, kwargs)
        if hasattr(cache := kwargs.get("past_key_values"), "get_seq_length"):
            recorder.past = int(cache.get_seq_length())  # type: ignore[union-attr]  # it has one

    def leave(*_: object) -> None:
        recorder.depth -= 1

    with ExitStack() as opening:
        opening.enter_context(switched(model, recorder))
        parts: Iterable[Any] = model.modules()
        models = [part for part in parts if hasattr(part, "config") and hasattr(part, "main_input_name")]
        ours.update(m for m in models if isinstance(m.config._attn_implementation, Switched))
        for module in models:
            opening.callback(module.register_forward_pre_hook(_Hook(note), with_kwargs=True).remove)
            opening.callback(module.register_forward_hook(_Hook(leave), always_call=True).remove)
        return opening.pop_all()


class _Hook:
    """A hook of a module that is watched. A copy of the module, made meanwhile, gets one that does nothing."""

    def __init__(self, call: Callable[..., None]):
        self.call = call

    def __call__(self, *args: Any) -> None:
        self.call(*args)

    def __reduce__(self) -> tuple[type[_Hook], tuple[Callable[..., None]]]:
        return _Hook, (_nothing,)


def _nothing(*_: object) -> None:
    """What the hook of a copy does."""


def _inputs(args: tuple[Any, ...], kwargs: dict[str, Any]) -> dict[str, Tensor]:
    """Token ids among a call's arguments, the first of which may have no name."""
    found = {name: kwargs.get(name) for name in ("input_ids", "decoder_input_ids")}
    first = args[0] if args and found["input_ids"] is None else None
    if isinstance(first, Tensor) and not first.is_floating_point() and first.ndim == 2:
        found["input_ids"] = first
    return {name: value.detach() for name, value in found.items() if isinstance(value, Tensor)}
