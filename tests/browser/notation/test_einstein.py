"""What people see of the part Einstein notation, in a real browser."""

from playwright.sync_api import expect

from tests.browser.helpers import assert_above_the_fold, box_of, open_link, wait_for_param

LINE = "L_{ts}^{(h)} = 1/sqrt(dk) Qhat_{th}^k Khat_{shk}"
LOST = "L_{ts} = 1/sqrt(dk) Qhat_{th}^k Khat_{shk}"


def test_the_formula_and_its_tensor_are_above_the_fold(page, server):
    open_link(page, server, "einstein")
    canvas = page.get_by_test_id("tensors-canvas")
    assert_above_the_fold(canvas)
    box = box_of(canvas)
    page.mouse.move(box["x"] + 70, box["y"] + 45)
    expect(page.get_by_test_id("tensors-said")).to_contain_text("L by the formula")
    expect(page.get_by_test_id("tensors-said")).to_contain_text("0 “⟨start⟩”")


def test_a_typed_line_is_checked_while_it_is_typed(page, server):
    open_link(page, server, "einstein")
    box = page.get_by_role("textbox", name="Formula")
    expect(box).to_have_value(LINE)
    expect(page.get_by_text("Equal to the model's own L")).to_be_visible()
    box.fill(LOST)
    named = page.locator(".stMarkdownBadge", has_text="A head index is lost")
    expect(named).to_be_visible()
    expect(page.get_by_text("Equal to the model's own L")).to_have_count(0)
    wait_for_param(page, "nform", LOST)
    box.fill("L_{ts}^{(h) = ")
    expect(page.get_by_test_id("stAlertContainer").first).to_be_visible()
    expect(box).to_have_value("L_{ts}^{(h) = ")
    box.fill(LINE)
    right = page.locator(".stMarkdown", has_text="Equal to the model's own L").first
    expect(right).to_be_visible()
    expect(named).to_have_count(0)
    wait_for_param(page, "nform", None)
