"""A search as a tree to draw: other texts merged into it, and in words why each branch lived or died."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from tlmviz.decoding.records import Node, Search

LIVES = ("pruned", "kept", "finished")  # states of a search's nodes, the longest-lived last
DROPPED = 5  # candidates that a node's words name at most


@dataclass(frozen=True)
class Path:
    """A text to lay over a tree: its tokens and their log-probabilities in nats.

    `node` is where the search ended with it; None for a text that was written some other way (greedily, by sampling).
    """

    name: str
    tokens: tuple[int, ...]
    logps: tuple[float, ...]
    node: int | None = None

    @property
    def total(self) -> float:
        """log P of the whole text."""
        return sum(self.logps)


@dataclass(frozen=True)
class Level:
    """One step of a search: how many candidates there were, and the log P that decided. NaN where there is none."""

    depth: int
    beams: int
    kept: int
    finished: int
    worst_kept: float
    best_dropped: float


@dataclass(frozen=True)
class Tree:
    """Nodes to draw, their tokens' names, and of each path its nodes from the root on.

    Nodes behind `searched` were not found by the search: their state is "sampled". `levels` holds the search's steps.
    """

    nodes: list[Node]
    names: list[str]
    searched: int
    levels: list[Level]
    ways: dict[str, list[int]]

    def children(self) -> dict[int, list[int]]:
        """Each node's children, most probable first."""
        found: dict[int, list[int]] = {}
        for number, node in enumerate(self.nodes[1:], start=1):
            found.setdefault(node.parent, []).append(number)
        return {parent: sorted(some, key=lambda i: -self.nodes[i].logp) for parent, some in found.items()}

    def reach(self) -> np.ndarray:
        """The depth that each node's line of kept or finished tokens reaches, [n]."""
        reach = np.array([node.depth for node in self.nodes])
        for number in range(len(self.nodes) - 1, 0, -1):  # children stand behind their parents
            node = self.nodes[number]
            if node.state in ("kept", "finished"):
                reach[node.parent] = max(reach[node.parent], reach[number])
        return reach

    def fates(self) -> list[str]:
        """What became of each node, in words with numbers."""
        worst = {level.depth: level.worst_kept for level in self.levels}
        last = max((level.depth for level in self.levels), default=0)
        ends = {i for i, node in enumerate(self.nodes) if node.state == "finished"}
        saved = {i for end in ends for i in way_to(self.nodes, end)}
        said = []
        for number, (node, reach) in enumerate(zip(self.nodes, self.reach().tolist())):
            if node.state == "kept" and node.depth:
                words = f"kept, {node.why}" if node.why.startswith("rank") else f"kept; the search ended: {node.why}"
                if number not in saved and reach < last:
                    words += f"; every continuation was dropped at step {reach + 1}"
            elif node.state == "pruned":
                words = f"dropped: {node.why}"
                gap = worst.get(node.depth, np.nan) - node.total
                if "best" in node.why and gap > 0:
                    words += f", {gap:.2f} nats below the last one kept"
            elif node.state == "sampled":
                words = "not found by this search"
            else:
                words = "finished" if node.depth else "nothing is written yet"
            said.append(words)
        return said


def tree(search: Search, names: Callable[[int], str], paths: tuple[Path, ...] = ()) -> Tree:
    """A search, with other texts merged into it: what it kept of them is shared, the rest is added.

    `names` turns a token into text.
    """
    nodes = [replace(node) for node in search.nodes]
    known = {(node.parent, node.token): i for i, node in enumerate(nodes) if i and node.state != "pruned"}
    ways = {}
    for path in paths:
        if path.node is not None:
            ways[path.name] = way_to(nodes, path.node)
            continue
        way = [0]
        for token, logp in zip(path.tokens, path.logps):
            number = known.get((way[-1], token))
            if number is None:
                parent = nodes[way[-1]]
                nodes.append(Node(way[-1], parent.depth + 1, token, logp, parent.total + logp, "sampled", path.name))
                number = known[way[-1], token] = len(nodes) - 1
            way.append(number)
        ways[path.name] = way
    labels = ["⟨start⟩", *(names(node.token) for node in nodes[1:])]
    return Tree(nodes, labels, len(search.nodes), levels(search), ways)


def once(search: Search) -> Search:
    """The same search with every text a single node: groups of diverse beam search may each have written the same.

    A text that one group dropped and another kept was kept.
    """
    places: dict[int, int] = {0: 0}  # number of a node -> of the node that stands for it
    known: dict[tuple[int, int], int] = {}
    nodes = [replace(search.nodes[0])]
    for number, node in enumerate(search.nodes[1:], start=1):  # children stand behind their parents
        parent = places[node.parent]
        first = known.setdefault((parent, node.token), len(nodes))
        places[number] = first
        if first == len(nodes):
            nodes.append(replace(node, parent=parent))
        elif LIVES.index(node.state) > LIVES.index(nodes[first].state):
            nodes[first] = replace(node, parent=parent)
    leaves = list(dict.fromkeys(places[leaf] for leaf in search.leaves))
    attention = {places[number]: row for number, row in search.attention.items()}
    return replace(search, nodes=nodes, leaves=leaves, attention=attention)


def levels(search: Search) -> list[Level]:
    """Every step of a search, from 1."""
    found = []
    living = {0}
    for depth in range(1, max(node.depth for node in search.nodes) + 1):
        at = [node for node in search.nodes if node.depth == depth]
        totals = {state: [node.total for node in at if node.state == state] for state in ("kept", "pruned", "finished")}
        # What a ban or a forced token closed was no rival, whatever its probability.
        rivals = [node.total for node in at if node.state == "pruned" and "best" in node.why]
        beams = len({node.parent for node in at} & living) or len(living)
        found.append(
            Level(
                depth,
                beams,
                len(totals["kept"]),
                len(totals["finished"]),
                min(totals["kept"], default=np.nan),
                max(rivals, default=np.nan),
            )
        )
        living = {i for i, node in enumerate(search.nodes) if node.depth == depth and node.state == "kept"}
    return found


def hardest(nodes: list[Node], leaf: int) -> tuple[int, int]:
    """The worst rank that a text's beginnings had among what was kept or finished at their depth, and the first such
    depth."""
    worst = (0, 0)
    for number in way_to(nodes, leaf)[1:]:
        node = nodes[number]
        rivals = (other.total for other in nodes if other.depth == node.depth and other.state in ("kept", "finished"))
        rank = 1 + sum(total > node.total for total in rivals)
        if rank > worst[0]:
            worst = (rank, node.depth)
    return worst


def way_to(nodes: list[Node], number: int) -> list[int]:
    """A node's ancestors and itself, from the root on."""
    way = [number]
    while way[-1]:
        way.append(nodes[way[-1]].parent)
    return way[::-1]
