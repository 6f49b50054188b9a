"""The table of all model types in docs/watch.md: how its rows are made, and that its counts are those of its rows."""

import re
from collections import Counter

import pytest

from docs import watch_table


@pytest.mark.parametrize(
    "kind, result, words",
    [
        ("llama", "exact", "2 maps"),
        ("deepseek_v3", "exact", "2 maps"),  # with a key for each head alone
        ("videomae", "exact", "2 maps"),
        ("gptj", "refused", "computes its attention itself"),
        ("timm_backbone", "not tried", "no tiny configuration"),
    ],
)
def test_a_model_type_is_made_tiny_and_watched(kind, result, words):
    found, why = watch_table.tried(kind)
    assert found == result and words in why


def test_the_counts_are_those_of_the_rows():
    text = watch_table.DOCUMENT.read_text(encoding="utf-8")
    part = text.partition(watch_table.BEGIN)[2].partition(watch_table.END)[0]
    rows = dict(re.findall(r"^\| (\S+) \| ([a-z ]+) \| .+ \|$", part, re.MULTILINE))
    rows.pop("model", None)
    counts = Counter(rows.values())
    said = {kind: int(count) for count, kind in re.findall(r"(\d+) (exact|by output|refused|fails|not tried)", part)}
    assert said == counts and f"{sum(counts.values())} model types" in part
    assert all(rows[name] == "exact" for name in ("llama", "bert", "t5", "vit", "yolos", "vit_mae", "videomae"))
