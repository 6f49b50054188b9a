"""Beam search on a site: the headers that the app sends to the race and to the ranking."""

from dataclasses import replace

import numpy as np
import pytest

from pages.translation.beam_search import site, view
from pages.translation.beam_search.data import Data
from pages.translation.beam_search.race import data as race_data
from pages.translation.beam_search.race import view as race_view
from pages.translation.beam_search.state import Beam
from tests.javascript.node import ROOT, evaluate

IMPORTS = {
    "tlmviz/browser/translator.js": "loadTranslator",
    "pages/translation/beam_search/race/raced.js": "raceOf",
    "pages/translation/beam_search/ranked.js": "rankingOf",
}
BODY = """
const read = (name) => readFileSync(`${given.folder}/${name}`);
const mt = loadTranslator(`${read("config.json")}`, read("model.safetensors"), `${read("tokenizer.json")}`);
const { header, search } = raceOf(mt, given.text, given.chosen, given.warm);
result = { race: header, ranking: rankingOf(mt, search) };
"""
CASES = (
    ("eng-fra", "I am cold.", 5, "", {}),
    ("eng-fra", "She never eats meat.", 3, "Elle ne", {"alpha": 1.0, "beta": 0.0}),
    ("eng-fra", "I am cold in my red coat.", 1, "J'ai froid.", {"gamma": 0.5}),
    ("eng-fra-general", "Where did you buy that dress? 😀", 4, "Où", {}),
)


def close(found, expected, where=""):
    """Equal but for rounding."""
    if isinstance(expected, float):
        assert abs(found - expected) < 1e-3, where
    elif isinstance(expected, dict):
        assert found.keys() == expected.keys(), where
        for name in expected:
            close(found[name], expected[name], f"{where}.{name}")
    elif isinstance(expected, (list, tuple)):
        assert len(found) == len(expected), where
        for place, (one, other) in enumerate(zip(found, expected)):
            close(one, other, f"{where}[{place}]")
    else:
        assert found == expected, where


@pytest.mark.parametrize("model, text, width, written, weights", CASES)
def test_race_and_ranking_are_pythons(model, text, width, written, weights, monkeypatch):
    sent = {}
    for name, picture in (("race", race_view.PICTURE), ("ranking", view.PICTURE)):
        monkeypatch.setattr(picture, "show", lambda header, arrays, name=name: sent.update({name: header}))
    values = {name: control.default for name, control in Beam.controls.items()}
    base = Data(Beam(model=model, text=text, **values | {"width": width} | weights))
    own = tuple(base.mt.encode_target(written)) if written else ()
    if written.endswith("."):
        own = (*own, base.tokenizer.end_of_text)
    race_view.picture(race_data.Data(base, own))
    view.ranking(base)
    penalties = {name: getattr(base.penalties, name) for name in ("alpha", "beta", "gamma")}
    given = {
        "folder": str(ROOT / "models" / model),
        "text": text,
        "warm": site.given()["warm"],
        "chosen": {"width": width, "own": own, "penalties": penalties},
    }
    found = evaluate(IMPORTS, BODY, given)
    assert sent["race"].pop("engine")["box"] == "english"
    for rival in sent["race"]["duel"]["rivals"]:
        rival["logps"] = np.asarray(rival["logps"]).tolist()
    close(found["race"], sent["race"], "race")
    for row in sent["ranking"]["rows"] + found["ranking"]["rows"]:
        row.pop("id"), row.pop("way")  # numbers of nodes: the engine remembers other dropped ones
    close(found["ranking"], sent["ranking"], "ranking")


def test_rules_that_the_engine_does_not_have_are_told_from_the_usual_ones():
    usual = Beam(
        model="eng-fra", text="I am cold.", **{name: control.default for name, control in Beam.controls.items()}
    )
    assert replace(usual, width=3, alpha=0.0).has_usual_rules
    for other in ({"least": 3}, {"forced": "Je"}, {"length": "power"}):
        assert not replace(usual, **other).has_usual_rules
