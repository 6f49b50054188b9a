"""Two hundred logged steps in few bits: which runs there are, and what their file says."""

from __future__ import annotations

from dataclasses import dataclass

import pandas as pd

from tlmviz.checkpoints.registry import checkpoint_folder
from tlmviz.errors import BadCheckpoint

MODEL, FILE = "zoo-rope", "half.csv"
COLUMNS = ("run", "step", "loss", "scale", "lost", "kept")


@dataclass(frozen=True)
class HalfRun:
    """One run: its matrix products in FP16 or not (`half`), and what its weights are kept in after a step.

    The loss is multiplied by 2^`start`, growing after `interval` good steps and halved where a gradient overflows
    (GradScaler); None: it stays. It is divided by `parts`, as where a batch is that many times larger and gradients are
    added up part by part. `trained`: it starts from the trained model, and learns French; else from random weights, and
    learns stories.
    """

    key: str
    name: str
    half: bool = True
    start: int = 0
    interval: int | None = None
    parts: int = 1
    weights: str = "fp32"
    trained: bool = False
    rate: float = 2e-3
    warmup: int = 20
    steps: int = 200


PARTS = 4096
_SCALED = (
    HalfRun("fp32", "FP32", half=False),
    HalfRun("unscaled", "FP16, S = 1"),
    HalfRun("parts", "FP16, S = 1, large batch", parts=PARTS),
    HalfRun("parts-dynamic", "FP16, dynamic, large batch", parts=PARTS, start=16, interval=5),
    HalfRun("dynamic", "FP16, dynamic", start=16, interval=10),
    HalfRun("dynamic-slow", "FP16, dynamic, slower", start=16, interval=40),
    HalfRun("dynamic-high", "FP16, dynamic, from 2³²", start=32, interval=10),
    HalfRun("too-large", "FP16, S = 2²⁴", start=24),
)
_KEPT = tuple(
    HalfRun(f"weights-{weights}", name, half=False, weights=weights, trained=True, rate=3e-5, warmup=0)
    for weights, name in (
        ("fp32", "FP32 master weights"),
        ("bf16", "BF16 alone"),
        ("fp16", "FP16 alone"),
        ("stochastic", "BF16, stochastic rounding"),
    )
)
RUNS = {spec.key: spec for spec in (*_SCALED, *_KEPT)}


def read() -> pd.DataFrame:
    """All runs: `run` (a key of RUNS), `step` from 1, `loss` (nats per token, before the step), `scale` (log2 S),
    `lost` (share of the scaled gradients that are 0), `kept` (share of the weights that the step left as they were; 1
    where it was skipped).

    Raises BadCheckpoint where the file is missing or broken.
    """
    path = checkpoint_folder(MODEL) / FILE
    how = "python -m tlmviz.training half --data DIR writes it"
    if not path.is_file():
        raise BadCheckpoint(f"{MODEL} has no {FILE}, so no steps can be shown; {how}.")
    try:
        frame = pd.read_csv(path)
        missing = [column for column in COLUMNS if column not in frame]
        if missing:
            raise BadCheckpoint(f"{MODEL}/{FILE} has no column {missing[0]}; {how} anew.")
        return frame.astype({column: float for column in COLUMNS[2:]} | {"step": int})[list(COLUMNS)]
    except (OSError, ValueError) as error:
        raise BadCheckpoint(f"{MODEL}/{FILE} cannot be read ({str(error).strip()}); {how} anew.") from error
