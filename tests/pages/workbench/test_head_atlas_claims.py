"""What the page Head atlas claims, held against the survey's tables and a pass over the passage that is shown."""

import re

import numpy as np
import pandas as pd
import pytest

import tlmviz
from pages.workbench.head_atlas import claims, data
from pages.workbench.head_atlas.page import PART
from pages.workbench.head_atlas.state import ALL, ONE, Atlas
from tests.pages.helpers import open_page, words
from tests.pages.states import agree, each_speaks_and_is_silent, states
from tlmviz.analysis.workbench.survey import STATISTICS, Survey, find
from tlmviz.checkpoints.folders import models_folder
from tlmviz.ui.claims import first
from tlmviz.ui.markdown import quoted

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


class All:
    """All heads, from the table; `then` are those at the start of a training."""

    def __init__(self, chosen: Atlas, heads: pd.DataFrame, then: pd.DataFrame | None = None):
        self.chosen, self.heads, self.then = chosen, heads, then
        self.searched = bool(chosen.query.strip()) and chosen.query != "(("
        self.lit = heads[find(heads, chosen.query)] if self.searched else heads

    @property
    def most(self) -> list[tuple[str, float]]:
        """The two heads with most of what is upwards."""
        y = self.chosen.y
        ranked = self.heads.dropna(subset=[y]).sort_values(y, ascending=False, kind="stable")
        return [(name(row), row[y]) for _, row in ranked.iloc[:2].iterrows()]

    @property
    def outstanding(self) -> bool:
        first, second = (written(self.chosen.y, value) for _, value in self.most)
        return self.chosen.y in STATISTICS and first != second

    @property
    def r(self) -> float | None:
        x, y = self.chosen.x, self.chosen.y
        r = np.corrcoef(self.heads[x], self.heads[y])[0, 1] if x != y else np.nan
        return round(r, 2) if np.isfinite(r) else None


def name(row) -> str:
    return f"L{row.layer:.0f}H{row['head']:.0f}"


def does(column: str, value: float) -> tuple[str, ...]:
    return (written(column, value), *([f"{2**value:.0f}"] if column == "entropy" else []))


def _some(t: All):
    lit = len(t.lit)
    if not t.searched or not 0 < lit < len(t.heads):
        return None
    *before, last = [*(name(row) for _, row in t.lit.iloc[:4].iterrows()), *([lit - 4] if lit > 4 else [])]
    return (lit, len(t.heads), *([", ".join(before)] if before else []), last)


def _has_most(t: All):
    if not t.outstanding:
        return None
    (first, high), (second, less) = t.most
    return first, *does(t.chosen.y, high), len(t.heads), second, written(t.chosen.y, less)


def _averaged(t: All):
    if t.searched or t.outstanding:
        return None
    if t.then is None:
        return len(t.heads), "stories-rope", f"{pd.read_parquet(FOLDER / 'passages.parquet').tokens.sum():,}"
    return len(t.heads), "stories-induction", f"{t.heads.step[0]:,}"


def _since(t: All):
    y = t.chosen.y
    if t.then is None or y not in STATISTICS:
        return None
    best = int(t.heads[y].argmax())
    then, now = (written(y, each[y].iloc[best]) for each in (t.then, t.heads))
    return (0, name(t.heads.iloc[best]), then, f"{t.heads.step[0]:,}", now) if then != now else None


class One:
    """One head, from the tables and a pass of its own."""

    def __init__(self, chosen: Atlas, heads: pd.DataFrame):
        (self.layer, self.head), self.column = chosen.head, chosen.statistic
        self.name, self.values = f"L{self.layer}H{self.head}", heads[self.column]
        self.own = self.values[self.layer * 6 + self.head]
        self.above = int((self.values > self.own).sum())
        middle, high = (self.mine("deciles").query(f"decile == {tenth}").value.iloc[0] for tenth in (5, 9))
        self.wide, self.spread = high >= 2 * middle, (written(self.column, high), written(self.column, middle))
        top = self.mine("tops").sort_values("rank").iloc[chosen.top]
        passages = pd.read_parquet(FOLDER / "passages.parquet").set_index("passage")
        trace = tlmviz.load("stories-rope").trace(passages.text[top.passage])
        rows = trace.row_statistics()[self.column][self.layer, self.head, 1:].nan_to_num(-1)
        pin = int(rows.argmax()) + 1 if chosen.pin is None else min(chosen.pin, len(trace) - 1)
        row = trace.attention(self.layer, self.head)[pin]
        key = int(row.argmax())
        places = (quoted(trace.tokens[at], at) for at in (pin, key))
        self.passage = (written(self.column, top.value), *places, written("peak", float(row[key])))

    def mine(self, table: str) -> pd.DataFrame:
        where = f"layer == {self.layer} and head == {self.head} and statistic == {self.column!r}"
        return pd.read_parquet(FOLDER / f"{table}.parquet").query(where)


