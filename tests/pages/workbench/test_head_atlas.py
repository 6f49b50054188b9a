"""The page Head atlas, run as Streamlit runs it, on the shipped survey and on surveys that are not what they should
be."""

import shutil
from urllib.parse import parse_qs, urlparse

import numpy as np
import pandas as pd
import pytest

import tlmviz
from pages.workbench.head_atlas import data
from pages.workbench.head_atlas.state import Atlas
from tests import tiny
from tests.packed import unpacked
from tests.pages.helpers import SENT, assert_healthy, badges, open_page, run_snippet, views, words
from tlmviz.analysis.workbench.survey import COLUMNS, STATISTICS, Survey, find, survey
from tlmviz.checkpoints.folders import SURVEYS, models_folder
from tlmviz.checkpoints.native import save_network

PAGE = "workbench/head_atlas"
FOLDER = models_folder() / "stories-rope" / "survey"
ONE = {"atlasview": "One head"}


def read(app, name="tlmviz_atlas") -> tuple[dict, dict]:
    """Header and arrays of the picture, which stays beside an error's sentence."""
    [view] = [part for part in views(app) if part.proto.component_name.endswith(name)]
    assert len(view.proto.bytes) < SENT
    return unpacked(view.proto.bytes)


def pinned(header) -> int:
    """The token of the passage whose row is shown, as the view takes it."""
    pin, last = header["state"]["pin"], len(header["passage"]["tokens"]) - 1
    return header["passage"]["row"] if pin is None else min(pin, last)


def links_of(app) -> str:
    return " ".join(part.proto.body for part in app.get("html"))


def linked(**query):
    return open_page(PAGE, query=query)


@pytest.fixture(scope="module")
def shipped():
    return Survey.open(FOLDER)


@pytest.fixture(scope="module")
def stories(tmp_path_factory, tokenizer):
    """A model of 2 x 4 heads and a survey of it over 40 texts, with its shards."""
    folder = tmp_path_factory.mktemp("surveys")
    save_network(folder / "tiny", tiny.language_model(tokenizer, context=40).network, tokenizer)
    texts = ["Lily had a red ball. Lily lost the red ball.", "One day a dog ran and ran.", "Tom saw a cat."]
    (folder / "texts.txt").write_text("\n<|endoftext|>\n".join((texts * 14)[:40]), encoding="utf-8")
    survey(str(folder / "tiny"), folder / "texts.txt", folder / "mine", workers=0)
    return folder


def copied(stories, tmp_path, monkeypatch):
    """A copy of that survey, as the only one that the operator named."""
    shutil.copytree(stories / "mine", tmp_path / "mine")
    monkeypatch.setenv(SURVEYS, str(tmp_path))
    return tmp_path / "mine"


class TestAllHeads:
    def test_it_opens_on_the_shipped_survey(self, shipped):
        app = open_page(PAGE)
        assert_healthy(app)
        header, arrays = read(app)
        assert (header["x"], header["y"], header["layers"]) == ("previous", "induction", 6)
        np.testing.assert_array_equal(arrays["values"].T, shipped.heads[header["columns"]].to_numpy("<f4"))
        assert arrays["lit"].all() and "all 36 heads, over 1,099 passages of stories.txt" in words(app)

    @pytest.mark.parametrize("query", ["previous-token > 0.3 and layer < 4", "not entropy < 6", "layer = 9"])
    def test_the_finder_lights_what_the_query_names(self, shipped, query):
        app = linked(atlasfind=query, atlasx="entropy", atlasy="sink", atlassort="-peak")
        assert_healthy(app)
        header, arrays = read(app)
        wanted = find(shipped.heads, query)
        np.testing.assert_array_equal(arrays["lit"], wanted)
        assert (header["x"], header["y"], header["state"]["sort"]) == ("entropy", "sink", "-peak")
        assert f"{wanted.sum()} of 36 heads" in words(app)
        assert len(run_snippet(app)["heads"]) == wanted.sum()

    @pytest.mark.parametrize(
        ("query", "said"),
        [
            ("previos > 0.5", "did you mean “previous”?"),
            ("(((", "A statistic or a number should stand where the end is"),
            ("@open('x')", "cannot be read"),
            ("<script>", "There is no “script” here"),
            ("a" * 10_000, "This query has 10,000 characters"),
        ],
    )
    def test_a_wrong_query_is_one_sentence_and_all_heads_stay(self, query, said):
        app = linked(atlasfind=query)
        assert not app.exception
        [error] = app.error
        assert said in error.value
        assert read(app)[1]["lit"].all()

    @pytest.mark.parametrize(
        "query",
        [
            {
                "atlasx": "nonsense",
                "atlassort": "-nonsense",
                "atlastop": "1e9",
                "atlaspin": "-3",
                "atlasview": "Two heads",
                "atlasfind": "   ",
            },
            {"atlasy": "layer", "atlasx": "layer", "atlassort": "--"},
        ],
    )
    def test_hostile_links(self, query):
        app = linked(**query)
        assert_healthy(app)
        header, arrays = read(app)
        assert arrays["lit"].all() and {header["x"], header["y"]} <= set(header["columns"])

    def test_an_unknown_survey(self):
        app = linked(atlas="../../etc")
        assert_healthy(app)
        assert "There is no survey “../../etc” here" in app.warning[0].value.replace("\\", "")
        assert read(app)[1]["values"].shape == (9, 36)


