"""The part Einstein notation of the page Matrices and indices, run as Streamlit runs it."""

import numpy as np
import pytest
import torch

import tlmviz
from pages.notation.einstein.formulas import claims, data, view
from pages.notation.einstein.formulas.state import Formula
from tests.pages.helpers import assert_healthy, badges, follow_link, link_of, open_page, picture, run_code, tabled
from tests.pages.helpers import words as said_on
from tests.pages.states import linked, told
from tlmviz.analysis.notation.syntax import BadNotation
from tlmviz.ui import compute, frame
from tlmviz.ui.inputs import DEFAULT_TEXT

PAGE = "notation/einstein"
OWN = "Sizes of my own"
LOST = "L_{ts} = 1/sqrt(dk) Qhat_{th}^k Khat_{shk}"


def opened(**link):
    return follow_link(PAGE, link)


def read(query, **given) -> data.Data:
    """What the part shows by a link."""
    start = {"model": query.get("model", "stories-rope"), "text": DEFAULT_TEXT, "line": "Logits", "head": 2}
    start["layer"] = min(4, compute.configs()[start["model"]].n_layers - 1)
    return data.Data(linked(Formula, query, **start | given))


def matrices(app) -> list[dict]:
    """The matrices that are drawn, each with its `values`."""
    header, arrays = picture(app, "tensors")
    for name, panel in enumerate(header["panels"]):
        panel["values"] = arrays[str(name)].reshape(panel["rows"], panel["cols"])
    return header["panels"]


def under(shown: str) -> str:
    """What is marked: the line of carets says which characters of the line above."""
    lines = shown.split("\n")
    return "".join(letter for letter, mark in zip(lines[0], lines[1]) if mark == "^")


def marked(app) -> str:
    """What a page marks."""
    return under(next(each.value for each in app.code if "^^" in each.value or each.value.endswith("^")))


def test_it_opens_on_a_line_that_is_the_models_own():
    app = opened(head="4.2")
    assert "Equal to the model's own L" in said_on(app) and "red-badge" not in badges(app)
    made, own, apart = matrices(app)
    lm = tlmviz.load("stories-rope")
    trace = lm.trace(app.text_input("text").value)
    scores = trace.scores(4, 2, "scaled")
    assert np.abs(apart["values"]).max() < 1e-5 * np.abs(own["values"]).max() and apart["end"] == own["end"]
    for panel in (made, own):
        assert panel["rows"] == panel["cols"] == len(trace) and panel["row_labels"] == list(trace.tokens)
        drawn = trace.scores(app.selectbox("_layer").value, app.selectbox("_head").value, "scaled")
        np.testing.assert_allclose(panel["values"], drawn, atol=1e-4)
    table = data._of_model("stories-rope", app.text_input("text").value, 4)[0]
    torch.testing.assert_close(table.tensors["L"].value[..., 2], scores)
    assert "✓ Logits" in badges(app) and "✓ Add 2" in badges(app)


def test_a_mistake_is_named_marked_and_run():
    app = opened(nform=LOST)
    assert_healthy(app)
    assert "A head index is lost" in badges(app) and marked(app) == "h"
    assert "It runs" in said_on(app) and r"\textcolor" in " ".join(part.value for part in app.latex)
    assert len(matrices(app)) == 1  # the model has no map of that shape


def test_a_button_tries_a_mistake_and_another_line_clears_it():
    app = opened()
    app.button("slip-mask-turned").click().run()
    assert_healthy(app)
    assert app.text_input("nform").value == "A_{ts}^{(h)} = softmax_{s>=t}(L_{ts}^{(h)})"
    assert "A causal mask turned round" in badges(app) and "is not the model's A" in said_on(app)
    apart = matrices(app)[2]
    assert apart["end"] == pytest.approx(np.nanmax(np.abs(apart["values"])))  # no darker colour for a larger one
    app.selectbox("nline").set_value("Mix").run()
    assert app.text_input("nform").value == "Y_{th}^d = sum_{s<=t} A_{ts}^{(h)} V_{sh}^d"
    assert "Equal to the model's own Y" in said_on(app) and "nform" not in link_of(app)


def test_typing_goes_into_the_link_and_the_lines_own_formula_does_not():
    app = opened()
    app.text_input("nform").set_value(LOST).run()
    assert link_of(app)["nform"] == LOST
    app.text_input("nform").set_value("L_{ts}^{(h)} = 1/sqrt(dk) Qhat_{th}^k Khat_{shk}").run()
    assert "nform" not in link_of(app) and "Equal" in said_on(app)


@pytest.mark.parametrize(
    "query",
    [
        {},
        {"nline": "Open"},
        {"nline": "Norm 2", "model": "zoo-layernorm"},
        {"nline": "Mix", "model": "zoo-window"},
        {"model": "zoo-gqa"},
        {"model": "zoo-alibi"},
        {"nform": "L_{ts}^{(h)} = 1/sqrt(dk) Htilde_t^f WQ_{hf}^d WK_{hcd} Htilde_s^c"},
        {"nown": OWN, "nform": "Y_{th}^d = sum_{s<=t, t-s<3} A_{ts}^{(h)} V_{sh}^d", "nsizes": "t=6 s=6 h=2 d=3"},
        {"nown": OWN, "nform": "Q_{th}^d K_{shd}"},
        {"nown": OWN, "nform": "2 + 3"},
    ],
)
def test_the_snippet_makes_the_same(query):
    shown = read(query)
    code = view.snippet(shown)
    name = [line for line in code.splitlines() if line.startswith("print(torch.allclose(")][0]
    scope = run_code(code)
    made = scope[name.removeprefix("print(torch.allclose(").partition(",")[0]]
    torch.testing.assert_close(torch.as_tensor(made, dtype=torch.float32), scope["result"].value, rtol=1e-3, atol=1e-4)


