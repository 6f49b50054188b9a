"""What the part Model zoo claims, held against the table by plain arithmetic, on the bundled table and on changed
ones."""

import pandas as pd
import pytest

from pages.caches.attention_family.zoo import claims
from pages.caches.attention_family.zoo.data import Data, judged, noise_of, spreads_of_chance
from tests.pages.helpers import ROOT
from tests.pages.states import each_speaks_and_is_silent
from tlmviz.figures import number

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


@pytest.fixture(scope="module")
def said() -> dict[str, dict[str, str | None]]:
    found = {}
    for name, table in TABLES.items():
        table = table.reset_index(drop=True)
        noise = noise_of(table)
        found[name] = {each.__name__: each(Data(judged(table, noise), noise)) for each in claims.CLAIMS}
    return found


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


@pytest.mark.parametrize("name", TABLES)
def test_every_sentence_is_what_the_table_says(said, name):
    table, found = TABLES[name], said[name]
    rows = list(table.to_dict("records"))
    choices = [row for row in rows if row["group"] not in ("baseline", "seed")]
    seeds = [row["bits_per_byte"] for row in rows if row["group"] in ("baseline", "seed")]
    centre, kept = sum(seeds) / len(seeds), rows[0]["cache_bytes_per_token"]
    verdicts = {row["choice"].partition(",")[0]: verdict_of(table, row["bits_per_byte"]) for row in choices}
    small = [
        row
        for row in choices
        if row["cache_bytes_per_token"] < kept and verdict_of(table, row["bits_per_byte"]) != "worse"
    ]
    assert bool(found["as_good_and_smaller"]) == bool(small)
    assert bool(found["smaller_is_worse"]) == (bool(choices) and not small)
    assert bool(found["alone"]) == (not choices)
    if small:
        least = min(small, key=lambda row: (row["cache_bytes_per_token"], row["bits_per_byte"]))
        more = least["bits_per_byte"] - centre
        assert (
            f"{least['choice'].partition(',')[0]} a model keeps {least['cache_bytes_per_token']:,} bytes"
            in found["as_good_and_smaller"]
        )
        assert (f"by {more:.3f} bits per byte" if more > 0 else "no worse") in found["as_good_and_smaller"]
        inside = verdict_of(table, least["bits_per_byte"]) == "within seed noise"
        where = "within the band" if inside else "outside the band of seed noise, yet within the dotted lines"
        assert more <= 0 or where in found["as_good_and_smaller"]
    assert bool(found["lowest_and_highest"]) == (len(choices) > 1)
    if len(choices) > 1:
        low, high = (pick(choices, key=lambda row: row["bits_per_byte"]) for pick in (min, max))
        for row in (low, high):
            difference = number(row["bits_per_byte"] - centre, "+.3f")
            assert (
                f"*{row['choice']}* ({difference}, {verdict_of(table, row['bits_per_byte'])})"
                in found["lowest_and_highest"]
            )
    for claim, verdict in (("as_the_baseline", "within seed noise"), ("undecided", "unclear")):
        names = [choice for choice, each in verdicts.items() if each == verdict]
        assert bool(found[claim]) == bool(names)
        assert not names or found[claim].endswith(f": {', '.join(names)}.")
    assert bool(found["chance"]) == (len(seeds) > 1)
    if len(seeds) > 1:
        assert f"{len(seeds)} trainings" in found["chance"] and f"{centre:.4f} bits" in found["chance"]
        assert f"the best is {max(seeds) - min(seeds):.4f} below the worst" in found["chance"]
    assert bool(found["limits"]) == bool(choices and len(seeds) > 1)
    if found["limits"]:
        limit = spreads_of_chance(len(seeds), len(choices)) * (max(seeds) - min(seeds))
        assert f"{limit:.4f} from the mean" in found["limits"] and f"of {len(choices)} that" in found["limits"]
    sizes = table["parameters"]
    assert bool(found["unequal_sizes"]) == (round(100 * (sizes.max() / sizes.min() - 1)) > 0)
    assert not found["unequal_sizes"] or f"{sizes.max() / sizes.min() - 1:.0%}" in found["unequal_sizes"]


def test_each_speaks_once_and_is_silent_once(said):
    each_speaks_and_is_silent([{name: text is not None for name, text in found.items()} for found in said.values()])
