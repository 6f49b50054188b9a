"""A finished survey: tables of heads, distances, deciles, passages and tokens."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any
from zipfile import BadZipFile

import numpy as np

from tlmviz.errors import BadFile, BadText, Error
from tlmviz.extras import require

from .kinds import holds
from .shards import BINS, STATISTICS, Shard, bin_names, shard_path, write

if TYPE_CHECKING:
    import pandas as pd

TOP = 10  # passages and tokens that are kept of each head
SETTINGS = "settings.json"
COLUMNS = {  # of each table
    "heads": ("layer", "head", *STATISTICS),
    "distances": ("layer", "head", "bin", "share"),
    "deciles": ("layer", "head", "statistic", "decile", "value"),
    "passages": ("passage", "source", "start", "tokens", "text"),
    "tops": ("layer", "head", "statistic", "rank", "passage", "value"),
    "tokens": ("layer", "head", "role", "rank", "token", "share"),
}
# Of COLUMNS, how many tell a line from the others.
KEYS = {"heads": 2, "distances": 3, "deciles": 4, "passages": 1, "tops": 4, "tokens": 4}
EACH = {"heads": 1, "distances": BINS, "deciles": 11 * len(STATISTICS)}  # lines of a head
SIZES = ("layers", "heads", "documents", "length", "shard")  # whole numbers among the settings


@dataclass(frozen=True)
class Survey:
    """The tables of a survey, read when they are asked for.

    `heads`: layer, head and the columns of `Trace.head_statistics`, averaged over all query rows of the corpus.
    `distances`: layer, head, bin, share of mass. `deciles`: layer, head, statistic, decile (0 to 10), value over
    passages. `passages`: passage, source, start, tokens, text. `tops`: layer, head, statistic, rank, passage, value.
    `tokens`: layer, head, role ("query" or "key"), rank, token, share of the mass behind the first token. `held` has
    the tables of a survey that was not finished.
    """

    folder: Path
    held: Mapping[str, pd.DataFrame] | None = None

    @classmethod
    def open(cls, folder: str | os.PathLike[str]) -> Survey:
        """A finished survey. Raises BadFile where there is none, or none that was finished."""
        found = cls(Path(folder))
        missing = [name for name in COLUMNS if not found._path(name).is_file()]
        if missing:
            raise BadFile(
                f"There is no finished survey in {folder}: {missing[0]}.parquet is missing; run `tlmviz survey MODEL "
                f"CORPUS --out {folder}`, which goes on where it was."
            )
        return found

    @classmethod
    def so_far(cls, folder: str | os.PathLike[str], name: Callable[[int], str]) -> Survey:
        """What the shards of a survey that was not finished say; nothing is written. `name` says what a token is
        called.

        Raises BadFile where no shard is there yet.
        """
        found = cls(Path(folder))
        paths = found._shards()
        if not paths:
            raise BadFile(f"The survey in {folder} has no shard yet: let it run for a while.")
        try:
            return cls(found.folder, tables(paths, found.settings, name))
        except (OSError, ValueError, KeyError, TypeError, EOFError, BadZipFile):
            raise BadFile(
                f"A shard in {folder} cannot be read, or is of another model; remove {found.folder / 'shards'} and run "
                "it anew."
            ) from None

    @property
    def finished(self) -> bool:
        """Whether all tables are there."""
        return all(self._path(name).is_file() for name in COLUMNS)

    @property
    def missing(self) -> int:
        """Shards that a survey still lacks."""
        if self.held is None and self.finished:
            return 0
        settings = self.settings
        return max(0, -(-settings["documents"] // settings["shard"]) - len(self._shards()))

    def _shards(self) -> list[Path]:
        return sorted((self.folder / "shards").glob("*.npz"))

    def _path(self, name: str) -> Path:
        return self.folder / f"{name}.parquet"

    def _table(self, name: str) -> pd.DataFrame:
        """One table. Raises BadFile where the file is no such table, and MissingExtra where nothing here reads
        Parquet."""
        import pandas as pd

        if self.held is not None:
            return self.held[name]
        require("pyarrow", "survey", "A survey")
        try:
            table = pd.read_parquet(self._path(name))
        except (OSError, ValueError):  # pyarrow's errors are ValueErrors
            table = pd.DataFrame()
        if not holds(table, COLUMNS[name]) or not self._is_whole(name, table):
            raise BadFile(f"{self._path(name)} is no table of a survey; run the survey again.")
        return table

    def _is_whole(self, name: str, table: pd.DataFrame) -> bool:
        """Whether each line is there once and of a head that there is, and all heads are there where each has as many
        lines."""
        if table.duplicated([*COLUMNS[name][: KEYS[name]]]).any():
            return False
        if name == "passages":
            return True
        layers, heads, lines = self.settings["layers"], self.settings["heads"], EACH.get(name)
        if not (table["layer"] < layers).all() or not (table["head"] < heads).all():
            return False
        if lines is None:
            return True
        number = table["layer"].to_numpy(np.int64) * heads + table["head"].to_numpy(np.int64)
        if name == "deciles":  # which come by statistic
            known = set(table["statistic"]) == {*STATISTICS} and table["decile"].max() == 10
            number = np.sort(number) if known else number[:0]
        every = len(table) == layers * heads * lines
        return every and np.array_equal(number, np.repeat(np.arange(layers * heads), lines))

    @property
    def settings(self) -> dict[str, Any]:
        """Model, corpus and sizes. Raises BadFile for a file that says something else."""
        try:
            values = json.loads((self.folder / SETTINGS).read_text(encoding="utf-8"))
            if all(isinstance(values[name], str) for name in ("model", "weights", "corpus")) and all(
                type(values[name]) is int and values[name] > 0 for name in SIZES
            ):
                return values
        except (OSError, ValueError, KeyError, TypeError, RecursionError):
            pass
        raise BadFile(f"{self.folder / SETTINGS} is not what `tlmviz survey` writes: {self.folder} is no survey.")

    @cached_property
    def heads(self) -> pd.DataFrame:
        """One line per head."""
        return self._table("heads")

    @cached_property
    def distances(self) -> pd.DataFrame:
        """Share of mass in each bin of distance."""
        return self._table("distances")

    @cached_property
    def deciles(self) -> pd.DataFrame:
        """How each statistic is spread over passages."""
        return self._table("deciles")

    @cached_property
    def passages(self) -> pd.DataFrame:
        """Every passage with its text."""
        return self._table("passages")

    @cached_property
    def tops(self) -> pd.DataFrame:
        """Passages in which a head's statistic is largest."""
        return self._table("tops")

    @cached_property
    def tokens(self) -> pd.DataFrame:
        """Tokens that a head looks from, and that it looks at."""
        return self._table("tokens")


