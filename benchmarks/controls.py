"""How long every page's controls take: `python benchmarks/controls.py [PAGE ...]` (needs the test packages and
Chromium).

A row for each control: the milliseconds from a key or a click to the first change of what it changes, by the browser's
clock, median and 95th percentile of some presses behind two that are not counted. Texts have about 64 tokens. What a
canvas does alone is to take 100 ms, what the server has a part in 300 ms. Pages can be measured one at a time.
"""

from __future__ import annotations

import argparse
import shutil
import statistics
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlencode

from playwright.sync_api import Error as NotMeasured
from playwright.sync_api import Page, sync_playwright

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
sys.path.insert(0, str(Path(__file__).resolve().parent))
from live import FLAGS, Rows, summary, text_of

from tlmviz.hosting.server import serve

CANVAS, SERVER = 100, 300  # bars of medians, ms
WARM = 2  # presses that are not counted
PATIENCE = 20_000  # ms
SENTENCE = "The black cat is sleeping on the red chair"
# The last key or click, by the page's clock; and a search that looks into the shadow trees of our components too.
PRESSED = """window.deep = (selector, root = document) => [...root.querySelectorAll("*")].flatMap(
  part => [...(part.matches(selector) ? [part] : []), ...(part.shadowRoot ? deep(selector, part.shadowRoot) : [])]);
for (const name of ["keydown", "pointerdown"])
  addEventListener(name, () => { window.pressed = performance.now() }, true)"""
# Resolves with the milliseconds from the last press to the frame in which `state` is another one than `before`.
CHANGED = """([state, before]) => new Promise((resolve, reject) => {
  setTimeout(() => reject(new Error("nothing changed in 20 s")), 20000);
  const look = () => String(eval(state)) !== before ? resolve(performance.now() - window.pressed) :
    requestAnimationFrame(look);
  look();
})"""


def data(test_id: str, name: str) -> str:
    """JavaScript for a data attribute of the part of this test id."""
    return f"deep('[data-testid={test_id}]')[0]?.dataset.{name}"


def written(selector: str) -> str:
    """JavaScript for the words of all parts that a selector finds."""
    return f"deep('{selector}').map(part => part.textContent).join('|')"


def keys(test_id: str, *names: str) -> Callable[[Page, int], None]:
    """A press of these keys in turn, on the part of this test id."""
    return lambda page, turn: page.get_by_test_id(test_id).press(names[turn % len(names)])


def click_text(*names: str) -> Callable[[Page, int], None]:
    """A click on these words in turn."""
    return lambda page, turn: page.get_by_text(names[turn % len(names)], exact=True).first.click()


def type_into(label: str) -> Callable[[Page, int], None]:
    """One more letter at the end of a text box, and Enter."""

    def press(page: Page, turn: int) -> None:
        box = page.get_by_role("textbox", name=label)
        box.fill(f"{SENTENCE}{'s' * (turn % 7)}.")
        box.press("Enter")

    return press


def read_another(count: int) -> Callable[[Page, int], None]:
    """Another text of about so many tokens, and Enter."""

    def press(page: Page, turn: int) -> None:
        box = page.get_by_role("textbox", name="Text")
        box.fill(("One day, " if turn % 2 else "Today, ") + text_of(count)[turn:])
        box.press("Enter")

    return press


def choose_ribbon(page: Page, turn: int) -> None:
    """A step that is to look at a source token: walked to by keys, released by the last."""
    canvas = page.get_by_test_id("ribbons")
    for key in ("ArrowRight", "Enter", *["ArrowRight"] * (1 + turn % 3), "Enter"):
        canvas.press(key)


def take_card(page: Page, turn: int) -> None:
    """Another card of the gallery."""
    if not page.locator("a[data-card]").count():
        page.get_by_role("button", name="Examples").click()
    page.locator("a[data-card]").nth((turn + 1) % 3).click()


def toggle_gallery(page: Page, turn: int) -> None:
    """The gallery, opened and closed in turn."""
    page.get_by_role("button", name="Examples").click()


def choose_level(page: Page, turn: int) -> None:
    """The other reading level."""
    page.locator(".st-key-top").get_by_text(("Maths", "Plain")[turn % 2], exact=True).click()


def ask_who_wrote(page: Page, turn: int) -> None:
    """Another predicted word whose parts are asked for."""
    page.locator("[data-testid=next-tokens] button.who[aria-pressed=false]").nth(turn % 3).click()


def choose_word(page: Page, turn: int) -> None:
    """A word of the long text."""
    page.locator(f'[data-testid=long-text] span[data-index="{100 + turn}"]').click()


def choose_token(page: Page, turn: int) -> None:
    """A token chosen against the beams; every other time it is taken back."""
    if turn % 2:
        page.get_by_role("button", name="Back").click()
    else:
        page.get_by_test_id("race-offers").get_by_role("button").first.click()


def write_on(page: Page, turn: int) -> None:
    """The model begins to write; what it wrote before is stopped."""
    if (stop := page.get_by_role("button", name="■ Stop")).count():
        stop.click()
    page.get_by_role("button", name="▶ Write").click()


@dataclass(frozen=True)
class Control:
    """A control of a page: how it is pressed, JavaScript for what it changes, and how long that may take (ms)."""

    page: str
    name: str
    bar: int
    press: Callable[[Page, int], None]
    state: str
    link: dict[str, str] = field(default_factory=dict)


