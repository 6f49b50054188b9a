"""A static site in a browser: what is typed stays there, a second visit needs no host, and bad input is a sentence."""

import math
import re
import shutil
from contextlib import contextmanager
from urllib.parse import parse_qsl, urlsplit

import pytest
from playwright.sync_api import expect

import tlmviz
from tests.browser.helpers import DESK, PHONE, assert_fits, own_profile, param_of, until, wait_for_param
from tests.browser.notebook.test_live import check_likeliest, painted
from tests.site.built import built, hosted
from tlmviz.analysis.attention.tags import striking_row, tag_heads
from tlmviz.site.pages import site_pages
from tlmviz.ui.inputs import DEFAULT_TEXT

TEXT = "Tom saw a dog. Anna saw a dog. Tom saw a"


@pytest.fixture(scope="module")
def site():
    with hosted(built()) as address:
        yield address


@contextmanager
def visit(browser, window=DESK, **more):
    """A page of somebody who was never here; it asks for nothing outside of the site, and no script of it fails."""
    requests, errors = [], []
    with own_profile(browser, window, **more) as page:
        page.context.on("request", lambda request: requests.append(request.url))
        page.on("pageerror", lambda error: errors.append(error.stack or str(error)))
        page.on("console", lambda message: errors.append(message.text) if "Content Security" in message.text else None)
        yield page
        own = tuple({f"http://{urlsplit(page.url).netloc}/", "blob:", "data:"})
    assert not [url for url in requests if not url.startswith(own)]
    assert not errors


def detail(page):
    """The map of the explorer, once it is painted."""
    canvas = page.get_by_test_id("detail")
    expect(canvas).to_have_attribute("data-painted-kind", "exact")
    return canvas


def test_the_explorer_reads_what_is_typed_with_pythons_numbers_and_its_link_says_it(browser, site):
    lm = tlmviz.load("stories-rope")
    with visit(browser) as page:
        page.goto(f"{site}explorer/")
        trace = lm.trace(DEFAULT_TEXT)
        row = striking_row(trace, tag_heads(trace), lm)
        expect(detail(page)).to_have_attribute("data-painted-head", f"{row.layer}.{row.head}")
        wait_for_param(page, "head", f"{row.layer}.{row.head}")
        wait_for_param(page, "query", str(row.query))
        page.locator("#text").fill(TEXT)
        expect(detail(page)).to_have_attribute("data-painted-text", painted(TEXT, lm))
        check_likeliest(page, lm.trace(TEXT), lm)
        said = {"text": TEXT, "head": f"{row.layer}.{row.head}"}  # the pin was of another text
        until(page, lambda: dict(parse_qsl(urlsplit(page.url).query)) == said)


def test_a_link_of_the_app_opens_in_the_site(browser, site):
    with visit(browser) as page:
        page.goto(f"{site}?text=Tom+saw+a+dog.&head=2.3&query=4&key=1&model=zoo-rope&mute=0.1&stage=scaled")
        expect(detail(page)).to_have_attribute("data-painted-head", "2.3")
        page.wait_for_function("location.pathname === '/explorer/'")
        expect(page.locator("#model")).to_have_value("zoo-rope")
        expect(page.locator("#text")).to_have_value("Tom saw a dog.")
        expect(page.get_by_test_id("detail")).to_have_attribute("aria-label", re.compile("stage scaled"))
        page.locator("#model").select_option("stories-rope")
        wait_for_param(page, "model", None)
        expect(page.locator("#text")).to_have_value("Tom saw a dog.")
        check_likeliest(
            page, tlmviz.load("stories-rope").trace("Tom saw a dog.", edit=muted(0, 1)), tlmviz.load("stories-rope")
        )


def muted(layer, head):
    from tlmviz.analysis.attention.interventions import mute_heads

    return mute_heads([(layer, head)])


