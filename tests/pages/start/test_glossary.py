"""The page Glossary: every term with who uses it, links that hold, and no term on a page that is not explained."""

import ast
import json
import re
from concurrent.futures import ThreadPoolExecutor
from importlib import import_module

import pytest

from pages import ALL
from pages.start.glossary import data, state, view
from pages.start.glossary.explained import SHOWN
from tests.javascript.node import evaluate
from tests.pages.helpers import assert_healthy, open_page, words
from tlmviz.ui import glossary

PAGE = "start/glossary"
BY_NAME = {entry.name: entry for entry in data.entries()}
ABBREVIATION = r"(?<![\w{.])[A-Za-z0-9]*[A-Z][A-Za-z0-9]*[A-Z][A-Za-z0-9]*(?!\w)"  # a word with two capitals
CODE = r"`[^`]*`|\$[^$]*\$|\b[\w.]+\([^)]*\)|^from .* import .*"
# What is written in capitals and is no term: models, systems and their authors, units, files, symbols.
NAMES = re.findall(
    r"\S+",
    """ALTI AI BERT BigBird CLIP CPU CUDA DeepSeek DualPipe GB GPT GradScaler GroupNorm IEEE IO InstanceNorm KV KiB LLM
    LLaMA LN1 LN2 LSH MB NLP NTK NeoX OCP PI PNG PaLM PipeDream PyTorch RoFormer SDPA SNE SVG SciPy TFLOP ViT ZB
    3CosAdd L2H1 L4H2 CSV NPZ WebAssembly SmolLM2 AR""",
)
# Terms that a first-year student may not know: where a page uses one, the glossary has it.
FIELD = """activation patching|attention|attention sink|attribution|backward pass|beam search|bits per byte|causal mask
chat template|composition|convex hull|cosine|cross-attention|decoder|dropout|embedding|encoder|entropy|gradient|held-out
induction head|KL divergence|KV cache|LayerNorm|learning rate|linear attention|logit lens|micro-batch|norm|one-hot
outlier|padding|preemption|prompt|query|rank-1|residual stream|RMSNorm|roofline|router|singular values|softmax|survey
temperature|tensor|tokenizer|underflow|variance|vocabulary|warm-up""".replace("\n", "|").split("|")


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


def test_a_search_finds_words_by_how_they_begin():
    sought = ["position", "sinusoid", "alibi", "look for", "[cls]", " kv  cache ", "ompos"]
    entries = [{"name": each.name, "aliases": list(each.aliases), "text": each.text} for each in BY_NAME.values()]
    body = (
        "result = given.sought.map((find) => given.entries.filter((each) => fits(each, find)).map(({ name }) => name));"
    )
    found = evaluate({"pages/start/glossary/search.js": "fits"}, body, {"sought": sought, "entries": entries})
    position, sinusoid, alibi, looks, cls, cache, nothing = map(set, found)
    assert "RoPE" in position and "composition" not in position and not nothing
    assert "sinusoidal" in sinusoid and "ALiBi" in alibi and "query" in looks and "[CLS]" in cls and "KV cache" in cache


@pytest.mark.parametrize(("name", "module"), [("preemption", "caches.serving"), ("bubble", "cost.pipeline")])
def test_a_page_is_named_where_its_words_have_the_term_and_only_there(name, module):
    counted = {page.folder: count for page, count in BY_NAME[name].pages}
    forms = next(forms for forms in glossary.TERMS.values() if forms[0] == name)
    said = str(import_module(f"pages.{module}.claims").NOTICE)  # by Python, not read from the source
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


def test_a_lesson_is_named_where_its_texts_have_the_term_most_often_first():
    assert any(entry.lessons for entry in BY_NAME.values())
    for name, entry in BY_NAME.items():
        said = [" ".join(data._texts_of_lesson(lesson)) for lesson in entry.lessons]
        counts = [glossary.count_in(text)[name] for text in said]
        assert all(counts) and counts == sorted(counts, reverse=True)


def test_every_link_leads_to_a_page_or_back_to_its_term():
    paths = {page.path for page in ALL}
    for entry in BY_NAME.values():
        sent = view._sent(entry)
        assert all(each["link"] == "./?mode=map" or each["link"] in paths for each in sent["pages"])
        assert all("lesson=" in each["link"] for each in sent["lessons"])
        assert len(sent["lessons"]) <= view.LESSONS
        assert sent["link"].startswith("glossary?term=")


def test_every_term_is_shown_by_an_example_with_its_picture():
    named = [name for cards in SHOWN.values() for names in cards.values() for name in names]
    assert sorted(named) == sorted(BY_NAME)  # each by one
    for entry in BY_NAME.values():
        assert entry.shown.picture.is_file(), entry.name
        cards = import_module(f"pages.{entry.shown.page.folder.replace('/', '.')}.examples").CARDS
        assert entry.shown.title in {card.title for card in cards}
        sent = view._sent(entry)["shown"]
        assert sent["link"].partition("?")[0] in {"./", *(page.path for page in ALL)}
        assert sent["title"] == f"{entry.shown.page.title}: {entry.shown.title}"
    sent = json.dumps([view._sent(entry) for entry in BY_NAME.values()])
    assert len(sent) < 300_000  # it goes with every press


def test_a_term_that_pages_use_is_shown_by_a_page_that_uses_it():
    """But for three whose example shows what other words say."""
    elsewhere = {entry.name for entry in BY_NAME.values() if entry.pages and entry.shown.page not in dict(entry.pages)}
    assert elsewhere == {"outlier", "prefill", "tokenizer"}
    assert not [name for name in glossary.SEARCHED if BY_NAME[name].pages]


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


def test_visitors_who_come_at_once_find_the_terms(monkeypatch):
    """Python 3.11 fails where two threads parse sources at once."""
    running, most = [], []
    parse = data.texts_of

    def watched(page):
        running.append(page)
        most.append(len(running))
        found = parse(page)
        running.pop()
        return found

    monkeypatch.setattr(data, "texts_of", watched)
    data._entries.cache_clear()
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda _: data.entries(), range(4)))
    assert max(most) == 1 and all(each is found[0] for each in found) and len(found[0]) == len(BY_NAME)


def test_a_source_is_parsed_again_where_another_thread_parsed(monkeypatch):
    """A traceback that is worded meanwhile parses too, and no lock of ours holds it back."""
    parse, failed = ast.parse, []

    def disturbed(source):
        if len(failed) < 2:
            failed.append(source)
            raise SystemError("AST constructor recursion depth mismatch")
        return parse(source)

    monkeypatch.setattr(ast, "parse", disturbed)
    assert list(data.texts('label = "Two words"')) == ["Two words"] and len(failed) == 2
