"""A class in two browsers: a teacher opens a room, a student joins by its short link, and the wall shows the answer by itself."""

import urllib.request

from playwright.sync_api import expect

from tests.browser.helpers import (
    assert_above_the_fold,
    assert_fits,
    open_link,
    param_of,
    phone,
    wait_for_param,
)
from tlmviz.ui.tours.table import TOURS

TOUR = TOURS["earlier-anna"]
FIRST, SECOND = TOUR.steps[0], TOUR.steps[1]


def test_a_teacher_sees_a_students_answer_arrive(page, browser, server):
    open_link(page, server, "room", rtour=TOUR.name)
    page.get_by_role("button", name="Open a room").click()
    code = param_of(page, "code")
    page.wait_for_function("location.hash.length >= '#teach='.length + 32")
    asked = []
    page.on("request", lambda request: asked.append(request.url))
    page.reload()  # the browser alone has kept the secret: it is in no request
    secret = page.evaluate("location.hash.slice('#teach='.length)")
    expect(page.locator(".room-code b")).to_have_text(f"{code[:3]} {code[3:]}")
    expect(page.locator(".room-link")).to_have_text(f"{server.partition('://')[2]}join/{code}")
    assert_above_the_fold(page.locator(".room-code img"))
    assert asked and not any(secret in url for url in asked)
    with phone(browser) as student:
        student.goto(f"{server}join/{code.lower()}")
        expect(student.locator(".st-key-tour")).to_contain_text(FIRST.title)
        wait_for_param(student, "room", code)
        expect(page.locator(".room-visitors b")).to_have_text(
            "1"
        )  # by itself: nothing is pressed on the wall
        page.get_by_text("Show the code large").click()
        card = page.locator(".st-key-roomstep1")
        expect(card).to_contain_text("1 here")
        expect(card).to_contain_text("No answer yet")
        answer = student.locator(".st-key-tour").get_by_role(
            "button", name=FIRST.question.answers[0], exact=True
        )
        answer.click()
        expect(student.locator(".room-answers")).to_contain_text("1 · 100%")
        expect(card).to_contain_text("1 answer")
        expect(card.locator(".room-answers")).to_have_count(0)
        page.locator(".st-key-reveal1 button").click()
        expect(card.locator(".room-answers")).to_contain_text("1 · 100%")
        expect(card.locator(".room-answers .right")).to_contain_text("✓")
        student.reload()  # the same tab is the same visitor
        expect(student.locator(".room-answers")).to_contain_text("1 · 100%")
        student.get_by_role("link", name="Next", exact=True).click()
        expect(student.locator(".st-key-tour")).to_contain_text(SECOND.title)
        expect(card).to_contain_text("0 here")
        expect(page.locator(".st-key-roomstep2")).to_contain_text("1 here")
        expect(page.locator(".room-visitors b")).to_have_text("1")
        assert_fits(student)
        student.get_by_role("link", name="Leave").click()
        wait_for_param(student, "room", None)
    page.get_by_role("button", name="End the room").click()
    page.get_by_role("button", name="End it and delete the counts").click()
    expect(page.get_by_text("its counts are deleted.")).to_be_visible()
    page.wait_for_function("!location.hash && !location.search.includes('code')")


