"""Reading and writing checkpoint folders of our own: config.json, model.safetensors, tokenizer.json (and card.md for
people).

Pickles are never read: they can run code.
"""

from __future__ import annotations

from collections.abc import Sequence, Set
from pathlib import Path
from typing import Any, Protocol, TypeVar

import torch
from safetensors import SafetensorError
from safetensors.torch import load_file, save_file
from torch import Tensor, nn

from tlmviz.config.base import JSONConfig
from tlmviz.errors import BadCheckpoint, BadConfig
from tlmviz.networks.initialisation import skipped_initialisation
from tlmviz.tokens import Tokenizer
from tlmviz.tokens.whole_words import WordTokenizer

from .stored import Stored

FILES = ("config.json", "model.safetensors", "tokenizer.json")
PICKLES = (".bin", ".pt", ".pth", ".ckpt", ".pkl")
Config = TypeVar("Config", bound=JSONConfig)
Module = TypeVar("Module", bound=nn.Module)


class Network(Protocol):
    """What a checkpoint needs of a network, besides being a module."""

    config: Any

    def tied_weights(self) -> frozenset[str]:
        """Names in the state dict that are another one's tensor, and are not saved."""


def check_files(folder: Path, names: Sequence[str], what: str = "a checkpoint") -> None:
    """Raise BadCheckpoint unless the folder holds these files; a pickle in their place is named."""
    missing = [name for name in names if not (folder / name).is_file()]
    if not missing:
        return
    pickles = sorted(path.name for path in folder.iterdir() if path.suffix in PICKLES)
    why = f" ({', '.join(pickles)} is a pickle, which tlmviz never opens; convert it to safetensors)" if pickles else ""
    raise BadCheckpoint(f"{folder.name} lacks {', '.join(missing)}{why}; {what} needs {', '.join(names)}.")


def read_config(folder: Path, kind: type[Config]) -> Config:
    """The configuration of a folder. Raises BadCheckpoint."""
    try:
        return kind.from_json((folder / "config.json").read_text(encoding="utf-8"))
    except BadConfig as error:
        raise BadCheckpoint(f"{folder.name}: {error}") from error
    except (OSError, UnicodeDecodeError) as error:
        raise BadCheckpoint(f"{folder.name}/config.json cannot be read ({error}).") from error


def read_tokenizer(folder: Path, vocab_size: int) -> Tokenizer:
    """The tokenizer of a folder. Raises BadCheckpoint, also when its vocabulary has another size."""
    tokenizer = Tokenizer.load(folder / "tokenizer.json")
    _check_entries(folder, tokenizer.vocab_size, vocab_size)
    return tokenizer


def read_words(folder: Path, vocab_size: int) -> WordTokenizer:
    """The same where the vocabulary is one of whole words."""
    tokenizer = WordTokenizer.load(folder / "tokenizer.json")
    _check_entries(folder, tokenizer.vocab_size, vocab_size)
    return tokenizer


def _check_entries(folder: Path, found: int, expected: int) -> None:
    if found != expected:
        raise BadCheckpoint(
            f"{folder.name}: tokenizer.json has {found} entries, config.json says {expected}; "
            "they belong to different models."
        )


def read_network(folder: Path, kind: type[Any], config: JSONConfig, weights: dict[str, Tensor] | None = None) -> Any:
    """A network of class `kind` with the folder's weights, or other ones, as float32. Raises BadCheckpoint."""
    weights = read_weights(folder) if weights is None else weights
    try:
        with skipped_initialisation():  # no time spent drawing random weights that are replaced at once
            network = kind(config)
    except (RuntimeError, MemoryError) as error:  # what torch says where it gets no memory
        count = sum(value.numel() for value in weights.values())
        raise BadCheckpoint(
            f"{folder.name}/config.json asks for more memory than there is, and model.safetensors holds {count:,} "
            "numbers; config.json describes another model."
        ) from error
    check_weights(folder.name, own_weights(network), weights)
    network.load_state_dict(weights, strict=False)
    return network


