"""Own PyTorch code watched at its calls of scaled_dot_product_attention."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

import torch
from torch import Tensor, nn
from torch.overrides import TorchFunctionMode

from ..errors import BadModel
from ..tracing.trace import Trace
from ..watching.biases import CallBias
from ..watching.capture import Layer, Recorder, Stack
from ..watching.interface import log_sum_exp
from ..watching.masks import Everything, Given, Rule
from ..watching.traces import make_trace

STACK = "decoder"


def attention_calls(model: nn.Module, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Recorder:
    """One pass, its self-attention kept as layers in the order of the calls. Raises BadModel where there was none.

    A call whose queries and keys differ in number is cross attention or a cached step, and is left out.
    """
    recorder, mode = Recorder(model), _Calls()
    with _names(model, mode.running), mode:
        model(*args, **kwargs)
    if not mode.layers:
        raise BadModel(
            f"{type(model).__name__} ran without calling F.scaled_dot_product_attention on as many queries as keys, "
            "so there is no attention to monitor; call that function, or give a model of transformers."
        )
    rows, length = len(mode.layers[0].q[0]), mode.layers[0].length
    given = [part for part in (*args, *kwargs.values()) if isinstance(part, Tensor)]
    ids = (part for part in given if part.shape == (rows, length) and not part.is_floating_point())
    recorder.stacks[STACK] = Stack(STACK, mode.layers, next(ids, None))
    return recorder


def call_traces(recorder: Recorder, tokenizer: Any, name: str) -> list[Trace]:
    """A trace for each row of the pass."""
    rows = len(recorder.stacks[STACK].layers[0].q[0])
    return [make_trace(recorder, STACK, row, tokenizer, name) for row in range(rows)]


class _Calls(TorchFunctionMode):
    """Keeps q, k, v and the mask of each call; the output is the function's own."""

    def __init__(self) -> None:
        super().__init__()
        self.layers: list[Layer] = []
        self.running: list[str] = []  # names of the modules around a call

    def __torch_function__(self, function: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        if function is torch.nn.functional.scaled_dot_product_attention:
            self._keep(*args, **kwargs)
        return function(*args, **kwargs)

    def _keep(
        self,
        query: Tensor,
        key: Tensor,
        value: Tensor,
        attn_mask: Tensor | None = None,
        dropout_p: float = 0.0,
        is_causal: bool = False,
        scale: float | None = None,
        **rest: Any,
    ) -> None:
        q, k, v = (part.unsqueeze(1) if part.ndim == 3 else part for part in (query, key, value))
        if q.ndim != 4 or q.shape[2] != k.shape[2]:
            return
        rule, bias = _mask(attn_mask, is_causal, q)
        number = q.shape[-1] ** -0.5 if scale is None else float(scale)
        with torch.autocast(q.device.type, enabled=False):
            lse = log_sum_exp(q, k, rule, number, bias)
        name = self.running[-1] if self.running else ""
        layer = Layer(name, False, number, q=[q], k=[k], v=[v], lse=[lse], rules=[rule], starts=[0])
        if bias is not None:
            layer.bias.append(CallBias(0, 0, q.shape[2], cells=bias))
        self.layers.append(layer)


def _mask(mask: Tensor | None, causal: bool, q: Tensor) -> tuple[Rule, Tensor | None]:
    """What a call hides, as a rule, and what it adds, [1 or B, H, T, S]: all of the mask where heads or numbers
    differ."""
    length = q.shape[2]
    if mask is None:
        return Rule(Everything(causal), 0, length), None
    whole = mask[(None,) * (4 - mask.ndim)].expand(-1, -1, length, length)
    answer, added = Given.parted(whole, 0)
    return Rule(answer, 0, length), added


@contextmanager
def _names(model: nn.Module, running: list[str]) -> Iterator[None]:
    """Keeps the names of the modules that are running, the innermost last."""
    with ExitStack() as hooks:
        for name, module in model.named_modules():

            def begin(module: nn.Module, args: Any, name: str = name) -> None:
                running.append(name)

            def end(*_: Any) -> None:
                running.pop()

            hooks.callback(module.register_forward_pre_hook(begin).remove)
            hooks.callback(module.register_forward_hook(end, always_call=True).remove)
        yield
