"""The bundled long texts."""

from __future__ import annotations

from tlmviz.checkpoints.registry import checkpoint_folder

from ..errors import UnknownName

WRITER = "stories-rope"


def sample_text() -> str:
    """4,300 tokens of short stories by stories-rope, joined by blank lines: `write_stories(lm, 4300, seed=0)`, kept as
    a file.

    A model finds its own words easier to predict than real stories, so losses on it are low. Raises UnknownName.
    """
    return _read("sample.txt")


def long_sample_text() -> str:
    """16,500 tokens: `sample_text`, and behind it `write_stories(lm, 12200, seed=1)`, kept as a file. Raises
    UnknownName."""
    return f"{sample_text()}\n\n{_read('sample-more.txt')}"


def _read(name: str) -> str:
    path = checkpoint_folder(WRITER) / name
    if not path.is_file():
        raise UnknownName(f"There is no sample text in models/{WRITER}; copy {name} again, or give a text of your own.")
    return path.read_text(encoding="utf-8")