def test_a_second_visit_needs_no_host(browser):
    with own_profile(browser) as page:
        with hosted(built()) as site:
            page.goto(f"{site}explorer/")
            detail(page)
            page.evaluate("navigator.serviceWorker.ready.then(() => true)")
        for path in ("explorer/?text=Tom+saw", "explorer", "", "start/"):
            page.goto(f"{site}{path}")
            if "explorer" in path:
                detail(page)
            else:
                expect(page.get_by_test_id("look-said")).to_contain_text("The model expects")
        page.goto(f"{site}explorer/?model=zoo-rope")  # which was never fetched
        expect(page.get_by_role("alert")).to_contain_text("zoo-rope could not be fetched (no connection)")


def test_start_walks_over_a_sentence_and_leads_to_pages(browser, site):
    with visit(browser) as page:
        page.goto(site)
        expect(page.get_by_test_id("look-said")).to_contain_text("The model expects")
        page.locator("#text").fill("The cat saw a bird. The cat saw")
        expect(page.get_by_test_id("look-words").locator("button")).to_have_count(10)
        page.get_by_role("link", name="Attention explorer").last.click()
        detail(page)


@pytest.mark.parametrize("page_", site_pages(), ids=lambda page: page.page.path)
def test_pages_fit_a_phone_in_both_themes(browser, site, page_):
    for scheme in ("light", "dark"):
        with visit(browser, PHONE, color_scheme=scheme) as page:
            page.goto(f"{site}{page_.page.path}/")
            expect(page.locator("#view").locator("canvas, button").first).to_be_visible()
            assert_fits(page)
            expect(page.locator("#problem")).to_be_empty()


def test_in_a_frame_there_is_the_picture_alone(browser, site):
    with visit(browser, {"width": 600, "height": 500}) as page:
        page.goto(f"{site}explorer/?embed=picture&text=Tom+saw+a+dog.&head=2.3")
        expect(detail(page)).to_have_attribute("data-painted-head", "2.3")
        for part in ("header", "h1", "form", "#models", "footer"):
            expect(page.locator(part)).to_be_hidden()


# --- bad input ----------------------------------------------------------------------------------------


def test_an_unknown_model_is_a_sentence_and_the_text_stays(browser, site):
    with visit(browser) as page:
        page.goto(f"{site}explorer/?model=gpt-5&text=Tom+saw")
        expect(page.get_by_role("alert")).to_have_text(
            "There is no model “gpt-5” on this site; it has stories-rope, zoo-rope, stories-mhc. This is stories-rope."
        )
        detail(page)
        expect(page.locator("#text")).to_have_value("Tom saw")


@pytest.mark.parametrize("text", ["😀 Tom", "\u202e\u0000 ﷽", "a" * 10_000, ""])
def test_any_text_is_read_or_a_sentence_and_nothing_is_lost(browser, site, text):
    lm = tlmviz.load("stories-rope")
    with visit(browser) as page:
        page.goto(f"{site}explorer/")
        detail(page)
        page.locator("#text").fill(text)
        if 0 < len(text) < 100:
            kept = page.locator("#text").input_value()
            expect(page.get_by_test_id("detail")).to_have_attribute("data-painted-text", painted(kept, lm))
        else:
            expect(page.get_by_role("alert")).to_contain_text("shorten it." if text else "The text is empty")
            expect(page.locator("#text")).to_have_value(text)
        page.locator("#text").fill("Tom saw")
        expect(page.get_by_test_id("detail")).to_have_attribute("data-painted-text", painted("Tom saw", lm))
        expect(page.locator("#problem")).to_be_empty()


def test_a_file_of_weights_that_is_cut_or_damaged_is_a_sentence_and_is_not_kept(browser, tmp_path):
    shutil.copytree(built(), tmp_path / "site")
    [weights] = (tmp_path / "site" / "models").glob("stories-rope-*/model.safetensors")
    whole = weights.read_bytes()
    with hosted(tmp_path / "site") as site, visit(browser) as page:
        weights.write_bytes(whole[:1000])
        page.goto(f"{site}explorer/")
        expect(page.get_by_role("alert")).to_contain_text("A file of stories-rope arrived with 1,000 of")
        weights.write_bytes(b"\xff" * len(whole))
        page.reload()
        expect(page.get_by_role("alert")).to_contain_text("model.safetensors")
        weights.write_bytes(whole)
        page.reload()
        detail(page)


