"""GGUF files of the llama, qwen2 and qwen3 families: configuration, tokenizer and weights.

Source: the GGUF specification (ggml, docs/gguf.md) and the tensor names of llama.cpp. The header is read here, in a
tenth of a second: the reader of the `gguf` package makes a NumPy view of every byte of every token, which takes
seconds. Block sizes and the rarer quantisations are the package's.
"""

from __future__ import annotations

import math
import mmap
import struct
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor

from tlmviz.config import ModelConfig
from tlmviz.errors import BadCheckpoint, BadConfig
from tlmviz.networks.initialisation import skipped_initialisation
from tlmviz.networks.transformer import TransformerLM, count_parameters
from tlmviz.tokens import Tokenizer

from . import native
from .dequantise import dequantise, stored_bytes
from .folders import SUFFIX
from .layouts import interleave, interleaved
from .memory import check_memory

MAGIC, VERSIONS = b"GGUF", (2, 3)
# The numbers that stand for types of values in a header -> their NumPy type; 7 is a truth value, 8 a text, 9 a list.
NUMBERS = {
    0: "<u1",
    1: "<i1",
    2: "<u2",
    3: "<i2",
    4: "<u4",
    5: "<i4",
    6: "<f4",
    7: "?",
    10: "<u8",
    11: "<i8",
    12: "<f8",
}
TEXT, LIST = 8, 9
# What a field must be -> how that is seen, and the fields that are read here, without the name of the architecture
# before them.
FIELDS: dict[str, tuple[Callable[[Any], bool], tuple[str, ...]]] = {
    "a whole number above 0": (
        lambda value: type(value) is int and value > 0,
        (
            "general.alignment",
            "block_count",
            "context_length",
            "embedding_length",
            "feed_forward_length",
            "attention.head_count",
            "attention.head_count_kv",
            "attention.key_length",
            "attention.value_length",
            "rope.dimension_count",
        ),
    ),
    "a whole number": (
        lambda value: type(value) is int,
        (
            "expert_count",
            *(f"tokenizer.ggml.{name}_token_id" for name in ("bos", "eos", "eot", "eom", "unknown", "padding")),
        ),
    ),
    "a number": (
        lambda value: type(value) in (int, float),
        ("attention.layer_norm_rms_epsilon", "rope.freq_base", "rope.scaling.factor"),
    ),
    "a text": (
        lambda value: isinstance(value, str),
        (
            "general.architecture",
            "general.name",
            "rope.scaling.type",
            "tokenizer.ggml.model",
            "tokenizer.ggml.pre",
            "tokenizer.chat_template",
        ),
    ),
    "a list of texts": (
        lambda value: isinstance(value, list) and all(isinstance(each, str) for each in value),
        ("tokenizer.ggml.tokens", "tokenizer.ggml.merges"),
    ),
    "a list of numbers": (
        lambda value: isinstance(value, list) and all(type(each) in (int, float) for each in value),
        ("tokenizer.ggml.token_type", "tokenizer.ggml.scores"),
    ),
}
MUST_BE = {field: (what, fits) for what, (fits, names) in FIELDS.items() for field in names}


@dataclass(frozen=True)
class StoredTensor:
    """Where a tensor lies: its shape (rows first), the number of its quantisation, its first byte."""

    shape: tuple[int, ...]
    kind: int
    start: int


@dataclass(frozen=True)
class Header:
    """What stands before the weights of a GGUF file: metadata by name, and the tensors."""

    name: str
    fields: dict[str, Any]
    tensors: dict[str, StoredTensor]

    def get(self, key: str, default: Any = None) -> Any:
        """A field of the architecture, such as "block_count". Raises BadCheckpoint where it is missing and has no
        default."""
        value = self.fields.get(f"{self.architecture}.{key}", default)
        if value is None:
            raise BadCheckpoint(f"{self.name} does not say {self.architecture}.{key}; convert the model again.")
        return value

    @property
    def architecture(self) -> str:
        """general.architecture."""
        return str(self.fields.get("general.architecture", ""))


@dataclass(frozen=True)
class Family:
    """How an architecture differs: the layout of RoPE's planes in the rows of W_Q and W_K, and norms of queries and
    keys."""

    layout: str
    qk_norm: str = "none"


# llama.cpp permutes the rows of llama's W_Q and W_K to the interleaved layout, and leaves qwen's as they were.
FAMILIES = {"llama": Family("interleaved"), "qwen2": Family("half"), "qwen3": Family("half", "head")}


