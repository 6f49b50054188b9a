"""A file of one pass in place of a model: what `tlmviz.load` returns for a file that `trace.save` wrote."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import ClassVar, NoReturn

from ..errors import NoNetwork
from ..recording import Edit
from .dump import about, open_trace
from .trace import Trace


class TraceFile:
    """A trace that stands where a model does: its one text is fixed. What needs a network raises NoNetwork."""

    task: ClassVar[str] = "trace"

    def __init__(self, path: Path):
        self.path = path
        self.name = path.name
        self.saved = open_trace(path)

    @property
    def default_text(self) -> str:
        """The one text there is, as its tokens spell it."""
        return "".join(self.saved.tokens)

    @property
    def sizes(self) -> str:
        """Its sizes in a line."""
        trace = self.saved
        return f"{trace.n_layers} layers × {trace.n_heads} heads, {len(trace):,} tokens, a file without a network"

    def trace(self, text: str, edit: Mapping[str, Edit] | None = None) -> Trace:
        """The trace in the file, for its own text. Raises NoNetwork for another text and for edits."""
        if edit:
            self._refuse("to run again with something changed")
        if text != self.default_text:
            self._refuse("to read another text")
        return self.saved

    @cached_property
    def tokenizer(self) -> NoReturn:
        """Raises NoNetwork: what the model would predict is not in the file."""
        self._refuse("to predict the next token")

    @cached_property
    def config(self) -> NoReturn:
        """Raises NoNetwork: what would be changed is not in the file."""
        self._refuse("to run again with something changed")

    def _refuse(self, what: str) -> NoReturn:
        raise NoNetwork(f"{self.name} holds one pass and no network {what}; load the model itself for that.")


def described(path: Path) -> str:
    """A line on what a file holds, without reading its tensors. Raises BadFile."""
    metadata = about(path)
    return f"One pass of {metadata.get('model') or 'a model'}, from a file"