@pytest.mark.parametrize("style", ["einops.einsum", "plain torch"])
def test_the_code_comes_in_other_styles(style):
    app = opened(ncode=style)
    shown = " ".join(block.value for block in app.code)
    assert "einsum(Qhat, Khat," in shown if style == "einops.einsum" else ".sum(3)" in shown


def test_four_factors_have_an_order():
    shown = read({"nform": "L_{ts}^{(h)} = 1/sqrt(dk) Htilde_t^f WQ_{hf}^d WK_{hcd} Htilde_s^c"})
    [rows] = tabled(view.order_and_code, shown)
    assert len(rows) == 3 and list(rows["Summed"]) == ["f", "c", "d"]
    assert "times as many" in claims.order_saves(shown)


@pytest.mark.parametrize(
    "formula, said, place",
    [
        ("   ", "The formula is empty", None),
        ("A_{ts}^{(h)} = softmax_{s<=t}(L_{ts}^{(h)}", "closes softmax", "}"),
        ("A_{" + "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMN" + "}", "40 different indices", None),
        ("A_t " * 2500, "10,000 characters", None),
        (r"\frac{1}{2} A_t", "TeX commands", "\\"),
        ("<script>alert(1)</script>", "Expected a tensor", "<"),
        ("A_t $x$ :red[a]", "no part", "$"),
    ],
)
def test_what_cannot_be_read_is_one_sentence(formula, said, place):
    shown = data.Data(Formula(model="stories-rope", text=DEFAULT_TEXT, line="Logits", formula=formula))
    with pytest.raises(BadNotation) as refused:
        view.picture(shown)
    assert said in frame.worded(refused.value)
    assert place is None or under(claims.caret(formula, refused.value.at)) == place


def test_what_cannot_be_read_is_said_and_stays():
    app = opened(nform=r"\frac{1}{2} A_t")
    assert not app.exception and len(app.error) == 1 and "TeX commands" in app.error[0].value
    assert app.text_input("nform").value == r"\frac{1}{2} A_t" and marked(app) == "\\"
    app.text_input("nform").set_value("A_{ts}^{(h)} = softmax_{s<=t}(L_{ts}^{(h)})").run()
    assert_healthy(app)


@pytest.mark.parametrize(
    "formula, name, at",
    [
        ("F_t^f = H'_t^e W2_e^f", "One index with two sizes", "e"),
        ("L_{ts}^{(h)} = Qhut_{th}^k Khat_{shk}", "An unknown name", "Qhut"),
        ("L_{ts}^{(h)} = Qhat_{th} Khat_{shk}", "The wrong number of indices", "Qhat_{th}"),
    ],
)
def test_what_cannot_be_run_is_marked(formula, name, at):
    shown = read({"nform": formula})
    found = shown.result.checked.findings
    assert found[0].name == name and under(claims.caret(formula, found[0].at)) == at
    assert "It cannot be run" in told(claims.CLAIMS, shown)


@pytest.mark.parametrize(
    "sizes, said",
    [("t=0", "gives no size"), ("t=4096 s=4096 h=64 d=64", "take smaller sizes"), ("", "No size is given")],
)
def test_sizes_that_will_not_do(sizes, said):
    shown = read({"nown": OWN, "nsizes": sizes, "nform": "L_{ts} = 1/sqrt(dk) Q_{th}^d K_{shd}"})
    with pytest.raises(BadNotation) as refused:
        view.picture(shown)
    assert said in frame.worded(refused.value)


def test_after_sizes_that_will_not_do_others_are_run():
    app = opened(nown=OWN, nsizes="t=0", nform="L_{ts}^{(h)} = 1/sqrt(dk) Q_{th}^d K_{shd}")
    assert not app.exception and "gives no size" in " ".join(part.value for part in app.error)
    app.text_input("nsizes").set_value("t=4 s=4 h=2 d=4").run()
    assert_healthy(app)
    assert "on random tensors of your sizes" in said_on(app)


@pytest.mark.parametrize("model", ["zoo-post", "zoo-mla", "zoo-relative", "stories-mhc"])
def test_another_block_is_said_to_be_one(model):
    shown = read({}, model=model)
    said = told(claims.CLAIMS, shown)
    assert shown.unlike and not shown.of_model
    assert "random tensors of your sizes" in said or "cannot be run" in said


def test_what_another_block_has_is_said():
    app = opened(model="zoo-post")
    assert_healthy(app)
    assert any("which the notes' block lacks" in part.value for part in app.info)


def test_hostile_links_show_the_page():
    app = opened(nline="[]", nown="1e400", ncode="x", nsizes="1e400", head="9.9")
    assert_healthy(app)
    assert "Equal to the model's own L" in said_on(app)


def test_the_notes_lines_are_told():
    told = claims.of_notes(data.Data.notes())
    assert told.count("| holds |") == 6 and told.count("\n") == 13
    assert "holds |" in said_on(opened())


def test_a_place_far_to_the_right_is_marked_in_what_is_shown():
    text = "x" * 500
    shown, carets = claims.caret(text, (400, 401)).split("\n")
    assert len(shown) < 160 and carets.index("^") == 61 and claims.caret("ab", (1, 2)) == "ab\n ^"


def test_a_long_text_is_read_in_part():
    app = open_page(PAGE, text="the red ball " * 100)
    assert_healthy(app)
    assert f"{data.TOKENS} × {data.TOKENS}" in said_on(app)
    with pytest.raises(BadNotation):
        data._of_sizes("x")