def _others(t: One):
    if not t.above:
        return None
    best = int(t.values.argmax())
    head = f"L{best // 6}H{best % 6}"
    return t.above, t.name, *does(t.column, t.own), 36, head, written(t.column, t.values[best])


PLAIN = {
    "found_some": _some,
    "found_none": lambda t: (len(t.heads),) if t.searched and not len(t.lit) else None,
    "found_all": lambda t: (len(t.heads),) if t.searched and len(t.lit) == len(t.heads) else None,
    "one_has_most": _has_most,
    "averaged": _averaged,
    "since_the_start": _since,
    "go_together": lambda t: (f"{t.r:.2f}",) if t.r is not None and t.r >= 0.5 else None,
    "go_apart": lambda t: (f"{t.r:.2f}".replace("-", "−"),) if t.r is not None and t.r <= -0.5 else None,
    "does_most": lambda t: None if t.above else (t.name, *does(t.column, t.own), 36),
    "others_do_more": _others,
    "never": lambda t: None,
    "depends_on_text": lambda t: t.spread if t.wide else None,
    "in_every_text": lambda t: None if t.wide else t.spread[::-1],
    "in_the_passage": lambda t: t.passage,
}
ELSEWHERE = {"never", "since_the_start"}  # what it gives no reason to say


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
        shown, truth = data.Data(each), (All if each.view == ALL else One)(each, heads)
        made = agree(PART.parts[each.view].claims, PLAIN, shown, truth)
        if said := claims.others_do_more(shown) if each.view == ONE else None:
            assert not re.search("most|surest", said.partition(";")[0]), "no superlative where others do more"
        found.append({name: made.get(name, False) for name in PLAIN if name not in ELSEWHERE})
    each_speaks_and_is_silent(found)


RUN = models_folder() / "stories-induction" / "run" / "heads.parquet"


def test_of_a_training_the_claims_are_those_of_its_table_at_the_step():
    table = pd.read_parquet(RUN).sort_values(["step", "layer", "head"])
    start = {name: control.default for name, control in Atlas.controls.items()} | GIVEN
    began = table[table.step == 0].reset_index(drop=True)
    found = []
    for step in (0, 25, 900, 1300, 2200):
        heads = table[table.step == step].reset_index(drop=True)
        for y in ("induction", "previous", "entropy", "layer"):
            for query in ("", "induction > 0.3"):
                chosen = Atlas(**start | {"survey": f"stories-induction@{step}", "y": y, "query": query})
                made = agree(claims.ALL_CLAIMS, PLAIN, data.Data(chosen), All(chosen, heads, began))
                found.append({"since_the_start": made["since_the_start"]})
    each_speaks_and_is_silent(found)


def test_heads_without_a_statistic(monkeypatch, heads):
    """A corpus in which nothing repeats has no induction: its heads have no dot, and none of them is called the
    most."""
    bare = heads.assign(induction=np.where(heads.layer < 5, np.nan, heads.induction))
    monkeypatch.setattr(Survey, "heads", property(lambda self: bare))
    start = {name: control.default for name, control in Atlas.controls.items()} | GIVEN
    shown = data.Data(Atlas(**start))
    assert claims.without(shown).values == (30,)
    assert "30 heads lack one of the two statistics" in words(open_page("workbench/head_atlas"))
    shown = data.Data(Atlas(**start | {"view": ONE, "head": (0, 0)}))
    assert claims.never(shown).values == ("L0H0",)
    assert claims.does_most(shown) is None and claims.others_do_more(shown) is None


def test_whatever_is_chosen_a_sentence_stands_above_the_picture():
    for each in chosen_states():
        assert first(PART.parts[each.view].claims, data.Data(each))
