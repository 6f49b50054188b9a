"""Passes over probes in the middle of a training, which leave the training as it was."""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn

from ..errors import BadModel, BadMonitor
from ..tracing.trace import Trace
from ..watching import watch
from ..watching.capture import LAYER, Recorder
from ..watching.refusals import unwrapped
from ..watching.verification import evaluating
from .calls import attention_calls, call_traces


@dataclass(frozen=True)
class Probe:
    """The arguments of one call of the model."""

    args: tuple[Any, ...] = ()
    kwargs: Mapping[str, Any] | None = None

    def to(self, device: torch.device) -> Probe:
        """The same with its tensors on a device."""
        named = {name: _moved(part, device) for name, part in (self.kwargs or {}).items()}
        return Probe(tuple(_moved(part, device) for part in self.args), named)

    def rows(self, most: int) -> Probe:
        """The first rows of a batch, without its labels."""
        given = [part for part in (*self.args, *(self.kwargs or {}).values()) if isinstance(part, Tensor)]
        batch = next((len(part) for part in given if part.ndim), 0)

        def cut(part: Any) -> Any:
            whole = isinstance(part, Tensor) and part.ndim and len(part) == batch
            return part[:most].detach() if whole else part

        named = {name: cut(part) for name, part in (self.kwargs or {}).items() if name != "labels"}
        return Probe(tuple(cut(part) for part in self.args), named)

    @property
    def digest(self) -> str:
        """Tells one probe from another."""
        told = hashlib.sha256()
        for part in (*self.args, *(item for pair in sorted((self.kwargs or {}).items()) for item in pair)):
            told.update(repr(part.tolist() if isinstance(part, Tensor) else part).encode())
        return told.hexdigest()[:16]


def as_probe(given: Any) -> Probe:
    """A probe of token ids [T] or [B, T], of a mapping of named inputs, or of a tuple of inputs. Raises BadMonitor."""
    if isinstance(given, Mapping):
        return Probe((), dict(given))
    if isinstance(given, tuple):
        return Probe(given)
    try:
        ids = torch.as_tensor(given)
    except (TypeError, ValueError, RuntimeError):
        ids = torch.zeros(0)
    if ids.ndim not in (1, 2) or not ids.numel() or ids.is_floating_point():
        raise BadMonitor(
            f"A probe is {type(given).__name__} {given!r:.60}; give token ids [T] or [B, T], a dict of the model's "
            "inputs, or a tuple of them."
        )
    return Probe((ids.reshape(-1, ids.shape[-1]),))


@dataclass(frozen=True)
class Seen:
    """What passes over the probes left: a trace for each row, and the name of each layer's block in the model."""

    traces: list[Trace]
    blocks: list[str]


def network_of(model: Any) -> nn.Module:
    """The module whose parameters are trained. Raises BadModel where there is none."""
    found = unwrapped(getattr(model, "network", model)) if hasattr(model, "trace_ids") else unwrapped(model)
    if not isinstance(found, nn.Module):
        raise BadModel(
            "monitor needs a model of transformers, a tlmviz.LanguageModel or a torch.nn.Module, and this is a "
            f"{type(model).__name__}."
        )
    return found


def look(model: Any, probes: Sequence[Probe], tokenizer: Any = None, check: bool | Mapping[str, Any] = False) -> Seen:
    """Every probe read once. Raises BadMonitor for one that the model does not read, and BadModel, as where q is not
    finite."""
    network = network_of(model)
    device = next((part.device for part in network.parameters()), torch.device("cpu"))
    moved = [probe.to(device) for probe in probes]
    transformers = sys.modules.get("transformers")
    try:
        with undisturbed(network):
            if hasattr(model, "trace_ids"):
                return _ours(model, moved)
            if transformers is not None and isinstance(network, transformers.PreTrainedModel):
                return _watched(network, moved, tokenizer, check)
            return _called(network, moved, tokenizer)
    except (RuntimeError, TypeError, ValueError, IndexError, KeyError, AttributeError) as error:
        raise BadMonitor(
            f"{type(network).__name__} could not read a probe ({type(error).__name__}: {error}); give probes that it "
            "reads as they are: token ids, a dict of its inputs, or a tuple of them."
        ) from error


