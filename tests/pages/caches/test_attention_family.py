"""The page "Attention family", run as Streamlit runs it: at its defaults and at each control's extremes."""

import json

import pytest

from pages.caches.attention_family.calculator import claims as calculator_claims
from pages.caches.attention_family.calculator import data as calculator
from pages.caches.attention_family.calculator import view as calculator_view
from pages.caches.attention_family.calculator.state import Deployment
from pages.caches.attention_family.morph.state import FREE, PUBLISHED
from pages.caches.attention_family.redundancy import data as redundancy
from tests import tiny
from tests.pages.helpers import (
    anew,
    chart_parts,
    charted,
    charts,
    follow_link,
    only_models,
    open_alone,
    open_page,
    run_code,
    run_snippet,
    tabled,
    title_of,
    words,
)
from tests.pages.states import plain, told
from tlmviz.analysis.attention import interventions as edits
from tlmviz.analysis.caches import cost, shapes
from tlmviz.analysis.caches.family import DEEPSEEK, Sizes
from tlmviz.errors import Error
from tlmviz.figures.written import number
from tlmviz.ui import compute, confirm_long_run, frame

PAGE = "caches/attention_family"
MAPS, LATENT, REDUNDANCY, CALCULATOR = "Trained maps", "Latent attention", "Redundancy", "Calculator"
ZOO = dict(model="zoo-rope", text="Lily had a red ball. Lily lost the")


def opened(head: str = "", fat: str = "", **session):
    query = {key: value for key, value in (("head", head), ("fat", fat)) if value}
    return open_page(PAGE, query, **session)


def titles(app) -> list[str]:
    return [title_of(chart) for chart in charts(app)]


# --- the morph --------------------------------------------------------------------------------------


def test_opens_on_the_loaded_model(tmp_path):
    app = opened()
    [figure] = charts(app)
    assert [step["label"].partition(":")[0] for step in figure["layout"]["sliders"][0]["steps"]] == [
        "MHA",
        "GQA 3",
        "GQA 2",
        "MQA",
        "MLA",
    ]
    assert "✗" not in words(app) and words(app).count("✓") == 3 and app.latex and "Eq. 38 to 41" in words(app)
    assert figure["layout"]["sliders"][0]["active"] == 4, "it opens on MLA, which its name promises"
    table = app.dataframe[0].value
    assert table["MQA"]["W_K"] == "1 × (192 × 32), per all heads" and table["MHA"]["W_↓KV"] == "–"
    scope = run_snippet(app, tmp_path)
    assert scope["sizes"] == Sizes.of(compute.model("stories-rope").config) and len(scope["figure"].frames) == 5
    assert (tmp_path / "family.html").is_file()


def test_deepseek_has_its_numbers_and_opens_where_it_is_asked_to(tmp_path):
    app = opened(fset=PUBLISHED, fat="MLA", flen=131_072)
    [figure] = charts(app)
    assert figure["layout"]["sliders"][0]["active"] == 8
    said = words(app)
    assert (
        "MLA caches 576 numbers per token and layer, MHA 32,768 (× 56.9)" in said and "compresses its queries" in said
    )
    table = app.dataframe[0].value
    assert (
        table["MLA"]["W_↓KV"] == "1 × (7,168 × 512), per all heads"
        and table["MLA"]["W_↑K"] == "128 × (512 × 128), per head"
    )
    scope = run_snippet(app, tmp_path)
    assert scope["sizes"] == DEEPSEEK and scope["stages"][-1].cached == 576


@pytest.mark.parametrize(
    "sizes, sentence", [(dict(fdm=0), "d_model is 0"), (dict(frot=3), "even number"), (dict(fqh=0), "heads is 0")]
)
def test_sizes_of_no_layer_are_one_sentence_and_nothing_else_is_lost(sizes, sentence):
    app = opened(fset=FREE, **sizes)
    assert not app.exception and sentence in app.error[0].value and not chart_parts(app)
    for name, value in sizes.items():
        assert app.number_input(name).value == value
    app.segmented_control("fset").set_value(PUBLISHED).run()
    assert len(charts(app)) == 1