PLOTS = written(".js-plotly-plot")
STORY = {"text": "64 tokens"}  # put in when it runs: the tokenizer is loaded then
CONTROLS = (
    Control(
        "",
        "head, by an arrow key",
        SERVER,
        keys("overview", "ArrowRight", "ArrowDown", "ArrowLeft", "ArrowUp"),
        data("detail", "paintedHead"),
        STORY,
    ),
    Control("", "tab Scale, back", SERVER, click_text("Scale", "Why this weight"), PLOTS, STORY),
    Control(
        "",
        "write on: its first word",
        SERVER,
        write_on,
        "document.querySelector('input[aria-label=Text]').value",
        STORY,
    ),
    Control(
        "",
        "who wrote this word",
        SERVER,
        ask_who_wrote,
        "deep('.who[aria-pressed=true]').map(part => part.ariaLabel).join('|')",
        STORY,
    ),
    Control(
        "", "gallery, opened or closed", SERVER, toggle_gallery, "document.querySelectorAll('a[data-card]').length"
    ),
    Control(
        "inside_block",
        "step, by an arrow key",
        CANVAS,
        keys("rows", "ArrowDown", "ArrowDown", "ArrowUp"),
        data("block-root", "step"),
        STORY,
    ),
    Control("beam_search", "English sentence", SERVER, type_into("English sentence"), PLOTS),
    Control(
        "beam_search",
        "race: a token chosen",
        SERVER,
        choose_token,
        written("[data-testid=race-own]"),
        {"bview": "Race"},
    ),
    Control("beam_search", "gallery card", SERVER, take_card, PLOTS),
    Control("alignment", "ribbon released", SERVER, choose_ribbon, written("[data-testid=now]")),
    Control(
        "mhc",
        "flow: sublayer, by an arrow key",
        CANVAS,
        keys("rivers", "ArrowRight", "ArrowLeft"),
        data("flow-root", "place"),
        {**STORY, "stok": "3"},
    ),
    Control(
        "mhc", "depth: gain", SERVER, click_text("Backward gain", "Forward gain"), PLOTS, {**STORY, "sview": "Depth"}
    ),
    Control("flash_attention", "reading level", SERVER, choose_level, PLOTS, STORY),
    Control(
        "flash_attention",
        "tiles: step, by an arrow key",
        CANVAS,
        keys("machines", "ArrowRight"),
        data("memory", "step"),
        {**STORY, "part": "Tiles", "fstep": "0"},
    ),
    Control(
        "long_context",
        "text: a word pinned",
        CANVAS,
        choose_word,
        data("reading-root", "query"),
        {"lview": "Text", "ltok": "256", "head": "4.2"},
    ),
    Control(
        "experts", "routing of 500 other tokens", SERVER, read_another(500), data("routing-root", "picture"), STORY
    ),
    Control(
        "experts",
        "token, by an arrow key",
        CANVAS,
        keys("routing-rows", "ArrowDown", "ArrowUp"),
        data("routing-root", "token"),
        STORY,
    ),
    Control(
        "experts",
        "bias removed, back",
        SERVER,
        click_text("removed", "bias as trained"),
        data("routing-root", "picture"),
        {**STORY, "xview": "Mute & force"},
    ),
)


def measure(page: Page, url: str, control: Control, presses: int) -> list[float]:
    """Milliseconds of every counted press."""
    query = {name: text_of(64) if value == STORY["text"] else value for name, value in control.link.items()}
    page.goto(f"{url}{control.page}?{urlencode(query)}")
    page.locator("[data-test-script-state=notRunning]").wait_for(timeout=PATIENCE)
    page.wait_for_timeout(1500)  # what comes below the picture
    page.evaluate(PRESSED)
    taken = []
    for turn in range(presses + WARM):
        before = str(page.evaluate(f"String({control.state})"))
        control.press(page, turn)
        taken.append(float(page.evaluate(CHANGED, [control.state, before])))
        page.wait_for_timeout(400)
        page.locator("[data-test-script-state=notRunning]").wait_for(timeout=PATIENCE)
    return taken[WARM:]


def main() -> None:
    """Measure the controls of the pages that are asked for; the exit status is 1 when a median misses its bar."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("pages", nargs="*", help="paths in links, such as mhc; explorer is the first page")
    parser.add_argument("--presses", type=int, default=10)
    options = parser.parse_args()
    asked = {"" if page == "explorer" else page for page in options.pages}
    rows, missed = Rows(), 0
    with sync_playwright() as playwright, serve() as server:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=FLAGS)
        for control in CONTROLS:
            if asked and control.page not in asked:
                continue
            page = browser.new_page(viewport={"width": 1280, "height": 800})
            page.set_default_timeout(PATIENCE)
            name = f"{control.page or 'explorer'}, {control.name} (bar {control.bar})"
            try:
                taken = measure(page, server.url, control, options.presses)
            except NotMeasured as error:
                rows[name] = f"not measured: {str(error).splitlines()[0]}"
                missed += 1
            else:
                rows[name] = summary(taken)
                missed += statistics.median(taken) > control.bar
            page.close()
        browser.close()
    raise SystemExit(missed > 0)


if __name__ == "__main__":
    main()