class TestOneHead:
    def test_it_opens_on_the_head_with_the_most_induction(self, shipped):
        app = linked(**ONE)
        assert_healthy(app)
        assert badges(app).count("✓") == 1
        header, arrays = read(app, "atlas-one")
        assert (header["index"], header["by"], header["shown"]) == (34, "induction", 0)
        np.testing.assert_array_equal(arrays["values"].T, shipped.heads[list(STATISTICS)].to_numpy("<f4"))
        own = shipped.deciles[(shipped.deciles.layer == 5) & (shipped.deciles["head"] == 4)]
        for s, statistic in enumerate(STATISTICS):
            np.testing.assert_allclose(arrays["deciles"][s], own[own.statistic == statistic].value, rtol=1e-6)
        shares = shipped.distances[(shipped.distances.layer == 5) & (shipped.distances["head"] == 4)]
        np.testing.assert_allclose(arrays["shares"][0], shares.share, rtol=1e-6)
        assert arrays["shares"].sum(1) == pytest.approx([1, 1], abs=1e-5)
        tokens = shipped.tokens[(shipped.tokens.layer == 5) & (shipped.tokens["head"] == 4)]
        assert [token for token, _ in header["tokens"]["key"]] == tokens[tokens.role == "key"].token.tolist()

    def test_its_passage_is_read_again_and_opens_in_the_explorer(self):
        app = linked(**ONE, head="4.2", atlasby="previous", atlastop="2")
        assert_healthy(app)
        header, arrays = read(app, "atlas-one")
        passage, asked = header["passage"], parse_qs(urlparse(header["passage"]["link"]).query)
        assert (asked["model"], asked["head"], header["shown"]) == (["stories-rope"], ["4.2"], 2)
        trace = tlmviz.load("stories-rope").trace(asked["text"][0])
        assert trace.tokens == passage["tokens"]
        np.testing.assert_allclose(arrays["weights"] / 65535, trace.attention(4, 2), atol=2e-5)
        rows = trace.row_statistics()["previous"][4, 2]
        assert rows[pinned(header)] == rows[1:].max()
        explorer = open_page(
            "attention/explorer", query={name: value[0] for name, value in asked.items()} | {"query": "3"}
        )
        assert_healthy(explorer)

    def test_the_link_keeps_a_pinned_word(self):
        app = linked(**ONE, head="5.4", atlasby="induction", atlaspin="20")
        assert_healthy(app)
        assert pinned(read(app, "atlas-one")[0]) == 20

    def test_each_head_shows_the_statistic_it_stands_out_by_until_one_is_chosen(self):
        app = linked(**ONE, head="5.4", atlastop="3", atlaspin="5")

        def choose(key, value):
            next(box for box in app.selectbox if box.key == key).set_value(value).run()
            header, _ = read(app, "atlas-one")
            return header["by"], header["shown"], pinned(header) == 5

        assert read(app, "atlas-one")[0]["by"] == "induction"
        assert choose("_layer", 4) == ("peak", 0, False)
        assert choose("_head", 2) == ("previous", 0, False)
        assert choose("atlasby", "sink") == ("sink", 0, False)
        assert choose("_head", 4) == ("sink", 0, False)

    def test_the_snippet_finds_the_same_passage(self):
        app = linked(**ONE, head="5.4")
        scope = run_snippet(app)
        header, _ = read(app, "atlas-one")
        assert scope["trace"].tokens == header["passage"]["tokens"] and scope["row"] == pinned(header)

    @pytest.mark.parametrize("head", ["9.9", "6.0", "0.6", "99999.0"])
    def test_a_head_out_of_range(self, head):
        app = linked(**ONE, head=head)
        assert_healthy(app)
        named = "L{}H{}".format(*head.split("."))
        assert f"There is no head {named} in this survey: it has 6 layers of 6 heads" in app.warning[0].value
        assert read(app, "atlas-one")[0]["index"] == 34

    @pytest.mark.parametrize("statistic", STATISTICS)
    def test_every_statistic_has_passages(self, statistic):
        app = linked(**ONE, head="0.0", atlasby=statistic, atlastop="9", atlaspin="9999")
        assert_healthy(app)
        header, _ = read(app, "atlas-one")
        assert len(header["tops"]) == 10 and pinned(header) < len(header["passage"]["tokens"])


