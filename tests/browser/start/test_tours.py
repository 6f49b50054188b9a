"""A tour is walked from end to end, and the place of every step of every tour is there and lit."""

import re

from playwright.sync_api import expect

from tests.browser.helpers import (
    PHONE,
    assert_fits,
    box_of,
    from_pages,
    open_link,
    param_of,
    phone,
    until,
    wait_for_param,
)
from tlmviz.ui.tours import bar
from tlmviz.ui.tours.table import TOURS

FIRST = TOURS["earlier-anna"]


def lit(page, tour, number: int) -> None:
    """The place of a step is on the page, framed, and in the part of the window that is seen."""
    ring = page.locator(f"[data-testid=spotlight][data-step='{tour.name}.{number}']")
    expect(ring).to_be_visible()
    place = page.locator(tour.steps[number - 1].place).first
    expect(place).to_be_visible()
    page.wait_for_function(
        """([ring, place]) => {
            const [a, b] = [ring, place].map((part) => part.getBoundingClientRect());
            const floor = document.querySelector("[data-testid=stBottom]").getBoundingClientRect().top;
            return Math.abs(a.top + 4 - b.top) < 3 && Math.abs(a.width - 8 - b.width) < 3 && b.top < floor - 30;
        }""",
        arg=[ring.element_handle(), place.element_handle()],
    )


def test_a_tour_is_walked_answered_left_and_gone_on_with(page, server):
    open_link(page, server, "tours")
    page.evaluate("window.opened = true")
    page.locator(f"a[href*='tour={FIRST.name}']").first.click()
    for number, step in enumerate(FIRST.steps, 1):
        lit(page, FIRST, number)
        wait_for_param(page, "text", step.link["text"])  # of another page too
        ring = page.get_by_test_id("spotlight")
        expect(ring).to_have_css("backdrop-filter", "blur(9px)" if step.question else "none")
        if step.question:
            page.locator(".st-key-tour").get_by_role("button").first.click()
            expect(page.locator(".st-key-tour")).to_contain_text("Measured now")
            expect(ring).to_have_css("backdrop-filter", "none")
        if number < len(FIRST.steps):
            page.get_by_role("link", name="Next", exact=True).click()
    assert page.evaluate("window.opened")  # the app was never loaded anew
    until(page, lambda: param_of(page, "told").startswith("0."))
    page.get_by_role("link", name="Back", exact=True).click()
    lit(page, FIRST, len(FIRST.steps) - 1)
    page.get_by_role("link", name="Leave").click()
    wait_for_param(page, "tour", None)
    expect(page.locator(".st-key-tour")).to_have_count(0)
    expect(page.get_by_test_id("spotlight")).to_have_count(0)
    from_pages(page, "Tours")
    card = page.locator(f"article[data-tour={FIRST.name}]")
    expect(card).to_contain_text(re.compile(r"\d of \d right"))
    card.get_by_role("link", name=f"Go on at step {len(FIRST.steps) - 1}").click()
    lit(page, FIRST, len(FIRST.steps) - 1)
    open_link(page, server, "tours")  # another day: a session that knows nothing
    card.get_by_role("link", name=f"Go on at step {len(FIRST.steps) - 1}").click()
    lit(page, FIRST, len(FIRST.steps) - 1)
    until(page, lambda: param_of(page, "told").startswith("0."))


def test_an_own_text_has_a_way_back_to_the_tours(page, server):
    open_link(page, server, "", tour=FIRST.name, **FIRST.steps[0].link)
    lit(page, FIRST, 1)
    back = page.get_by_role("link", name="Your own text: back to the tour's")
    expect(back).to_be_hidden()
    page.get_by_role("textbox", name="Text", exact=True).fill("A cat sat.")
    page.keyboard.press("Enter")
    expect(back).to_be_visible()
    back.click()
    wait_for_param(page, "text", FIRST.steps[0].link["text"])
    expect(back).to_be_hidden()


def test_the_place_of_every_step_is_there(page, server):
    open_link(page, server, "tours")
    expect(page.locator(".tours")).to_be_visible()
    for tour in (each for each in TOURS.values() if each is not FIRST):
        for number in range(1, len(tour.steps) + 1):
            page.evaluate(
                "(to) => { history.pushState({}, '', to); dispatchEvent(new PopStateEvent('popstate')); }",
                server + bar.step_address(tour, number, "explorer").removeprefix("./"),
            )
            lit(page, tour, number)


def test_on_a_phone_the_bar_leaves_room_for_the_page(browser, server):
    with phone(browser) as page:
        open_link(page, server, "", tour=FIRST.name, tourstep=2, **FIRST.steps[1].link)
        lit(page, FIRST, 2)
        box = box_of(page.locator(".st-key-tour"))
        assert box["y"] > PHONE["height"] / 2 and box["width"] <= PHONE["width"]


def test_every_step_of_the_circuit_is_lit_on_a_phone_and_its_sentence_hidden_while_it_asks(browser, server):
    tour = TOURS["circuit"]
    with phone(browser) as page:
        for number in range(1, len(tour.steps) + 1):
            page.goto(server + bar.step_address(tour, number, "explorer").removeprefix("./"))
            lit(page, tour, number)
            expect(page.locator(".st-key-claim").first).to_have_css("filter", "blur(7px)")
        page.locator(".st-key-tour").get_by_role("button").first.click()
        expect(page.locator(".st-key-tour")).to_contain_text("Measured now")
        expect(page.locator(".st-key-claim").first).to_have_css("filter", "none")
        assert_fits(page)