def put_together(out: Path, settings: dict[str, Any], name: Callable[[int], str]) -> Survey:
    """All shards of a survey as tables, each written whole or not at all; `name` says what a token is called.

    Raises Error where a shard is missing, and BadFile where one is damaged.
    """
    found = Survey(out)
    numbers = range(math.ceil(settings["documents"] / settings["shard"]))
    paths = [shard_path(out / "shards", number) for number in numbers]
    missing = next((path for path in paths if not path.is_file()), None)
    if missing is not None:
        raise Error(f"{missing} is missing; the same command goes on with it.")
    if not any(len(shard.lengths) for shard in _each(paths)):
        raise BadText("No text of the corpus has two tokens, which attention needs; give longer texts.")
    for title, table in tables(paths, settings, name).items():
        file = BytesIO()
        table.to_parquet(file, index=False, compression="zstd")
        write(found._path(title), file.getvalue())
    return found


def tables(paths: list[Path], settings: dict[str, Any], name: Callable[[int], str]) -> dict[str, pd.DataFrame]:
    """The tables of COLUMNS, of the shards in `paths`."""
    import pandas as pd

    layers, per_layer = settings["layers"], settings["heads"]
    layer, head = np.divmod(np.arange(layers * per_layer), per_layer)
    place = {"layer": layer, "head": head}
    sums: np.ndarray | float = 0.0
    rows: np.ndarray | int = 0
    histogram = np.zeros((len(layer), BINS))
    passages = []
    for shard in _each(paths):
        sums, rows, histogram = sums + shard.sums, rows + shard.rows, histogram + shard.histogram
        passages.append(
            pd.DataFrame(
                {"source": shard.sources, "start": shard.places[:, 1], "tokens": shard.lengths, "text": shard.texts}
            )
        )
    means = np.divide(sums, rows, out=np.full(np.shape(sums), np.nan), where=np.asarray(rows) > 0)
    return {
        "heads": pd.DataFrame({**place, **dict(zip(STATISTICS, means))}),
        "distances": _distances(place, histogram),
        "passages": pd.concat(passages, ignore_index=True).rename_axis("passage").reset_index(),
        "tokens": _tokens(paths, place, name),
        **_by_passage(paths, place),
    }