@pytest.mark.parametrize(
    "sizes", [dict(fdm=1, fqh=1, fhd=1, flat=1, frot=0), dict(fdm=32_768, fqh=128, fhd=1024, flat=8192)]
)
def test_the_smallest_and_the_largest_free_layer(sizes):
    charts(opened(fset=FREE, **sizes))


def test_a_variant_that_other_sizes_do_not_have_gives_way():
    app = opened(fset=PUBLISHED, fat="GQA 64")
    app.segmented_control("fset").set_value("Loaded model").run()
    [figure] = charts(app)
    assert figure["layout"]["sliders"][0]["active"] == 4 and app.selectbox("fat").value == "MLA"


def test_nonsense_in_the_link_is_named():
    app = follow_link(PAGE, dict(fview="Cats", fset="GPT-9", fat="GQA 99", flen="7", model="llama"))
    charts(app)
    said = " ".join(warning.value for warning in app.warning)
    assert all(f"“{name}”" in said for name in ("Cats", "GPT-9", "GQA 99"))


# --- trained models ---------------------------------------------------------------------------------


def test_every_model_of_the_family_reads_the_same_text(tmp_path):
    app = opened(**ZOO, fview=MAPS, head="2.5")
    grid, beside = charts(app)
    cached = {"zoo-rope": 256, "zoo-gqa": 64, "zoo-mqa": 32, "zoo-mla": 72, "zoo-mla-cq": 72, "zoo-window": 256}
    assert [label.partition("<br>")[2] for label in grid["layout"]["yaxis"]["ticktext"]] == list(cached)
    assert len(beside["data"]) == len(cached) and "L2H5" in title_of(beside)
    table = app.dataframe[0].value.set_index("Model")
    assert dict(table["Cached numbers per token and layer"]) == cached
    lm = compute.model("zoo-mqa")
    assert table["Loss here"]["zoo-mqa"] == pytest.approx(
        lm.trace(ZOO["text"]).loss_per_token().mean().item(), abs=1e-5
    )
    assert run_snippet(app, tmp_path)["picture"].shape[0] == len(lm.encode(ZOO["text"]))


def test_a_model_without_a_family_is_named_and_the_zoo_s_is_shown():
    app = opened(fview=MAPS, text=ZOO["text"])
    assert len(charts(app)) == 2 and "stories-rope was trained once only" in words(app)


# --- latent attention -------------------------------------------------------------------------------


def test_latent_attention_is_taken_apart(tmp_path):
    app = opened(**{**ZOO, "model": "zoo-mla"}, fview=LATENT, head="3.1")
    found = titles(app)
    assert found[1].startswith("Multiplied beforehand") and "L3H1: two parts" in found[0] and len(found) == 4
    assert words(app).count("✓") == 5 and "✗" not in words(app)
    scope = run_snippet(app, tmp_path)
    errors = scope["absorbed_errors"](scope["lm"], scope["trace"])
    assert f"layer 3's output on this text moves by {errors[3]:.1e}" in plain(words(app)) and max(errors) < 1e-5
    for left, right, product in ((0, 1, 2), (3, 4, 5)):
        shapes = [charts(app)[1]["data"][i]["z"]["shape"] for i in (left, right, product)]
        (rows, inner), (same, cols), whole = ([int(n) for n in shape.split(",")] for shape in shapes)
        assert inner == same and whole == [rows, cols]


def test_a_model_without_a_latent_gives_way_to_one_that_has_it():
    app = opened(**ZOO, fview=LATENT)
    assert (
        "zoo-rope has no latent attention" in words(app) and "Shown is zoo-mla" in words(app) and len(charts(app)) == 4
    )


@pytest.fixture
def compressed(tokenizer, tmp_path):
    """The app with one model, whose queries are made from a latent."""
    network = tiny.network(vocab_size=tokenizer.vocab_size, latent_dim=12, rope_dim=4, query_latent_dim=10)
    with only_models({"tiny": network}, tokenizer, tmp_path):
        yield


