"""What people do on the page Head atlas, in a real browser."""

from playwright.sync_api import expect

from tests.browser.helpers import assert_above_the_fold, open_link, wait_for_param


def test_a_query_a_head_and_its_passage_in_the_explorer(page, server):
    open_link(page, server, "head_atlas")
    root, table = page.get_by_test_id("atlas-root"), page.get_by_test_id("atlas-table")
    expect(root).to_have_attribute("data-found", "36")
    assert_above_the_fold(page.get_by_test_id("atlas-scatter"))
    page.get_by_placeholder("Find heads").fill("induction > 0.1")
    expect(page.get_by_test_id("atlas-count")).to_have_text("4 of 36 heads")
    table.get_by_role("button", name="induction").click()
    expect(root).to_have_attribute("data-sort", "-induction")
    wait_for_param(page, "atlassort", "-induction")
    first = table.locator("tbody tr").first
    expect(first).to_contain_text("L5H4")
    first.hover()
    expect(root).to_have_attribute("data-at", "L5H4")  # lit in the scatter too
    with page.expect_download() as saved:
        page.get_by_role("button", name="Data as CSV").click()
    lines = saved.value.path().read_text().splitlines()
    assert lines[0].startswith("layer,head,entropy") and len(lines) == 5 and lines[1].startswith("5,4,")
    first.click()
    one, said = page.get_by_test_id("atlas-one-root"), page.get_by_test_id("atlas-reads")
    expect(one).to_have_attribute("data-head", "5.4")
    expect(root).to_have_count(0)
    wait_for_param(page, "head", "5.4")
    page.get_by_test_id("atlas-top-1").click()
    expect(one).to_have_attribute("data-top", "1")
    page.get_by_test_id("atlas-words").locator("[data-index='30']").click()
    expect(said).to_contain_text("30 · ")
    expect(said).to_contain_text("looks at")
    wait_for_param(page, "atlaspin", "30")
    with page.context.expect_page() as opened:
        page.get_by_test_id("atlas-open").click()
    explorer = opened.value
    expect(explorer.get_by_test_id("overview")).to_be_visible()
    wait_for_param(explorer, "head", "5.4")
    wait_for_param(explorer, "query", "30")