def _each(paths: list[Path]) -> Iterator[Shard]:
    return (Shard.open(path) for path in paths)


def _distances(place: dict[str, np.ndarray], histogram: np.ndarray) -> pd.DataFrame:
    import pandas as pd

    shares = histogram / histogram.sum(1, keepdims=True).clip(1e-300)
    n = len(shares)
    return pd.DataFrame(
        {
            "layer": place["layer"].repeat(BINS),
            "head": place["head"].repeat(BINS),
            "bin": bin_names() * n,
            "share": shares.ravel(),
        }
    )


def _by_passage(paths: list[Path], place: dict[str, np.ndarray]) -> dict[str, pd.DataFrame]:
    """Deciles over passages and the passages at the top, a statistic at a time: what memory holds is one of them."""
    import pandas as pd

    deciles, tops = [], []
    for s, statistic in enumerate(STATISTICS):
        values = np.concatenate([shard.passages[:, s] for shard in _each(paths)])  # [P, N]
        empty = np.isnan(values).all(0)
        spread = np.full((11, values.shape[1]), np.nan)
        spread[:, ~empty] = np.nanquantile(values[:, ~empty], np.linspace(0, 1, 11), axis=0)
        order = np.argsort(np.where(np.isnan(values), -np.inf, values), 0, kind="stable")[::-1][:TOP]
        for n in range(values.shape[1]):
            where = {"layer": place["layer"][n], "head": place["head"][n], "statistic": statistic}
            deciles.append(pd.DataFrame({**where, "decile": range(11), "value": spread[:, n]}))
            best = [p for p in order[:, n] if not np.isnan(values[p, n])]
            tops.append(pd.DataFrame({**where, "rank": range(len(best)), "passage": best, "value": values[best, n]}))
    return {"deciles": pd.concat(deciles, ignore_index=True), "tops": pd.concat(tops, ignore_index=True)}


def _tokens(paths: list[Path], place: dict[str, np.ndarray], name: Callable[[int], str]) -> pd.DataFrame:
    """The tokens that each head looks from and looks at most, by their share of its mass behind the first token."""
    import pandas as pd

    ids = np.unique(np.concatenate([shard.ids for shard in _each(paths)]))
    totals = {"query": np.zeros((len(place["layer"]), len(ids))), "key": np.zeros((len(place["layer"]), len(ids)))}
    for shard in _each(paths):
        where = np.searchsorted(ids, shard.ids)
        totals["query"][:, where] += shard.looked
        totals["key"][:, where] += shard.met
    lines = []
    for role, mass in totals.items():
        shares = mass / mass.sum(1, keepdims=True).clip(1e-300)
        for n, row in enumerate(shares):
            best = np.argsort(-row, kind="stable")[:TOP]
            whose = {"layer": place["layer"][n], "head": place["head"][n], "role": role}
            tokens = [name(int(ids[i])) for i in best]
            lines.append(pd.DataFrame({**whose, "rank": range(len(best)), "token": tokens, "share": row[best]}))
    return pd.concat(lines, ignore_index=True)
