"""`monitor` as a callback of transformers' Trainer."""

from __future__ import annotations

from pathlib import Path
from typing import Any, ClassVar

from ..extras import require
from .measuring import Monitor, monitor

require("transformers", "transformers", "MonitorCallback")

from transformers import TrainerCallback  # noqa: E402  # after the sentence that says how to get it


class MonitorCallback(TrainerCallback):
    """`monitor` for `transformers.Trainer(..., callbacks=[MonitorCallback(every=200, out="run", probes=[ids])])`.

    Takes what `tlmviz.monitor` takes but the model, which the trainer names, and `first`: a training that is resumed
    from a checkpoint goes on at the checkpoint's step. `monitor` is the Monitor, None before the training. Raises as
    `monitor` does, when it is made and when training begins. Elsewhere (Lightning, accelerate) put `with
    tlmviz.monitor(...)` around the training.
    """

    running: ClassVar[dict[Path, Monitor]] = {}  # by folder: a training that was interrupted has never ended

    def __init__(self, **options: Any):
        self.options = options
        self.monitor: Monitor | None = None

    def on_train_begin(self, args: Any, state: Any, control: Any, model: Any = None, **rest: Any) -> None:
        """The monitor is entered at the trainer's step."""
        self.monitor = monitor(model, first=state.global_step, **self.options)
        left = self.running.pop(self.monitor.out, None)
        if left is not None:
            left.__exit__()
        self.running[self.monitor.out] = self.monitor.__enter__()

    def on_step_end(self, args: Any, state: Any, control: Any, **rest: Any) -> None:
        """A step is counted, where no torch optimizer has told of it."""
        assert self.monitor is not None
        self.monitor.step()

    def on_log(self, args: Any, state: Any, control: Any, logs: Any = None, **rest: Any) -> None:
        """Losses that the trainer logs are kept: "loss" and "eval_loss"."""
        if self.monitor is not None:
            found = {name: float(logs[name]) for name in ("loss", "eval_loss") if name in (logs or {})}
            self.monitor.loss(**found)

    def on_train_end(self, args: Any, state: Any, control: Any, **rest: Any) -> None:
        """The monitor is left."""
        if self.monitor is not None:
            self.running.pop(self.monitor.out, None)
            self.monitor.__exit__()