def test_a_browser_without_the_kernels_says_so(browser, site):
    with visit(browser) as page:
        page.add_init_script("WebAssembly.validate = () => false")
        page.goto(f"{site}explorer/")
        expect(page.get_by_role("alert")).to_contain_text("This browser lacks WebAssembly with SIMD")


def test_a_network_is_trained_by_a_link_of_the_app_and_its_controls_change_the_link(browser, site):
    with visit(browser) as page:
        page.goto(f"{site}train/?trtask=reverse&trlayers=1&trpos=learned&trwidth=32&trheads=2&trrate=0.01")
        root = page.get_by_test_id("train-root")
        expect(root).to_have_attribute("data-step", re.compile(r"^\d\d"))
        expect(page.get_by_label("Task")).to_have_value("reverse")
        page.get_by_label("Beside it").select_option("positions")
        wait_for_param(page, "trbeside", "positions")
        expect(page.get_by_test_id("train-question")).to_contain_text("Without positions")
        page.get_by_label("Positions", exact=True).select_option("none")  # which no second run can do without
        expect(page.get_by_label("Beside it")).to_have_value("alone")
        expect(page.get_by_label("Pieces at most")).to_be_hidden()
        page.get_by_label("Task").select_option("pieces")
        page.get_by_label("Pieces at most").select_option("64")
        expect(page.get_by_test_id("train-said")).to_contain_text(f"a guess has {math.log(64):.2f}")


def test_a_translation_is_rewritten_under_a_pin_and_the_link_keeps_it(browser, site):
    with visit(browser) as page:
        page.goto(f"{site}alignment/?english=The+black+cat+is+sleeping.&arib=2-2&aview=Scores")
        root = page.get_by_test_id("ribbons-root")
        expect(root).to_contain_text("Looking freely")
        expect(page.locator(".part").first).to_contain_text("The link asks for “Scores”")
        root.get_by_role("button", name="Look freely").click()
        wait_for_param(page, "arib", None)
        page.get_by_label("English sentence").fill("I am cold.")
        expect(page.get_by_label("Hypothesis").locator("option").first).to_contain_text("J'ai froid.")
        page.get_by_label("Attention map").select_option("mean")
        wait_for_param(page, "amap", "mean")
        wait_for_param(page, "english", "I am cold.")
        page.get_by_label("English sentence").fill("")
        expect(page.get_by_role("alert")).to_have_text("The sentence is empty; type at least one word.")


def test_beams_race_and_a_text_is_written_against_them(browser, site):
    with visit(browser) as page:
        page.goto(f"{site}beam_search/?english=I+am+cold.&bw=3")
        offers = page.get_by_test_id("race-offers").get_by_role("button")
        offers.first.click()
        assert param_of(page, "bown").isdigit()
        expect(page.get_by_test_id("race-own")).not_to_have_text("⟨start⟩")
        ranking = page.get_by_test_id("ranking-root")
        expect(ranking.get_by_role("listitem").first).to_contain_text("J'ai froid.")
        ranking.get_by_role("button", name="No penalties").click()
        wait_for_param(page, "al", "0")
        page.reload()
        expect(page.get_by_test_id("race-own")).not_to_have_text("⟨start⟩")


def test_a_point_that_is_moved_is_drawn_anew(browser, site):
    with visit(browser) as page:
        page.goto(f"{site}pointers/?hkind=Ring&hn=8")
        root, canvas = page.get_by_test_id("hull-root"), page.get_by_test_id("hull")
        expect(root).to_have_attribute("data-order", re.compile(r"\d"))
        canvas.press("Enter")
        for _ in range(3):
            page.keyboard.press("ArrowRight")
        assert re.fullmatch(r"\d+\.\d+(,\d+\.\d+){7}", param_of(page, "hpts"))
        expect(root).to_have_attribute("data-waiting", "false")
        page.goto(f"{site}pointers/?hseed=77")
        expect(page.get_by_role("alert")).to_contain_text("This set of points only the app draws")


