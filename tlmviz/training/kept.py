"""A small model whose weights were kept while it learned, and the monitored run beside it: how its heads came into
being."""

from __future__ import annotations

import shutil
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import torch
from torch import Tensor
from torch.nn import functional as F

from tlmviz.checkpoints.folders import RUN, STEPS
from tlmviz.checkpoints.steps import write_step
from tlmviz.monitoring import monitor, read
from tlmviz.monitoring.run import LOSSES

from ..facades.language_model import LanguageModel
from ..networks.transformer import TransformerLM
from ..tokens import Tokenizer
from .data import Corpus
from .loop import train
from .recipes import COPYING, LanguageRecipe
from .zoo import BASELINE, SCHEDULE

RECIPE = LanguageRecipe(
    replace(
        BASELINE,
        name="stories-induction",
        dropout=0.0,  # of the second stage; with the zoo's it would be taken for one of the zoo
        description="A zoo-rope whose weights were kept at sixteen steps, while it learned words and then to repeat.",
    ),
    (replace(SCHEDULE, steps=900, dropout=BASELINE.dropout), replace(COPYING, steps=1300)),
)
EVERY = 25  # steps between two measurements, over which losses are averaged too
# Steps of each stage at which weights are kept, multiples of EVERY: on a logarithmic scale while words are learnt, more
# evenly where heads turn. The last one is the model itself.
KEPT = (0, 50, 100, 275, 500), (0, 150, 300, 375, 450, 550, 650, 750, 850, 1000)
SAID = "From step {step:,} on, {share:.0%} of the windows repeat a span of random tokens."
HEADING = "## While it learned"
SEEN = "seen before"  # the loss of what a text had before, by name
ROWS, LENGTH = 6, 48  # probes: so many rows of so many random tokens, twice over


def probes(tokenizer: Tokenizer) -> Tensor:
    """Ids [ROWS, 2 LENGTH] of random tokens that stand there twice: previous-token and induction heads show
    themselves."""
    generator = torch.Generator().manual_seed(1)
    words = torch.tensor([i for i in range(tokenizer.vocab_size) if i not in tokenizer.special])
    halves = [words[torch.randperm(len(words), generator=generator)[:LENGTH]] for _ in range(ROWS)]
    return torch.stack(halves).repeat(1, 2)


@torch.inference_mode()
def copied(network: TransformerLM, ids: Tensor) -> float:
    """Loss in nats per token in the second copies of `probes`: what stands there was seen before."""
    training = network.training
    network.eval()
    logits = network(ids[:, :-1].to(network.device))[:, LENGTH:].float()
    network.train(training)
    return F.cross_entropy(logits.flatten(0, 1), ids[:, LENGTH + 1 :].flatten().to(logits.device)).item()


def run(recipe: LanguageRecipe, corpus: Corpus, tokenizer: Tokenizer, folder: Path) -> list[dict[str, Any]]:
    """Train stage by stage in `folder`, resuming: the stages' logs. Weights go to its `steps`, the monitored run to its
    `run`.

    Steps are counted over all stages.
    """
    logs, done, before = [], 0, None
    for number, schedule in enumerate(recipe.stages):
        stage = folder / f"stage-{number + 1}"
        said = SAID.format(step=done, share=schedule.repeat_share) if number else ""
        with ExitStack() as stack:
            watched = _Watched(folder, tokenizer, done, {done + step for step in KEPT[number]}, said, stack)
            logs.append(train(recipe.config, schedule, corpus, tokenizer, stage, before, ready=watched.begin))
        done, before = done + schedule.steps, stage
    _write_losses([loss for log in logs for loss, _ in log["steps"]], folder / RUN)
    return logs


@dataclass(frozen=True)
class _Watched:
    """A stage that is watched: it begins at step `first` of all, weights are kept at `kept`, and something is `said` of
    it."""

    folder: Path
    tokenizer: Tokenizer
    first: int
    kept: set[int]
    said: str
    stack: ExitStack

    def begin(self, network: TransformerLM, step: int) -> None:
        """Put a monitor around the steps from this one of the stage on."""
        ids = probes(self.tokenizer)

        def measured(_: object, step: int) -> None:
            watching.loss(**{SEEN: copied(network, ids)})
            if step in self.kept:
                write_step(self.folder, step, network)

        lm, out = LanguageModel(network, self.tokenizer), self.folder / RUN
        watching = monitor(lm, EVERY, out, [ids], tokenizer=self.tokenizer, log=measured, first=self.first + step)
        self.stack.enter_context(watching)
        if self.said:
            watching.note(self.said)


def _write_losses(every: list[float], folder: Path) -> None:
    """The training's loss, averaged since the measurement before, beside that of what was seen before."""
    table = read(folder).losses[["step", SEEN]]
    means = [np.mean(every[max(0, int(step) - EVERY) : int(step) or 1]) for step in table["step"]]
    table.assign(loss=means).to_parquet(folder / LOSSES, index=False, compression="zstd")


def keep(folder: Path, model: Path) -> None:
    """Put the kept weights and the run beside a finished model, and say so in its card."""
    for name in (STEPS, RUN):
        shutil.rmtree(model / name, ignore_errors=True)
        shutil.copytree(folder / name, model / name, ignore=shutil.ignore_patterns("maps"))
    steps = sorted(int(path.stem) for path in (model / STEPS).iterdir())
    table = read(model / RUN).heads
    card = model / "card.md"
    said = card.read_text(encoding="utf-8").partition(HEADING)[0].rstrip()
    card.write_text(
        f"{said}\n\n{HEADING}\n\n"
        f"`steps/` holds the weights at steps {', '.join(f'{step:,}' for step in steps)}, counted over both stages, as "
        "int8 with "
        f'a scale for each row: `tlmviz.load("{model.name}@{steps[-1]}")`. `run/` is what `tlmviz.monitor` wrote: '
        "every head at "
        f"every {EVERY}th step on {ROWS} texts of {LENGTH} random tokens that stand there twice, the training's loss, "
        "and the loss in their second copies. In each, the head that came to the most, and the step at which it had "
        "half of it:\n\n| what it looks at | head | at most | half at step |\n| --- | --- | --- | --- |\n"
        + "".join(_risen(table, *each) for each in (("previous", "one back"), ("induction", "what followed"))),
        encoding="utf-8",
    )


def _risen(table: pd.DataFrame, name: str, words: str) -> str:
    """A line of the card: the head with the most of a statistic, and when it had half of it."""
    layer, head, most = table.loc[table[name].idxmax(), ["layer", "head", name]]
    own = table[(table["layer"] == layer) & (table["head"] == head)]
    half = own.loc[own[name] >= most / 2, "step"].iloc[0]
    return f"| {words} | {layer:.0f}.{head:.0f} | {most:.3f} | {half:,.0f} |\n"
