"""The part Model zoo of the page Attention family, on the bundled table, on changed ones and on none."""

from functools import partial
from urllib.parse import parse_qs, urlsplit

import numpy as np
import pandas as pd
import pytest

import tlmviz
from pages.caches.attention_family.zoo import data as zoo_state
from pages.caches.attention_family.zoo.data import Card
from tests.pages.helpers import ROOT, SHOWN, charts, follow_link, open_page, run_snippet, title_of, words
from tlmviz.errors import BadCheckpoint, UnknownName

PAGE = "caches/attention_family"
PART = {"fview": "Model zoo"}
TABLE = pd.read_csv(ROOT / "models" / "zoo.csv")


opened = partial(open_page, PAGE, **PART)


def test_opens_on_every_model_of_the_table():
    app = opened()
    assert [title_of(chart)[:8] for chart in charts(app)] == ["Held-out", "What the", "What eac"]
    table = app.dataframe[0].value
    assert list(table["model"]) == list(TABLE["model"])
    for name in (
        "bits_per_byte",
        "parameters",
        "cache_bytes_per_token",
        "decode_tokens_per_s",
        "training_tokens_per_s",
    ):
        np.testing.assert_array_equal(table[name], TABLE[name])
    noise = run_snippet(app)["table"].set_index("model")["noise"]
    assert dict(noise) == dict(zip(table["model"], table["verdict"] == zoo_state.SAME))


def test_differences_smaller_than_seed_noise_are_called_so():
    """Against the definition, written out: within the seeds' range of the seeds' mean, or beyond what 11 runs reach."""
    table = opened().dataframe[0].value.set_index("model")
    seeds = [TABLE.set_index("model")["bits_per_byte"][name] for name in ("zoo-rope", "zoo-rope-1", "zoo-rope-2")]
    centre, spread = sum(seeds) / 3, max(seeds) - min(seeds)
    for name, bits, verdict in zip(table.index, table["bits_per_byte"], table["verdict"]):
        far = bits - centre
        sure = abs(far) > zoo_state.spreads_of_chance(3, 11) * spread
        wanted = "unclear" if not sure else "better" if far < 0 else "worse"
        assert verdict == ("within seed noise" if abs(far) <= spread else wanted), name
    assert {"zoo-relative", "zoo-window"} <= set(table.index[table["verdict"] == "unclear"])
    assert {"zoo-none", "zoo-post", "zoo-learned"} <= set(table.index[table["verdict"] == "worse"])


@pytest.mark.parametrize("seeds, choices", [(3, 11), (2, 4), (5, 1)])
def test_of_choices_that_change_nothing_one_is_judged_one_time_in_twenty(seeds, choices):
    drawn = np.random.default_rng(1).standard_normal((200_000, seeds + choices))
    own, others = drawn[:, :seeds], drawn[:, seeds:]
    limit = zoo_state.spreads_of_chance(seeds, choices) * np.ptp(own, axis=1)
    judged = (abs(others - own.mean(1, keepdims=True)) > limit[:, None]).any(1)
    assert judged.mean() == pytest.approx(zoo_state.CHANCE, abs=0.005)


def test_without_a_second_seed_nothing_is_judged():
    assert zoo_state.spreads_of_chance(1, 11) == np.inf == zoo_state.spreads_of_chance(3, 0)


def test_the_part_reads_no_text():
    """Another one, or none, changes nothing that it shows."""
    plain, empty = opened(), opened(text="")
    assert [title_of(chart) for chart in charts(plain)] == [title_of(chart) for chart in charts(empty)] != []
    assert plain.dataframe[0].value.equals(empty.dataframe[0].value)


def test_the_snippet_prints_every_number_and_draws_the_picture(capsys):
    scope = run_snippet(opened())
    printed = capsys.readouterr().out
    assert "..." not in printed and all(choice in printed for choice in TABLE["choice"])
    assert all(f"{bits:.4f}" in printed for bits in TABLE["bits_per_byte"])
    assert [figure.layout.title.text[:8] for figure in scope[SHOWN]] == ["Held-out"]


def test_the_band_holds_three_in_four_trainings_more():
    """What the page says of its band, drawn: four normal numbers, the last against the mean and range of three."""
    drawn = np.random.default_rng(0).standard_normal((200_000, 4))
    outside = abs(drawn[:, 3] - drawn[:, :3].mean(1)) > np.ptp(drawn[:, :3], axis=1)
    assert outside.mean() == pytest.approx(0.24, abs=0.01)
    assert "about one time in four" in words(opened())


