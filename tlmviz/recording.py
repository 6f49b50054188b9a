"""Watching and editing a forward pass: named taps, and the recording that what passes through them goes to."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field

from torch import Tensor, nn

from .errors import BadShape

Edit = Callable[[Tensor, "Recording"], Tensor]


class Tap(nn.Module):
    """A named place in a forward pass where a tensor can be read or changed.

    `self.q = Tap()  # [B, H, T, D]` declares it, `q = self.q(q)` applies it. Outside a
    recording it returns its input untouched.
    """

    name = ""

    def __call__(self, value: Tensor) -> Tensor:
        # Past torch's call machinery: a decode step passes a hundred taps, and most passes record nothing.
        recording = _active.get()
        return value if recording is None else recording.visit(self.name, value)


def name_taps(network: nn.Module) -> nn.Module:
    """Give every tap its dotted path as a name. Called once, when a network is built."""
    for path, module in network.named_modules():
        if isinstance(module, Tap):
            module.name = path
    return network


@dataclass
class Recording:
    """What one pass through the taps kept, and the edits it applied on the way.

    `keep(name)` says which tensors to hold on to; `edits` maps a tap's name to a function
    of the tensor and this recording; its result replaces the tensor for the rest of the pass.
    """

    keep: Callable[[str], bool] = lambda name: True
    edits: Mapping[str, Edit] = field(default_factory=dict)
    values: dict[str, Tensor] = field(default_factory=dict)
    # (layer, head) -> {row: weights [S]}: rows of a map that an edit replaced
    rows: dict[tuple[int, int], dict[int, Tensor]] = field(default_factory=dict)

    def visit(self, name: str, value: Tensor) -> Tensor:
        """Called by every tap: edit, keep, pass on."""
        edit = self.edits.get(name)
        if edit is not None:
            edited = edit(value, self)
            if edited.shape != value.shape:
                raise BadShape(f"An edit of {name} returned {list(edited.shape)}; it must stay {list(value.shape)}.")
            value = edited
        if self.keep(name):
            # A part of a larger tensor would keep the whole of it in memory.
            self.values[name] = value.clone() if value.untyped_storage().nbytes() > value.nbytes else value
        return value


_active: ContextVar[Recording | None] = ContextVar("recording", default=None)


@contextmanager
def recording(keep: Callable[[str], bool] | None = None, edit: Mapping[str, Edit] | None = None) -> Iterator[Recording]:
    """Record the taps passed in this context (this thread or task only)."""
    record = Recording(keep or (lambda name: True), edit or {})
    token = _active.set(record)
    try:
        yield record
    finally:
        _active.reset(token)