def file_of(path: Path) -> Path:
    """The .gguf file of a path, itself or the only one in a folder. Raises BadCheckpoint."""
    if not path.is_dir():
        return path
    files = sorted(path.glob(f"*{SUFFIX}"))
    if len(files) == 1:
        return files[0]
    raise BadCheckpoint(
        f"{path.name} holds {len(files)} .gguf files; give the path of one of them (split files are not read)."
    )


def read_config(path: Path) -> ModelConfig:
    """The configuration in a file's metadata. Raises BadCheckpoint."""
    file = file_of(path)
    return _config(file, *_state(file)).with_(name=path.name.removesuffix(SUFFIX))


def read_tokenizer(path: Path) -> Tokenizer:
    """The tokenizer in a file's metadata. Raises BadCheckpoint."""
    header = read_header(file_of(path))
    return Tokenizer.from_gguf(header.fields, header.name)


def read_network(path: Path, config: ModelConfig) -> TransformerLM:
    """The network with the file's weights as float32. Raises BadCheckpoint: missing tensors, unknown quantisations,
    NaN."""
    file = file_of(path)
    header = read_header(file)
    if config.n_layers > len(header.tensors):  # before as many layers are laid out
        raise BadCheckpoint(f"{header.name} has too few tensors for {config.n_layers} layers; copy the file again.")
    held = sum(math.prod(stored.shape) for stored in header.tensors.values())
    if (asked := count_parameters(config)) > 2 * held:  # less may be a tensor that is missing, which is named below
        raise BadCheckpoint(
            f"The metadata of {header.name} describe a model of {asked:,} numbers, and its tensors hold {held:,}; "
            "convert the model again."
        )
    check_memory(header.name, 4 * asked)
    with skipped_initialisation():
        network = TransformerLM(config)
    native.lay_out_columns(network)
    places = _places(network)
    missing, extra = (sorted(places.keys() - header.tensors.keys()), sorted(header.tensors.keys() - places.keys()))
    if missing or extra:
        raise BadCheckpoint(_unfit(header.name, missing, extra))
    with file.open("rb") as stream, mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_COPY) as content, torch.no_grad():
        for name, place in places.items():
            _fill(header, name, content, place)
    return interleave(network) if FAMILIES[header.architecture].layout == "half" else network


def _state(file: Path) -> tuple[int, int]:
    """When a file was changed, and its size. Raises BadCheckpoint."""
    try:
        about = file.stat()
    except OSError as error:
        raise BadCheckpoint(f"{file.name} cannot be read ({error.strerror}).") from error
    return about.st_mtime_ns, about.st_size


@lru_cache(maxsize=32)
def _config(file: Path, changed: int, size: int) -> ModelConfig:
    """`read_config` of a file as it was at a time: a header lists the whole vocabulary, and menus ask often."""
    header = read_header(file)
    family = FAMILIES.get(header.architecture)
    if family is None:
        raise BadCheckpoint(
            f"{header.name} has the architecture {header.architecture!r}; GGUF files of {', '.join(FAMILIES)} can be "
            "read."
        )
    _refuse_unknown(header)
    try:
        return interleaved(ModelConfig.of(**_values(header, family)))
    except BadConfig as error:
        raise BadCheckpoint(f"{header.name}: {error}") from error