def test_every_bundled_line_links_to_the_explorer_and_seeds_do_not():
    links = opened().dataframe[0].value.set_index("model")["open"]
    bundled = [name for name in links.index if name in tlmviz.list_models("language")]
    assert len(bundled) >= 12 and all(links[name] == f"./?model={name}" for name in bundled)
    assert links[["zoo-rope-1", "zoo-rope-2"]].isna().all()


def test_a_link_takes_model_and_text_along():
    link = Card("zoo-mla").link("a & b? <c> #d +é")
    assert parse_qs(urlsplit(link).query) == {"model": ["zoo-mla"], "text": ["a & b? <c> #d +é"]}
    assert link.startswith("./?") and Card("zoo-rope-1").link("x") is None
    app = opened(card="zoo-mla", text="Tom saw a dog")
    assert app.get("link_button")[0].proto.url == Card("zoo-mla").link("Tom saw a dog")


@pytest.mark.parametrize("name", list(tlmviz.list_models("language")))
def test_every_model_has_a_card(name):
    before, _, after = Card(name).text
    assert before and not (before + after).startswith("# ") and "curve.svg" not in before + after


def test_the_card_follows_the_menu_and_an_unknown_one_is_named():
    assert "Card of zoo-gqa" in [expander.label for expander in opened(model="zoo-gqa").expander]
    app = follow_link(PAGE, PART | {"card": "gpt-9"})
    assert not app.exception and "“gpt-9”" in app.warning[0].value


def test_a_card_is_open_where_it_was_asked_for():
    for app, open_ in ((opened(), False), (opened(card="zoo-mqa"), True)):
        [card] = [each for each in app.expander if each.label.startswith("Card of")]
        assert card.proto.expanded is open_


def test_the_lines_of_better_and_worse_are_drawn_where_verdicts_change():
    app = opened()
    noise = zoo_state.noise_of(TABLE)
    lines = [shape["x0"] for shape in charts(app)[0]["layout"]["shapes"] if shape.get("line", {}).get("dash") == "dot"]
    assert lines == pytest.approx([noise.centre - noise.limit, noise.centre + noise.limit])
    for bits, verdict in zip(*(app.dataframe[0].value[name] for name in ("bits_per_byte", "verdict"))):
        assert (verdict in ("better", "worse")) == (not lines[0] <= bits <= lines[1])
    assert f"{noise.limit:.4f} from the mean" in words(app)


def test_without_a_table_the_page_says_how_to_make_it_and_keeps_its_cards(monkeypatch, tmp_path):
    monkeypatch.setattr(zoo_state, "path", lambda: tmp_path / "zoo.csv")
    app = opened()
    assert not app.exception and "tlmviz.training zoo" in app.info[0].value and not charts(app)
    assert app.selectbox("card").value == "stories-rope"


@pytest.mark.parametrize(
    "change, sentence",
    [
        (lambda table: table.drop(columns="bits_per_byte"), "lacks bits_per_byte"),
        (lambda table: table.iloc[:0], "no line"),
        (lambda table: table.assign(bits_per_byte="much"), "no bits per byte"),
        (lambda table: table[table.group != "baseline"], "no line of the group “baseline”"),
    ],
)
def test_a_broken_table_is_one_sentence(tmp_path, change, sentence):
    file = tmp_path / "zoo.csv"
    change(TABLE).to_csv(file, index=False)
    with pytest.raises(BadCheckpoint) as error:
        zoo_state.noise_of(zoo_state.read(file))
    assert sentence in str(error.value)


def test_what_is_no_table_is_one_sentence(tmp_path):
    with pytest.raises(UnknownName):
        zoo_state.read(tmp_path / "zoo.csv")
    (tmp_path / "zoo.csv").write_bytes(b"\xff\xfe\x00nonsense\n\x00,,,\n")
    with pytest.raises(BadCheckpoint) as error:
        zoo_state.read(tmp_path / "zoo.csv")
    assert "\n" not in str(error.value)


def test_a_table_of_the_baseline_alone_is_drawn(monkeypatch, tmp_path):
    TABLE.iloc[:1].to_csv(tmp_path / "zoo.csv", index=False)
    monkeypatch.setattr(zoo_state, "path", lambda: tmp_path / "zoo.csv")
    app = opened()
    assert len(charts(app)) == 3 and len(app.dataframe[0].value) == 1
