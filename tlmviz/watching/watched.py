"""A model of transformers while it is watched, and the traces that it leaves."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import ExitStack
from functools import partial
from typing import Any

from ..errors import UnknownName
from ..places import Places
from ..tracing.trace import Trace
from .capture import Recorder, Stack, T
from .pictures import find
from .refusals import check_model, unwrapped
from .session import recording
from .traces import make_trace
from .verification import Verified, verify

FIRST = ("decoder", "text", "encoder", "vision", "audio", "cross")  # the stack that `trace` is of


def watch(model: Any, tokenizer: Any = None, *, check: bool | Mapping[str, Any] = True) -> Watched:
    """Watch a model of transformers: inside the with block its calls leave a trace, and its outputs stay its own.

    The model runs its own forward with its own attention; what its attention is handed (q, k and v after RoPE and
    norms) and each row's lse are kept where the model is, O(T) memory. No map is made: `watched.trace.attention(layer,
    head)` computes one when asked. A generation leaves one trace of the whole text, its prompt included. `tokenizer`
    names the tokens; without one they are their numbers.

    On entering, a short random input runs through the model watched and not, and with its eager attention; outputs and
    maps are compared: see `watched.verified`. Give inputs for that with `check={"input_ids": ...}`, or leave it out
    with False.

    A mask of your own, [1 or B, 1 or H, T, S], is read as the model's own attention reads it, and kept where it does
    more than hide keys from all heads alike.

    What PEFT, torch.compile or data parallelism put around a model may be given, and called inside the block, as well.

    Raises BadModel where a model does not hand its attention over, or in a form that is not reproduced here.
    Example: `with tlmviz.watch(model, tokenizer) as watched: model(**inputs)`, then `watched.trace.attention(0, 0)`.
    """
    model = unwrapped(model)
    check_model(model)
    return Watched(model, tokenizer, check)


class Watched:
    """What `watch` gives: traces by stack and by row of the batch.

    `trace` is the first row's, of the decoder where there is one; `traces` are those of all rows. An encoder-decoder
    has three stacks, `trace_of("encoder")`, `trace_of("decoder")`, `trace_of("cross")`; `stacks` lists a model's own.
    Padding is left out. `patches` are the rows and columns of an image's patches. `verified` is what the comparison
    with the model's eager attention found, None where it was left out. Later calls take the place of earlier ones, but
    for the steps of one generation, which continue it.
    """

    def __init__(self, model: Any, tokenizer: Any, check: bool | Mapping[str, Any]):
        self.model, self.tokenizer, self.check = model, tokenizer, check
        self.verified: Verified | None = None
        self.recorder = Recorder(model)
        self._open = ExitStack()
        self._made: dict[object, tuple[int, Any]] = {}

    def __enter__(self) -> Watched:
        if self.check is not False:
            self.verified = verify(self.model, self.check if isinstance(self.check, Mapping) else None)
        self.recorder = Recorder(self.model)
        self._open.enter_context(recording(self.model, self.recorder))
        return self

    def __exit__(self, *exception: object) -> None:
        self._open.close()

    # --- traces ------------------------------------------------------------------------------

    @property
    def stacks(self) -> list[str]:
        """Names of the stacks of attention layers that ran."""
        found = self.recorder.stacks
        return sorted(found, key=lambda name: FIRST.index(name) if name in FIRST else len(FIRST))

    @property
    def trace(self) -> Trace:
        """The first row's trace."""
        return self.trace_of(self._main())

    @property
    def traces(self) -> list[Trace]:
        """One trace per row of the batch."""
        name = self._main()
        return [self.trace_of(name, row) for row in range(len(self.recorder.stacks[name].layers[0].q[0]))]

    @property
    def patches(self) -> tuple[int, int] | None:
        """Rows and columns of patches of the last image; None where there was none, or its patches could not be
        found."""
        found = (self._pictured(stack) for stack in self.recorder.stacks.values())
        return next((one.grid for one in found if one is not None and one.grid), None)

    def trace_of(self, stack: str, row: int = 0) -> Trace:
        """The trace of one stack and one row of the batch. Raises UnknownName."""
        found = self.recorder.stacks
        name = "cross" if stack == "decoder.cross" else stack
        if name not in found:
            there = ", ".join(self.stacks) or "none yet: call the model inside the with block"
            raise UnknownName(f"There is no stack {stack!r} in this model; there are {there}.")
        batch = len(found[name].layers[0].q[0])
        if not 0 <= row < batch:
            raise UnknownName(f"There is no row {row} in this batch; it has rows 0 to {batch - 1}.")
        named = getattr(self.model.config, "name_or_path", "") or type(self.model).__name__
        make = partial(make_trace, self.recorder, name, row, self.tokenizer, named, self._pictured)
        return self._once((name, row), make)

    def _pictured(self, stack: Stack) -> Places | None:
        """What a stack's tokens are of a picture."""
        return self._once(stack.name, partial(find, self.recorder, stack))

    def _once(self, key: object, make: Callable[[], T]) -> T:
        """What is made of the calls so far, once after each."""
        if self._made.get(key, (-1,))[0] != self.recorder.version:
            self._made[key] = self.recorder.version, make()
        made: T = self._made[key][1]
        return made

    def _main(self) -> str:
        names = self.stacks
        if not names:
            raise UnknownName("Nothing was watched yet; call the model inside the with block.")
        return names[0]
