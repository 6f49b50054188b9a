"""A figure with steps, walked through in the browser: its slider, and its buttons to play and pause."""


def label(page) -> str:
    """What the slider says of its step."""
    return page.locator(".slider-label").first.text_content()


def scrub(page, share: float) -> None:
    """Click the slider's rail at a share of its length, once it stands still: a chart that moves under the hand is missed."""
    rail, before = page.locator(".slider-rail-touch-rect").bounding_box(), None
    while rail != before:
        page.wait_for_timeout(200)
        rail, before = page.locator(".slider-rail-touch-rect").bounding_box(), rail
    page.mouse.click(rail["x"] + 10 + share * (rail["width"] - 20), rail["y"] + rail["height"] / 2)


# A figure that is drawn anew has no slider for a moment.
def wait_for(page, part: str) -> None:
    """Until the slider's words hold this part."""
    page.wait_for_function(
        "part => document.querySelector('.slider-label')?.textContent.includes(part)", arg=part
    )


def wait_past(page, *old: str) -> None:
    """Until the slider's words hold none of these."""
    page.wait_for_function(
        "old => { const now = document.querySelector('.slider-label')?.textContent;"
        " return now && !old.some(o => now.includes(o)) }",
        arg=list(old),
    )


def play(page) -> None:
    """Press the figure's play button."""
    page.locator(".updatemenu-button").first.click()


def assert_pause_holds(page) -> None:
    """Press pause: after the step that was on its way, none follows."""
    page.locator(".updatemenu-button").nth(1).click()
    page.wait_for_timeout(800)
    paused = label(page)
    page.wait_for_timeout(1200)
    assert label(page) == paused


def let_go_while_drawing(page) -> None:
    """Press the slider's left end, and let go between a frame's preparation and its drawing, as a slow machine does."""
    page.evaluate(
        """() => {
        const plot = document.querySelector('.js-plotly-plot');
        plot.once('plotly_transitioning', () => plot.dispatchEvent(new MouseEvent('mouseup', { bubbles: true })));
        const rail = plot.querySelector('.slider-rail-touch-rect'), { left, top } = rail.getBoundingClientRect();
        rail.dispatchEvent(new MouseEvent('mousedown', { bubbles: true, clientX: left + 10, clientY: top + 5 }));
        }"""
    )
