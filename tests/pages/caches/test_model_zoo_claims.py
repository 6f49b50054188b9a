"""What the part Model zoo claims, held against the table by plain arithmetic, on the bundled table and on changed
ones."""

import pandas as pd

from pages.caches.attention_family.zoo import claims
from pages.caches.attention_family.zoo.data import Data, judged, noise_of, spreads_of_chance
from tests.pages.helpers import ROOT
from tests.pages.states import agree, each_speaks_and_is_silent

TABLE = pd.read_csv(ROOT / "models" / "zoo.csv")
CHOICES = [name for name, group in zip(TABLE["model"], TABLE["group"]) if group not in ("baseline", "seed")]


def changed(**bits: float) -> pd.DataFrame:
    """The table with other bits per byte of some models."""
    new = {f"zoo-{name}": value for name, value in bits.items()}
    return TABLE.assign(
        bits_per_byte=[new.get(name, value) for name, value in zip(TABLE["model"], TABLE["bits_per_byte"])]
    )


TABLES = {
    "bundled": TABLE,
    "alone": TABLE[TABLE["model"] == "zoo-rope"],
    "the small are worse": changed(gqa=1.9, mqa=1.9, mla=1.9, window=1.9),
    "the smallest is best": changed(mqa=1.1),
    "one choice": TABLE[~TABLE["model"].isin(CHOICES[1:])],
    "all alike": TABLE.assign(
        bits_per_byte=[
            1.2283 if name in CHOICES else bits for name, bits in zip(TABLE["model"], TABLE["bits_per_byte"])
        ]
    ),
}


def verdict_of(table: pd.DataFrame, bits: float) -> str:
    seeds = [bits for bits, group in zip(table["bits_per_byte"], table["group"]) if group in ("baseline", "seed")]
    centre, spread = sum(seeds) / len(seeds), table["seed_spread"].max()
    count = sum(group not in ("baseline", "seed") for group in table["group"])
    far = bits - centre
    if abs(far) <= spread:
        return "within seed noise"
    if abs(far) <= spreads_of_chance(len(seeds), count) * spread:
        return "unclear"
    return "better" if far < 0 else "worse"


class Truth:
    """A table's lines and their verdicts."""

    def __init__(self, table: pd.DataFrame):
        rows = list(table.to_dict("records"))
        self.choices = [row for row in rows if row["group"] not in ("baseline", "seed")]
        self.seeds = [row["bits_per_byte"] for row in rows if row["group"] in ("baseline", "seed")]
        self.centre, self.kept = sum(self.seeds) / len(self.seeds), rows[0]["cache_bytes_per_token"]
        small = [row for row in self.choices if row["cache_bytes_per_token"] < self.kept]
        small = [row for row in small if verdict_of(table, row["bits_per_byte"]) != "worse"]
        self.least = min(small, key=lambda row: (row["cache_bytes_per_token"], row["bits_per_byte"]), default=None)
        self.inside = self.least and verdict_of(table, self.least["bits_per_byte"]) == "within seed noise"
        self.larger = table["parameters"].max() / table["parameters"].min() - 1

    def smaller(self):
        if self.least is None:
            return None
        bytes_, more = f"{self.least['cache_bytes_per_token']:,}", self.least["bits_per_byte"] - self.centre
        said = (self.least["choice"].partition(",")[0], bytes_, f"{self.kept:,}")
        return (*said, f"{more:.3f}") if more > 0 else said

    def limit(self):
        if not self.choices or len(self.seeds) < 2:
            return None
        spreads = spreads_of_chance(len(self.seeds), len(self.choices))
        return f"{spreads * (max(self.seeds) - min(self.seeds)):.4f}", len(self.choices)


PLAIN = {
    "as_good_and_smaller": Truth.smaller,
    "smaller_is_worse": lambda t: () if t.choices and t.least is None else None,
    "alone": lambda t: None if t.choices else (),
    "chance": lambda t: (
        (len(t.seeds), f"{t.centre:.4f}", f"{max(t.seeds) - min(t.seeds):.4f}") if len(t.seeds) > 1 else None
    ),
    "limits": Truth.limit,
    "unequal_sizes": lambda t: (f"{t.larger:.0%}",) if round(100 * t.larger) > 0 else None,
}


def test_every_sentence_is_what_the_table_says():
    found = []
    for table in TABLES.values():
        table = table.reset_index(drop=True)
        noise, truth = noise_of(table), Truth(table)
        shown = Data(judged(table, noise), noise)
        found.append(agree(claims.CLAIMS, PLAIN, shown, truth))
        said = claims.as_good_and_smaller(shown)
        where = "within the band" if truth.inside else "outside the band of seed noise, yet within the dotted lines"
        assert not said or (where if len(said.values) > 3 else "no worse") in said
    each_speaks_and_is_silent(found)