def for_inference(network: Module) -> Module:
    """The same network, ready to be read from and not to be trained."""
    embeddings = [module.weight for module in network.modules() if isinstance(module, nn.Embedding)]
    for module in network.modules():
        if isinstance(module, nn.Linear) and isinstance(module.weight, Stored):
            continue  # laid out anew for each use
        if isinstance(module, nn.Linear) and not any(module.weight is weight for weight in embeddings):
            # Same numbers, columns side by side in memory: one row times such a matrix, a decode step, takes two
            # thirds.
            module.weight.data = module.weight.data.t().contiguous().t()
    return network.eval().requires_grad_(False)


def lay_out_columns(network: nn.Module) -> None:
    """Give an unfilled network's matrices the memory layout of `for_inference`, which then has nothing to move."""
    embeddings = [module.weight for module in network.modules() if isinstance(module, nn.Embedding)]
    for module in network.modules():
        if isinstance(module, nn.Linear) and not any(module.weight is weight for weight in embeddings):
            module.weight.data = torch.empty_like(module.weight.data.t(), memory_format=torch.contiguous_format).t()


def save_network(
    folder: Path, network: Any, tokenizer: Tokenizer | WordTokenizer | None, dtype: torch.dtype = torch.float16
) -> None:
    """Write config.json, model.safetensors and, unless the network reads no text, tokenizer.json."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "config.json").write_text(network.config.to_json())
    if tokenizer is not None:
        (folder / "tokenizer.json").write_text(tokenizer.to_json())
    write_weights(folder, own_weights(network), dtype)


def read_weights(folder: Path) -> dict[str, Tensor]:
    """The tensors of a checkpoint folder, as float32. Raises BadCheckpoint where the file cannot be read."""
    try:
        weights = load_file(folder / "model.safetensors")
    except (SafetensorError, OSError, ValueError) as error:
        raise unreadable(f"{folder.name}/model.safetensors", error) from error
    return {name: value.float() for name, value in weights.items()}


def unreadable(file: str, error: Exception) -> BadCheckpoint:
    """The error of a file of weights that the library cannot open."""
    return BadCheckpoint(f"{file} cannot be read ({error}); it may be truncated, copy it again.")


def write_weights(folder: Path, weights: dict[str, Tensor], dtype: torch.dtype) -> None:
    """Write model.safetensors, rounded to `dtype`."""
    rounded = {name: value.detach().to(dtype).contiguous() for name, value in weights.items()}
    save_file(rounded, folder / "model.safetensors", metadata={"format": "pt"})


def own_weights(network: Any) -> dict[str, Tensor]:
    """The state dict without tied weights, which are others under a second name."""
    tied = network.tied_weights()
    return {name: value for name, value in network.state_dict().items() if name not in tied}


def check_weights(name: str, expected: dict[str, Tensor], weights: dict[str, Tensor]) -> None:
    """Raise BadCheckpoint unless names and shapes are those expected and every number is finite."""
    file = f"{name}/model.safetensors"
    check_names(file, expected.keys(), weights.keys())
    for key, value in weights.items():
        check_shape(file, key, value.shape, expected[key].shape)
        check_finite(file, key, value)


def check_names(file: str, expected: Set[str], given: Set[str]) -> None:
    """Raise BadCheckpoint unless the tensors in a file are those expected."""
    missing, extra = sorted(expected - given), sorted(given - expected)
    if missing or extra:
        parts = [f"lacks {missing[0]}" + f" and {len(missing) - 1} more" * (len(missing) > 1)] if missing else []
        parts += [f"holds {extra[0]}, which this model has no place for"] if extra else []
        raise BadCheckpoint(f"{file} {' and '.join(parts)}; config.json describes another model.")


def check_shape(file: str, key: str, given: Sequence[int], expected: Sequence[int]) -> None:
    """Raise BadCheckpoint unless a tensor has the shape that its configuration asks for."""
    if list(given) != list(expected):
        raise BadCheckpoint(f"{file}: {key} is {list(given)}, config.json asks for {list(expected)}.")


def check_finite(file: str, key: str, value: Tensor) -> None:
    """Raise BadCheckpoint where a tensor holds what is no number."""
    # Both ends are NaN where any number is; isfinite would take the tensor's memory once more.
    if value.numel() and not torch.isfinite(torch.stack(torch.aminmax(value))).all():
        raise BadCheckpoint(f"{file}: {key} holds NaN or infinity; copy the file again or retrain.")