@pytest.mark.usefixtures("compressed")
def test_queries_from_a_latent_are_taken_apart_by_their_own_names():
    app = open_alone(PAGE, {"model": "tiny", "head": "1.2"}, model="tiny", text="Lily lost the ball.", fview=LATENT)
    found = charts(app)
    notes = [note["text"] for note in found[1]["layout"]["annotations"]]
    assert "The score: c_Q W_↑Q W_↑K' c_s'" in notes and "<b>W_↑Q</b><br>10 × 8" in notes
    assert "W_↑Q R W_↑K' of L1H2" in json.dumps(found, ensure_ascii=False)
    assert "✗" not in words(app)
    # 10 × 12 + 12 × 32, and 10 × 8 + 2 × (8 × 12) + 8 × 32
    assert "products have 504 numbers and their factors 528" in words(app)


@pytest.mark.usefixtures("compressed")
def test_the_morph_of_a_model_with_c_q_has_its_matrices():
    table = open_alone(PAGE, {"model": "tiny"}, model="tiny").dataframe[0].value
    assert table["MLA"]["W_↓Q"] == "1 × (32 × 10), per all heads" and table["MLA"]["W_Q"] == "–"
    assert table["MLA"]["W_↑Q"] == "4 × (10 × 12), per head" and table["MHA"]["W_↑Q"] == "–"


# --- redundancy -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "session", [{}, dict(sim="CKA, unbiased", how="mean"), dict(sim="Correlation of maps", prn="Greedy")], ids=str
)
def test_heads_are_compared_pruned_and_merged(session, tmp_path, monkeypatch):
    app = opened(**ZOO, fview=REDUNDANCY, **session)
    assert len(titles(app)) == 5 and "Correlation of similarity and change of loss over 112 pairs" in words(app)
    prune = charts(app)[2]["data"]
    assert [line["name"] for line in prune] == ["this text", "other texts", "other texts, drawn order (seed 0)"]
    if session.get("prn") != "Greedy":
        scope = run_snippet(app, tmp_path)
        assert len(scope["losses"].here) == 33 and len(scope["shared"].here) == 4 * 7 + 1


def test_maps_shared_by_two_layers():
    """The change of loss of every layer above the first, from passes with its weights replaced."""
    app = opened(**ZOO, fview=REDUNDANCY)
    lm = compute.model("zoo-rope")
    plain = lm.trace(ZOO["text"])
    weights = [plain.attention(0, head) for head in range(plain.n_heads)]
    rows = (edits.replace_row(1, head, row, p[row]) for head, p in enumerate(weights) for row in range(len(plain)))
    changed = lm.trace(ZOO["text"], edit=edits.combine(*rows))
    change = float(changed.loss_per_token().mean() - plain.loss_per_token().mean())
    assert f"by layer: 1: {number(change, '+.2f')}" in words(app)


def test_redundancy_of_the_default_text_is_shipped_and_its_badge_turns_red(monkeypatch):
    asked, computed = [], redundancy._effects
    monkeypatch.setattr(redundancy, "_effects", lambda *of: asked.append(of) or 2 * computed(*of))
    monkeypatch.setattr(redundancy.redundancy, "prune", None)  # shipped too, so it is not called
    with anew():
        app = opened(fview=REDUNDANCY)
    assert len(titles(app)) == 5 and "✗ Shipped = computed now" in words(app) and len(asked) == 1


@pytest.mark.parametrize("model, sentence", [("zoo-mqa", "share already"), ("zoo-mla", "one latent for all heads")])
def test_where_nothing_is_left_to_share_it_is_said(model, sentence):
    app = opened(**{**ZOO, "model": model}, fview=REDUNDANCY)
    assert len(charts(app)) == 3 and sentence in app.info[0].value


# --- odd texts -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "view, model, text",
    [
        ("Morph", "zoo-rope", "a"),
        (MAPS, "zoo-rope", "a"),
        (LATENT, "zoo-mla", "a"),
        (MAPS, "zoo-rope", "<b>x</b> $x$ 😀 <|endoftext|>"),
        (LATENT, "zoo-mla", "<b>x</b> $x$ 😀 <|endoftext|>"),
        (REDUNDANCY, "zoo-gqa", "a b"),
    ],
)
def test_odd_texts_are_read_or_a_sentence(view, model, text):
    app = opened(model=model, fview=view, text=text)
    charts(app)
    assert "✗" not in words(app) and app.text_input("text").value == text


