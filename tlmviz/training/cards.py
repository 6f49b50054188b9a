"""A model's card: what it is called and is, and sections in Markdown."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol

from safetensors import safe_open

from .data import Corpus

CURVE = ("", "![Loss curve](curve.svg)")


class Described(Protocol):
    """What a configuration says of itself."""

    @property
    def name(self) -> str: ...
    @property
    def description(self) -> str: ...


def card(config: Described, sections: Mapping[str, Iterable[str]]) -> str:
    """The text of a card: title -> lines, each section's after the other."""
    lines = [f"# {config.name}", "", config.description, ""]
    for title, told in sections.items():
        lines += [f"## {title}", "", "\n".join(told).rstrip(), ""]
    return "\n".join(lines)


def table(head: Sequence[str], rows: Iterable[Sequence[Any]]) -> list[str]:
    """A table's lines."""
    lines = (head, ["---"] * len(head), *rows)
    return ["".join(f"| {cell} " if cell != "" else "| " for cell in line) + "|" for line in lines]


def size(folder: Path, n_parameters: int) -> str:
    """How many parameters a model has, and what they take as they are stored."""
    path = folder / "model.safetensors"
    with safe_open(path, "pt") as file:
        dtype = file.get_tensor(next(iter(file.keys()))).dtype
    return f"- {n_parameters:,} parameters, {path.stat().st_size / 1e6:.2f} MB as {str(dtype).removeprefix('torch.')}"


def command(name: str, files: bool = True) -> list[str]:
    """How to train it anew."""
    return [f"`python -m tlmviz.training {name} --data DIR`{'' if files else ' (it needs no file in DIR)'}", ""]


def held_out_stories(corpus: Corpus, how: str = "") -> str:
    """The stories that a model learned from, and those that it was measured on."""
    return (
        f"- {len(corpus.train):,} stories to learn from{how} and {len(corpus.valid)} held out (chosen by a hash of "
        "their text): excerpts of TinyStories (Eldan and Li 2023), CDLA-Sharing-1.0"
    )