def test_the_glossary_lights_a_term_finds_words_and_leads_to_pages_of_the_site(browser, site):
    with visit(browser) as page:
        page.goto(f"{site}glossary/?term=Softmax")
        lit = page.locator("article.lit")
        expect(lit).to_contain_text("Turns scores into positive shares")
        page.get_by_role("searchbox").fill("beam")
        wait_for_param(page, "gfind", "beam")
        terms = page.get_by_test_id("term").filter(visible=True)
        expect(terms.first).to_contain_text(re.compile("beam", re.IGNORECASE))
        until(page, lambda: 0 < terms.count() < 20)
        terms.get_by_role("link", name="Beam search", exact=True).first.click()
        expect(page.get_by_test_id("race-root")).to_be_visible()
        page.goto(f"{site}glossary/?term=qwxz")
        expect(page.get_by_role("alert")).to_contain_text("No term is called “qwxz”")


def test_a_word_is_found_on_the_map_with_its_neighbours(browser, site):
    words = tlmviz.load("words-negative")
    with visit(browser) as page:
        page.goto(f"{site}projector/?wpw=dog")
        root = page.get_by_test_id("projector-root")
        expect(root).to_have_attribute("data-row", str(words.vocabulary.index("dog")))
        expect(root).to_have_attribute("data-near", "10")
        for word, _cosine in words.neighbours("dog", 3):
            expect(page.get_by_test_id("panel")).to_contain_text(word)
        page.get_by_label("Word", exact=True).fill("Lily")
        expect(root).to_have_attribute("data-row", str(words.vocabulary.index("lily")))
        wait_for_param(page, "wpw", "Lily")
        page.get_by_test_id("panel").get_by_role("button").first.click()
        expect(page.get_by_label("Word", exact=True)).not_to_have_value("Lily")
        page.get_by_label("Word", exact=True).fill("two words")
        expect(page.get_by_role("alert")).to_contain_text("is 2 words; give exactly one word")


def test_the_clocks_of_a_link_of_the_app_are_moved_and_its_link_says_where(browser, site):
    with visit(browser) as page:
        page.goto(f"{site}rope_planes/?text=Tom+saw+a+dog.&head=3.1&query=4&key=2&rmove=Move+both&rat=3&rpart=Heads")
        root = page.get_by_test_id("clocks-root")
        expect(page.locator(".part")).to_contain_text("The link asks for “Heads”")
        expect(root).to_have_attribute("data-query", "7")
        score = tlmviz.load("stories-rope").trace("Tom saw a dog.").scores(3, 1)[4, 2].item()
        until(page, lambda: float(root.get_attribute("data-score")) == pytest.approx(score, abs=1e-3))
        page.get_by_label("Key", exact=True).select_option("1")
        wait_for_param(page, "key", "1")
        page.get_by_label("Moves", exact=True).select_option("Move the key")
        expect(root).to_have_attribute("data-key", "4")
        root.get_by_role("slider").press("Home")
        wait_for_param(page, "rat", "-1")
        page.get_by_label("Model", exact=True).select_option("zoo-rope")
        expect(root).to_have_attribute("data-key", "0")
        page.get_by_text("More", exact=True).click()
        page.get_by_label("θ", exact=True).fill("1")
        expect(page.get_by_role("alert")).to_contain_text("The base is 1; give a number above 1")
        page.get_by_label("Text", exact=True).fill("")
        expect(page.get_by_role("alert")).to_contain_text("The text is empty")


