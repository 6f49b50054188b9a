"""A page for everyone, asked of the page that is open: screen readers, keys alone, large print, a phone, less
motion."""

from __future__ import annotations

import contextlib
from pathlib import Path

import pytest
from playwright.sync_api import Page

from tests.javascript.node import ROOT

from .helpers import PHONE, Late, at_rest

WATCH = Path(__file__).with_name("everyone.js")
AXE = ROOT / "node_modules" / "axe-core" / "axe.min.js"
STEPS = 150  # presses of Tab: what comes later on a page is not walked to
TARGET = 24  # pixels of a button under a finger (WCAG 2.2, 2.5.8)
WIDE, HALF = {"width": 1280, "height": 800}, {"width": 640, "height": 400}  # a window, and the same at 200 %
PAINTED = ["latents-pad", "scene-pad"]  # a finger draws on these, and the page scrolls beside them
LOOK = """async (rules) => {
  const runOnly = rules.length ? { type: "rule", values: rules } : { type: "tag", values: ["wcag2a", "wcag2aa"] };
  const include = [["[data-testid=stMain]"], ["[data-testid=stSidebar]"]];
  const { violations } = await axe.run({ include }, { runOnly, resultTypes: ["violations"] });
  const why = ({ any, all, none }) => [...any, ...all, ...none][0]?.message.slice(0, 120) ?? "";
  return violations.filter(({ impact }) => ["serious", "critical"].includes(impact)).flatMap(({ id, nodes }) => nodes
    .map((node) => `${id}: ${node.html.slice(0, 160)} ${why(node)}`));
}"""


def watch(page: Page) -> None:
    """Note what the page's elements listen to; ask before the page is opened."""
    page.add_init_script(path=WATCH)


def unread(page: Page, *rules: str) -> list[str]:
    """What axe-core finds serious or critical in the page and its sidebar, of all rules of WCAG 2 A and AA or of
    `rules`."""
    if not AXE.exists():
        pytest.fail("axe-core is not installed, so nothing is known of screen readers; run `npm ci`.")
    if not page.evaluate("'axe' in window"):
        page.evaluate(AXE.read_text(encoding="utf-8"))
    return page.evaluate(LOOK, rules)


def unreached(page: Page) -> list[str]:
    """What Tab and the other keys do not come to, and where Tab stays caught."""
    faults = page.evaluate("tlmvizEveryone.unreachable()")
    stops = page.evaluate("tlmvizEveryone.beginWalk()")
    for _ in range(steps := min(stops + 10, STEPS)):
        page.keyboard.press("Tab")
        if whole := page.evaluate("tlmvizEveryone.walked()"):
            break
    if not whole and steps < STEPS:
        faults.append(f"Tab is still in the page after {steps} steps")
    return faults + page.evaluate("whole => tlmvizEveryone.missed(whole)", whole)


def misfit(page: Page, size: dict[str, int]) -> list[str]:
    """What does not fit into a window of this size."""
    page.set_viewport_size(size)
    at_rest(page)
    with contextlib.suppress(Late):
        page.wait_for_function("!tlmvizEveryone.misfits().length")  # charts take a moment to follow
    faults = page.evaluate("tlmvizEveryone.misfits()")
    return [f"at {size['width']} x {size['height']}: {fault}" for fault in faults]


def untouched(page: Page) -> list[str]:
    """What a finger on a phone cannot do."""
    touch = page.context.new_cdp_session(page)
    touch.send("Emulation.setTouchEmulationEnabled", {"enabled": True, "maxTouchPoints": 1})
    faults = misfit(page, PHONE)
    faults += page.evaluate("([painted, least]) => tlmvizEveryone.untouchable(painted, least)", [PAINTED, TARGET])
    touch.send("Emulation.setTouchEmulationEnabled", {"enabled": False})
    return faults


def restless(page: Page) -> list[str]:
    """What moves although less motion is asked for."""
    page.emulate_media(reduced_motion="reduce")
    faults = page.evaluate("tlmvizEveryone.moving()")
    page.emulate_media(reduced_motion="null")
    return faults


def faults(page: Page) -> list[str]:
    """All that a page withholds from somebody, in words. The page was opened after `watch`, at `WIDE`, and is left
    so."""
    at_rest(page)
    found = [*unread(page), *unreached(page), *restless(page), *untouched(page), *misfit(page, HALF)]
    page.set_viewport_size(WIDE)
    page.emulate_media(color_scheme="dark")
    page.wait_for_function("() => getComputedStyle(document.querySelector('.stApp')).colorScheme !== 'light'")
    at_rest(page)
    return [*found, *(f"dark: {fault}" for fault in unread(page, "color-contrast"))]
