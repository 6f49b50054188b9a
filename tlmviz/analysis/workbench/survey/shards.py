"""What one shard of a corpus tells of every head: sums that add up to those of the corpus, and each passage's own
numbers."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from zipfile import BadZipFile

import numpy as np
import torch
from jaxtyping import Float, Int

from tlmviz.errors import BadFile
from tlmviz.protocols import LanguageModelLike
from tlmviz.tracing.trace import Trace

from .corpus import Document

STATISTICS = ("entropy", "peak", "sink", "self", "previous", "distance", "induction")
BINS = 16  # distances 0, 1, 2, 3-4, 5-8, ... and the last one open
LONGEST = 512  # tokens of a passage, where the model reads more


@dataclass(frozen=True)
class Shard:
    """N heads over P passages of a shard: what is added up for the corpus, and each passage by itself."""

    sums: Float[np.ndarray, "s n"]  # of every statistic over query rows; entropy in bits
    rows: Int[np.ndarray, "s n"]  # how many rows had it: induction exists only where a token repeats
    histogram: Float[np.ndarray, "n b"]  # mass by distance, summed over rows
    passages: Float[np.ndarray, "p s n"]  # means over each passage's rows, NaN where it has none
    lengths: Int[np.ndarray, " p"]  # tokens
    places: Int[np.ndarray, "p 2"]  # the document within the shard, and the passage's first token within it
    texts: list[str]
    sources: list[str]  # each passage's file and number
    ids: Int[np.ndarray, " v"]  # token ids that queries or keys had
    looked: Float[np.ndarray, "n v"]  # mass from queries of a token on keys behind the first
    met: Float[np.ndarray, "n v"]  # mass on keys of a token, the first position left out

    def to_bytes(self) -> bytes:
        """What is kept of it: a compressed .npz."""
        arrays = {name: value for name, value in vars(self).items() if isinstance(value, np.ndarray)}
        texts, sources = np.array(self.texts, dtype=np.str_), np.array(self.sources, dtype=np.str_)
        file = BytesIO()
        np.savez_compressed(file, **arrays, texts=texts, sources=sources)  # type: ignore[arg-type]  # as if options
        return file.getvalue()

    def save(self, path: Path) -> None:
        """Written whole or not at all."""
        write(path, self.to_bytes())

    @classmethod
    def open(cls, path: Path) -> Shard:
        """A shard that was saved. Raises BadFile where it is damaged."""
        try:
            with np.load(path, allow_pickle=False) as file:
                arrays = dict(file)
        except (ValueError, EOFError, BadZipFile):
            raise BadFile(f"{path} cannot be read; remove it, and the same command computes it anew.") from None
        return cls(**{**arrays, "texts": arrays["texts"].tolist(), "sources": arrays["sources"].tolist()})


def shard_path(folder: Path, number: int) -> Path:
    """Where a shard is kept."""
    return folder / f"{number:06}.npz"


def write(path: Path, content: bytes) -> None:
    """A file whole or not at all: under another name first. Raises OSError."""
    partial = path.with_suffix(".partial")
    try:
        partial.write_bytes(content)
    except OSError:
        partial.unlink(missing_ok=True)  # half a file would take room where none is left
        raise
    partial.replace(path)


def weights_of(lm: LanguageModelLike) -> str:
    """Tells one model's weights from another's."""
    return hashlib.sha256(lm.network.token_emb.weight.float().cpu().numpy().tobytes()).hexdigest()[:16]


def passages_of(lm: LanguageModelLike, text: str, length: int) -> Iterable[tuple[int, list[int]]]:
    """A text in passages of at most `length` tokens behind the token that begins a text: first token's place, ids."""
    lead = lm.tokenizer.lead
    ids = lm.tokenizer.encode(text, bos=False)
    room = length - len(lead)
    for start in range(0, len(ids), room):
        part = ids[start : start + room]
        if len(part) + len(lead) > 1:  # one token sees itself alone
            yield start, [*lead, *part]


def distance_bins(length: int) -> Int[np.ndarray, "t t"]:
    """The bin of each cell's distance: 0, 1, 2, 3-4, 5-8, and so on."""
    far = np.abs(np.arange(length)[:, None] - np.arange(length)[None, :])
    bins = np.where(far < 2, far, 2 + np.ceil(np.log2(np.maximum(far, 2))).astype(int) - 1)
    return np.minimum(bins, BINS - 1)


