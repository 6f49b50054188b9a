"""Figures that play, in a browser that draws slower than their frames follow each other."""

import pytest
from playwright.sync_api import expect

from tests.browser import walk
from tests.browser.helpers import TEXT, at_rest, open_link, silence, wait_for_param

SLOWER = 4  # times this machine, as a laptop beside a server
FRAMES = 5  # that must have been played

# After each picture that the browser paints: are the figure's bars and maps there?
WATCH = """() => {
  const plot = [...document.querySelectorAll('.js-plotly-plot')].find(plot => plot.querySelector('.slider-group'));
  const marks = () => plot.querySelectorAll('.cartesianlayer image, .bars .point path').length;
  const seen = window.seen = { whole: marks(), painted: 0, blank: 0, played: 0 };
  plot.on('plotly_animatingframe', () => seen.played++);
  const painted = new MessageChannel();
  painted.port1.onmessage = () => {
    seen.painted++;
    seen.blank += marks() < seen.whole;
    next();
  };
  const next = () => requestAnimationFrame(() => painted.port2.postMessage(0));
  next();
}"""
PLAYERS = {
    "flash_attention": {"part": "One row", "text": TEXT},
    "mhc": {"sview": "Depth", "text": TEXT},
    "mhc, streams": {"sview": "Streams", "text": TEXT},
    "alignment": {"english": "She never eats meat.", "aview": "Translation"},
}


@pytest.mark.parametrize("name", PLAYERS)
def test_nothing_vanishes_while_a_figure_plays(page, server, name):
    open_link(page, server, name.partition(",")[0], **PLAYERS[name])
    at_rest(page, ".slider-group")
    walk.scrub(page, 0.0)
    if name.startswith("mhc"):
        wait_for_param(page, "stok", "0")  # the server has been told where the walk stands
    at_rest(page)
    page.context.new_cdp_session(page).send("Emulation.setCPUThrottlingRate", {"rate": SLOWER})
    page.evaluate(WATCH)
    with silence(page):  # a figure that plays slowly is not taken for one that was stopped
        walk.play(page)
        page.wait_for_function("frames => window.seen.played >= frames", arg=FRAMES)
        seen = page.evaluate("window.seen")
        assert seen["whole"] and seen["painted"] and not seen["blank"], seen
    walk.assert_pause_holds(page)
    expect(page.locator(".slider-group").first).to_be_visible()
