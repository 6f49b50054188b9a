"""The rows of a layer's steps on a site: the header and arrays that the app sends to the same picture."""

import re
from dataclasses import dataclass

import numpy as np
import pytest

import tlmviz
from pages.attention.inside_block import claims, data, site, steps, view
from pages.attention.inside_block.state import Choice
from tests import tiny
from tests.javascript.node import ROOT, evaluate
from tlmviz.analysis.attention.rows import main_panel, rows_of
from tlmviz.analysis.attention.steps import make_step, step_names
from tlmviz.checkpoints.native import save_network
from tlmviz.ui import compute
from tlmviz.ui.claims import first

IMPORTS = {
    "tlmviz/browser/language_model.js": "load",
    "pages/attention/inside_block/block.js": "layerOf",
    "pages/attention/inside_block/rows.js": "shareOf",
    "pages/attention/inside_block/token.js": "readLayer",
    "pages/attention/inside_block/told.js": "claimOf",
}
BODY = """
const read = (name) => readFileSync(`${given.folder}/${name}`);
const lm = load(`${read("config.json")}`, read("model.safetensors"), `${read("tokenizer.json")}`);
const { text, choices } = given;
result = choices.map(({ steps, ...chosen }) => {
  const layer = readLayer(lm, text, chosen.layer);
  const { header, arrays } = layerOf(layer, chosen, steps);
  const numbers = Object.entries(arrays).map(([name, values]) => [name, Array.from(values)]);
  return {
    header, arrays: Object.fromEntries(numbers), claim: claimOf(layer, chosen, steps.placement),
    share: header.step.startsWith("add") ? shareOf(layer, steps.placement, header.step) : null,
  };
});
"""
START = {name: control.default for name, control in Choice.controls.items()}
TEXT = "Tom 😀 saw a dog. Anna saw a dog.\nTom saw a"
LONG = "The cat sat on the mat. " * 35  # more tokens than rows are drawn
# Ways in which bundled models' steps differ, and every step that a product makes.
CASES = {
    "stories-rope": (
        TEXT,
        [(5, 4, 9, "softmax", None), (0, 0, 0, "qkv", 200), (4, 2, 7, "mix", 3), (1, 5, 9, "up", 3)],
    ),
    "zoo-gqa": (TEXT, [(1, 5, 8, "scores", 2), (0, 7, 3, "loss", 1), (1, 5, 8, "no such step", 0)]),
    "zoo-window": (LONG, [(0, 3, 200, "softmax", 100), (0, 3, 201, "logits", 3)]),
    "zoo-post": (TEXT, [(1, 2, 6, "qkv", 7), (2, 0, 6, "add 1", 7)]),
    "zoo-mla": (TEXT, [(1, 6, 6, "latent", 70), (0, 6, 6, "down", 7)]),
    "stories-gpt": (TEXT, [(2, 3, 9, "up", 17), (5, 3, 9, "logits", 47)]),
    "stories-moe": (TEXT, [(3, 3, 9, "route", 4), (0, 1, 9, "experts", 4)]),
    "stories-mhc": (TEXT, [(3, 3, 9, "add 2", 4), (6, 4, 12, "mix", 1), (1, 4, 18, "softmax", 0)]),
}


def sent_by_the_app(monkeypatch, model, text, place) -> list:
    sent = []
    monkeypatch.setattr(view.PICTURE, "show", lambda *given: sent.append(given))
    layer, head, position, step, cell = place
    given = {"model": model, "text": text, "pair": None, "layer": layer, "head": head, "position": position}
    shown = data.Data(Choice(**START | given | {"step": step, "cell": cell}))
    view.rows(shown)
    return *sent[0], shown


@pytest.mark.parametrize("model", CASES)
def test_the_picture_is_pythons(model, monkeypatch):
    text, places = CASES[model]
    names = ("layer", "head", "position", "step", "cell")
    sent = [sent_by_the_app(monkeypatch, model, text, place) for place in places]
    engines = [header["engine"] for header, _, _ in sent]
    assert {engine["text"] for engine in engines} == {text}
    choices = [
        dict(zip(names, place, strict=True)) | {"steps": engine["given"]["steps"]}
        for place, engine in zip(places, engines, strict=True)
    ]
    given = {"folder": str(ROOT / "models" / model), "text": text, "choices": choices}
    both = zip(places, sent, evaluate(IMPORTS, BODY, given), strict=True)
    for place, (header, arrays, shown), found in both:
        del header["engine"]
        check_opened(found["header"].pop("opened"), header.pop("opened"))
        assert found["header"] == header
        assert found["claim"] == re.sub(r"\\(.)", r"\1", first(claims.CLAIMS, shown))
        assert found["share"] == (shown.step.share and pytest.approx(shown.step.share, rel=1e-3))
        assert arrays.keys() == found["arrays"].keys()
        for name, values in arrays.items():
            one = np.array([np.nan if value is None else value for value in found["arrays"][name]])
            scale = np.nanmax(np.abs(values), initial=1.0)
            np.testing.assert_allclose(one / scale, values / scale, atol=2e-4, err_msg=f"{place} {name}")