def test_a_generation_of_a_link_of_the_app_is_walked_and_its_link_says_where(browser, site):
    lm = tlmviz.load("zoo-rope")
    with visit(browser) as page:
        page.goto(f"{site}kv_cache/?text=Tom+saw+a+dog.&head=1.2&ktok=5&kstep=2&model=zoo-rope&kview=Cost")
        root, words = page.get_by_test_id("decode-root"), page.get_by_test_id("decode-words")
        expect(page.locator(".part").filter(has_text="The link asks for “Cost”")).to_be_visible()
        expect(root).to_contain_text("zoo-rope (MHA), L1H2")
        expect(words).to_contain_text("Token 2 of 5")
        written = lm.generate("Tom saw a dog.", max_new_tokens=5, temperature=0)
        root.get_by_role("slider").press("End")
        wait_for_param(page, "kstep", None)
        expect(words).to_contain_text(written.split()[0])
        field = page.get_by_label("Tokens to generate", exact=True)
        field.fill("400")
        expect(page.get_by_role("status").filter(has_text="goes from")).to_have_text(
            "Tokens to generate goes from 0 to 48: 48 is used, not 400."
        )
        expect(field).to_have_value("48")
        wait_for_param(page, "ktok", "48")
        field.fill("0")
        expect(page.get_by_role("alert")).to_contain_text("generate at least 1")


def test_the_steps_of_a_link_of_the_app_are_walked_and_a_cell_opens(browser, site):
    trace = tlmviz.load("zoo-rope").trace("Tom saw a dog.")
    with visit(browser) as page:
        page.goto(f"{site}inside_block/?model=zoo-rope&text=Tom+saw+a+dog.&head=1.2&query=3&step=mix&bcell=3")
        root, card = page.get_by_test_id("block-root"), page.get_by_test_id("card")
        layer, token, step, text = (page.get_by_label(name, exact=True) for name in ("Layer", "Token", "Step", "Text"))
        said, key = page.locator("div.part"), trace.attention(1, 2)[3].argmax().item()
        expect(card).to_contain_text(f"key token {key} “{trace.tokens[key].strip()}”")
        expect(step).to_have_value("mix")
        expect(said).to_contain_text(f"[B=1, H=8, T={len(trace)}, D=16]")
        expect(said.locator("code").last).to_contain_text("out = logp.exp() @ v")
        page.get_by_test_id("rows").press("ArrowUp")
        wait_for_param(page, "step", None)
        wait_for_param(page, "bcell", None)
        expect(step).to_have_value("softmax")
        step.select_option("add 1")
        expect(root).to_have_attribute("data-step", "add 1")
        expect(said).to_contain_text(re.compile(r"a vector \d+% as long"))
        token.select_option("1")
        wait_for_param(page, "query", "1")
        layer.select_option("0")
        wait_for_param(page, "head", "0.2")
        page.go_back()
        expect(layer).to_have_value("1")
        text.fill("Tom")
        expect(root).to_contain_text("Token 1 · Tom through L1H2")
        text.fill("a" * 10_000)
        expect(page.get_by_role("alert")).to_contain_text("shorten it")
        trace = (lm := tlmviz.load("stories-rope")).trace(DEFAULT_TEXT)
        row = striking_row(trace, tag_heads(trace), lm)
        page.goto(f"{site}inside_block/?step=loss&bcell=x&head=99.99&query=77777")
        expect(page.locator(".part").filter(has_text="The link asks for “loss”")).to_be_visible()
        expect(token).to_have_value(str(row.query))
        page.goto(f"{site}inside_block/")
        expect(token).to_have_value(str(row.query))
        wait_for_param(page, "head", f"{row.layer}.{row.head}")


def test_streams_of_a_link_of_the_app_are_walked_and_its_link_says_where(browser, site):
    with visit(browser) as page:
        page.goto(f"{site}mhc/?text=Tom+saw+a+dog.&stok=2&ssub=3&sfwidth=step&sview=Depth&smodel=stories-mhc")
        root = page.get_by_test_id("flow-root")
        expect(root).to_have_attribute("data-place", "3.2")
        expect(page.locator(".part").filter(has_text="The link asks for “Depth”")).to_be_visible()
        page.get_by_test_id("rivers").press("ArrowRight")
        wait_for_param(page, "ssub", "4")
        root.get_by_role("button", name="Carried").click()
        wait_for_param(page, "sfwidth", None)
        page.get_by_label("Text", exact=True).fill("Tom")
        expect(root).to_have_attribute("data-place", "4.1")
        page.get_by_label("Text", exact=True).fill("a" * 10_000)
        expect(page.get_by_role("alert")).to_contain_text("shorten it")


