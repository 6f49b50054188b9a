"""A figure with steps, walked through in the browser: its slider, and its buttons to play and pause."""

from .helpers import box_of


def label(page) -> str:
    """What the slider says of its step."""
    return page.locator(".slider-label").first.text_content()


def scrub(page, share: float) -> None:
    """Click the slider's rail at a share of its length, once it stands still."""
    rail = box_of(page.locator(".slider-rail-touch-rect"))
    page.mouse.click(rail["x"] + 10 + share * (rail["width"] - 20), rail["y"] + rail["height"] / 2)


# A figure that is drawn anew has no slider for a moment.
def wait_for(page, part: str) -> None:
    """Until the slider's words hold this part."""
    page.wait_for_function("part => document.querySelector('.slider-label')?.textContent.includes(part)", arg=part)


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
    """Press pause: the step that is on its way ends, and none follows."""
    page.evaluate(
        """() => {
        const plot = document.querySelector('.js-plotly-plot:has(.updatemenu-button)');
        window.begun = 0;
        document.addEventListener('click', () => (window.begun = 0), { capture: true, once: true });
        plot.on('plotly_animatingframe', () => (window.begun += 1));
        }"""
    )
    page.locator(".updatemenu-button").nth(1).click()
    # Plotly's own loop, which begins every step, has ended.
    page.wait_for_function(
        "!document.querySelector('.js-plotly-plot:has(.updatemenu-button)')._transitionData._animationRaf"
    )
    assert page.evaluate("window.begun") == 0


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
