"""The folder of a monitored run: its table, its events, its snapshots."""

from __future__ import annotations

import json
import os
from contextlib import suppress
from dataclasses import asdict, dataclass
from functools import cached_property
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ..analysis.workbench.survey.kinds import holds
from ..analysis.workbench.survey.shards import write
from ..checkpoints.folders import HEADS, holds_run
from ..errors import BadFile, BadMonitor, BadShape
from ..extras import require
from ..tracing.dump import open_trace
from ..tracing.trace import Trace
from .rules import Event

if TYPE_CHECKING:
    import pandas as pd

LOSSES, EVENTS, SETTINGS = "losses.parquet", "events.json", "settings.json"
SNAPSHOTS, MAPS = "snapshots", "maps"
STATISTICS = ("entropy", "peak", "sink", "self", "previous", "distance", "induction", "max_logit")
NORMS = ("q_norm", "k_norm", "output_norm")
COLUMNS = ("step", "layer", "head", *STATISTICS, *NORMS, "update_ratio")


@dataclass(frozen=True)
class Run:
    """What `tlmviz.monitor` left in a folder, read when asked for.

    `heads`: step, layer, head, the columns of `Trace.head_statistics`, those of `Trace.norms`, and update_ratio, the
    norm of the layer's change in one optimizer step by the norm of its parameters. `losses`: what the training said of
    its loss, by step. `events`: the rules that fired. `snapshots`: a step's traces, one for each row of the probes.
    """

    folder: Path

    @cached_property
    def heads(self) -> pd.DataFrame:
        """A line per step, layer and head. Raises BadFile where the file is no such table, MissingExtra without
        pyarrow."""
        import pandas as pd

        require("pyarrow", "survey", "The table of a monitored run")
        try:
            table = pd.read_parquet(self.folder / HEADS)
        except (OSError, ValueError):  # pyarrow's errors are ValueErrors
            table = pd.DataFrame()
        if not holds(table, COLUMNS) or not _is_whole(table):
            raise BadFile(f"{self.folder / HEADS} is no table of a monitored run; remove it, or give another folder.")
        return table

    @cached_property
    def losses(self) -> pd.DataFrame:
        """A line per step, a column per loss, "loss" first; empty where nobody told of one. Raises BadFile and
        MissingExtra."""
        import pandas as pd

        if not (self.folder / LOSSES).is_file():
            return pd.DataFrame({"step": [], "loss": []})
        require("pyarrow", "survey", "The table of a monitored run")
        try:
            table = pd.read_parquet(self.folder / LOSSES)
        except (OSError, ValueError):
            table = pd.DataFrame()
        if not holds(table, {"step", *table.columns}):
            raise BadFile(f"{self.folder / LOSSES} is not what tlmviz.monitor writes; remove it.")
        return table

    @cached_property
    def events(self) -> list[Event]:
        """The rules that fired, in the order of steps. Raises BadFile."""
        try:
            found = [Event(**line) for line in json.loads((self.folder / EVENTS).read_text(encoding="utf-8"))]
            if not all(map(_is_event, found)):
                raise ValueError
            return found
        except (OSError, ValueError, TypeError, RecursionError):
            raise BadFile(f"{self.folder / EVENTS} is not what tlmviz.monitor writes.") from None

    @property
    def snapshots(self) -> dict[int, list[Trace]]:
        """Step -> traces of the probes at that step; nothing but the step's files is read."""
        return {step: list(map(open_trace, paths)) for step, paths in self.snapshot_files.items()}

    @property
    def snapshot_files(self) -> dict[int, list[Path]]:
        """Step -> the files of its traces, in the order of steps."""
        found: dict[int, list[Path]] = {}
        for path in sorted((self.folder / SNAPSHOTS).glob("[0-9]*.safetensors")):
            found.setdefault(int(path.stem.partition("-")[0]), []).append(path)
        return found


def _is_event(event: Event) -> bool:
    head = event.layer, event.head
    return (
        isinstance(event.rule, str)
        and isinstance(event.sentence, str)
        and type(event.step) is int
        and (head == (None, None) or all(type(number) is int and number >= 0 for number in head))
    )


def _is_whole(table: pd.DataFrame) -> bool:
    """Whether every step has the same heads, each once, in their order."""
    if table.empty:
        return True
    steps, sizes = table["step"].unique(), [int(table[name].max()) + 1 for name in ("layer", "head")]
    if len(table) != len(steps) * sizes[0] * sizes[1]:
        return False
    places = np.indices((len(steps), *sizes)).reshape(3, -1)
    return all(
        np.array_equal(table[name], own)
        for name, own in (("step", np.sort(steps)[places[0]]), ("layer", places[1]), ("head", places[2]))
    )


