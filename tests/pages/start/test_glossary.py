"""The page Glossary: every term with who uses it, links that hold, and no term on a page that is not explained."""

import re
from importlib import import_module

import pytest

from pages import ALL
from pages.start.glossary import data, state, view
from tests.pages.helpers import assert_healthy, open_page, words
from tlmviz.ui import glossary
from tlmviz.ui.tours.table import TOURS

PAGE = "start/glossary"
BY_NAME = {entry.name: entry for entry in data.entries()}
ABBREVIATION = r"(?<![\w{.])[A-Za-z0-9]*[A-Z][A-Za-z0-9]*[A-Z][A-Za-z0-9]*(?!\w)"  # a word with two capitals
CODE = r"`[^`]*`|\$[^$]*\$|\b[\w.]+\([^)]*\)|^from .* import .*"
# What is written in capitals and is no term: models, systems and their authors, units, files, symbols.
NAMES = re.findall(
    r"\S+",
    """ALTI AI BERT BigBird CLIP CPU CUDA DeepSeek DualPipe GB GPT GradScaler GroupNorm IEEE InstanceNorm KV KiB LLM LLaMA LN1 LN2
    LSH MB NLP NTK NeoX OCP PI PNG PaLM PipeDream PyTorch RoFormer SDPA SNE SVG SciPy TFLOP ViT ZB 3CosAdd L2H1 L4H2 CSV NPZ""",
)
# Terms that a first-year student may not know: where a page uses one, the glossary has it.
FIELD = """activation patching|attention|attention sink|attribution|backward pass|beam search|bits per byte|causal mask
chat template|composition|convex hull|cosine|cross-attention|decoder|dropout|embedding|encoder|entropy|gradient|held-out
induction head|KL divergence|KV cache|LayerNorm|learning rate|linear attention|logit lens|micro-batch|norm|one-hot|outlier
padding|preemption|prompt|query|rank-1|residual stream|RMSNorm|roofline|router|singular values|softmax|survey|temperature|tensor
tokenizer|underflow|variance|vocabulary|warm-up""".replace("\n", "|").split("|")


def shown(page) -> list[str]:
    """The texts of a page's claims."""
    folder = data.PAGES / page.folder
    files = sorted(folder.rglob("claims.py"))
    return [text for path in files for text in data.texts(path.read_text(encoding="utf-8"))]


def test_it_opens_with_every_term():
    app = open_page(PAGE)
    assert_healthy(app)
    assert len(BY_NAME) == len(glossary.TERMS) > 100
    assert {entry.text for entry in BY_NAME.values()} == set(glossary.TERMS)
    names = [name.strip("[").lower() for name in BY_NAME]
    assert names == sorted(names)
    assert "They are counted, not chosen" in words(app)


@pytest.mark.parametrize(
    ("name", "module"),
    [
        ("preemption", "caches.serving"),
        ("bubble", "cost.pipeline"),
    ],
)
def test_a_page_is_named_where_its_words_have_the_term_and_only_there(name, module):
    counted = {page.folder: count for page, count in BY_NAME[name].pages}
    forms = next(forms for forms in glossary.TERMS.values() if forms[0] == name)
    said = str(import_module(f"pages.{module}.claims").notice())  # by Python, not read from the source
    assert any(form in said for form in forms)
    assert counted[module.replace(".", "/")] > 0
    for page in ALL:
        if page.folder != data.OWN:
            plain = any(re.search(rf"\b{form}\b", text) for text in data.texts_of(page) for form in forms)
            assert (page.folder in counted) == plain, page.folder
    assert list(counted.values()) == sorted(counted.values(), reverse=True)


def test_texts_are_what_visitors_read():
    source = '"""A softmax."""\nCLAIM = "One " "softmax."\nEQUATION = r"\\softmax"\n'
    source += 'def snippet(n):\n    """Softmax."""\n    return f"""\nimport softmax {n}\n"""\n'
    source += 'SAID = f"A {CLAIM} key"\n'
    assert set(data.texts(source)) == {"One softmax.", "A  …  key"}


def test_a_tour_is_named_with_the_first_step_that_has_the_term():
    assert any(entry.tours for entry in BY_NAME.values())
    for entry in BY_NAME.values():
        for tour, step in entry.tours:
            assert tour is TOURS[tour.name]
            have = [glossary.count_in(data._said(each))[entry.name] > 0 for each in tour.steps]
            assert have.index(True) + 1 == step


def test_every_link_leads_to_a_page_or_back_to_its_term():
    paths = {page.path for page in ALL}
    for entry in BY_NAME.values():
        sent = view._sent(entry)
        assert all(each["link"] == "./?mode=map" or each["link"] in paths for each in sent["pages"])
        assert all("tour=" in each["link"] for each in sent["tours"]) and len(sent["tours"]) <= view.TOURS
        assert sent["link"].startswith("glossary?term=")


@pytest.mark.parametrize("term", ["softmax", "SOFTMAX", "[CLS]", "mHC", "caches"])
def test_a_link_names_a_term_by_any_form(term):
    app = open_page(PAGE, {"term": term})
    assert_healthy(app)
    assert not app.info


@pytest.mark.parametrize("term", ["1e400", "<b>x</b>", "no such", "`" * 90, "ü" * 90, "{asked}"])
def test_a_term_that_there_is_not_is_said_in_a_sentence(term):
    app = open_page(PAGE, {"term": term, "gfind": term})
    assert_healthy(app)
    [said] = [each.value for each in app.info]
    assert said.startswith("No term is called “") and said.endswith("that there are.")
    assert len(said) < 90 + state.LONGEST


def test_abbreviations_on_pages_are_explained():
    known = {part for form in glossary.definitions() for part in re.findall(r"\w+", form)} | set(NAMES)
    missing = {
        word: page.folder
        for page in ALL
        for text in shown(page)
        if " " in text
        for word in re.findall(ABBREVIATION, re.sub(CODE, " ", text))
        if word not in known
    }
    assert not missing


def test_terms_of_the_field_are_explained_where_a_page_has_them():
    told = "\n".join(text for page in ALL for text in data.texts_of(page))
    missing = [term for term in FIELD if term in told and not glossary.count_in(term)]
    assert not missing
    assert sum(term in told for term in FIELD) > 35
