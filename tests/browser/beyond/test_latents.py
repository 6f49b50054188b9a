"""The latents' picture: a stroke drawn with the mouse, a map kept and its latent muted, and the link that keeps all of
it."""

import json

from playwright.sync_api import expect

from tests.browser.helpers import assert_above_the_fold, box_of, open_link, wait_for_param


def test_a_digit_is_drawn_and_read(page, server):
    open_link(page, server, "latents")
    root, pad = page.get_by_test_id("latents-root"), page.get_by_test_id("latents-pad")
    expect(page.get_by_test_id("latents-said")).to_contain_text("read as a 3")
    page.get_by_role("button", name="Clear").click()
    expect(page.get_by_test_id("latents-said")).to_contain_text("read as nothing")
    box = box_of(pad)
    x = box["x"] + box["width"] / 2
    page.mouse.move(x, box["y"] + 6)
    page.mouse.down()
    page.mouse.move(x, box["y"] + box["height"] - 6, steps=6)
    page.mouse.up()
    expect(page.get_by_test_id("latents-said")).to_contain_text("Your drawing at the top left is read as a 1")
    wait_for_param(page, "latpix", root.get_attribute("data-pixels") + "." * 8)
    page.get_by_role("button", name="Put back").click()
    expect(page.get_by_test_id("latents-said")).to_contain_text("read as a 3")


def test_another_cell_is_chosen_and_its_digit_is_on_the_pad(page, server):
    open_link(page, server, "latents")
    root, grid = page.get_by_test_id("latents-root"), page.get_by_test_id("latents-cells")
    expect(page.get_by_test_id("latents-said")).to_contain_text("At the top left")
    assert_above_the_fold(page.get_by_test_id("latents-maps"))
    before = root.get_attribute("data-pixels")
    grid.click(position={"x": 100, "y": 100})
    wait_for_param(page, "latcell", "4")
    expect(page.get_by_test_id("latents-said")).to_contain_text("At the middle")
    expect(root).not_to_have_attribute("data-pixels", before)
    grid.press("ArrowRight")
    wait_for_param(page, "latcell", "5")


def test_a_map_is_kept_and_its_latent_muted(page, server):
    open_link(page, server, "latents")
    root, maps = page.get_by_test_id("latents-root"), page.get_by_test_id("latents-maps")
    expect(page.get_by_test_id("latents-said")).to_contain_text("read as a 3")
    box, layout = box_of(maps), json.loads(root.get_attribute("data-boxes"))
    [at] = [each for each in layout["boxes"] if (each["layer"], each["latent"]) == (1, 2)]
    page.mouse.click(box["x"] + at["x"] + layout["side"] / 2, box["y"] + at["y"] + layout["side"] / 2)
    expect(page.get_by_test_id("latents-pointed")).to_contain_text("Latent 2 in layer 1")
    wait_for_param(page, "latpin", "1.2")
    page.get_by_role("button", name="Mute latent 2").click()
    wait_for_param(page, "latmute", "2")
    expect(page.get_by_test_id("latents-said")).to_contain_text("(1 of its latents muted)")
