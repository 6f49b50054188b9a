"""A trace as a file: safetensors with q, k, v, lse and masks, and the rest as JSON in its metadata. See
docs/dump.md."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping
from dataclasses import fields
from importlib import import_module
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import save_file
from torch import Tensor

from ..errors import BadFile, BadShape
from ..files import whole
from ..kernels import AttentionMask
from ..patches import Patches
from .arrays import from_arrays
from .trace import KEPT_PER_LAYER, Trace

# Other formats.
OTHERS = {".npz", ".npy", ".pt", ".pth", ".ckpt", ".gguf", ".onnx", ".json", ".html", ".csv", ".parquet"}
FORMAT, VERSION = "tlmviz-trace", "1"
ROW = re.compile(r"blocks\.(\d+)\.rows\.(\d+)\.(\d+)")  # layer, head, row
MASK_FIELDS = {field.name for field in fields(AttentionMask)}


def save(trace: Trace, path: str | os.PathLike[str], logits: bool = False) -> None:
    """See `Trace.save`, which is the public name. Raises BadFile."""
    if (suffix := Path(path).suffix.lower()) in OTHERS:
        raise BadFile(
            f"{path} ends with {suffix}, and a trace is written as .safetensors; name it so. What NumPy reads, .npz, "
            "is numpy.savez(path, **trace.arrays())."
        )
    tensors = {
        "ids": torch.tensor(trace.ids, dtype=torch.int64),
        "positions": torch.tensor(trace.positions, dtype=torch.int64),
    }
    layers = []
    for layer, spec in enumerate(trace.specs):
        prefix = f"blocks.{layer}"
        for part in KEPT_PER_LAYER:
            if f"{prefix}.attn.{part}" in trace.kept_names or part in ("q", "k", "lse"):
                tensors[f"{prefix}.attn.{part}"] = trace[f"{prefix}.attn.{part}"][0]
        simple, arrays = _mask_parts(spec.mask.written(len(trace), len(trace.key_tokens)))
        layers.append({"scale": spec.scale, "mask": simple})
        tensors |= {f"{prefix}.mask.{name}": value for name, value in arrays.items()}
    for (layer, head), replaced in trace.replaced_rows.items():
        tensors |= {f"blocks.{layer}.rows.{head}.{row}": weights.cpu() for row, weights in replaced.items()}
    if logits:
        tensors["logits"] = trace.logits
    metadata = {
        "format": FORMAT,
        "format_version": VERSION,
        "tlmviz_version": import_module("tlmviz").__version__,  # the package names this module: not yet above
        "model": trace.model,
        "made_by": trace.made_by,
        "tokens": json.dumps(trace.tokens),
        "layers": json.dumps(layers, allow_nan=False),
    }
    if trace.crosses:
        metadata["key_tokens"] = json.dumps(trace.key_tokens)
    if trace.patches is not None:
        metadata["patches"] = json.dumps([trace.patches.rows, trace.patches.columns])
        tensors["image"] = torch.from_numpy(trace.patches.pixels)
    # clones: safetensors refuses tensors that share memory, as the layers share one mask's
    own = {name: tensor.detach().clone().contiguous() for name, tensor in tensors.items()}
    with whole(path) as beside:
        try:
            save_file(own, beside, metadata)
        except SafetensorError as error:  # the system's error, as a text
            number = re.search(r"os error (\d+)", str(error))
            raise OSError(int(number[1]), os.strerror(int(number[1]))) if number else error from error


def open_trace(path: str | os.PathLike[str]) -> Trace:
    """The trace in a file that `Trace.save` or any other writer of docs/dump.md's format wrote, with equal maps.

    No network stands behind it: what is not in the file raises UnknownName. lse is computed where the file has none.
    Raises BadFile where there is no file, or one that is damaged, of another format or of a later version.
    Example: `tlmviz.open("x.safetensors").attention(layer=0, head=0)`.
    """
    name, metadata = Path(path).name, about(path)
    tensors = _read(Path(path), values=True)[1]
    try:
        return _trace(metadata, tensors)
    except (BadShape, LookupError, TypeError, ValueError, RecursionError) as error:
        what = f"it has no {error}" if isinstance(error, KeyError) else " ".join(str(error).split())[:300]
        raise BadFile(f"{name} is not readable as a trace: {what.rstrip('.')}.") from error


def about(path: str | os.PathLike[str]) -> dict[str, str]:
    """The metadata of a trace's file, without its tensors. Raises BadFile where it is no such file."""
    name, metadata = Path(path).name, _read(Path(path), values=False)[0]
    found = metadata.get("format_version", "")
    if metadata.get("format") != FORMAT:
        raise BadFile(
            f"{name} is a safetensors file but no trace: its metadata has no format {FORMAT!r}; "
            "write one with trace.save, or a checkpoint folder is read by tlmviz.load."
        )
    if found != VERSION:
        raise BadFile(
            f"{name} has format version {found!r}, and this tlmviz reads {VERSION}; open it with the tlmviz that wrote "
            "it."
        )
    return metadata


# --- parts ---------------------------------------------------------------------------------------


