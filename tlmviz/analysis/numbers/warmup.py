"""The log of short training runs that differ in where the norms are, in the learning rate and in its warm-up.

`python -m tlmviz.training warm-up` writes it. Source: LLM notes, section 3.7; Xiong et al. 2020, section 3.2 and figure
1.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from jaxtyping import Float, Int
from safetensors import SafetensorError, safe_open

from tlmviz.checkpoints.folders import model_folder
from tlmviz.errors import BadCheckpoint

HOME, FILE = "zoo-post", "warmup.safetensors"
HOW = "train anew with `python -m tlmviz.training warm-up --data DIR`"


@dataclass(frozen=True)
class Logged:
    """One run. loss, norm, rate [S] of every step (nats per token; of the whole gradient before clipping); moments [M],
    and at each the norms of the gradient by the stream [M, P + 1] and by each sublayer's weights [M, P], as in
    `norm_depth.Flow`; `held_out` in bits per byte at the end. `warmup` counts steps, 0 for none.
    """

    placement: str
    peak: float
    warmup: int
    loss: Float[np.ndarray, " s"]
    norm: Float[np.ndarray, " s"]
    rate: Float[np.ndarray, " s"]
    moments: Int[np.ndarray, " m"]
    stream: Float[np.ndarray, "m q"]
    weights: Float[np.ndarray, "m p"]
    held_out: float


def read(folder: Path | None = None) -> list[Logged]:
    """The runs in the folder of a model, zoo-post unless given. Raises BadCheckpoint where there is no log to read."""
    path = (folder or model_folder(HOME)) / FILE
    try:
        with safe_open(path, "np") as file:
            settings = json.loads((file.metadata() or {})["settings"])
            tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118 - the file cannot be iterated
        return [
            Logged(
                placement,
                peak,
                warmup,
                tensors["loss"][r],
                tensors["norm"][r],
                tensors["rate"][r],
                tensors["moments"],
                tensors["stream"][r],
                tensors["weights"][r],
                float(tensors["held_out"][r]),
            )
            for r, (placement, peak, warmup) in enumerate(settings["runs"])
        ]
    except (OSError, SafetensorError, KeyError, ValueError, IndexError) as error:
        raise BadCheckpoint(f"{path.parent.name}/{FILE} cannot be read ({error}); {HOW}.") from error