def _ours(model: Any, probes: Sequence[Probe]) -> Seen:
    """Of a model of tlmviz, by its own trace."""
    if any(len(probe.args) != 1 or probe.kwargs for probe in probes):
        raise BadMonitor(
            f"A probe of {type(model).__name__} is token ids, [T] or [B, T], and nothing else; give those."
        )
    traces = [model.trace_ids(row) for probe in probes for row in probe.args[0].tolist()]
    return Seen(traces, [f"blocks.{layer}" for layer in range(traces[0].n_layers)])


def _watched(network: nn.Module, probes: Sequence[Probe], tokenizer: Any, check: bool | Mapping[str, Any]) -> Seen:
    """Of a model of transformers: the decoder's traces where it has one."""
    traces = []
    with watch(network, tokenizer, check=check) as watched:
        for probe in probes:
            network(*probe.args, **(probe.kwargs or {}))
            _check_finite(watched.recorder)
            traces += watched.traces
        return Seen(traces, _blocks(watched.recorder, watched.stacks[0]))


def _called(network: nn.Module, probes: Sequence[Probe], tokenizer: Any) -> Seen:
    """Of own code, at its calls of scaled_dot_product_attention."""
    traces, recorder = [], Recorder(network)
    for probe in probes:
        recorder = attention_calls(network, probe.args, dict(probe.kwargs or {}))
        _check_finite(recorder)
        traces += call_traces(recorder, tokenizer, type(network).__name__)
    return Seen(traces, _blocks(recorder))


def _blocks(recorder: Recorder, stack: str = "decoder") -> list[str]:
    """The block that each layer is of, up to the number in its name."""
    names = [layer.name for layer in recorder.stacks[stack].layers]
    found = [(LAYER.match(name), name) for name in names]
    return [f"{match['before']}.{match['number']}".lstrip(".") if match else name for match, name in found]


def _check_finite(recorder: Recorder) -> None:
    """Raises BadModel where q or k are NaN or infinite: no map can be made of them."""
    for stack in recorder.stacks.values():
        for number, layer in enumerate(stack.layers):
            if not all(bool(part.isfinite().all()) for part in (*layer.q, *layer.k)):
                raise BadModel(
                    f"q or k of layer {number} ({layer.name}) hold NaN or infinite numbers: the training has diverged."
                )


@contextmanager
def undisturbed(network: nn.Module) -> Iterator[None]:
    """Without dropout, gradients and compiled code; random numbers, modes and autocast's cache as they were
    afterwards."""
    devices = {part.device for part in network.parameters()}
    kind = next(iter(devices)).type if devices else "cpu"
    with ExitStack() as spans:
        spans.callback(_sharded_again, network)
        spans.enter_context(torch.no_grad())
        spans.enter_context(evaluating(network))
        spans.enter_context(torch.random.fork_rng([device for device in devices if device.type == "cuda"]))
        if torch.is_autocast_enabled(kind):
            # Its cache holds the weights before this step; older versions of torch would also keep there what this
            # pass rounds, without gradients.
            dtype = torch.get_autocast_dtype(kind)
            spans.enter_context(torch.autocast(kind, dtype, cache_enabled=False))
        if "torch._dynamo" in sys.modules:
            spans.enter_context(torch.compiler.set_stance("force_eager"))
        yield


def _sharded_again(network: nn.Module) -> None:
    """Let go of the whole parameters that `fully_shard` gathered for a pass: it does so in the backward pass, and
    without one the training's next pass would read them, and its gradients of them would stay on this rank."""
    sharding = getattr(sys.modules.get("torch.distributed.fsdp"), "FSDPModule", ())
    for module in network.modules():
        if isinstance(module, sharding):
            module.reshard()


def _moved(part: Any, device: torch.device) -> Any:
    return part.to(device) if isinstance(part, Tensor) else part
