"""A network that learns in the browser: watched, paused, stepped back, with a second one beside it."""

import re
import zipfile

import numpy as np
import torch
from playwright.sync_api import expect

import tlmviz
from pages.start.train.state import STORY
from tests.browser.helpers import LONG, assert_above_the_fold, at_rest, from_menu, open_link, silence

QUICK = {"trwidth": "32", "trheads": "2", "trrate": "0.01"}


def pressed(root, name: str) -> None:
    root.get_by_role("button", name=name, exact=True).click()


def test_a_head_comes_into_being_and_nothing_is_sent(page, server):
    open_link(page, server, "train", **QUICK)
    root = page.get_by_test_id("train-root")
    expect(root).to_have_attribute("data-playing", "true")  # without a press
    assert_above_the_fold(page.get_by_test_id("train-canvas"))
    expect(root).to_have_attribute("data-step", re.compile(r"^[1-9]"))
    at_rest(page)
    with silence(page):  # while it learns
        pressed(root, "As fast as it can")
        expect(root).to_have_attribute("data-grown", "true", timeout=LONG)
        expect(page.get_by_test_id("train-outcome")).to_contain_text("looks for what came after")
        pressed(root, "Pause")
        expect(root).to_have_attribute("data-playing", "false")


def test_a_run_is_stepped_back_to_a_power_of_two_and_goes_on(page, server):
    open_link(page, server, "train", **QUICK)
    root = page.get_by_test_id("train-root")
    expect(root).to_have_attribute("data-step", re.compile(r"^\d\d"))
    pressed(root, "Step back")
    expect(root).to_have_attribute("data-playing", "false")
    expect(root).to_have_attribute("data-step", re.compile(r"^(8|16|32|64|128)$"))
    step = int(root.get_attribute("data-step"))
    pressed(root, "Train")
    expect(root).not_to_have_attribute("data-step", str(step))
    pressed(root, "From the start")
    page.wait_for_function("([root, step]) => Number(root.dataset.step) < step", arg=[root.element_handle(), step])


def test_what_has_learnt_is_saved_and_opens_in_python(page, server, tmp_path):
    open_link(page, server, "train", **QUICK)
    root = page.get_by_test_id("train-root")
    pressed(root, "As fast as it can")
    expect(root).to_have_attribute("data-grown", "true", timeout=LONG)
    pressed(root, "Pause")
    with page.expect_download() as download:
        pressed(root, "Save the model")
    with zipfile.ZipFile(download.value.path()) as archive:
        archive.extractall(tmp_path)
    run = "bdfhjlnpbdfhjlnpbdfhjlnp"
    lm = tlmviz.load(tmp_path / "trained-induction", device="cpu")
    trace = lm.trace(run)
    following = lm(torch.tensor([lm.encode(run)]))[0].argmax(-1)
    assert [lm.tokenizer.name(int(token)) for token in following[8:23]] == list(run[9:])
    with page.expect_download() as download:
        pressed(root, "Live file")
    file = tmp_path / download.value.suggested_filename
    download.value.save_as(file)
    page.goto(file.as_uri())
    # It opens on the head that has learnt most, which is named by what it does.
    expect(page.locator(".tags")).to_contain_text("nduction")
    page.get_by_label("Type a text").fill(run)
    expect(page.get_by_test_id("detail")).to_have_attribute("data-painted-text", f"{len(run)}:{len(run)}")
    maps = page.evaluate("(text) => Array.from(window.tlmviz.trace(text).map(1, 0))", run)
    np.testing.assert_allclose(np.reshape(maps, (len(run), -1)), trace.attention(1, 0), atol=1e-4)
    open_link(page, server, "train", trmask="false", **QUICK)
    button = page.get_by_role("button", name="Save the model")
    expect(button).to_be_disabled()
    expect(button).to_have_attribute("title", re.compile("causal mask"))


def test_a_second_run_waits_for_a_guess_and_says_what_came_of_it(page, server):
    open_link(page, server, "train", trtask="reverse", trlayers="1", trpos="learned", trbeside="positions", **QUICK)
    root = page.get_by_test_id("train-root")
    question = page.get_by_test_id("train-question")
    expect(question).to_contain_text("Without positions")
    expect(root).to_have_attribute("data-playing", "false")
    pressed(root, "As fast as it can")
    pressed(root, "No")
    expect(question).to_be_empty()
    outcome = page.get_by_test_id("train-outcome")
    expect(outcome).to_contain_text("You guessed right. Beside it", timeout=LONG)
    expect(page.get_by_test_id("train-said")).to_have_count(2)
    with page.expect_download() as download:
        from_menu(page, "SVG")
    svg = download.value.path().read_text(encoding="utf-8")
    for name in ("As chosen above", "The same without positions"):  # which run, and how far it is
        assert re.search(rf">{name}, step [\d,]+<", svg), name


def test_a_text_that_is_too_short_is_refused_in_a_sentence(page, server):
    open_link(page, server, "train", trtask="text", trtext="a")
    expect(page.get_by_test_id("train-outcome")).to_contain_text("This text has 1 letter")


def test_a_text_by_pieces_is_learnt_by_heart_which_is_said_and_saved(page, server, tmp_path):
    open_link(page, server, "train", trtask="pieces", trwidth="32", trheads="2", trrate="0.01")
    root = page.get_by_test_id("train-root")
    expect(page.get_by_test_id("train-next")).to_contain_text("Watch until the curves rise")
    pressed(root, "As fast as it can")
    expect(page.get_by_test_id("train-outcome")).to_contain_text("by heart", timeout=LONG)
    pressed(root, "Pause")
    expect(page.get_by_test_id("train-next")).not_to_contain_text("Watch")
    with page.expect_download() as download:
        pressed(root, "Save the model")
    with zipfile.ZipFile(download.value.path()) as archive:
        archive.extractall(tmp_path)
    lm = tlmviz.load(tmp_path / "trained-pieces", device="cpu")
    written = lm.generate("Once upon a time", 8, temperature=0.0)
    assert written.strip() and written in STORY


def test_a_map_is_read_by_pointing_at_it_and_by_keys(page, server):
    open_link(page, server, "train", **QUICK)
    root, cell = page.get_by_test_id("train-root"), page.get_by_test_id("train-cell")
    expect(root).to_have_attribute("data-step", re.compile(r"^[1-9]"))  # what stands above has its height
    page.get_by_test_id("train-canvas").hover(position={"x": 20, "y": 60})
    expect(cell).to_contain_text(re.compile(r"L0H0: “\w” \(\d+\) gives \d\.\d\d to “\w” \(\d+\)"))
    page.get_by_role("heading", name="Train a transformer").hover()
    expect(cell).to_be_empty()
    canvas = page.get_by_test_id("train-canvas")
    for key, place in (("ArrowDown", (0, 0)), ("ArrowDown", (1, 0)), ("ArrowRight", (1, 1)), ("ArrowUp", (0, 1))):
        canvas.press(key)
        expect(cell).to_contain_text(re.compile(rf"L0H0: “\w” \({place[0]}\) .*“\w” \({place[1]}\)"))
    expect(cell).to_contain_text("which comes later")
