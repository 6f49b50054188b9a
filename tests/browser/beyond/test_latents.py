"""The latents' picture: a stroke drawn with the mouse, a map kept and its latent muted, and the link that keeps all of it."""

import json

from playwright.sync_api import expect

from tests.browser.helpers import assert_above_the_fold, open_link, param_of, wait_for_param

SLOW = 120_000


def test_a_digit_is_drawn_and_read(page, server):
    page.set_default_timeout(SLOW)
    open_link(page, server, "latents")
    root, pad = page.get_by_test_id("latents-root"), page.get_by_test_id("latents-pad")
    expect(page.get_by_test_id("latents-said")).to_contain_text("Read as 3", timeout=SLOW)
    assert_above_the_fold(page.get_by_test_id("latents-maps"))
    page.get_by_role("button", name="Clear").click()
    expect(page.get_by_test_id("latents-said")).to_contain_text("empty")
    box = pad.bounding_box()
    x = box["x"] + box["width"] / 2
    page.mouse.move(x, box["y"] + 6)
    page.mouse.down()
    page.mouse.move(x, box["y"] + box["height"] - 6, steps=6)
    page.mouse.up()
    expect(page.get_by_test_id("latents-said")).to_contain_text("Your drawing is read as 1", timeout=SLOW)
    assert param_of(page, "latpix") == root.get_attribute("data-pixels")


def test_a_map_is_kept_and_its_latent_muted(page, server):
    page.set_default_timeout(SLOW)
    open_link(page, server, "latents")
    root, maps = page.get_by_test_id("latents-root"), page.get_by_test_id("latents-maps")
    expect(page.get_by_test_id("latents-said")).to_contain_text("Read as 3", timeout=SLOW)
    layout, box = json.loads(root.get_attribute("data-boxes")), maps.bounding_box()
    [at] = [each for each in layout["boxes"] if (each["layer"], each["latent"]) == (1, 2)]
    page.mouse.click(box["x"] + at["x"] + layout["side"] / 2, box["y"] + at["y"] + layout["side"] / 2)
    expect(page.get_by_test_id("latents-pointed")).to_contain_text("Latent 2 in layer 1")
    wait_for_param(page, "latpin", "1.2")
    page.get_by_role("button", name="Mute latent 2").click()
    wait_for_param(page, "latmute", "2")
    expect(page.get_by_test_id("latents-said")).to_contain_text("(1 of its latents muted)")
