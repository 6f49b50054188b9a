"""Which attention map says where a translated word came from, measured against alignments made by hand."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from jaxtyping import Float

from tlmviz.decoding.records import aligned
from tlmviz.errors import BadText
from tlmviz.protocols import TranslatorLike

if TYPE_CHECKING:
    import pandas as pd

ALIGNMENTS = Path(__file__).resolve().parents[2] / "data" / "alignments.tsv"  # made by hand
WORDS = re.compile(r"\w+'?|[^\w\s]")  # "J'ai froid." has the words J', ai, froid and the full stop


@dataclass(frozen=True)
class Aligned:
    """A sentence, its translation, and the links (source word, target word) between them, words counted from 0."""

    source: str
    target: str
    links: frozenset[tuple[int, int]]


def read_alignments(path: Path) -> list[Aligned]:
    """A table with the columns english, french and links ("0-0 1-2": source word - target word).

    Raises BadText when a link points at a word that is not there.
    """
    found = []
    with path.open(encoding="utf-8", newline="") as lines:
        for line in csv.DictReader(lines, delimiter="\t"):
            pairs = (link.split("-") for link in line["links"].split())
            links = frozenset((int(source), int(target)) for source, target in pairs)
            sizes = len(WORDS.findall(line["english"])), len(WORDS.findall(line["french"]))
            wrong = [link for link in links if not all(0 <= i < n for i, n in zip(link, sizes))]
            if wrong:
                raise BadText(
                    f"{line['english']!r} has a link {wrong[0]}; it has {sizes[0]} words, its translation {sizes[1]}."
                )
            found.append(Aligned(line["english"], line["french"], links))
    return found


def words_of_tokens(text: str, pieces: Iterable[bytes]) -> Float[np.ndarray, "w t"]:
    """How much of each token [T] belongs to each word [W] of a text that the tokens spell: columns sum to 1 or 0."""
    spans = [match.span() for match in WORDS.finditer(text)]
    starts = np.cumsum([0, *(len(char.encode()) for char in text)])  # in bytes, as tokens are
    spans = [(starts[a], starts[b]) for a, b in spans]
    rows, at = [], 0
    for piece in pieces:
        end = at + len(piece)
        rows.append([max(0, min(end, b) - max(at, a)) for a, b in spans])
        at = end
    shares = np.array(rows, np.float32).reshape(len(rows), len(spans)).T
    return shares / np.maximum(1, shares.sum(0))


def word_attention(mt: TranslatorLike, pair: Aligned) -> Float[np.ndarray, "a v w"]:
    """Every map of a model between words: attention of target words [V] on source words [W], mean over a word's
    tokens."""
    source, target = mt.encode(pair.source), mt.encode_target(pair.target)
    maps = mt.read(pair.source, [*target, mt.tokenizer.end_of_text]).attention[:-1]  # [T, A, S]
    from_source = words_of_tokens(pair.source, map(mt.tokenizer.token_bytes, source))  # [W, S]
    to_target = words_of_tokens(pair.target, map(mt.tokenizer.token_bytes, target))  # [V, T]
    to_target = to_target / to_target.sum(1, keepdims=True)
    return np.einsum("vt,tas,ws->avw", to_target, maps, from_source)


def error_rates(mt: TranslatorLike, pairs: list[Aligned]) -> pd.Series:
    """Alignment error rate of every map and of their mean, lowest first: 1 - 2 |A and G| / (|A| + |G|) (Och and Ney
    2003).

    G are the links made by hand, A links each target word to the source word it looked at most; all links are sure.
    Source words that tie, as in float32 a saturated softmax makes them, share the one link evenly.
    """
    import pandas as pd

    hits, given = np.zeros(len(mt.maps) + 1), 0
    proposed = 0
    for pair in pairs:
        maps = word_attention(mt, pair)
        maps = np.concatenate((maps, aligned(np.moveaxis(maps, 0, -2), None)[None]))
        hits += [_hits(row, pair.links) for row in maps]
        proposed += maps.shape[1]
        given += len(pair.links)
    return pd.Series(1 - 2 * hits / (proposed + given), [*mt.maps, "mean"], name="alignment error rate").sort_values()


def _hits(attention: Float[np.ndarray, "v w"], links: frozenset[tuple[int, int]]) -> float:
    """|A and G| of one map, in links: of n source words that tie, each has 1 / n."""
    count = 0.0
    for target, row in enumerate(attention):
        best = np.flatnonzero(row == row.max())
        count += sum((source, target) in links for source in best.tolist()) / len(best)
    return count