class TestTraining:
    """The heads of a training at a step, out of the table that was written while it learned."""

    TABLE = models_folder() / "stories-induction" / "run" / "heads.parquet"

    def test_a_step_of_a_training_has_the_heads_as_they_were(self):
        table = pd.read_parquet(self.TABLE)
        shown = {}
        for step in (0, 1200, 2200):
            app = linked(atlas="stories-induction@", atlasstep=str(step))
            assert_healthy(app)
            header, arrays = read(app)
            then = table[table.step == step].sort_values(["layer", "head"])
            np.testing.assert_array_equal(arrays["values"].T, then[header["columns"]].to_numpy("<f4"))
            for column, (low, high) in header["spans"].items():  # the axes stay while the step moves
                assert (low, high) == (table[column].min(), table[column].max())
            assert not header["opens"] and f"stories-induction at step {step:,}" in words(app)
            assert len(run_snippet(app)["heads"]) == len(then)
            shown[step] = words(app)
        assert "Since the start" in shown[2200] and "Since the start" not in shown[0]

    def test_the_finder_lights_heads_at_the_step(self):
        lit = [
            read(linked(atlas="stories-induction@", atlasstep=step, atlasfind="induction > 0.3"))[1]["lit"].sum()
            for step in ("0", "2200")
        ]
        assert lit[0] == 0 < lit[1]

    @pytest.mark.parametrize("step", ["7", "-1", "1e9", "none"])
    def test_a_step_that_was_not_measured_is_the_last(self, step):
        app = linked(atlas="stories-induction@", atlasstep=step, **ONE)
        assert_healthy(app)
        assert "at step 2,200" in words(app)

    def test_a_model_at_a_step_opens_on_its_own(self):
        app = linked(model="stories-induction@1200")
        assert_healthy(app)
        assert "stories-induction at step 1,200" in words(app)

    def test_learning_links_here_and_back(self):
        app = open_page("attention/learning", query={"lnstep": "1200"})
        assert "head_atlas?atlas=stories-induction%40&amp;atlasstep=1200" in links_of(app)
        app = linked(atlas="stories-induction@", atlasstep="1200")
        assert "learning?lnrun=stories-induction&amp;lnstep=1200" in links_of(app)

    def test_a_training_that_is_gone(self):
        app = linked(atlas="gone@", atlasstep="3")
        assert_healthy(app)
        assert "There is no survey “gone" in app.warning[0].value
        assert "Training: stories-induction" in app.warning[0].value


class TestOtherSurveys:
    def test_one_of_a_model_that_is_not_here(self, stories, tmp_path, monkeypatch):
        copied(stories, tmp_path, monkeypatch)
        app = open_page(PAGE)
        assert_healthy(app)
        assert "The model of this survey is not here" in words(app)
        assert read(app)[1]["values"].shape == (9, 8)
        app = linked(**ONE, head="1.1")
        assert_healthy(app)
        header, arrays = read(app, "atlas-one")
        assert header["passage"]["link"] == "" and arrays["weights"].size == 0
        assert header["passage"]["tokens"][0].startswith(("Lily", "One day", "Tom"))

    def test_no_menu_offers_a_model_that_no_survey_is_of(self):
        app = open_page(PAGE, {"model": "stories-gpt"} | ONE)
        assert_healthy(app)
        assert not [box for box in app.selectbox if box.key == "_model"]
        assert "model=stories-rope" in read(app, "atlas-one")[0]["passage"]["link"]

    def test_an_interrupted_one(self, stories, tmp_path, monkeypatch):
        folder = copied(stories, tmp_path, monkeypatch)
        for name in COLUMNS:
            (folder / f"{name}.parquet").unlink()
        (folder / "shards" / "000001.npz").unlink()
        app = open_page(PAGE)
        assert_healthy(app)
        assert "interrupted: 1 of its 3 shards is missing" in words(app)
        assert "over 24 passages" in words(app)
        assert_healthy(linked(**ONE))
        for path in (folder / "shards").iterdir():
            path.unlink()
        app = open_page(PAGE)
        assert not app.exception and "has no shard yet" in app.error[0].value

    @pytest.mark.parametrize("file", ["settings.json", "heads.parquet", "tops.parquet", "passages.parquet"])
    def test_a_folder_that_is_no_survey(self, stories, tmp_path, monkeypatch, file):
        folder = copied(stories, tmp_path, monkeypatch)
        (folder / file).write_text("{}")
        app = linked(**ONE)
        assert not app.exception
        assert "is no survey" in app.error[0].value or "is no table of a survey" in app.error[0].value
        other = next(box for box in app.selectbox if box.label == "Survey")
        assert "stories-rope" in " ".join(other.options)

    def test_no_survey_at_all(self, monkeypatch):
        for name in ("survey_folders", "run_folders"):
            monkeypatch.setattr(f"pages.workbench.head_atlas.data.{name}", dict)
        app = open_page(PAGE)
        assert_healthy(app)
        assert "tlmviz survey MODEL CORPUS --out DIR" in app.info[0].value


def test_what_is_shown_is_opened_once(monkeypatch):
    """All parts of the page look at it, and a training's step is cut from a table of thousands of lines."""
    opened, opens = data.opened, []
    monkeypatch.setattr(data, "opened", lambda name: opens.append(name) or opened(name))
    shown = data.Data(Atlas(model="stories-rope", survey="stories-induction@1200", head=(0, 0), statistic="induction"))
    assert shown.trained is shown.found and shown.reader is not None and len(shown.heads)
    assert opens == ["stories-induction@1200"]
