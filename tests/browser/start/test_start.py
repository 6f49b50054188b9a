"""Start in a browser: words light up where one is pointed at, the sentence follows to a chapter."""

from playwright.sync_api import expect

from tests.browser.helpers import assert_above_the_fold, open_link, wait_for_param


def test_words_light_up_and_a_chapter_is_opened_with_the_sentence(page, server):
    open_link(page, server, "")
    said = page.get_by_test_id("look-said")
    expect(said).to_contain_text("Which earlier word does it look at most? Tap your guess.")
    assert_above_the_fold(said)
    word = page.get_by_test_id("look-words").get_by_role("button")
    claim = page.locator(".st-key-claim")
    expect(claim).to_contain_text("Where does the model look?")
    word.nth(5).hover()  # which shows nothing until it is guessed
    expect(page.get_by_role("button", name="A head that looks one back")).to_be_hidden()
    guessed = word.nth(5).inner_text()
    word.nth(5).click()
    expect(said).to_contain_text(f"Your “{guessed}” gets ")
    expect(said).to_contain_text(
        "“red” looks most at “ball”, with 97% of its weight. The model expects “ball” after it, with 94%."
    )
    expect(claim).to_contain_text("After “red” the model expects “ball”")
    word.nth(11).click()
    expect(said).to_contain_text("“Lily” looks most at")
    expect(word.nth(11)).to_have_class("from")
    page.get_by_role("button", name="A head that looks one back").click()
    expect(said).to_contain_text("L4H2")
    page.get_by_role("textbox", name="Text").fill("Tom met Anna. Tom met")
    expect(word).to_have_count(7)
    card = page.locator(".chapters a", has_text="Positions")
    expect(card).to_have_attribute("href", "rope_planes?text=Tom+met+Anna.+Tom+met")
    begin = page.get_by_role("link", name="Begin the lessons")
    expect(begin).to_have_attribute("href", "lessons?lesson=next&sentence=Tom+met+Anna.+Tom+met")
    card.click()
    expect(page.locator("h1").first).to_contain_text("RoPE planes")
    wait_for_param(page, "text", "Tom met Anna. Tom met")


def test_the_explorer_by_its_name_is_the_explorer(page, server):
    page.goto(server + "explorer?head=3.2")
    expect(page.locator("h1").first).to_contain_text("Attention explorer")
    wait_for_param(page, "head", "3.2")
    page.goto(server + "explorer")
    expect(page.locator("h1").first).to_contain_text("Attention explorer")
    expect(page.get_by_text("Page not found")).to_have_count(0)