def check_opened(found, expected):
    """A cell's terms in order, and their numbers."""
    assert (found is None) == (expected is None)
    if expected is None:
        return
    for name in ("step", "cell", "count", "left", "right"):
        assert found[name] == expected[name]
    assert [name for name, *_ in found["terms"]] == [name for name, *_ in expected["terms"]]
    for each in (found, expected):
        assert each["total"] == pytest.approx(each["actual"], abs=1e-4)
    numbers = [
        [each["total"], each["bias"], *np.ravel([term[1:] for term in each["terms"]])] for each in (found, expected)
    ]
    np.testing.assert_allclose(*numbers, rtol=1e-3, atol=1e-3)


def test_every_step_of_every_model_has_a_row_but_the_loss():
    kinds = [kind for config in compute.configs().values() for kind in steps.steps(config)["kinds"]]
    names = sorted({name for kind in kinds for name, _ in kind})
    body = "result = given.filter((name) => !BUILDERS[name])"
    assert evaluate({"pages/attention/inside_block/rows.js": "BUILDERS"}, body, names) == ["loss"]


def test_what_is_told_of_a_step_holds_for_any_text():
    given = site.of_models([Named("stories-rope"), Named("stories-mhc"), Named("eng-fra", "translation")])
    lm = compute.model("stories-mhc")
    trace, [kind] = lm.trace(TEXT, keep=lambda name: True), given["steps"]["stories-mhc"]["told"]
    assert given["steps"].keys() == {"stories-rope", "stories-mhc"}
    for name, number in kind.items():
        step = make_step(lm, trace, name, 3, 2)
        sentence, shape, *sources = given["told"][number]
        assert shape.format(length=len(trace)) == main_panel(step).shape
        assert sentence == step.sentence and ("{share}" in sentence) == name.startswith("add")
        assert sources == [(source.where, source.code) for source in step.sources]


@dataclass(frozen=True)
class Named:
    name: str
    task: str = "language"


ALL = """
result = given.map(({ folder, text, steps, chosen }) => {
  const read = (name) => readFileSync(`${folder}/${name}`);
  const lm = load(`${read("config.json")}`, read("model.safetensors"), `${read("tokenizer.json")}`);
  const { header, arrays } = layerOf(readLayer(lm, text, chosen.layer), chosen, steps);
  return [header.rows, Object.entries(arrays).filter(([name]) => name[0] === "v").map(([,
    values]) => Array.from(values))];
});
"""


def test_rows_of_parts_that_no_bundled_model_has_are_pythons(tmp_path, tokenizer):
    chosen, given, expected = {"layer": 1, "head": 3, "position": 5, "step": "softmax", "cell": None}, [], []
    for number, changes in enumerate(tiny.VARIANTS.values()):
        folder = tmp_path / str(number)
        save_network(folder, tiny.network(vocab_size=tokenizer.vocab_size, **changes), tokenizer)
        lm = tlmviz.load(str(folder))
        trace = lm.trace(tiny.TEXT, keep=lambda name: True)
        names = step_names(lm.config, 1)
        expected.append(rows_of([make_step(lm, trace, name, 1, 3) for name in names], 5))
        of = {"text": tiny.TEXT, "steps": steps.steps(lm.config), "chosen": chosen}
        given.append({"folder": str(folder)} | of)
    for name, rows, (found, values) in zip(tiny.VARIANTS, expected, evaluate(IMPORTS, ALL, given), strict=True):
        assert [row["name"] for row in found] == [row.name for row in rows], name
        for row, own, numbers in zip(rows, found, values, strict=True):
            for part in ("what", "inside", "kind", "x", "product"):
                assert own[part] == getattr(row, part), (name, row.name)
            if row.name == "logits":  # of tokens that are alike likely, which come first may differ
                continue
            one = np.array([np.nan if value is None else value for value in numbers])
            np.testing.assert_allclose(one, row.values, atol=1e-3, rtol=1e-3, err_msg=f"{name}: {row.name}")
