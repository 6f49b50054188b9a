"""A class in two browsers: a teacher opens a room, a student joins by its short link, and the wall shows the answer by
itself."""

import urllib.request

from playwright.sync_api import expect

from tests.browser.helpers import assert_above_the_fold, assert_fits, open_link, param_of, phone, wait_for_param
from tlmviz.ui.lessons import runner
from tlmviz.ui.lessons.table import LESSONS

LESSON = LESSONS["next"]
FIRST, SECOND = runner.payload(LESSON)["scenes"][:2]


def test_a_teacher_sees_a_students_answer_arrive(page, browser, server):
    open_link(page, server, "room", rlesson=LESSON.name)
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
        lesson = student.get_by_role("dialog")
        expect(lesson).to_contain_text("What would you write?")
        wait_for_param(student, "room", code)
        expect(page.locator(".room-visitors b")).to_have_text("1")  # by itself: nothing is pressed on the wall
        page.get_by_text("Show the code large").click()
        card = page.locator(".st-key-roomstep1")
        expect(card).to_contain_text("1 here")
        expect(card).to_contain_text("No answer yet")
        lesson.get_by_role("button", name=FIRST["answers"][0], exact=True).click()
        expect(lesson).to_contain_text(f"The room: {FIRST['answers'][0]}: 1.")
        expect(card).to_contain_text("1 answer")
        expect(card.locator(".room-answers")).to_have_count(0)
        page.locator(".st-key-reveal1 button").click()
        expect(card.locator(".room-answers")).to_contain_text("1 · 100%")
        expect(card.locator(".room-answers .right")).to_contain_text("✓")
        student.reload()  # the same tab is the same visitor
        expect(lesson).to_contain_text(f"The room: {FIRST['answers'][0]}: 1.")
        lesson.get_by_role("button", name="Next", exact=True).click()
        expect(lesson).to_contain_text("It knows 2,048 pieces")
        expect(card).to_contain_text("0 here")
        expect(page.locator(".st-key-roomstep2")).to_contain_text("1 here")
        expect(page.locator(".room-visitors b")).to_have_text("1")
        assert_fits(student)
        lesson.get_by_role("button", name="All lessons").click()
        wait_for_param(student, "room", None)
    page.get_by_role("button", name="End the room").click()
    page.get_by_role("button", name="End it and delete the counts").click()
    expect(page.get_by_text("its counts are deleted.")).to_be_visible()
    page.wait_for_function("!location.hash && !location.search.includes('code')")


def test_a_teacher_holds_the_room_lets_it_vote_again_and_reveals(page, browser, server):
    """And all of it reaches the student by itself."""
    open_link(page, server, "room", rlesson=LESSON.name)
    page.get_by_role("button", name="Open a room").click()
    code = param_of(page, "code")
    page.get_by_text("Results when I reveal").click()
    page.get_by_text("Show the code large").click()
    card = page.locator(".st-key-roomstep1")
    expect(card).to_contain_text("No answer yet")
    expect(page.locator("[class*=st-key-reveal] button")).to_have_count(2)  # of all: none has been answered
    with phone(browser) as student:
        student.goto(f"{server}join/{code}")
        lesson = student.get_by_role("dialog")
        way_on = lesson.get_by_role("button", name="Next", exact=True)
        first, second = FIRST["answers"][:2]
        lesson.get_by_role("button", name=first, exact=True).click()
        expect(lesson).to_contain_text(f"Your answer, {first}, is counted.")
        expect(way_on).to_be_visible()
        card.get_by_role("button", name="Hold here").click()
        expect(lesson).to_contain_text("Your teacher holds the room here.")
        expect(way_on).to_be_hidden()
        card.get_by_role("button", name="Vote again").click()
        expect(lesson).to_contain_text("Your teacher asks again")
        assert_fits(student)
        lesson.get_by_role("button", name=second, exact=True).click()
        expect(lesson).to_contain_text(f"Your answer, {second}, is counted.")
        expect(card).to_contain_text("1 answer, 1 in the second vote")
        expect(lesson).not_to_contain_text("The room:")
        card.get_by_role("button", name="Reveal").click()
        expect(card.locator(".room-answers")).to_contain_text("1 · 100% → 0 · 0%")
        expect(card.locator(".room-answers")).to_contain_text("0 · 0% → 1 · 100%")
        expect(lesson).to_contain_text(f"The room: {first}: 1 → 0, {second}: 0 → 1.")
        assert_fits(student)
        card.get_by_role("button", name="Let go").click()
        way_on.click()
        expect(lesson).to_contain_text("It knows 2,048 pieces")
        page.locator(".st-key-roomstep2").get_by_role("button", name="Hold here").click()
        lesson.get_by_role("button", name="Scene 5").click()  # who goes beyond is brought back
        expect(lesson).to_contain_text("It knows 2,048 pieces")
        with page.expect_popup() as large:
            card.get_by_text("Show it large").click()
        wall = large.value.get_by_role("dialog")
        expect(wall).to_contain_text("What would you write?")
        expect(wall.locator(".stage")).to_contain_text(f"✓ {FIRST['answers'][FIRST['rights'][0]]}")
        expect(wall.locator(".acts button")).to_have_count(0)
        page.get_by_role("button", name="End the room").click()
        page.get_by_role("button", name="End it and delete the counts").click()
        expect(lesson).to_contain_text(f"Room {code} has ended")
        lesson.locator(".acts button").first.click()
        expect(way_on).to_be_visible()  # and the lesson goes on


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
        expect(page.locator(".room-step")).to_have_count(len(runner.payload(LESSON)["scenes"]))
        assert_fits(page)


def test_a_teachers_own_question_is_answered_beside_the_page_that_it_is_about(page, browser, server):
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
        lesson = student.get_by_role("dialog")
        expect(lesson).to_contain_text("How many <b>queries</b> are kept?")
        shown = student.frame_locator("dialog iframe")
        expect(shown.locator("h1")).to_contain_text("KV cache")
        assert_fits(student)
        lesson.get_by_role("button", name="none", exact=True).click()
        expect(lesson).to_contain_text("Your teacher has not said what is right.")
        expect(card).to_contain_text("1 answer")
        card.get_by_role("button", name="Reveal").click()
        expect(card.locator(".room-answers")).to_contain_text("1 · 100%")
        expect(lesson).to_contain_text("The room: none: 1.")
        assert_fits(student)
