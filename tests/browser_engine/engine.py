"""The engine of tlmviz/browser in Node.js, one process for many texts, and how far its numbers are from Python's."""

from __future__ import annotations

import base64
import json
import subprocess
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch

from tests.javascript.node import FUSED, ROOT, node
from tlmviz.tracing.trace import Trace

DRIVER = ROOT / "tests/browser_engine/drive.mjs"
MAPS = 1e-4  # largest absolute error of a weight
LOGITS = 1e-3  # relative root mean square error of the logits


@dataclass(frozen=True)
class Answer:
    """What the engine said of one thing it was asked for: a line of JSON, and numbers; of a trace maps, then logits."""

    header: dict[str, Any]
    arrays: list[np.ndarray]

    @property
    def error(self) -> str:
        """The sentence with which it refused."""
        return self.header["error"]

    @property
    def maps(self) -> np.ndarray:
        """Of a trace, [L, H, T, T]."""
        length = len(self.header["ids"])
        return np.stack(self.arrays[:-1]).reshape(self.header["layers"], self.header["heads"], length, length)

    @property
    def logits(self) -> np.ndarray:
        """Of a trace, [T, V]."""
        return self.arrays[-1].reshape(len(self.header["ids"]), -1)


def ask(folder: Path, runs: list[dict[str, Any]], tmp_path: Path, **more) -> list[Answer]:
    """The answers to some runs, in order: see drive.mjs."""
    out = tmp_path / "answers"
    asked = {"folder": str(folder), "out": str(out), "runs": runs, **more}
    run = subprocess.run(
        node(FUSED, str(DRIVER)), input=json.dumps(asked).encode(), capture_output=True, cwd=ROOT, timeout=300
    )
    assert run.returncode == 0, run.stderr.decode()
    with out.open("rb") as file:
        answers = list(_answers(file))
    out.unlink()
    return answers


def _answers(file) -> Iterable[Answer]:
    while line := file.readline():
        header = json.loads(line)
        yield Answer(header, [np.fromfile(file, np.float32, size) for size in header["sizes"]])


def replaced(name: str, values: torch.Tensor) -> list[str]:
    """A tensor's numbers, of the type that the file has, as a run's `changed` takes them."""
    return [name, base64.b64encode(values.contiguous().view(torch.uint8).numpy().tobytes()).decode()]


def moved(values: torch.Tensor) -> torch.Tensor:
    """Other numbers of the same type. No two are moved alike: what a whole row's logits gain, Sinkhorn takes away."""
    wave = torch.arange(values.numel()).mul(1.7).sin().view_as(values)
    return (values.float() * 1.5 + wave / 2).to(values.dtype)


def relative(found: np.ndarray, expected: np.ndarray) -> float:
    """Relative root mean square error."""
    return float(np.linalg.norm(found - expected) / np.linalg.norm(expected))


def errors(answer: Answer, trace: Trace) -> tuple[float, float]:
    """Largest absolute error of all weights, and relative root mean square error of the logits."""
    maps = answer.maps
    expected = [trace.attentions(layer, slice(None)).numpy() for layer in range(trace.n_layers)]
    off = max(float(np.abs(own - each).max()) for own, each in zip(maps, expected, strict=True))
    return off, relative(answer.logits, trace.logits.numpy())


def agrees(answer: Answer, trace: Trace, strictly: bool = False) -> bool:
    """Whether ids, maps and logits are Python's; `strictly`: logits to a tenth of what is asked for."""
    if answer.header["ids"] != trace.ids:
        return False
    maps, logits = errors(answer, trace)
    return maps <= MAPS and logits <= (LOGITS / 10 if strictly else LOGITS)