def _mask_parts(mask: AttentionMask) -> tuple[dict[str, Any], dict[str, Tensor]]:
    """A mask's numbers by field, and its tensors by key; of a pair of tensors, each by its place."""
    simple, arrays = {}, {}
    for name in sorted(MASK_FIELDS):
        value = getattr(mask, name)
        if isinstance(value, Tensor):
            arrays[name] = value
        elif isinstance(value, tuple):
            arrays |= {f"{name}.{place}": part for place, part in enumerate(value)}
        elif value is not None:
            simple[name] = value
    return simple, arrays


def _read(path: Path, values: bool) -> tuple[dict[str, str], dict[str, Tensor]]:
    """Metadata and, with `values`, tensors of a safetensors file. Raises BadFile."""
    if not path.is_file():
        raise BadFile(f"There is no file {str(path)!r}; give the path of a file that trace.save wrote.")
    if path.suffix == ".npz":
        raise BadFile(
            f"{path.name} holds arrays, which numpy.load reads, and no trace; give a file that trace.save wrote."
        )
    try:
        with safe_open(path, framework="pt") as file:
            names = file.keys() if values else ()
            return file.metadata() or {}, {name: file.get_tensor(name) for name in names}
    except (SafetensorError, OSError) as error:
        raise BadFile(
            f"{path.name} is damaged or no safetensors file ({_reason(error)}); write it again with trace.save."
        ) from error


def _trace(metadata: Mapping[str, str], tensors: Mapping[str, Tensor]) -> Trace:
    """The trace. Raises BadShape, LookupError, TypeError and ValueError where the file is not as docs/dump.md says."""
    layers = json.loads(metadata["layers"])
    tokens, key_tokens = _texts(metadata["tokens"]), metadata.get("key_tokens")
    of_layers = {
        part: [tensors[f"blocks.{layer}.attn.{part}"] for layer in range(len(layers))]
        for part in KEPT_PER_LAYER
        if part in ("q", "k") or f"blocks.0.attn.{part}" in tensors
    }
    trace = from_arrays(
        **of_layers,  # type: ignore[arg-type]
        tokens=tokens,
        scale=[float(entry["scale"]) for entry in layers],
        mask=_masks(layers, tensors),
        key_tokens=None if key_tokens is None else _texts(key_tokens),
        ids=tensors["ids"].tolist() if "ids" in tensors else None,
        positions=tensors["positions"].tolist() if "positions" in tensors else None,
        logits=tensors.get("logits"),
        model=metadata.get("model", ""),
        made_by=metadata.get("made_by", ""),
        patches=_patches(metadata, tensors),
    )
    for name, weights in tensors.items():
        if found := ROW.fullmatch(name):
            layer, head, row = map(int, found.groups())
            if (
                layer >= trace.n_layers
                or head >= trace.n_heads
                or weights.shape != (len(trace.key_tokens),)
                or row >= len(trace)
            ):
                raise BadShape(f"{name} {list(weights.shape)} is no row of its maps.")
            trace.replaced_rows.setdefault((layer, head), {})[row] = weights
    return trace


def _masks(layers: list[dict[str, Any]], tensors: Mapping[str, Tensor]) -> list[AttentionMask]:
    """Each layer's mask. Equal tensors become one, so that layers of one kind are known as such. Raises BadShape."""
    once: dict[tuple[Any, ...], Tensor] = {}
    masks = []
    for layer, entry in enumerate(layers):
        parts: dict[str, Any] = dict(entry["mask"])
        pairs: dict[str, dict[int, Tensor]] = {}
        prefix = f"blocks.{layer}.mask."
        for key in sorted(key for key in tensors if key.startswith(prefix)):
            field, _, place = key.removeprefix(prefix).partition(".")
            value = tensors[key]
            value = once.setdefault(
                (field, value.dtype, value.shape, value.reshape(-1).view(torch.uint8).numpy().tobytes()), value
            )
            if place:
                pairs.setdefault(field, {})[int(place)] = value
            else:
                parts[field] = value
        parts |= {field: tuple(pair[place] for place in sorted(pair)) for field, pair in pairs.items()}
        unknown = sorted(set(parts) - MASK_FIELDS)
        if unknown:
            raise BadShape(f"its mask has {unknown[0]!r}, which this tlmviz does not know; install a newer one.")
        masks.append(AttentionMask(**parts))
    return masks


def _patches(metadata: Mapping[str, str], tensors: Mapping[str, Tensor]) -> Patches | None:
    """The image, where the tokens are patches of one. Raises BadShape, LookupError, TypeError and ValueError."""
    if "patches" not in metadata:
        return None
    rows, columns = (int(count) for count in json.loads(metadata["patches"]))
    return Patches(rows, columns, tensors["image"].numpy())


def _texts(text: str) -> list[str]:
    listed = json.loads(text)
    if not isinstance(listed, list) or not all(isinstance(token, str) for token in listed):
        raise ValueError("its tokens are no JSON list of texts.")
    return listed


def _reason(error: Exception) -> str:
    """What went wrong, in a few words."""
    return (getattr(error, "strerror", None) or str(error)).rstrip(".")