def test_ten_thousand_characters_are_cut_and_sent_light():
    long = ("The cat sat on the big mat. " * 400)[:10_000]
    app = opened(model="zoo-mla", fview=LATENT, text=long)
    found = titles(app)
    assert "the first 256 are shown" in app.warning[0].value and app.text_input("text").value == long
    assert "last 160 of 256 tokens" in found[0]


def test_an_empty_text_is_one_sentence():
    app = opened(model="zoo-rope", text="")
    assert not app.exception and "empty" in app.info[0].value and not chart_parts(app)


# --- large and other models ---------------------------------------------------------------------------


def test_redundancy_of_a_large_model_is_asked_for_first(monkeypatch):
    monkeypatch.setattr(confirm_long_run, "QUICK", 0.0)
    app = opened(fview=REDUNDANCY, **ZOO)
    said = app.info[0].value
    assert "32 heads" in said and "minute" in said and len(charts(app)) == 1  # the similarity alone
    app.button(key=next(b.key for b in app.button if b.label == "Mute them anyway")).click().run()
    assert len(charts(app)) > 3 and not app.info


# --- the calculator ---------------------------------------------------------------------------------


def test_the_calculator_needs_no_text():
    app = opened(model="zoo-rope", text="", fview=CALCULATOR)
    assert len(charts(app)) == 2


def deployment(**given) -> calculator.Data:
    """What the calculator shows of a state."""
    return calculator.Data(Deployment(**given))


def test_the_calculator_shows_its_numbers():
    app = opened(fview=CALCULATOR, kshape="LLaMA 2 70B", kbatch=8, kctx=32768, kfmt="fp8", kpage=16)
    assert len(charts(app)) == 2
    found = shapes.find("LLaMA 2 70B")
    assert app.metric[0].value == f"{cost.token_bytes(found, 8):,.0f} B"
    assert app.metric[3].value == f"{run_snippet(app)['fits']:,}"


@pytest.mark.parametrize("shape", [shape.name for shape in shapes.SHAPES])
def test_every_published_shape_is_calculated(shape):
    found = deployment(shape=shape, batch=8, length=32768, cache_format="fp8", page=16)
    assert found.per_token == cost.token_bytes(shapes.find(shape), 8)
    scope = run_code(calculator_view.snippet(found))
    assert scope["whole"] == found.whole == cost.cache_bytes(shapes.find(shape), 32768, 8, 8, 16)
    assert scope["fits"] == found.fits and len(charted(calculator_view.pictures, found)) == 2


@pytest.mark.parametrize("name", ["stories-rope", "zoo-mla", "zoo-window"])
def test_own_models_are_held_to_their_real_caches(name):
    found = deployment(shape=name, cache_format="fp32", length=128, memory=1)
    assert [check.name for check in found.checks if check.passed] == ["Formula = nbytes at 128"]
    assert run_code(calculator_view.snippet(found))["whole"] == cost.cache_bytes(
        cost.Shape.of(compute.configs()[name]), 128
    )


@pytest.mark.parametrize(
    "change, sentence",
    [
        (dict(batch=0), "batch is 0"),
        (dict(length=0), "length is 0"),
        (dict(memory=0), "weights alone need"),
        (dict(batch=10**6), "do not fit"),
        (dict(length=10**8), "was made to read"),
        (dict(page=4096), "numbers per token"),
    ],
)
def test_extremes_of_the_calculator(change, sentence):
    found = deployment(**change)
    try:
        said = told(calculator_claims.CLAIMS, found) + calculator_claims.about(found.shape)
        assert charted(calculator_view.pictures, found)
    except Error as error:
        said = frame.worded(error)
    assert sentence in said
    assert len(tabled(calculator_view.table, found)[0]) >= 12


def test_what_cannot_be_served_is_one_sentence():
    app = opened(fview=CALCULATOR, kbatch=0)
    assert [warning.value for warning in app.warning if "batch is 0" in warning.value]
    assert not charts(app) and len(app.dataframe[0].value) >= 12


def test_an_unknown_shape_in_the_link_is_named():
    app = follow_link(PAGE, {"kshape": "GPT-9"}, fview=CALCULATOR)
    charts(app)
    assert "no model shape “GPT-9”" in app.warning[0].value and app.selectbox("kshape").value == "LLaMA 2 70B"