def _values(header: Header, family: Family) -> dict[str, Any]:
    """What ModelConfig.of takes, from the metadata and the names of the tensors."""
    get, tensors = header.get, header.tensors
    heads, embedding = get("attention.head_count"), tensors.get("token_embd.weight")
    if embedding is None:
        raise BadCheckpoint(f"{header.name} lacks token_embd.weight; convert the model again.")
    biases = {f"{letter}_bias": f"blk.0.attn_{letter}.bias" in tensors for letter in "qkv"}
    attention = {
        "n_heads": heads,
        "n_kv_heads": get("attention.head_count_kv", heads),
        "head_dim": get("attention.key_length", get("embedding_length") // heads),
        "qk_norm": family.qk_norm,
        "o_bias": "blk.0.attn_output.bias" in tensors,
        **biases,
    }
    scaled = header.fields.get(f"{header.architecture}.rope.scaling.type", "none")
    return {
        "name": header.name.removesuffix(SUFFIX),
        "description": _description(header),
        "vocab_size": embedding.shape[0],
        "n_layers": get("block_count"),
        "d_model": get("embedding_length"),
        "context": get("context_length"),
        "tied": "output.weight" not in tensors,
        "attention": attention,
        "positions": {
            "kind": "rope",
            "rope_base": float(get("rope.freq_base", 10000.0)),
            "layout": family.layout,
            "scaling": scaled,
            "factor": float(get("rope.scaling.factor", 1.0)) if scaled != "none" else 1.0,
        },
        "norm": {"kind": "rmsnorm", "eps": float(get("attention.layer_norm_rms_epsilon"))},
        "feedforward": {"kind": "swiglu", "hidden": get("feed_forward_length")},
    }


def _refuse_unknown(header: Header) -> None:
    """Raise BadCheckpoint for what the family may have and tlmviz has not: experts, other RoPE scalings, partial
    rotation."""
    heads = header.get("attention.head_count")
    width = header.get("attention.key_length", header.get("embedding_length") // heads)
    scaling = header.fields.get(f"{header.architecture}.rope.scaling.type", "none")
    reasons = {
        "experts": header.get("expert_count", 0) > 0,
        f"RoPE scaling {scaling!r}": scaling not in ("none", "linear"),
        "RoPE frequencies of its own (rope_freqs.weight)": "rope_freqs.weight" in header.tensors,
        "RoPE on a part of each head": header.get("rope.dimension_count", width) != width,
        "values of another width than keys": header.get("attention.value_length", width) != width,
    }
    for what, holds in reasons.items():
        if holds:
            raise BadCheckpoint(f"{header.name} has {what}, which tlmviz does not read from GGUF files.")


def _description(header: Header) -> str:
    """One line: name, size and layers, quantisation."""
    named = header.fields.get("general.name") or header.name.removesuffix(SUFFIX)
    return f"{named}, {header.get('block_count')} layers × {header.get('attention.head_count')} heads (GGUF)"


def _places(network: Any) -> dict[str, Tensor]:
    """Each tensor of a file -> the part of the network's weights that it fills."""
    config = network.config
    places = {"token_embd.weight": network.token_emb.weight.data, "output_norm.weight": network.norm.weight.data}
    if not config.tied:
        places["output.weight"] = network.head.weight.data
    sizes = [heads * config.head_dim for heads in (config.n_heads, config.n_kv_heads, config.n_kv_heads)]
    for layer, block in enumerate(network.blocks):
        parts = dict(zip(("attn_q", "attn_k", "attn_v"), block.attn.qkv.weight.data.split(sizes)))
        parts |= dict(zip(("ffn_gate", "ffn_up"), block.mlp.gate_up.weight.data.chunk(2)))
        parts |= {"attn_output": block.attn.proj.weight.data, "ffn_down": block.mlp.down.weight.data}
        parts |= {"attn_norm": block.norm1.weight.data, "ffn_norm": block.norm2.weight.data}
        if config.attention.qk_norm != "none":
            parts |= {f"attn_{letter}_norm": getattr(block.attn.qk_norm, letter).weight.data for letter in "qk"}
        places |= {f"blk.{layer}.{name}.weight": part for name, part in parts.items()}
        places |= {f"blk.{layer}.{name}.bias": part for name, part in _biases(block.attn, sizes).items()}
    return places


def _biases(attention: Any, sizes: list[int]) -> dict[str, Tensor]:
    """The biases of W_Q, W_K, W_V and W_O by name, of those that have one."""
    found = {}
    if isinstance(attention.qkv, torch.nn.Linear) and attention.qkv.bias is not None:
        found = dict(zip(("attn_q", "attn_k", "attn_v"), attention.qkv.bias.data.split(sizes)))
    if attention.proj.bias is not None:
        found["attn_output"] = attention.proj.bias.data
    return found


def _fill(header: Header, name: str, content: mmap.mmap, place: Tensor) -> None:
    """Write one tensor of the file into its place. Raises BadCheckpoint."""
    stored = header.tensors[name]
    if stored.shape != tuple(place.shape):
        raise BadCheckpoint(f"{header.name}: {name} is {list(stored.shape)}, the metadata ask for {list(place.shape)}.")
    size = stored_bytes(stored.kind, stored.shape, f"{header.name}: {name}")
    if stored.start + size > len(content):
        raise BadCheckpoint(f"{header.name} ends before {name} does; it is truncated, copy or download it again.")
    raw = torch.frombuffer(content, dtype=torch.uint8, count=size, offset=stored.start)
    values = torch.empty(stored.shape)
    dequantise(raw, stored.kind, values)
    del raw  # the map cannot be closed while something looks into it
    place.copy_(values)
    if not torch.isfinite(values.sum()):
        raise BadCheckpoint(f"{header.name}: {name} holds NaN or infinity; copy or download the file again.")


def _unfit(name: str, missing: list[str], extra: list[str]) -> str:
    parts = [f"lacks {missing[0]}" + f" and {len(missing) - 1} more" * (len(missing) > 1)] if missing else []
    parts += [f"holds {extra[0]}, which this architecture has no place for"] if extra else []
    return f"{name} {' and '.join(parts)}; convert or download the model again."


# --- the header --------------------------------------------------------------------------------------


def read_header(file: Path) -> Header:
    """Metadata and the list of tensors. Raises BadCheckpoint."""
    return _header(file, *_state(file))


@lru_cache(maxsize=1)  # loading asks for it three times, and it lists every token
def _header(file: Path, changed: int, size: int) -> Header:
    """`read_header` of a file as it was at a time."""
    try:
        with file.open("rb") as stream:
            if stream.read(4) != MAGIC:
                raise BadCheckpoint(f"{file.name} is no GGUF file: it does not begin with the letters GGUF.")
            with mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ) as content:
                return _parse(file.name, content)
    except OSError as error:
        raise BadCheckpoint(f"{file.name} cannot be read ({error.strerror}).") from error
    except (struct.error, ValueError, OverflowError, KeyError, RecursionError) as error:
        raise BadCheckpoint(
            f"The header of {file.name} breaks off or is damaged; copy or download it again."
        ) from error


def _parse(name: str, content: mmap.mmap) -> Header:
    reader = _Reader(content, len(MAGIC))
    version = reader.number("<I")
    if version not in VERSIONS:
        raise BadCheckpoint(f"{name} has GGUF version {version}; versions 2 and 3 can be read.")
    n_tensors, n_fields = reader.number("<Q"), reader.number("<Q")
    fields = {}
    for _ in range(n_fields):
        key = reader.text()
        fields[key] = reader.value(reader.number("<I"))
    _check_fields(name, fields)
    described = {}
    for _ in range(n_tensors):
        key = reader.text()
        sizes = [reader.number("<Q") for _ in range(reader.number("<I"))]
        described[key] = (tuple(reversed(sizes)), reader.number("<I"), reader.number("<Q"))
    step = int(fields.get("general.alignment", 32))
    start = -(-reader.position // step) * step
    tensors = {key: StoredTensor(shape, kind, start + at) for key, (shape, kind, at) in described.items()}
    return Header(name, fields, tensors)


def _check_fields(name: str, fields: Mapping[str, Any]) -> None:
    """Raise BadCheckpoint for a field that is something else than FIELDS says."""
    prefix = f"{fields.get('general.architecture')}."
    for key, value in fields.items():
        what, fits = MUST_BE.get(key.removeprefix(prefix), ("", None))
        if fits is not None and not fits(value):
            raise BadCheckpoint(
                f"{name} says that {key} is {str(value)[:40]!r}, which must be {what}; convert the model again."
            )


class _Reader:
    """A position in a header, moved on by whatever is read; struct.error or ValueError beyond the end."""

    def __init__(self, content: mmap.mmap, position: int):
        self.content, self.position = content, position

    def number(self, form: str) -> int:
        (value,) = struct.unpack_from(form, self.content, self.position)
        self.position += struct.calcsize(form)
        return int(value)

    def text(self) -> str:
        size = self.number("<Q")
        raw = self.content[self.position : self.position + size]
        if len(raw) < size:
            raise ValueError("a text beyond the end")
        self.position += size
        return raw.decode("utf-8", "replace")

    def value(self, kind: int) -> Any:
        if kind == LIST:
            inner, count = self.number("<I"), self.number("<Q")
            if inner in NUMBERS:
                return self._numbers(inner, count)
            if count > len(self.content):  # each entry takes a byte at least
                raise ValueError("a list beyond the end")
            return self._texts(count) if inner == TEXT else [self.value(inner) for _ in range(count)]
        return self.text() if kind == TEXT else self._numbers(kind, 1)[0]

    def _texts(self, count: int) -> list[str]:
        """`text` many times, without a call for each: a vocabulary is most of a header."""
        found, content, position, end = [], self.content, self.position, len(self.content)
        size_at = struct.Struct("<Q").unpack_from
        for _ in range(count):
            start = position + 8
            position = start + size_at(content, position)[0]
            if position > end:
                raise ValueError("a text beyond the end")
            found.append(content[start:position].decode("utf-8", "replace"))
        self.position = position
        return found

    def _numbers(self, kind: int, count: int) -> list[Any]:
        values = np.frombuffer(self.content, np.dtype(NUMBERS[kind]), count, self.position)
        self.position += values.nbytes
        return list(values.tolist())
