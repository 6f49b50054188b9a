"""What the page Head atlas claims, held against the survey's tables and a pass over the passage that is shown."""

import re

import numpy as np
import pandas as pd
import pytest

import tlmviz
from pages.workbench.head_atlas import claims, data
from pages.workbench.head_atlas.state import ALL, ONE, Atlas
from tests.pages.states import each_speaks_and_is_silent, facts, states
from tlmviz.analysis.workbench.survey import STATISTICS, Survey, find
from tlmviz.checkpoints.folders import models_folder
from tlmviz.ui.claims import first

FOLDER = models_folder() / "stories-rope" / "survey"
GIVEN = {"model": "stories-rope", "survey": "stories-rope", "head": (5, 4), "statistic": "induction"}
QUERIES = ["", "induction > 0.1", "layer = 99", "entropy >= 0", "previous > 0.3 and layer < 4", "(("]
HEADS = [(5, 4), (4, 2), (0, 0), (3, 1), (1, 5)]


@pytest.fixture(scope="module")
def heads() -> pd.DataFrame:
    return pd.read_parquet(FOLDER / "heads.parquet").sort_values(["layer", "head"]).reset_index(drop=True)


def written(column: str, value: float) -> str:
    if column in ("entropy", "distance"):
        return f"{value:.2f}" if column == "entropy" else f"{value:.1f}"
    return f"{100 * value:.1f}%"


def said_of(chosen: Atlas) -> dict[str, str | None]:
    shown = data.compute(chosen)
    return {claim.__name__: claim(shown) for claim in claims.CLAIMS}


def check_all(said: dict, chosen: Atlas, heads: pd.DataFrame) -> None:
    """The claims on all heads, from the table."""
    count = len(heads)
    searched = bool(chosen.query.strip()) and chosen.query != "(("
    lit = int(find(heads, chosen.query).sum()) if searched else count
    assert [bool(said[name]) for name in ("found_some", "found_none", "found_all")] == [
        searched and 0 < lit < count,
        searched and lit == 0,
        searched and lit == count,
    ]
    if said["found_some"]:
        named = heads[find(heads, chosen.query)].iloc[:4]
        assert all(f"L{row.layer:.0f}H{row['head']:.0f}" in said["found_some"] for _, row in named.iterrows())
        assert (f"{lit - 4} more" in said["found_some"]) == (lit > 4)
    ranked = heads.dropna(subset=[chosen.y]).sort_values(chosen.y, ascending=False, kind="stable")
    first, second = ranked.iloc[0], ranked.iloc[1]
    high, next_high = (written(chosen.y, row[chosen.y]) for row in (first, second))
    outstanding = chosen.y in STATISTICS and high != next_high
    assert bool(said["one_has_most"]) == outstanding
    assert bool(said["averaged"]) == (not searched and not outstanding)
    if outstanding:
        text = said["one_has_most"]
        assert text.startswith(f"L{first.layer:.0f}H{first['head']:.0f} ") and high in text
        assert text.endswith(f"next comes L{second.layer:.0f}H{second['head']:.0f} with {next_high}.")
        if chosen.y == "entropy":
            assert f"over {2**first.entropy:.0f} tokens" in text
    r = np.corrcoef(heads[chosen.x], heads[chosen.y])[0, 1] if chosen.x != chosen.y else np.nan
    r = round(r, 2) if np.isfinite(r) else None
    related = [bool(said[name]) for name in ("go_together", "go_apart", "unrelated")]
    assert related == ([False] * 3 if r is None else [r >= 0.5, r <= -0.5, abs(r) < 0.2])
    for name in ("go_together", "go_apart", "unrelated"):
        assert not said[name] or said[name].endswith(f"with {r:.2f}.".replace("-", "−"))
    if chosen.y in STATISTICS:
        layers = heads.groupby("layer")[chosen.y].mean()
        most, least = layers.idxmax(), layers.idxmin()
        high, low = written(chosen.y, layers[most]), written(chosen.y, layers[least])
        assert bool(said["by_layers"]) == (high != low)
        if said["by_layers"]:
            assert f"layer {most}, {high} on average" in said["by_layers"]
            assert said["by_layers"].endswith(f"in layer {least}, {low}.")
    else:
        assert said["by_layers"] is None


