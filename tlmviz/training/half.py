"""Training in few bits, logged: losses scaled and not, and weights kept in BF16 with and without a master copy.

Two experiments with the sizes of zoo-rope. In the first it learns stories from random weights, its matrix products
rounded to FP16 forwards and backwards; in the second the trained model goes on with French at a small rate, and what is
rounded is the weight that a step has changed. Both write one file, `half.csv`, beside zoo-rope's weights.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd
import torch
from torch import Tensor
from torch.nn import functional as F
from tqdm import tqdm

from tlmviz.analysis.numbers.half_products import HalfProducts
from tlmviz.analysis.numbers.half_runs import COLUMNS, FILE, MODEL, RUNS, HalfRun
from tlmviz.analysis.numbers.master_weights import STORED, stochastic_bf16
from tlmviz.checkpoints.registry import load

from ..facades.language_model import LanguageModel
from ..networks.transformer import TransformerLM
from .data import Corpus, Packer, read_corpus
from .pairs import read_pairs

ROWS, LENGTH = 4, 128  # of a batch
BETAS, CLIP = (0.9, 0.98), 1.0
FRENCH, TOGETHER = 20_000, 20  # sentences, and how many make a document


def run(data: Path, runs: Path, models: Path) -> None:
    """Every run of RUNS that `runs` has not yet, then all of them as one file beside the model."""
    lm, folder = load(models / MODEL), runs / "half"
    assert isinstance(lm, LanguageModel)
    folder.mkdir(parents=True, exist_ok=True)
    batches: dict[bool, list[tuple[Tensor, Tensor]]] = {}
    for spec in RUNS.values():
        path = folder / f"{spec.key}.csv"
        if path.is_file():
            continue
        if spec.trained not in batches:
            corpus = _french(data) if spec.trained else read_corpus(data)
            packer = Packer(corpus, lm.tokenizer, seed=0)
            batches[spec.trained] = [packer.batch(ROWS, LENGTH, 0.0) for _ in range(spec.steps)]
        log = pd.DataFrame(train(lm, spec, batches[spec.trained]), columns=COLUMNS)
        log.to_csv(path, index=False, float_format="%.6g")
    logs = [pd.read_csv(folder / f"{spec.key}.csv") for spec in RUNS.values()]
    pd.concat(logs).to_csv(models / MODEL / FILE, index=False, float_format="%.6g")


def _french(data: Path) -> Corpus:
    sentences = [french for _, french in read_pairs(data).train[:FRENCH]]
    return Corpus(["\n".join(sentences[at : at + TOGETHER]) for at in range(0, len(sentences), TOGETHER)], [], [])


def train(lm: LanguageModel, spec: HalfRun, batches: list[tuple[Tensor, Tensor]]) -> Iterator[tuple[str | float, ...]]:
    """One run, a step for every batch: yields what COLUMNS name of each."""
    torch.manual_seed(0)
    network = TransformerLM(replace(lm.config, dropout=0.0))
    if spec.trained:
        network.load_state_dict(lm.network.state_dict())
    parameters = list(network.parameters())
    optimizer = torch.optim.AdamW(parameters, lr=spec.rate, betas=BETAS, weight_decay=0.0, foreach=False)
    scaler = torch.amp.GradScaler(
        "cpu", init_scale=2.0**spec.start, growth_interval=spec.interval or 10**9, backoff_factor=0.5
    )
    store = _storing(spec.weights)
    for step, (inputs, targets) in enumerate(tqdm(batches, desc=spec.key, mininterval=5)):
        for group in optimizer.param_groups:
            group["lr"] = spec.rate * min(1.0, (step + 1) / (spec.warmup + 1))
        scale, before = scaler.get_scale(), [p.detach().clone() for p in parameters]
        optimizer.zero_grad(set_to_none=True)
        products = HalfProducts() if spec.half else contextlib.nullcontext()  # type: ignore[no-untyped-call]  # torch's has no types
        with products:
            loss = F.cross_entropy(network(inputs).flatten(0, 1), targets.flatten())
            scaler.scale(loss / spec.parts).backward()
        lost = _share([p.grad == 0 for p in parameters if p.grad is not None])
        scaler.unscale_(optimizer)
        for p in parameters:
            assert p.grad is not None
            p.grad.mul_(spec.parts)
        torch.nn.utils.clip_grad_norm_(parameters, CLIP)
        scaler.step(optimizer)
        scaler.update(None if spec.interval else scale)
        store(parameters)
        kept = _share([p == old for p, old in zip(parameters, before)])
        yield spec.key, step + 1, loss.item(), np.log2(scale), lost, kept


def _share(flags: list[Tensor]) -> float:
    return sum(int(each.sum()) for each in flags) / sum(each.numel() for each in flags)


def _through(dtype: torch.dtype, p: Tensor) -> Tensor:
    return p.to(dtype).float()


def _storing(kind: str) -> Callable[[list[torch.nn.Parameter]], None]:
    """What rounds the weights after a step: nothing for FP32, which a master copy is."""
    generator = torch.Generator().manual_seed(0)
    rounding: dict[str, Callable[[Tensor], Tensor]] = {
        "fp32": lambda p: p,
        "stochastic": lambda p: stochastic_bf16(p, generator),
        **{key: partial(_through, dtype) for key, dtype in STORED.items()},
    }

    @torch.no_grad()
    def store(parameters: list[torch.nn.Parameter]) -> None:
        for p in parameters:
            p.copy_(rounding[kind](p))

    return store
