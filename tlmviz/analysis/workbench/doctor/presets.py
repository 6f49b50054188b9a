"""One model run two ways, which ought to agree: what to try when a model behaves and then does not."""

from __future__ import annotations

import copy
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import torch

from tlmviz.analysis.numbers.scaling import Scheme, scaled
from tlmviz.checkpoints.huggingface.export import export
from tlmviz.extras import require
from tlmviz.recording import recording
from tlmviz.tracing.trace import Trace

from .evidence import Beside
from .rows import held, in_batch, left_padded, packed, right_padded, token_axis


class Pair(NamedTuple):
    """Two runs of the same tokens, for `diagnose(*pair)`; `beside` is what else stood in the second one's row."""

    a: Trace
    b: Trace
    beside: Beside | None = None


CHUNK = 7  # tokens at a time: no divisor of most texts, so that the last chunk is shorter


def stepped(lm: Any, ids: list[int], chunk: int) -> Trace:
    """The trace of a text read in chunks with a cache: every tap's tensors, one behind another."""
    cache, parts = lm.new_cache(), dict[str, list[torch.Tensor]]()
    for start in range(0, len(ids), chunk):
        with torch.inference_mode(), recording() as record:
            lm.network(torch.tensor([ids[start : start + chunk]]), cache)
        for name, value in record.values.items():
            parts.setdefault(name, []).append(value)
    joined = {name: torch.cat(values, token_axis(name)) for name, values in parts.items()}
    return held(lm, ids, joined)


def _rounded(to: torch.dtype | str, lm: Any, ids: list[int]) -> Pair:
    """Weights and arithmetic of a type; or, of a format, matrices in few bits, a scale for each row, and arithmetic as
    before."""
    network = copy.deepcopy(lm.network)
    if isinstance(to, torch.dtype):
        network.to(to)
    else:
        for parameter in network.parameters():
            if parameter.ndim == 2:
                parameter.data.copy_(scaled(parameter.data, Scheme(to, "channel")).restored)
    return Pair(lm.trace_ids(ids), type(lm)(network, lm.tokenizer).trace_ids(ids))


def _transformers(lm: Any, ids: list[int]) -> Pair:
    """This network, and the same weights run by the package transformers, watched. Raises MissingExtra where it is
    missing."""
    require("transformers", "transformers", "The preset transformers")
    import transformers

    from tlmviz.watching import watch

    with tempfile.TemporaryDirectory() as folder:
        export(Path(folder), lm.on_cpu.network, lm.tokenizer)
        other = transformers.AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32).eval()
    with torch.no_grad(), watch(other, check=False) as watched:
        other(torch.tensor([ids]), use_cache=False)
    b = watched.trace
    b.tokens = [lm.tokenizer.name(i) for i in ids]
    return Pair(lm.trace_ids(ids), b)


PRESETS: dict[str, Callable[[Any, list[int]], Pair]] = {
    "cached": lambda lm, ids: Pair(lm.trace_ids(ids), stepped(lm, ids, 1)),
    "chunked": lambda lm, ids: Pair(lm.trace_ids(ids), stepped(lm, ids, CHUNK)),
    "batch": lambda lm, ids: Pair(lm.trace_ids(ids), in_batch(lm, ids)),
    "left-padded": lambda lm, ids: Pair(lm.trace_ids(ids), *left_padded(lm, ids)),
    "right-padded": lambda lm, ids: Pair(lm.trace_ids(ids), *right_padded(lm, ids)),
    "packed": lambda lm, ids: Pair(lm.trace_ids(ids), *packed(lm, ids)),
    "bfloat16": partial(_rounded, torch.bfloat16),
    "float16": partial(_rounded, torch.float16),
    "int8": partial(_rounded, "int8"),
    "int4": partial(_rounded, "int4"),
    "transformers": _transformers,
}
