"""What a search leaves: its tree as a table, and hypotheses that can be ranked again without a new search."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

import numpy as np
from jaxtyping import Float

from .penalties import Penalties, Score

if TYPE_CHECKING:
    import pandas as pd


@dataclass
class Node:
    """One candidate: a token behind its parent. `logp` is its own, `total` that of the whole text, in nats.

    `state` is "kept", "pruned" or "finished", `why` a few words on it. Node 0 is the empty text.
    """

    parent: int
    depth: int
    token: int
    logp: float
    total: float
    state: str = "kept"
    why: str = ""


@dataclass(frozen=True)
class Candidate:
    """A text that a search ended with. `attention` [|Y|, A, S] holds all maps, None without a source."""

    node: int
    tokens: tuple[int, ...]
    logps: tuple[float, ...]
    finished: bool
    parts: Score
    attention: Float[np.ndarray, "t a s"] | None = field(repr=False, default=None)

    @property
    def score(self) -> float:
        """What it was ranked by."""
        return self.parts.total

    def map(self, align: int | None) -> Float[np.ndarray, "t s"] | None:
        """One map's attention, or the mean of all."""
        return None if self.attention is None else aligned(self.attention, align)


@dataclass
class Search:
    """All nodes of a search, the texts it ended with (`leaves`), and why it stopped."""

    nodes: list[Node]
    leaves: list[int]
    penalties: Penalties
    align: int | None = None
    attention: dict[int, np.ndarray | None] = field(default_factory=dict, repr=False)  # [A, S] of a node's next token
    steps: int = 0
    seconds: float = 0.0
    stopped: str = ""

    def path(self, node: int) -> list[int]:
        """Tokens from the beginning to a node."""
        return [self.nodes[i].token for i in self._way(node)]

    def hypotheses(
        self, penalties: Penalties | None = None, align: int | Literal["default"] | None = "default"
    ) -> list[Candidate]:
        """The texts found, best first, under the search's own penalties or others."""
        penalties = penalties or self.penalties
        choice = self.align if align == "default" else align
        candidates = (self._candidate(leaf, penalties, choice) for leaf in self.leaves)
        return sorted(candidates, key=lambda candidate: -candidate.score)

    def table(self, name: Callable[[int], str] = str) -> pd.DataFrame:
        """One line a node: parent, depth, token and its text, log-probabilities, each penalty's share, score, state,
        why.

        `name` turns a token into text.
        """
        import pandas as pd

        lines = []
        # By node, how much attention its text paid to each source token [S]; empty without a source.
        covered: dict[int, np.ndarray] = {}
        for number, node in enumerate(self.nodes[1:], start=1):
            row = self.attention[node.parent]
            paid = None if row is None else covered.get(node.parent, 0.0) + aligned(row, self.align)
            if paid is not None:
                covered[number] = paid
            parts = self.penalties.score(node.total, node.depth, paid)
            lines.append(
                (
                    number,
                    node.parent,
                    node.depth,
                    node.token,
                    name(node.token),
                    node.logp,
                    node.total,
                    parts.length,
                    parts.coverage,
                    parts.end,
                    parts.total,
                    node.state,
                    node.why,
                )
            )
        return pd.DataFrame(lines, columns=COLUMNS).set_index("node")

    def _way(self, node: int) -> list[int]:
        way = []
        while node > 0:
            way.append(node)
            node = self.nodes[node].parent
        return way[::-1]

    def _candidate(self, leaf: int, penalties: Penalties, align: int | None) -> Candidate:
        way = self._way(leaf)
        nodes = [self.nodes[i] for i in way]
        rows = [row for node in nodes if (row := self.attention[node.parent]) is not None]
        attention = np.stack(rows) if rows else None
        covered = None if attention is None else aligned(attention, align).sum(0)
        parts = penalties.score(nodes[-1].total, len(nodes), covered)
        tokens, logps = zip(*((node.token, node.logp) for node in nodes))
        return Candidate(leaf, tokens, logps, nodes[-1].state == "finished", parts, attention)


COLUMNS = [
    "node",
    "parent",
    "depth",
    "token",
    "text",
    "logp",
    "total",
    "length",
    "coverage",
    "end",
    "score",
    "state",
    "why",
]


def aligned(maps: Float[np.ndarray, "*t a s"], align: int | None) -> Float[np.ndarray, "*t s"]:
    """The map that counts as a_ij: one of the A, or their mean."""
    return maps.mean(-2) if align is None else maps[..., align, :]