def bin_names() -> list[str]:
    """What the bins are called."""
    ranges = [(2 ** (b - 2) + 1, 2 ** (b - 1)) for b in range(3, BINS)]
    named = [f"{low}-{high}" for low, high in ranges[:-1]] + [f"{ranges[-1][0]}+"]
    return ["0", "1", "2", *named]


def survey_shard(lm: LanguageModelLike, texts: Sequence[Document], length: int = LONGEST) -> Shard:
    """Every head over some documents: exact statistics of all query rows, as `Trace.head_statistics` has them of one
    text.

    This one function is what a process of a pool and a worker of a cluster run.
    """
    heads = lm.config.n_layers * lm.config.n_heads
    limit = min(length, lm.config.context)
    sums, rows = np.zeros((len(STATISTICS), heads)), np.zeros((len(STATISTICS), heads), np.int64)
    histogram = np.zeros((heads, BINS))
    looked: dict[int, np.ndarray] = {}
    met: dict[int, np.ndarray] = {}
    own, lengths, places, kept, sources = [], [], [], [], []
    for number, document in enumerate(texts):
        for start, ids in passages_of(lm, document.text, limit):
            trace = lm.trace_ids(ids)
            values, there = _sums(trace)
            sums += np.where(there > 0, values, 0)
            rows += there
            with np.errstate(invalid="ignore"):
                own.append((values / np.where(there > 0, there, np.nan)).astype(np.float32))
            _add_maps(trace, histogram, looked, met)
            lengths.append(len(ids))
            places.append((number, start))
            kept.append(lm.tokenizer.decode(ids[len(lm.tokenizer.lead) :]))
            sources.append(f"{document.source}:{document.number}")
    tokens = sorted(looked.keys() | met.keys())
    zero = np.zeros(heads)
    return Shard(
        sums,
        rows,
        histogram,
        np.array(own, np.float32).reshape(-1, len(STATISTICS), heads),
        np.array(lengths, np.int64),
        np.array(places, np.int64).reshape(-1, 2),
        kept,
        sources,
        np.array(tokens, np.int64),
        np.array([looked.get(token, zero) for token in tokens], np.float32).reshape(len(tokens), heads).T,
        np.array([met.get(token, zero) for token in tokens], np.float32).reshape(len(tokens), heads).T,
    )


def _sums(trace: Trace) -> tuple[Float[np.ndarray, "s n"], Int[np.ndarray, "s n"]]:
    """Each statistic summed over the rows from the second on, and in how many rows it exists."""
    values = trace.row_statistics()
    found = torch.stack([values[name][:, :, 1:].double().flatten(0, 1) for name in STATISTICS])  # [S, N, T - 1]
    found[0] /= math.log(2)
    there = ~found.isnan()
    return found.nansum(-1).numpy(), there.sum(-1).numpy()


def _add_maps(trace: Trace, histogram: np.ndarray, looked: dict[int, np.ndarray], met: dict[int, np.ndarray]) -> None:
    """Mass by distance, by the query's token and by the key's, of all maps of a text, a head at a time."""
    bins = distance_bins(len(trace)).ravel()
    tokens, inverse = np.unique(np.array(trace.ids), return_inverse=True)
    heads = trace.n_layers * trace.n_heads
    by_query, by_key = np.zeros((len(tokens), heads)), np.zeros((len(tokens), heads))
    for layer in range(trace.n_layers):
        for head in range(trace.n_heads):
            n, p = layer * trace.n_heads + head, trace.attention(layer, head).numpy().astype(np.float64)
            p[0] = 0  # the first row sees only itself, and is left out of every statistic
            histogram[n] += np.bincount(bins, p.ravel(), BINS)
            p[:, 0] = 0  # the first token takes what no other deserves
            by_query[:, n] = np.bincount(inverse, p.sum(1), len(tokens))
            by_key[:, n] = np.bincount(inverse, p.sum(0), len(tokens))
    for index, token in enumerate(tokens.tolist()):
        looked[token] = looked.get(token, 0) + by_query[index]
        met[token] = met.get(token, 0) + by_key[index]
