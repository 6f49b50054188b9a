"""The checks that every page goes through for everyone (test_deep_links) find each fault in a page that has them
all."""

from . import everyone

PAGE = """<div data-testid="stApp" data-test-connection-state="CONNECTED" data-test-script-state="notRunning"></div>
<main data-testid="stMain" style="height: 700px; overflow: auto"><h1>Faults</h1>
<p style="color: #999; background: #fff">pale</p><div data-testid="stBidiComponent"></div></main>
<section data-testid="stSidebar"></section>
<script>
window.tlmvizPictures = { settled: async () => ({ done: true }) };
const root = document.querySelector("[data-testid=stBidiComponent]").attachShadow({ mode: "open" });
root.innerHTML = `<style>.wide { width: 900px; height: 50px; touch-action: none; }
.small { width: 12px; height: 12px; padding: 0; } .moves { transition: color 1s; } .caught:focus { outline: none; }
.cut { width: 50px; overflow: hidden; white-space: nowrap; } .over { position: absolute; left: 0; top: 300px; }</style>
<canvas class="wide" role="img"></canvas><button class="small" tabindex="3">x</button><button
  class="caught">hold</button>
<p class="moves">moves</p><p class="cut">longer than it has room for</p>
<button class="over">one</button><button class="over">two</button>`;
root.querySelector("canvas").addEventListener("click", () => {});
root.querySelector(".caught").addEventListener("keydown", (event) => event.preventDefault());
</script>"""


def test_each_check_finds_its_fault(page):
    everyone.watch(page)
    page.set_viewport_size(everyone.WIDE)
    page.route("**/faults", lambda route: route.fulfill(content_type="text/html", body=PAGE))
    page.goto("http://localhost/faults")
    unread = "\n".join(everyone.unread(page))
    assert "color-contrast" in unread and "role-img-alt" in unread
    unreached = everyone.unreached(page)
    assert "answers no key: canvas.wide “”" in unreached
    assert "comes before its turn: button.small “x”" in unreached
    assert "Tab is still in the page after" in "\n".join(unreached)
    assert "no ring around button.caught “hold”" in unreached
    assert everyone.restless(page) == ["moves: p.moves “moves”"]
    page.set_default_timeout(3000)  # none of what does not fit will go
    untouched = "\n".join(everyone.untouched(page))
    assert "the page is" in untouched and "pixels too wide" in untouched
    assert "holds a finger: canvas.wide" in untouched and "too small for a finger: button.small" in untouched
    misfit = "\n".join(everyone.misfit(page, everyone.HALF))
    assert "beyond the side: canvas.wide" in misfit and "cut off: p.cut" in misfit
    assert "button.over “one” covers button.over “two”" in misfit
    page.goto("about:blank")  # a page of the app must fit a phone in the end
