"""The survey that ships: its tables are what `lm.trace` says of its texts."""

import re

import numpy as np
import pytest

import tlmviz
from tlmviz.analysis.workbench.survey import COLUMNS, STATISTICS, Document, Survey, survey_shard
from tlmviz.analysis.workbench.survey.shards import bin_names
from tlmviz.checkpoints.folders import models_folder, survey_folders

MODEL = "stories-rope"
FOLDER = models_folder() / MODEL / "survey"


@pytest.fixture(scope="module")
def shipped():
    return Survey.open(FOLDER)


@pytest.fixture(scope="module")
def lm():
    return tlmviz.load(MODEL)


def of(table, layer, head, **where):
    found = table[(table.layer == layer) & (table["head"] == head)]
    for name, value in where.items():
        found = found[found[name] == value]
    return found


def test_it_is_whole_small_and_documented(shipped):
    assert survey_folders()[MODEL] == FOLDER
    assert {path.name for path in FOLDER.iterdir()} == {
        "card.md",
        "settings.json",
        *(f"{name}.parquet" for name in COLUMNS),
    }
    assert sum(path.stat().st_size for path in FOLDER.iterdir()) < 1_000_000
    assert shipped.settings["model"] == MODEL and shipped.settings["documents"] == 1000
    card = (FOLDER / "card.md").read_text(encoding="utf-8")
    assert "TinyStories" in card and "CDLA-Sharing-1.0" in card
    assert f"{len(shipped.passages):,} passages" in card and f"{shipped.passages.tokens.sum():,} tokens" in card
    assert re.search(r"`tlmviz survey stories-rope \S+ --documents 1000 --drop-shards --out \S+`", card)


def test_the_weights_are_those_that_ship(shipped, lm):
    import hashlib

    weights = lm.network.token_emb.weight.float().numpy().tobytes()
    assert shipped.settings["weights"] == hashlib.sha256(weights).hexdigest()[:16]


@pytest.mark.parametrize("statistic", STATISTICS)
def test_top_passages_have_the_numbers_of_a_pass_over_them(shipped, lm, statistic):
    for layer, head in ((4, 2), (5, 4), (0, 0)):
        first = of(shipped.tops, layer, head, statistic=statistic, rank=0).iloc[0]
        passage = shipped.passages.iloc[int(first.passage)]
        trace = lm.trace(passage.text)
        assert len(trace) == passage.tokens
        live = trace.head_statistics()
        value = of(live, layer, head)[statistic].iloc[0]
        assert value == pytest.approx(first.value, rel=2e-3, abs=2e-4)
        spread = of(shipped.deciles, layer, head, statistic=statistic).set_index("decile").value
        assert first.value == pytest.approx(spread[10], rel=1e-5)


@pytest.mark.slow
def test_the_tables_of_heads_follow_from_the_passages(shipped, lm):
    """The mean over 40 passages of the corpus comes near that over all 1,099, head by head."""
    texts = shipped.passages[shipped.passages.start == 0].text[::25][:40]
    found = survey_shard(lm, [Document("x", i, text) for i, text in enumerate(texts)])
    means = found.sums / found.rows
    for s, statistic in enumerate(STATISTICS):
        assert np.corrcoef(means[s], shipped.heads[statistic])[0, 1] > 0.99, statistic
    shares = found.histogram / found.histogram.sum(1, keepdims=True)
    table = shipped.distances.pivot(index=["layer", "head"], columns="bin", values="share")[bin_names()]
    np.testing.assert_allclose(shares, table, atol=0.05)