def check_one(said: dict, chosen: Atlas, heads: pd.DataFrame) -> None:
    """The claims on one head, from the tables and a pass of its own."""
    layer, head = chosen.head
    column, index = chosen.statistic, layer * 6 + head
    own, values = heads[column][index], heads[column]
    above = int((values > own).sum())
    assert (bool(said["does_most"]), bool(said["others_do_more"])) == (above == 0, above > 0)
    text = said["does_most"] or said["others_do_more"]
    assert text.startswith(f"L{layer}H{head} ") and written(column, own) in text
    assert not re.search("most|surest", text.partition(";")[0]), "what it does is no superlative where others do more"
    if above:
        best = int(values.argmax())
        assert f"L{best // 6}H{best % 6}: {written(column, values[best])}." in text
        assert (f"{above} of the 36" if above > 1 else "one of the 36") in text
    spread = pd.read_parquet(FOLDER / "deciles.parquet").query(
        f"layer == {layer} and head == {head} and statistic == {column!r}"
    )
    middle, high = (spread[spread.decile == tenth].value.iloc[0] for tenth in (5, 9))
    assert (bool(said["depends_on_text"]), bool(said["in_every_text"])) == (high >= 2 * middle, high < 2 * middle)
    text = said["depends_on_text"] or said["in_every_text"]
    assert written(column, middle) in text and written(column, high) in text
    top = (
        pd.read_parquet(FOLDER / "tops.parquet")
        .query(f"layer == {layer} and head == {head} and statistic == {column!r}")
        .sort_values("rank")
        .iloc[chosen.top]
    )
    passages = pd.read_parquet(FOLDER / "passages.parquet").set_index("passage")
    trace = tlmviz.load("stories-rope").trace(passages.text[top.passage])
    rows = trace.row_statistics()[column][layer, head, 1:].nan_to_num(-1)
    pin = int(rows.argmax()) + 1 if chosen.pin is None else min(chosen.pin, len(trace) - 1)
    row = trace.attention(layer, head)[pin]
    text = said["in_the_passage"]
    assert written(column, top.value) in text and f"({pin}) most goes to" in text
    assert text.endswith(f"({int(row.argmax())}), {100 * float(row.max()):.1f}%.")


ELSEWHERE = ("without", "never", "since_the_start")  # what the shipped survey gives no reason to say


def chosen_states():
    yield from states(Atlas, GIVEN)
    for query in QUERIES:
        yield Atlas(**{name: control.default for name, control in Atlas.controls.items()} | GIVEN | {"query": query})
    for head in HEADS:
        for statistic in STATISTICS:
            start = {name: control.default for name, control in Atlas.controls.items()}
            yield Atlas(**start | GIVEN | {"view": ONE, "head": head, "statistic": statistic, "top": 3})


def test_every_claim_is_what_the_survey_says_and_silent_elsewhere(heads):
    found = []
    for each in chosen_states():
        said = said_of(each)
        if each.view == ALL:
            check_all(said, each, heads)
        else:
            check_one(said, each, heads)
            assert not any(
                said[name] for name in ("found_some", "one_has_most", "averaged", "by_layers", "go_together")
            )
        found.append({name: text is not None for name, text in said.items() if name not in ELSEWHERE})
    each_speaks_and_is_silent(found)


RUN = models_folder() / "stories-induction" / "run" / "heads.parquet"


def test_of_a_training_the_claims_are_those_of_its_table_at_the_step():
    table = pd.read_parquet(RUN).sort_values(["step", "layer", "head"])
    start = {name: control.default for name, control in Atlas.controls.items()} | GIVEN
    found = []
    for step in (0, 25, 900, 1300, 2200):
        heads = table[table.step == step].reset_index(drop=True)
        for y in ("induction", "previous", "entropy", "layer"):
            for query in ("", "induction > 0.3"):
                chosen = Atlas(**start | {"survey": f"stories-induction@{step}", "y": y, "query": query})
                said = said_of(chosen)
                check_all(said, chosen, heads)
                text = said["since_the_start"]
                found.append({"since_the_start": bool(text)})
                if y == "layer":
                    assert text is None
                    continue
                best = int(heads[y].argmax())
                now, then = (written(y, each[y].iloc[best]) for each in (heads, table[table.step == 0]))
                assert bool(text) == (now != then)
                if text:
                    name = f"L{heads.layer[best]}H{heads['head'][best]}"
                    assert f"at step 0 {name} had {then} of" in text
                    assert text.endswith(f"at step {step:,} it has {now}.")
                if said["averaged"]:
                    assert f"as they were at step {step:,} of its training" in said["averaged"]
    each_speaks_and_is_silent(found)


def test_heads_without_a_statistic(monkeypatch, heads):
    """A corpus in which nothing repeats has no induction: its heads have no dot, and none of them is called the
    most."""
    bare = heads.assign(induction=np.where(heads.layer < 5, np.nan, heads.induction))
    monkeypatch.setattr(Survey, "heads", property(lambda self: bare))
    start = {name: control.default for name, control in Atlas.controls.items()} | GIVEN
    said = said_of(Atlas(**start))
    assert facts(said["without"]) == ["30"] and said["never"] is None
    said = said_of(Atlas(**start | {"view": ONE, "head": (0, 0)}))
    assert said["never"].startswith("The corpus has no place at which L0H0") and not said["does_most"]
    assert said["others_do_more"] is None and said["without"] is None


def test_whatever_is_chosen_a_sentence_stands_above_the_picture():
    for each in chosen_states():
        assert first(claims.CLAIMS, data.compute(each))
