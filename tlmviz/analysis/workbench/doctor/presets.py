"""One model run two ways, which ought to agree: what to try when a model behaves and then does not."""

from __future__ import annotations

import copy
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from tlmviz.analysis.numbers.scaling import Scheme, scaled
from tlmviz.checkpoints.huggingface.export import export
from tlmviz.errors import BadModel
from tlmviz.recording import Recording, recording
from tlmviz.trace import Trace

Pair = tuple[Trace, Trace]
PADS = 5
CHUNK = 7  # tokens at a time: no divisor of most texts, so that the last chunk is shorter


def _cached(lm: Any, ids: list[int]) -> Pair:
    """A whole pass, and the same token by token with a cache."""
    return lm.trace_ids(ids), stepped(lm, ids, 1)


def _chunked(lm: Any, ids: list[int]) -> Pair:
    """A whole pass, and the same in chunks with a cache."""
    return lm.trace_ids(ids), stepped(lm, ids, CHUNK)


def stepped(lm: Any, ids: list[int], chunk: int) -> Trace:
    """The trace of a text read in chunks with a cache: every tap's tensors, one behind another."""
    cache, parts = lm.new_cache(), {}
    for start in range(0, len(ids), chunk):
        with torch.inference_mode(), recording() as record:
            lm.network(torch.tensor([ids[start : start + chunk]]), cache)
        for name, value in record.values.items():
            parts.setdefault(name, []).append(value)
    joined = {name: torch.cat(values, _token_axis(name)) for name, values in parts.items()}
    return _held(lm, ids, joined)


def _padded(lm: Any, ids: list[int]) -> Pair:
    """A text alone, and in a row with tokens behind it, which it does not see."""
    room = min(PADS, lm.config.context - len(ids))
    whole = lm.trace_ids([*ids, *[ids[0]] * room], keep=lambda name: True)
    names = whole.kept_names
    cut = {name: whole[name].narrow(_token_axis(name), 0, len(ids)) for name in names}
    return lm.trace_ids(ids), _held(lm, ids, cut)


def _token_axis(name: str) -> int:
    """The axis of tokens: behind the heads, or behind the batch."""
    last = name.rpartition(".")[2]
    of_heads = (
        ".attn." in name and last in ("q", "k", "v", "z", "lse", "latent") and "query_input" not in name
    )
    return 2 if of_heads else 1


def _held(lm: Any, ids: list[int], values: dict[str, Tensor]) -> Trace:
    """A trace of tensors that a run left, with no network to run again."""
    tokens = [lm.tokenizer.name(i) for i in ids]
    record = Recording(values=values)
    return Trace(
        ids, tokens, record, lm.network.specs(), frozenset(values), None, lm.network.unembed, model=lm.name
    )


def _cast(dtype: torch.dtype) -> Callable[[Any, list[int]], Pair]:
    """Weights and arithmetic in 16 bits."""

    def pair(lm: Any, ids: list[int]) -> Pair:
        network = copy.deepcopy(lm.network).to(dtype)
        return lm.trace_ids(ids), type(lm)(network, lm.tokenizer).trace_ids(ids)

    return pair


def _rounded(format: str) -> Callable[[Any, list[int]], Pair]:
    """Matrices in few bits, a scale for each row; arithmetic in float32."""

    def pair(lm: Any, ids: list[int]) -> Pair:
        network = copy.deepcopy(lm.network)
        with torch.no_grad():
            for parameter in network.parameters():
                if parameter.ndim == 2:
                    parameter.copy_(scaled(parameter, Scheme(format, "channel")).restored)
        return lm.trace_ids(ids), type(lm)(network, lm.tokenizer).trace_ids(ids)

    return pair


def _transformers(lm: Any, ids: list[int]) -> Pair:
    """This network, and the same weights run by the package transformers, watched. Raises BadModel where it is missing."""
    try:
        import transformers  # an extra
    except ImportError:
        raise BadModel(
            "The package transformers is not installed; get it with `pip install tlmviz[transformers]`."
        ) from None
    from tlmviz.watching import watch

    with tempfile.TemporaryDirectory() as folder:
        export(Path(folder), lm.on_cpu.network, lm.tokenizer)
        other = transformers.AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32).eval()
    with torch.no_grad(), watch(other, check=False) as watched:
        other(torch.tensor([ids]), use_cache=False)
    b = watched.trace
    b.tokens = [lm.tokenizer.name(i) for i in ids]
    return lm.trace_ids(ids), b


PRESETS: dict[str, Callable[[Any, list[int]], Pair]] = {
    "cached": _cached,
    "chunked": _chunked,
    "right-padded": _padded,
    "bfloat16": _cast(torch.bfloat16),
    "float16": _cast(torch.float16),
    "int8": _rounded("int8"),
    "int4": _rounded("int4"),
    "transformers": _transformers,
}