def test_a_teacher_holds_the_room_lets_it_vote_again_and_reveals(page, browser, server):
    """And all of it reaches the student by itself."""
    open_link(page, server, "room", rtour=TOUR.name)
    page.get_by_role("button", name="Open a room").click()
    code = param_of(page, "code")
    page.get_by_text("Results when I reveal").click()
    page.get_by_text("Show the code large").click()
    card = page.locator(".st-key-roomstep1")
    expect(card).to_contain_text("No answer yet")
    expect(page.locator("[class*=st-key-reveal] button")).to_have_count(2)  # of all: none has been answered
    with phone(browser) as student:
        student.goto(f"{server}join/{code}")
        bar = student.locator(".st-key-tour")
        way_on = bar.get_by_role("link", name="Next", exact=True)
        expect(way_on).to_be_visible()
        card.get_by_role("button", name="Hold here").click()
        expect(bar).to_contain_text("Your teacher holds the room at step 1.")
        expect(way_on).to_have_count(0)
        first, second = FIRST.question.answers[:2]
        bar.get_by_role("button", name=first, exact=True).click()
        expect(bar).to_contain_text(f"Your answer, “{first}”, is counted.")
        wait_for_param(student, "told", "0")
        card.get_by_role("button", name="Vote again").click()
        expect(bar).to_contain_text("Your teacher asks again")
        assert_fits(student)
        expect(student.get_by_test_id("spotlight")).to_have_css("backdrop-filter", "blur(9px)")
        bar.get_by_role("button", name=second, exact=True).click()
        expect(bar).to_contain_text(f"Your answer, “{second}”, is counted.")
        expect(card).to_contain_text("1 answer, 1 in the second vote")
        expect(bar).not_to_contain_text("Measured now")
        expect(student.locator(".room-answers")).to_have_count(0)
        card.get_by_role("button", name="Reveal").click()
        for wall in (card, student):
            expect(wall.locator(".room-answers")).to_contain_text("1 · 100% → 0 · 0%")
            expect(wall.locator(".room-answers")).to_contain_text("0 · 0% → 1 · 100%")
        expect(bar).to_contain_text("Measured now")
        expect(student.get_by_test_id("spotlight")).to_have_css("backdrop-filter", "none")
        assert_fits(student)
        card.get_by_role("button", name="Let go").click()
        way_on.click()
        expect(bar).to_contain_text(SECOND.title)
        page.get_by_role("button", name="End the room").click()
        page.get_by_role("button", name="End it and delete the counts").click()
        expect(student.get_by_text(f"Room {code} has ended")).to_be_visible()
        wait_for_param(student, "room", None)
        expect(bar).to_contain_text(SECOND.title)


def test_the_wall_fills_the_screen_without_the_menus(page, server):
    open_link(page, server, "room")
    page.get_by_role("button", name="Open a room").click()
    expect(page.get_by_test_id("stSidebar")).to_be_visible()
    page.get_by_role("button", name="Full screen").click()
    page.wait_for_function("document.fullscreenElement === document.documentElement")
    expect(page.get_by_test_id("stSidebar")).to_be_hidden()
    expect(page.locator(".room-code b")).to_be_visible()
    page.evaluate("document.exitFullscreen()")
    expect(page.get_by_test_id("stSidebar")).to_be_visible()


def test_a_code_that_is_none_leads_to_a_sentence_and_the_wall_fits_a_phone(browser, server):
    answered = urllib.request.urlopen(f"{server}join/34679C")
    assert answered.url == f"{server}room?code=34679C"
    with phone(browser, "dark") as page:
        open_link(page, server, "room", code="34679C")
        expect(page.get_by_text("There is no room 34679C")).to_be_visible()
        page.get_by_role("button", name="Open a room").click()
        expect(page.locator(".room-code img")).to_be_visible()
        assert_fits(page)
        page.get_by_text("Show the code large").click()
        expect(page.locator(".room-step")).to_have_count(len(TOURS["next-token"].steps))
        assert_fits(page)


def test_a_teachers_own_question_is_answered_on_the_page_that_it_is_about(page, browser, server):
    open_link(page, server, "room")
    page.get_by_role("button", name="Ask a question of your own").click()
    form = page.get_by_test_id("stForm")
    for label, text in (
        ("Link of the page", f"{server}kv_cache?model=zoo-rope&head=1.2"),
        ("Your question", "How many <b>queries</b> are kept?"),
        ("Answer 1", "none"),
        ("Answer 2", "all"),
    ):
        form.get_by_label(label, exact=True).fill(text)
    form.get_by_role("button", name="Open a room on it").click()
    code = param_of(page, "code")
    page.get_by_text("Show the code large").click()
    card = page.locator(".st-key-roomstep1")
    expect(card).to_contain_text("How many <b>queries</b> are kept?")
    with phone(browser) as student:
        student.goto(f"{server}join/{code}")
        bar = student.locator(".st-key-tour")
        expect(bar).to_contain_text("How many <b>queries</b> are kept?")
        wait_for_param(student, "head", "1.2")
        student.wait_for_function("location.pathname === '/kv_cache'")
        assert_fits(student)
        bar.get_by_role("button", name="none", exact=True).click()
        expect(bar).to_contain_text("You said: none")
        expect(card).to_contain_text("1 answer")
        card.get_by_role("button", name="Reveal").click()
        expect(card.locator(".room-answers")).to_contain_text("1 · 100%")
        expect(bar.locator(".room-answers")).to_contain_text("1 · 100%")
        assert_fits(student)
