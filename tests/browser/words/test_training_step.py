"""What people do on the part One step of the page Word vectors, in a real browser."""

import re

from playwright.sync_api import expect

from tests.browser.helpers import (
    assert_above_the_fold,
    assert_fits,
    at_rest,
    frames_sent,
    from_menu,
    open_link,
    phone,
    wait_for_param,
)


def open_step(page, server, **params):
    open_link(page, server, "word_vectors", wvpart="step", **params)
    view = page.get_by_test_id("one-step-root")
    expect(view).to_have_attribute("data-step", re.compile(r"\d"))
    return view


def slide(page, power: float) -> None:
    """Move the rate to a power of ten, as a finger does."""
    page.get_by_test_id("slider-rate").evaluate(
        "(slider, power) => { slider.value = power; slider.dispatchEvent(new Event('input')); }", power
    )


def test_the_rate_moves_every_probability_without_the_server_and_enters_the_link(page, server):
    sent = frames_sent(page)
    view = open_step(page, server)
    assert_above_the_fold(page.get_by_test_id("plane"))
    at_rest(page)
    before = len(sent)
    seen = []
    for power in (-3, -2, -1, 0):
        slide(page, power)
        expect(view).to_have_attribute("data-step", f"{10**power:.3f}")
        seen.append(float(view.get_attribute("data-after")))
    assert seen == sorted(seen) and seen[-1] > 2 * seen[0]
    assert len(sent) - before <= 2  # moves send nothing; what is left in the end is told once they are over
    wait_for_param(page, "wrate", "1")
    page.get_by_test_id("all").uncheck()
    wait_for_param(page, "wmove", "v")
    page.reload()
    expect(view).to_have_attribute("data-step", "1.000")
    expect(page.get_by_test_id("all")).not_to_be_checked()
    page.locator(
        ".st-key-beneath-step"
    ).scroll_into_view_if_needed()  # what is below is drawn where it is seen
    expect(page.locator(".st-key-stepcosts .js-plotly-plot").first).to_be_visible()


def test_a_throw_draws_other_words_and_the_link_draws_the_same_again(page, server):
    view = open_step(page, server, wpart="Negative sampling", wsseed=31)
    first = page.get_by_test_id("plane").get_attribute("aria-label")
    page.get_by_role("button", name="Throw").click()
    expect(view).to_have_attribute("data-seed", "32")
    wait_for_param(page, "wsseed", "32")  # beyond the throws that came first
    at_rest(page)
    drawn = page.get_by_test_id("plane").get_attribute("aria-label")
    assert drawn != first
    page.reload()
    expect(page.get_by_test_id("plane")).to_have_attribute("aria-label", drawn)


def test_the_window_of_cbow_follows_the_word_that_is_clicked(page, server):
    view = open_step(page, server, wpart="CBOW")
    page.get_by_role("button", name="lily", exact=True).click()
    expect(page.get_by_test_id("said")).to_contain_text("predicts “lily”")
    wait_for_param(page, "wsat", view.get_attribute("data-at"))


def test_a_leaf_of_the_tree_that_is_clicked_is_the_next_word(page, server):
    view = open_step(page, server, wpart="Tree", wwide="text")
    expect(view).to_have_attribute("data-sum", re.compile(r"1\.0000000"))
    at_rest(page)
    box = page.get_by_test_id("plane").bounding_box()
    for step in range(40):  # frequent words have wide leaves: some lies on this line
        page.mouse.move(box["x"] + 10 + 12 * step, box["y"] + 22 + 5.5 * (box["height"] - 22) / 18)
        if "decisions" in (page.locator(".tip").text_content() or ""):
            break
    word = re.search(r"Pr\((.+?) \|", page.locator(".tip").text_content()).group(1)
    page.mouse.down()
    page.mouse.up()
    expect(page.get_by_role("textbox", name="Context word")).to_have_value(word)
    expect(page.get_by_test_id("said")).to_contain_text(f"lead to “{word}”")
    wait_for_param(page, "wcontext", word)


def test_the_pictures_fit_a_phone_and_are_saved(page, server, browser):
    open_step(page, server, wpart="Negative sampling")
    with page.expect_download() as download:
        from_menu(page, "SVG")
    text = download.value.path().read_text(encoding="utf-8")
    assert "pull" in text and "girl" in text
    with phone(browser, "dark") as small:
        for part in ("Full softmax", "Tree"):
            open_step(small, server, wpart=part)
            at_rest(small)
            assert_fits(small)


def test_an_old_address_leads_here_with_its_seed(page, server):
    open_link(page, server, "training_step", wpart="Negative sampling", wseed=31)
    expect(page.get_by_test_id("one-step-root")).to_have_attribute("data-seed", "31")
