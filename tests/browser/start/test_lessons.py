"""A lesson is taken with keys alone at both widths, left and come back to; a sentence of one's own is read or
refused."""

import contextlib

import pytest
from playwright.sync_api import TimeoutError, expect

from tests.browser.everyone import unread
from tests.browser.helpers import DESK, PHONE, open_link, param_of, phone, wait_for_param
from tlmviz.ui.lessons.table import LESSONS

# What does not fit: the lesson scrolls, a word of the picture lies over the sentence or the answers or outside the
# window, or a button does.
MISFITS = """(lesson) => {
  const found = [];
  const box = (part) => part.getBoundingClientRect();
  const out = ({ left, right, top, bottom }, least, most) =>
    left < -1 || right > innerWidth + 1 || top < least || bottom > most;
  const { scrollWidth, scrollHeight } = lesson;
  if (scrollHeight > innerHeight + 1 || scrollWidth > innerWidth + 1)
    found.push(`scrolls: ${scrollWidth} x ${scrollHeight}`);
  const [above, below] = [box(lesson.querySelector("h1")).bottom, box(lesson.querySelector("footer")).top];
  for (const part of lesson.querySelectorAll(".stage text"))
    if (out(box(part), above - 4, below + 6)) found.push(`${part.textContent}: ${JSON.stringify(box(part))}`);
  for (const part of lesson.querySelectorAll("button, a, input, .after, .note, li p"))
    if (part.checkVisibility() && out(box(part), -1, innerHeight + 1)) found.push(part.textContent || part.ariaLabel);
  return found;
}"""


def fits(page) -> None:
    for size in (PHONE, DESK):
        page.set_viewport_size(size)
        page.wait_for_function("width => innerWidth === width", arg=size["width"])
        lesson = page.get_by_role("dialog")
        with contextlib.suppress(TimeoutError):  # a picture follows its place a frame later
            page.wait_for_function(f"lesson => !({MISFITS})(lesson).length", arg=lesson.element_handle(), timeout=5_000)
        assert lesson.evaluate(MISFITS) == [], size


def opened(page):
    """The lesson that is open, and how many scenes it has."""
    lesson = page.get_by_role("dialog")
    expect(lesson.get_by_role("button", name="The end")).to_be_visible()
    return lesson, lesson.get_by_role("navigation").get_by_role("button").count() - 1


def answered(page, lesson) -> None:
    """Answer the scene that is open with keys alone."""
    following = lesson.get_by_role("button", name="Next", exact=True)
    slider, spots = lesson.get_by_role("slider"), lesson.locator(".stage button")
    expect(slider.or_(spots).or_(lesson.locator(".acts button")).or_(following).first).to_be_visible()  # it is measured
    if slider.count():
        slider.focus()
        page.keyboard.press("Home")
    elif spots.count() and lesson.locator(".acts button").count():  # to pick: one of them, then the button
        page.keyboard.press("ArrowRight")
        page.keyboard.press("Enter")
    elif spots.count():
        for _ in range(spots.count()):
            page.keyboard.press("ArrowRight")
            page.keyboard.press("Enter")
            if following.is_visible():
                break
    for _ in range(10):  # to write on takes as many
        if following.is_visible():
            break
        page.keyboard.press("1")
    expect(following).to_be_visible()
    expect(following).to_be_focused()


