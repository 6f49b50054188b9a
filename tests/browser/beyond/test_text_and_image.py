"""Text and image: a digit put into a cell, a question picked, a word and a patch chosen, and the link that keeps
them."""

from playwright.sync_api import expect

from tests.browser.helpers import assert_above_the_fold, at_rest, open_link, param_of, wait_for_param


def opened(page, server):
    open_link(page, server, "text_and_image", tig="h0........", tiq="how many digits are there")
    root = page.get_by_test_id("scene-root")
    expect(root).to_have_attribute("data-seq", "0")
    return root


def test_a_digit_is_put_into_a_cell_and_a_question_is_picked(page, server):
    root = opened(page, server)
    assert_above_the_fold(page.get_by_test_id("scene-asks"))
    grid = page.get_by_test_id("scene-grid")
    grid.click(position={"x": 200, "y": 200})
    expect(root).to_have_attribute("data-cell", "8")
    page.get_by_test_id("scene-digits").get_by_role("button", name="3", exact=True).click()
    page.wait_for_function("() => /^h0\\.+h\\d+$/.test(new URLSearchParams(location.search).get('tig'))")
    page.get_by_test_id("scene-picks").get_by_role("button", name="describe the picture").click()
    wait_for_param(page, "tiq", "describe the picture")
    expect(page.get_by_test_id("scene-words")).to_contain_text("describe")


def test_words_and_patches_are_chosen_and_nonsense_is_a_sentence(page, server):
    root = opened(page, server)
    page.get_by_test_id("scene-words").get_by_role("button", name="many", exact=True).click()
    page.get_by_test_id("scene-asks").click(position={"x": 10, "y": 10})
    page.wait_for_function("() => (new URLSearchParams(location.search).get('tis') ?? '').startsWith('2.1.')")
    expect(root).to_have_attribute("data-shown", param_of(page, "tis"))
    expect(page.get_by_test_id("scene-turned-said")).to_contain_text("the chosen patch")
    page.get_by_role("textbox", name="Question").fill("paint the 7")
    expect(page.get_by_test_id("scene-verdict")).to_contain_text("'paint' is no word")
    expect(page.get_by_test_id("scene-asks")).to_be_hidden()


def test_what_is_refused_leaves_a_picture_that_can_be_saved(page, server):
    opened(page, server)
    page.get_by_role("textbox", name="Question").fill("")
    expect(page.get_by_test_id("scene-verdict")).to_contain_text("There is no question")
    found = at_rest(page)
    assert found["titles"] and found["index"] == 0