# --- from page to page --------------------------------------------------------------------------------


def write(page, text: str) -> None:
    """Type a text as somebody does, in place of what is there."""
    box = page.locator("#text")
    box.click()
    box.press("ControlOrMeta+a")
    page.keyboard.type(text)


def test_a_sentence_of_start_is_in_the_link_goes_along_to_pages_and_back_undoes_it(browser, site):
    with visit(browser) as page:
        page.goto(site)
        expect(page.get_by_test_id("look-said")).to_contain_text("The model expects")
        page.wait_for_function("location.pathname === '/'")
        write(page, "The cat saw a bird.")
        wait_for_param(page, "text", "The cat saw a bird.")
        page.wait_for_function("location.pathname === '/start/'")
        page.get_by_role("link", name="Glossary").first.click()
        expect(page.get_by_role("searchbox")).to_be_visible()
        page.get_by_role("link", name="Attention explorer").first.click()
        expect(page.locator("#text")).to_have_value("The cat saw a bird.")
        detail(page)
        write(page, "Tom saw a dog.")
        wait_for_param(page, "text", "Tom saw a dog.")
        page.go_back()
        expect(page.locator("#text")).to_have_value("The cat saw a bird.")
        detail(page)
        page.go_back()
        page.go_back()
        expect(page.get_by_test_id("look-said")).to_contain_text("The model expects")
        expect(page.locator("#text")).to_have_value("The cat saw a bird.")
        page.go_back()
        expect(page.locator("#text")).to_have_value(DEFAULT_TEXT)
        page.go_forward()
        expect(page.locator("#text")).to_have_value("The cat saw a bird.")


def test_a_sentence_goes_along_to_the_other_page_of_translations(browser, site):
    with visit(browser) as page:
        page.goto(f"{site}beam_search/?english=I+am+cold.")
        expect(page.get_by_test_id("race-root")).to_be_visible()
        page.get_by_role("link", name="Alignment & coverage").click()
        expect(page.get_by_label("English sentence")).to_have_value("I am cold.")
        expect(page.locator(".part").filter(has_text="Coverage")).to_contain_text("“cold”")


@pytest.mark.parametrize("path", ["explorer/", "start/", "rope_planes/", "alignment/"])
def test_the_picture_of_a_text_that_cannot_be_read_fades(browser, site, path):
    with visit(browser) as page:
        page.goto(f"{site}{path}")
        expect(page.locator("#view").locator("canvas, button").first).to_be_visible()
        box = page.locator("#text, #controls input:not([type])").first
        was = box.input_value()
        expect(page.locator("#view")).to_have_css("opacity", "1")
        box.fill("")
        expect(page.get_by_role("alert")).to_contain_text("is empty")
        expect(page.locator("#view")).to_have_css("opacity", "0.35")
        box.fill(was)
        expect(page.locator("#view")).to_have_css("opacity", "1")
        expect(page.locator("#problem")).to_be_empty()


@pytest.mark.parametrize("name", ["best", "default", "mean"])
def test_a_hypothesis_has_the_translators_own_score_whatever_map_is_shown(browser, site, name):
    own = tlmviz.load("eng-fra").translate("I am cold in my red coat.")
    with visit(browser) as page:
        page.goto(f"{site}alignment/?english=I+am+cold+in+my+red+coat.&amap={name}")
        first = page.get_by_label("Hypothesis").locator("option").first
        expect(first).to_contain_text(f"1. {own.text} (−1.75")
        said = float(re.search(r"\((−[\d.]+)\)", first.inner_text())[1].replace("−", "-"))
        assert said == pytest.approx(own.score, abs=0.01)  # the site's weights are rounded to 8 bits