def test_a_lesson_is_taken_with_keys_alone_at_both_widths_and_come_back_to(page, server):
    page.emulate_media(reduced_motion="reduce")
    open_link(page, server, "lessons")
    page.locator("article[data-lesson=looking]").get_by_role("link", name="Begin").press("Enter")
    lesson, scenes = opened(page)
    for number in range(1, scenes + 1):
        expect(lesson.locator("nav button").nth(number - 1)).to_have_attribute("aria-current", "step")
        fits(page)
        answered(page, lesson)
        fits(page)
        if number == 4:
            assert unread(page) == []
            page.reload()
            expect(lesson.get_by_role("button", name="Next", exact=True)).to_be_visible()
            lesson.get_by_role("button", name="Next", exact=True).focus()
        page.keyboard.press("Enter")
    expect(lesson).to_contain_text("Now you can explain this")
    fits(page)
    assert unread(page) == []
    page.go_back()
    expect(lesson.locator("nav button").nth(scenes - 1)).to_have_attribute("aria-current", "step")
    lesson.get_by_role("link", name="Look behind").press("Enter")
    wait_for_param(page, "mute", "4.2")
    expect(lesson).to_have_count(0)
    page.get_by_role("button", name="Back to the lesson").click()
    expect(lesson.locator("nav button").nth(scenes - 1)).to_have_attribute("aria-current", "step")
    page.keyboard.press("Escape")
    go_on = page.locator("article[data-lesson=looking]").get_by_role("link", name=f"Go on at scene {scenes}")
    go_on.click()
    expect(lesson.get_by_role("button", name="Next", exact=True)).to_be_visible()
    assert param_of(page, "told").count(".") == scenes - 1


def test_a_sentence_of_ones_own_is_read_or_kept_with_the_reason(page, server):
    open_link(page, server, "lessons", lesson="next")
    lesson, _ = opened(page)
    field = lesson.get_by_label("A sentence of your own")
    field.fill("def f(x): return x**2")
    field.press("Enter")
    expect(lesson).to_contain_text("it cannot read it")
    expect(field).to_have_value("def f(x): return x**2")
    fits(page)
    field.fill("The cat saw a bird. The dog saw a")
    field.press("Enter")
    expect(lesson).to_contain_text("The model reads your sentence")
    fits(page)
    wait_for_param(page, "sentence", "The cat saw a bird. The dog saw a")


def test_a_picture_is_saved_with_its_own_colours(page, server):
    open_link(page, server, "lessons", lesson="next")
    lesson, _ = opened(page)
    lesson.locator(".acts button").first.click()
    with page.expect_download() as saved:
        lesson.get_by_role("button", name="Save this picture").click()
    text = saved.value.path().read_text(encoding="utf-8")
    assert saved.value.suggested_filename == "lesson-next-1.svg" and "What would you write?" in text
    assert text.startswith("<svg") and "truck" in text and "rgb(" in text and "var(--" not in text


def test_a_scene_that_is_not_there_is_the_end_which_leads_to_a_fresh_lesson(page, server):
    open_link(page, server, "lessons", lesson="next", scene="77")
    lesson, _ = opened(page)
    expect(lesson).to_contain_text("this is its end")
    expect(lesson).to_contain_text("You guessed 0 of")
    lesson.get_by_role("button", name="Next lesson: Looking is not doing").click()
    expect(lesson.get_by_label("A sentence of your own")).to_be_visible()
    expect(lesson).not_to_contain_text("You guessed")
    page.keyboard.press("Escape")
    expect(page.locator("article[data-lesson=looking]").get_by_role("link", name="Begin")).to_be_visible()


@pytest.mark.parametrize("name", LESSONS)
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_lesson_is_for_everyone_and_fits_at_both_widths(browser, server, name, scheme):
    with phone(browser, scheme) as page:
        page.emulate_media(reduced_motion="reduce", color_scheme=scheme)
        open_link(page, server, "lessons", lesson=name)
        lesson, scenes = opened(page)
        for _ in range(scenes):
            looked_at(page, scheme)
            answered(page, lesson)
            looked_at(page, scheme)
            page.keyboard.press("Enter")
        expect(lesson).to_contain_text("Now you can explain this")
        looked_at(page, scheme)


def looked_at(page, scheme) -> None:
    """Everybody can read it, and nothing lies outside its place."""
    assert unread(page) == []
    if scheme == "light":
        fits(page)
        page.set_viewport_size(PHONE)
