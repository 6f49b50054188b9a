"""What the flows rely on: visitors that share a profile know nothing of each other, while their browser keeps the
scripts."""

from .helpers import DESK, open_link, visitor

STORED = "[localStorage.length, document.cookie, sessionStorage.length]"
FETCHED = """performance.getEntriesByType("resource").filter(({ name }) => name.includes("/static/js/"))
    .map(({ transferSize }) => transferSize)"""


def test_a_visitor_finds_nothing_of_the_one_before_but_the_cache(browser, server):
    with visitor(browser, DESK) as page:
        page.context.grant_permissions(["clipboard-read"])
        open_link(page, server, "serving")
        page.locator("h1").first.wait_for()
        page.evaluate("document.cookie = 'been=here'; localStorage.setItem('been', 'here')")
    with visitor(browser, DESK) as page:
        assert page.context.storage_state() == {"cookies": [], "origins": []} and len(page.context.pages) == 1
        page.goto(server + "health")  # nothing that stores
        assert page.evaluate(STORED) == [0, "", 0]
        asked = "navigator.permissions.query({ name: 'clipboard-read' }).then(({ state }) => state)"
        assert page.evaluate(asked) == "prompt"
        open_link(page, server, "serving")
        page.locator("h1").first.wait_for()
        fetched = page.evaluate(FETCHED)
        assert fetched and not any(fetched)
