"""One model run two ways, which ought to agree: what to try when a model behaves and then does not."""

from __future__ import annotations

import copy
import tempfile
from collections.abc import Callable
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


def _cached(lm: Any, ids: list[int]) -> Pair:
    """A whole pass, and the same token by token with a cache."""
    return Pair(lm.trace_ids(ids), stepped(lm, ids, 1))


def _chunked(lm: Any, ids: list[int]) -> Pair:
    """A whole pass, and the same in chunks with a cache."""
    return Pair(lm.trace_ids(ids), stepped(lm, ids, CHUNK))


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


def _cast(dtype: torch.dtype) -> Callable[[Any, list[int]], Pair]:
    """Weights and arithmetic in 16 bits."""

    def pair(lm: Any, ids: list[int]) -> Pair:
        network = copy.deepcopy(lm.network).to(dtype)
        return Pair(lm.trace_ids(ids), type(lm)(network, lm.tokenizer).trace_ids(ids))

    return pair


def _rounded(format: str) -> Callable[[Any, list[int]], Pair]:
    """Matrices in few bits, a scale for each row; arithmetic in float32."""

    def pair(lm: Any, ids: list[int]) -> Pair:
        network = copy.deepcopy(lm.network)
        with torch.no_grad():
            for parameter in network.parameters():
                if parameter.ndim == 2:
                    parameter.copy_(scaled(parameter, Scheme(format, "channel")).restored)
        return Pair(lm.trace_ids(ids), type(lm)(network, lm.tokenizer).trace_ids(ids))

    return pair


def _transformers(lm: Any, ids: list[int]) -> Pair:
    """This network, and the same weights run by the package transformers, watched. Raises MissingExtra where it is missing."""
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
    "cached": _cached,
    "chunked": _chunked,
    "batch": lambda lm, ids: Pair(lm.trace_ids(ids), in_batch(lm, ids)),
    "left-padded": lambda lm, ids: Pair(lm.trace_ids(ids), *left_padded(lm, ids)),
    "right-padded": lambda lm, ids: Pair(lm.trace_ids(ids), *right_padded(lm, ids)),
    "packed": lambda lm, ids: Pair(lm.trace_ids(ids), *packed(lm, ids)),
    "bfloat16": _cast(torch.bfloat16),
    "float16": _cast(torch.float16),
    "int8": _rounded("int8"),
    "int4": _rounded("int4"),
    "transformers": _transformers,
}
