"""The table of recipes: every name, what each needs, and groups that run their members."""

from pathlib import Path

import pytest

from tlmviz.errors import UnknownName
from tlmviz.training import recipe as kinds
from tlmviz.training import table
from tlmviz.training.experts import RECIPES as EXPERTS
from tlmviz.training.experts import SEEDS as BALANCE
from tlmviz.training.streams import SEEDS, STREAMS
from tlmviz.training.translation import RECIPES as TRANSLATIONS
from tlmviz.training.word_recipes import WORDS
from tlmviz.training.zoo import ZOO

STREAM_SEEDS = {recipe.config.name for recipe in SEEDS.values()}
EXPERT_SEEDS = {recipe.config.name for recipe in BALANCE.values()}
STREAM_VARIANTS = {"stories-mhc-slower", "stories-mhc-wider"}
LATENTS = {"digits-perceiver-1", "digits-perceiver-2", "digits-perceiver-4", "digits-perceiver"}
SCENES = {"digits-scenes", "digits-scenes-turned"}
POINTERS = {"pointer-hull", "stories-sentinel"}
SINGLE = {
    "stories-encoder",
    "stories-mtp",
    "warm-up",
    "half",
    "stories-rope",
    "stories-gpt",
    "stories-induction",
    "indexer",
    *POINTERS,
    *EXPERTS,
    *EXPERT_SEEDS,
    *LATENTS,
    *SCENES,
    *STREAMS,
    *STREAM_SEEDS,
    *STREAM_VARIANTS,
    *TRANSLATIONS,
    *WORDS,
    *ZOO,
}
GROUPS = {
    "zoo": set(ZOO),
    "streams": set(STREAMS),
    "streams-seeds": STREAM_SEEDS,
    "streams-variants": STREAM_VARIANTS,
    "experts": set(EXPERTS),
    "experts-seeds": EXPERT_SEEDS,
    "translation": set(TRANSLATIONS),
    "words": set(WORDS),
    "pointers": POINTERS,
    "latents": LATENTS,
    "scenes": SCENES,
}


def test_every_name_is_there_once():
    assert set(table.RECIPES) == SINGLE | GROUPS.keys()
    assert all(recipe.name == name for name, recipe in table.RECIPES.items())


@pytest.mark.parametrize("name", GROUPS)
def test_a_group_runs_its_members(name):
    group = table.RECIPES[name]
    assert {member.name for member in group.members} == GROUPS[name]
    assert all(table.RECIPES[member.name] == member for member in group.members)


@pytest.mark.parametrize("name", sorted(SINGLE | GROUPS.keys()))
def test_what_is_needed(name):
    needs = {
        "eng-fra": ("eng-fra.tsv.gz",),
        "translation": ("eng-fra.tsv.gz",),
        "pointer-hull": (),
        "digits-perceiver": (),
        "latents": (),
        "digits-scenes": (),
        "scenes": (),
        "words": ("stories.txt", "eng-fra.tsv.gz"),
        "half": ("stories.txt", "eng-fra.tsv.gz"),
    }
    expected = [files for start, files in needs.items() if name.startswith(start)]
    assert table.RECIPES[name].needs == (expected[0] if expected else ("stories.txt",))


def test_only_the_transformer_gets_a_copy_without_the_mask():
    masked = {name for name, r in table.RECIPES.items() if isinstance(r, kinds.MaskedTranslation)}
    logged = {name for name, r in table.RECIPES.items() if isinstance(r, kinds.StreamStories)}
    assert masked == {"eng-fra"} and logged == {*STREAMS, *STREAM_SEEDS, *STREAM_VARIANTS}


def test_who_learns_from_invented_names():
    assert {name for name, r in table.RECIPES.items() if isinstance(r, kinds.Copying)} == {
        "eng-fra-copy",
        "eng-fra-copy-plain",
    }


def test_a_group_hands_all_logs_to_its_end():
    class Member:
        needs = ("a",)

        def __init__(self, name):
            self.name = name

        def run(self, data, runs, models):
            order.append((self.name, data, runs))
            return {self.name: {"step": len(order)}}

    order, ends = [], []
    group = kinds.Group("both", (Member("x"), Member("y")), lambda logs, models: ends.append((logs, models)))
    logs = group.run(Path("data"), Path("runs"), Path("models"))
    assert order == [("x", Path("data"), Path("runs")), ("y", Path("data"), Path("runs"))]
    assert ends == [(logs, Path("models"))] and logs == {"x": {"step": 1}, "y": {"step": 2}}
    assert group.needs == ("a",)


def test_a_recipe_that_goes_on_needs_the_run_before(monkeypatch, tmp_path):
    class Pairs:
        train = [("I am cold.", "J'ai froid.")] * 3

    monkeypatch.setattr(kinds, "read_pairs", lambda data: Pairs)
    monkeypatch.setattr(kinds.Tokenizer, "train", classmethod(lambda cls, texts, size: _Written()))
    monkeypatch.setattr(kinds.Tokenizer, "load", classmethod(lambda cls, path: None))
    with pytest.raises(UnknownName) as error:
        table.RECIPES["eng-fra-coverage"].run(tmp_path, tmp_path / "runs", tmp_path / "models")
    assert "eng-fra-additive" in str(error.value) and "train that first" in str(error.value)


class _Written:
    def to_json(self):
        return "{}"