def read(folder: str | os.PathLike[str]) -> Run:
    """A run that `tlmviz.monitor` wrote, also while it goes on. Raises BadFile where there is none.

    Example: `tlmviz.monitoring.read("run").heads.query("layer == 7 and head == 3").plot("step", "entropy")`.
    """
    if not holds_run(Path(folder)):
        raise BadFile(
            f"There is no monitored run in {folder}: {HEADS} is missing; give the folder that tlmviz.monitor was given "
            "as out=."
        )
    return Run(Path(folder))


class Folder:
    """The same folder while it is written. Every file is written whole or not at all, so that a killed run keeps what
    it had."""

    def __init__(self, path: Path):
        self.path = path

    def begin(self, settings: dict[str, Any]) -> pd.DataFrame | None:
        """Make the folder, or go on in it: the table that it holds. Raises BadMonitor, BadFile and MissingExtra."""
        require("pyarrow", "survey", "monitor")
        try:
            self.path.mkdir(parents=True, exist_ok=True)
            held = self._settings() if (self.path / HEADS).exists() else settings
            other = next((name for name in settings if held.get(name) != settings[name]), None)
            if other is not None:
                raise BadMonitor(
                    f"{self.path} holds a run with {other} {held.get(other)!r}, and this one has {settings[other]!r}; "
                    "give another folder to out=, or remove that one."
                )
            write(self.path / SETTINGS, json.dumps(settings, indent=1).encode())
        except OSError as error:
            raise BadMonitor(
                f"{self.path} cannot be written: {error.strerror or error}; give another folder to out=."
            ) from None
        return Run(self.path).heads if (self.path / HEADS).exists() else None

    def _settings(self) -> dict[str, Any]:
        try:
            found = json.loads((self.path / SETTINGS).read_text(encoding="utf-8"))
        except (FileNotFoundError, ValueError):
            return {}
        return found if isinstance(found, dict) else {}

    def save(self, table: pd.DataFrame, losses: pd.DataFrame, events: list[Event]) -> None:
        """Tables and events as they are now. Raises OSError."""
        for name, kept in ((HEADS, table), (LOSSES, losses)):
            if len(kept):
                file = BytesIO()
                kept.to_parquet(file, index=False, compression="zstd")
                write(self.path / name, file.getvalue())
        self.save_events(events)

    def save_events(self, events: list[Event]) -> None:
        """The events as they are now. Raises OSError."""
        write(self.path / EVENTS, json.dumps([asdict(event) for event in events], indent=1).encode())

    def snapshot(self, step: int, traces: list[Trace]) -> None:
        """Each trace as a file that `tlmviz.open` reads and `tlmviz run` shows. Raises BadFile and OSError."""
        (self.path / SNAPSHOTS).mkdir(exist_ok=True)
        for number, trace in enumerate(traces):
            trace.save(self.path / SNAPSHOTS / f"{step:08}-{number}.safetensors")

    def map(self, trace: Trace, step: int, layer: int, head: int) -> None:
        """One head's map as a file of HTML, left out where it is more than a browser can open. Raises BadFile and
        OSError."""
        (self.path / MAPS).mkdir(exist_ok=True)
        with suppress(BadShape):
            trace.save_html(self.path / MAPS / f"{step:08}-L{layer}H{head}.html", layers=[layer], heads=[head])


def statistics(traces: list[Trace], step: int, ratios: list[float]) -> pd.DataFrame:
    """The lines of one step: means over the probes' rows, and the largest max_logit of all."""
    import pandas as pd

    layers, heads = traces[0].n_layers, traces[0].n_heads
    layer, head = np.divmod(np.arange(layers * heads), heads)
    columns: dict[str, Any] = {"step": np.int64(step), "layer": layer.astype(np.int16), "head": head.astype(np.int16)}
    columns = {name: np.broadcast_to(value, len(layer)) for name, value in columns.items()}
    of_each = [trace.statistics() | trace.norms() for trace in traces]
    for name in (*STATISTICS, *NORMS):
        every = np.stack([np.ravel(one[name]) for one in of_each]).astype(np.float64)
        there = ~np.isnan(every)
        sums, counts = np.where(there, every, 0).sum(0), there.sum(0)
        mean = np.divide(sums, counts, out=np.full(len(sums), np.nan), where=counts > 0)
        columns[name] = (every.max(0) if name == "max_logit" else mean).astype(np.float32)
    columns["update_ratio"] = np.repeat(np.array(ratios, np.float32), heads)
    return pd.DataFrame(columns)
