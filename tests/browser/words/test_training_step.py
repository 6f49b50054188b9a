"""What people do on the part One step of the page Word vectors, in a real browser."""

import re

from playwright.sync_api import expect

from tests.browser.helpers import (
    assert_above_the_fold,
    at_rest,
    box_of,
    from_menu,
    look_below,
    open_link,
    runs,
    silence,
    stopped,
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


def test_the_rate_moves_every_probability_without_the_server_and_enters_the_link(clocked, server):
    view = open_step(clocked, server)
    assert_above_the_fold(clocked.get_by_test_id("plane"))
    at_rest(clocked)
    seen = []
    with runs(clocked) as asked:
        with stopped(clocked), silence(clocked):
            for power in (-3, -2, -1, 0):
                slide(clocked, power)
                expect(view).to_have_attribute("data-step", f"{10**power:.3f}")
                seen.append(float(view.get_attribute("data-after")))
        assert seen == sorted(seen) and seen[-1] > 2 * seen[0]
        wait_for_param(clocked, "wrate", "1")
        at_rest(clocked)
    assert len(asked) <= 2  # one for where the moves end, and one for what is below
    clocked.get_by_test_id("all").uncheck()
    wait_for_param(clocked, "wmove", "v")
    clocked.reload()
    expect(view).to_have_attribute("data-step", "1.000")
    expect(clocked.get_by_test_id("all")).not_to_be_checked()
    look_below(clocked, "beneath-step", clocked.locator(".st-key-stepcosts .js-plotly-plot").first)


def test_a_throw_draws_other_words_and_the_link_draws_the_same_again(page, server):
    view = open_step(page, server, wpart="Negative sampling", wsseed=31)
    first = page.get_by_test_id("plane").get_attribute("aria-label")
    page.get_by_role("button", name="Throw").click()
    expect(view).to_have_attribute("data-seed", "32")
    wait_for_param(page, "wsseed", "32")  # beyond the throws that came first
    expect(page.get_by_test_id("plane")).not_to_have_attribute("aria-label", first)
    at_rest(page)
    drawn = page.get_by_test_id("plane").get_attribute("aria-label")
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
    box = box_of(page.get_by_test_id("plane"))
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


def test_the_picture_is_saved(page, server):
    open_step(page, server, wpart="Negative sampling")
    with page.expect_download() as download:
        from_menu(page, "SVG")
    text = download.value.path().read_text(encoding="utf-8")
    assert "pull" in text and "girl" in text


def test_an_old_address_leads_here_with_its_seed(page, server):
    open_link(page, server, "training_step", wpart="Negative sampling", wseed=31)
    expect(page.get_by_test_id("one-step-root")).to_have_attribute("data-seed", "31")
