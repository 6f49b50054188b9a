"""A training watched from inside: statistics of every head at every so many optimizer steps, and rules that read
them."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

import torch
from torch import nn
from torch.optim import Optimizer
from torch.optim.optimizer import register_optimizer_step_post_hook

from ..errors import BadModel, BadMonitor, Error
from ..tracing.trace import Trace
from .probing import Probe, Seen, as_probe, look, network_of
from .rules import RULES, Event, Rule
from .run import Folder, Run, statistics
from .updates import Updates

if TYPE_CHECKING:
    import pandas as pd

Log = Callable[[dict[str, Any], int], object]
LOGGED = ("entropy", "max_logit", "sink", "q_norm", "k_norm", "output_norm")
NOTE = "note"  # what stands in a rule's place where the training itself said something
MAP = 64  # rows and columns of the picture of a head
MAPS_AT_ONCE = 8  # a rate that is too large fires for every head of a model in one step


def monitor(
    model: Any,
    every: int = 200,
    out: str | os.PathLike[str] = "run",
    probes: Iterable[Any] | None = None,
    *,
    tokenizer: Any = None,
    log: Log | None = None,
    rules: Mapping[str, Rule] = RULES,
    snapshots: Iterable[int] | str = (),
    first: int | None = None,
    rows: int = 4,
    check: bool | Mapping[str, Any] = True,
) -> Monitor:
    """Watch a training: inside the with block, statistics of every head go to `out/heads.parquet` every `every` steps.

    A step is one `step()` of the optimizer that holds the model's parameters, whoever calls it (of several, the one
    that steps first), so that gradient accumulation and a GradScaler's skipped steps count right; where no torch
    optimizer of this process steps, call `monitor.step()`. At step 0 and at every `every`-th the model reads `probes`
    without dropout, gradients and compiled code; the training's numbers stay what they would have been, bit for bit. A
    probe is token ids [T] or [B, T], a dict of the model's inputs, or a tuple of them. Without probes the first `rows`
    rows of the last batch that the model was called with in training mode are read; step 0 is then left out.

    `model` is a model of transformers (also as DDP, PEFT or torch.compile wrapped it), a tlmviz.LanguageModel whose
    network is trained, or any torch module that calls F.scaled_dot_product_attention. One of transformers is verified
    first, as by `tlmviz.watch`, with the same `check`; of an encoder-decoder the decoder's own attention is read. Of
    several ranks all read the probes, and rank 0 writes.

    `monitor.loss(value)` keeps what the training says of its loss, in `out/losses.parquet`; *Learning* draws it below
    the heads. The table has step, layer, head, the columns of `Trace.head_statistics` (entropy in bits), the norms of
    `Trace.norms`, and update_ratio, the layer's; `monitoring.read(out)` opens it. A folder that holds the same run is
    gone on with: from its last step, or from step `first`, and what it holds of later steps is dropped.
    `monitor.events` are the `rules` that fired, each head with the file out/maps/STEP-HEAD.html (eight at once at
    most). `snapshots` are steps at which q, k, v and lse of the probes are kept, or "log" for 0 and the powers of two;
    `tokenizer` names their tokens.

    `log(scalars, step)` gets "attention/L7/entropy/min", "median" and "max" of each layer, and where a rule fires
    "attention/L7H3/map", a uint8 array [64, 64]. Examples: `log=wandb.log` or `trackio.log` (wrap maps in wandb.Image);
    `lambda scalars, step: [writer.add_scalar(k, v, step) for k, v in scalars.items() if not k.endswith("/map")]` for
    TensorBoard; with the same condition `mlflow.log_metrics(..., step=step)`.

    Raises BadMonitor (every=0, no probes, a folder that cannot be written or holds another run), BadModel (no attention
    that can be watched) and MissingExtra on entering. Later a measurement that fails is an event, and training goes on.
    Example: `with tlmviz.monitor(model, every=200, out="run", probes=[ids]) as monitor: trainer.train()`.
    """
    for name, value in (("every", every), ("rows", rows)):
        if isinstance(value, bool) or not isinstance(value, int) or value < 1:
            raise BadMonitor(f"{name} is {value!r}; give a whole number from 1 on.")
    made = None if probes is None else [as_probe(one) for one in (probes if isinstance(probes, Iterable) else ())]
    if made is not None and not made:
        raise BadMonitor(
            "There are no probes; give a list of at least one, such as [ids] of a text, or leave probes out to read "
            "the batches."
        )
    if not isinstance(snapshots, Iterable) or isinstance(snapshots, str) and snapshots != "log":
        raise BadMonitor(f'snapshots is {snapshots!r}; give "log" or a list of steps.')
    steps = snapshots if isinstance(snapshots, str) else frozenset(snapshots)
    return Monitor(model, every, Path(out), made, tokenizer, log, rules, steps, first, rows, check)


class Monitor:
    """What `monitor` gives: `steps` done, `table` (a line per step, layer and head), `events` (rules that fired).

    `step()` says that an optimizer step is done, where no torch optimizer of this process did it; `loss(value)` keeps a
    loss, `note(sentence)` a sentence about the step.
    """

    def __init__(
        self,
        model: Any,
        every: int,
        out: Path,
        probes: Sequence[Probe] | None,
        tokenizer: Any,
        log: Log | None,
        rules: Mapping[str, Rule],
        snapshots: str | frozenset[int],
        first: int | None,
        rows: int,
        check: bool | Mapping[str, Any],
    ):
        self.model, self.every, self.out, self.probes, self.tokenizer = model, every, out, probes, tokenizer
        self.log, self.rules, self.snapshots, self.first, self.rows = log, rules, snapshots, first, rows
        self.network = network_of(model)
        self.steps = first or 0
        self.events: list[Event] = []
        self._check = check
        self._tables: list[pd.DataFrame] = []
        self._losses: dict[int, dict[str, float]] = {}
        self._told: set[tuple[str, int | None, int | None]] = set()
        self._batch: Probe | None = None
        self._updates: Updates | None = None
        self._lead: int | None = None  # a parameter; of several optimizers the one that has it counts
        self._leads: WeakKeyDictionary[Optimizer, bool] = WeakKeyDictionary()
        self._counted = False  # whether a hook has counted the step that `step` will be called for
        self._open = ExitStack()

    @property
    def table(self) -> pd.DataFrame:
        """What `out/heads.parquet` holds, on rank 0."""
        import pandas as pd

        if len(self._tables) > 1:
            self._tables[:] = [pd.concat(self._tables, ignore_index=True)]
        return self._tables[0] if self._tables else pd.DataFrame()

    @property
    def losses(self) -> pd.DataFrame:
        """What `out/losses.parquet` holds once the next measurement is written: a line per step, a column per loss."""
        import pandas as pd

        lines = [{"step": step, **losses} for step, losses in sorted(self._losses.items())]
        return pd.DataFrame(lines, columns=None if lines else ["step", "loss"])

    @property
    def writes(self) -> bool:
        """Whether this process is the one that writes: rank 0, or the only one."""
        there = torch.distributed.is_available() and torch.distributed.is_initialized()
        return not there or torch.distributed.get_rank() == 0

    def __enter__(self) -> Monitor:
        seen = look(self.model, self.probes, self.tokenizer, self._check) if self.probes is not None else None
        if self.writes:
            self._go_on(seen is not None)
        if seen is not None:
            self._keep(seen)
        self._open.callback(register_optimizer_step_post_hook(self._stepped).remove)
        if self.probes is None:
            self._open.callback(self._listen())
        self._before_next()
        return self

    def __exit__(self, *exception: object) -> None:
        self._open.close()
        if self.writes and (self._losses or self.events):
            with suppress(OSError):  # what was told since the last measurement
                Folder(self.out).save(self.table, self.losses, self.events)

    # --- steps -------------------------------------------------------------------------------

    def step(self) -> None:
        """An optimizer step is done. One that the monitor saw already is not counted again."""
        if not self._counted:
            self._count()
        self._counted = False

    def loss(self, value: float | torch.Tensor | None = None, **others: float | torch.Tensor) -> None:
        """Keep the loss of the step that was done last, and others by name: `monitor.loss(loss, held_out=2.1)`.

        It is drawn below the heads, and changes nothing. A tensor is read at once, which on a GPU waits for it.
        """
        named = {} if value is None else {"loss": value}
        self._losses.setdefault(self.steps, {}).update(
            {name: float(torch.as_tensor(each).detach()) for name, each in {**named, **others}.items()}
        )

    def note(self, sentence: str) -> None:
        """Keep a sentence about the step that was done last, as where other data begins: an event that *Learning*
        marks."""
        if all(event.sentence != sentence for event in self.events):  # a run that is gone on with says it again
            self.events.append(Event(NOTE, None, None, self.steps, sentence))

    def _stepped(self, optimizer: Optimizer, args: Any, kwargs: Any) -> None:
        """The hook of every optimizer's step."""
        if optimizer not in self._leads:
            ours = {id(part) for part in self.network.parameters()}
            held = {id(part) for group in optimizer.param_groups for part in group["params"]} & ours
            if self._lead is None and held:
                self._lead = next(iter(held))
            self._leads[optimizer] = self._lead in held
        if self._leads[optimizer]:
            self._counted = True
            self._count()

    def _count(self) -> None:
        self.steps += 1
        if self._due(self.steps):
            self.measure()
        self._before_next()

    def _due(self, step: int) -> bool:
        return step % self.every == 0 or self._wants_snapshot(step)

    def _wants_snapshot(self, step: int) -> bool:
        if isinstance(self.snapshots, str):
            return step & (step - 1) == 0
        return step in self.snapshots

    def _before_next(self) -> None:
        if self._updates is not None and self.writes and self._due(self.steps + 1):
            self._updates.before()

    # --- measurements ------------------------------------------------------------------------

    def measure(self) -> None:
        """Read the probes, or the last batch, now. What fails becomes an event, and raises nothing."""
        try:
            probes = self._of_batch() if self.probes is None else self.probes
            self._keep(look(self.model, probes, self.tokenizer))
        except (Error, OSError, RuntimeError) as error:  # what torch raises where memory is short, for one
            done = "written" if isinstance(error, OSError) else "measured"
            said = f"Step {self.steps} was not {done}: {error}"
            self._fired([Event(f"not {done}", None, None, self.steps, said)])
            if self.writes:
                with suppress(OSError):
                    Folder(self.out).save_events(self.events)

    def _keep(self, seen: Seen) -> None:
        """Everything that follows from one look, on the rank that writes."""
        if not self.writes:
            return
        if self._updates is None:
            self._updates = Updates(self.network, seen.blocks)
        table = statistics(seen.traces, self.steps, self._updates.ratios())
        self._tables.append(table)
        fired = self._fired([event for rule in self.rules.values() for event in rule(self.table)])
        folder = Folder(self.out)
        folder.save(self.table, self.losses, self.events)
        if self._wants_snapshot(self.steps):
            folder.snapshot(self.steps, seen.traces)
        pictures = {}
        for event in fired[:MAPS_AT_ONCE]:
            if event.layer is not None and event.head is not None:
                pictures[f"attention/{event.name}/map"] = _picture(seen.traces[0], event)
                folder.map(seen.traces[0], event.step, event.layer, event.head)
        if self.log is not None:
            self.log(scalars(table) | pictures, self.steps)

    def _fired(self, events: Iterable[Event]) -> list[Event]:
        """The events that are new, kept."""
        new = [event for event in events if (event.rule, event.layer, event.head) not in self._told]
        self._told |= {(event.rule, event.layer, event.head) for event in new}
        self.events += new
        return new

    def _go_on(self, again: bool) -> None:
        """The folder's table up to where this run begins; `again` where that step is measured once more."""
        probes = "the batches" if self.probes is None else ", ".join(probe.digest for probe in self.probes)
        parameters = sum(part.numel() for part in self.network.parameters())
        settings = {"model": type(self.network).__name__, "parameters": parameters, "probes": probes}
        held = Folder(self.out).begin(settings)
        if held is None or held.empty:
            return
        if self.first is None:
            self.steps = int(held["step"].max())
        kept = held[held["step"] < self.steps + (not again)]
        if len(kept):
            self._tables = [kept.reset_index(drop=True)]
            losses = Run(self.out).losses
            lines = losses[losses["step"] <= self.steps].to_dict("records")
            self._losses = {int(line.pop("step")): line for line in lines}
            self.events += [event for event in Run(self.out).events if event.rule == NOTE and event.step <= self.steps]
            self._fired(event for rule in self.rules.values() for event in rule(self.table))

    # --- batches -----------------------------------------------------------------------------

    def _listen(self) -> Callable[[], None]:
        """Note what the model is called with in training; gives what ends it."""

        def note(module: nn.Module, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
            if module.training and torch.is_grad_enabled():
                self._batch = Probe(args, kwargs).rows(self.rows)

        heard = self.model if isinstance(self.model, nn.Module) else self.network
        return heard.register_forward_pre_hook(note, with_kwargs=True).remove

    def _of_batch(self) -> list[Probe]:
        if self._batch is None:
            raise BadModel(
                f"No batch of {type(self.model).__name__} was seen in training mode, as where another wrapper than the "
                "one that monitor was given is called; give that one, or probes=[ids]."
            )
        return [self._batch]


def scalars(table: pd.DataFrame) -> dict[str, float]:
    """The lines of one step as minimum, median and maximum of each layer, by the names that `log` gets."""
    found: dict[str, float] = {}
    for layer, heads in table.groupby("layer"):
        for name in LOGGED:
            values = heads[name]
            for how, value in (("min", values.min()), ("median", values.median()), ("max", values.max())):
                found[f"attention/L{layer}/{name}/{how}"] = float(value)
        found[f"attention/L{layer}/update_ratio"] = float(heads["update_ratio"].iloc[0])
    return found


def _picture(trace: Trace, event: Event) -> Any:
    """A head's pooled map as grey numbers, uint8 [n, n]: 255 is the weight 1."""
    assert event.layer is not None and event.head is not None
    size = min(MAP, len(trace))
    return (trace.pooled(event.layer, event.head, size) * 255).round().clamp(0, 255).byte().numpy()
