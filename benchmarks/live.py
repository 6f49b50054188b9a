"""How live the app is: `python benchmarks/live.py` (needs the test packages and Chromium).

In headless Chromium: cold start, keystroke and head choice to repainted map, what hovering sends, and the first
picture's payload (`first_picture.py` has every page's first picture). At the websocket, without a browser: twenty
sessions typing at once, memory per further session, and memory over 800 reruns. Medians and 95th percentiles of many
presses in one run.
"""

from __future__ import annotations

import argparse
import json
import shutil
import statistics
import sys
import threading
import time
from pathlib import Path
from urllib.parse import quote

from playwright.sync_api import Page, sync_playwright
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from websockets.sync.client import connect

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from tlmviz.hosting.server import serve

STORY = (
    "Once upon a time there was a little girl named Lily. Lily had a red ball. One day, Lily lost the red ball. "
    'She looked for the red ball in the garden and in the house. Her mom said, "Do not be sad, Lily." '
)
FLAGS = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking"]
PAINTED = "[data-first-at]"  # the attention view says when it was painted first
# Resolves with the time of the first exact map whose text or head differs from `before`.
WAIT_PAINT = """(canvas, [before, field]) => new Promise((resolve, reject) => {
  const done = () => canvas.dataset[field] !== before && canvas.dataset.paintedKind === "exact"
    && resolve(Number(canvas.dataset.paintedAt));
  const seen = new MutationObserver(done);
  seen.observe(canvas, {attributes: true});
  setTimeout(() => reject(new Error("no repaint in 20 s")), 20000);
  done();
})"""


class Rows(dict):
    """Figures by name, each printed as it comes: a run that is cut short leaves what it measured."""

    def __setitem__(self, name: str, value: object) -> None:
        super().__setitem__(name, value)
        print(f"{name:62}  {value}", flush=True)


def summary(times: list[float]) -> str:
    """Median and 95th percentile of milliseconds."""
    ordered = sorted(times)
    return (
        f"median {statistics.median(ordered):6.0f} ms   p95 "
        f"{ordered[min(len(ordered) - 1, int(0.95 * len(ordered)))]:6.0f} ms"
    )


# --- in the browser ------------------------------------------------------------------------------


def open_page(page: Page, url: str, picture: str = PAINTED) -> tuple[float, float]:
    """Open a page; returns the seconds to its first painted picture, and the wall clock's time of that moment."""
    page.goto(url, wait_until="commit")
    view = page.locator(picture).first
    view.wait_for(state="attached", timeout=120_000)
    # By the page's clock where the picture knows it: reading it may wait for Plotly to load.
    first = float(view.evaluate("view => view.dataset.firstAt ?? performance.now()"))
    return first / 1e3, (page.evaluate("performance.timeOrigin") + first) / 1e3


def presses(page: Page, count: int) -> tuple[list[float], list[float]]:
    """Milliseconds from a key in the text box to its map, and from an arrow key to the exact map."""
    page.evaluate("addEventListener('keydown', () => { window.pressed = performance.now() }, true)")
    canvas, box = page.get_by_test_id("detail"), page.get_by_role("textbox", name="Text")
    typed, chosen = [], []
    box.focus()
    page.keyboard.press("End")
    for i in range(count):
        before = canvas.get_attribute("data-painted-text")
        page.keyboard.press("abcdefghij"[i % 10])
        painted = canvas.evaluate(WAIT_PAINT, [before, "paintedText"])
        typed.append(painted - page.evaluate("window.pressed"))
        page.wait_for_timeout(400)  # a pause between words: charts below settle
    overview = page.get_by_test_id("overview")
    overview.focus()
    for i in range(count):
        before = canvas.get_attribute("data-painted-head")
        # a snake through the grid: every press chooses a head that was not shown before
        sideways = "ArrowLeft" if i // 6 % 2 else "ArrowRight"
        page.keyboard.press("ArrowDown" if i % 6 == 5 else sideways)
        painted = canvas.evaluate(WAIT_PAINT, [before, "paintedHead"])
        chosen.append(painted - page.evaluate("window.pressed"))
        page.wait_for_timeout(400)
    return typed, chosen


def hover_messages(page: Page, sent: list) -> int:
    """Websocket messages that moving over the whole picture sends."""
    box = page.get_by_test_id("detail").bounding_box()
    page.wait_for_timeout(500)
    before = len(sent)
    for i in range(60):
        page.mouse.move(box["x"] + box["width"] * (i % 10 + 1) / 12, box["y"] + box["height"] * (i // 10 + 1) / 8)
    page.wait_for_timeout(500)
    return len(sent) - before


def typing_messages(page: Page, sent: list) -> int:
    """Websocket messages that 25 letters send, five a second."""
    page.get_by_role("textbox", name="Text").focus()
    page.keyboard.press("End")
    page.wait_for_timeout(3000)  # what reads them in the browser arrives
    before = len(sent)
    page.keyboard.type(" and then she saw the ball", delay=200)
    page.wait_for_timeout(1500)
    return len(sent) - before


def in_browser(count: int) -> dict[str, object]:
    """All browser figures, of `count` presses."""
    result: dict[str, object] = Rows()
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=FLAGS)
        page = browser.new_page(viewport={"width": 1280, "height": 800})
        with serve() as server:
            _, moment = open_page(page, server.url + "?mode=map")
            result["cold start to first picture, s (bar 5)"] = round(moment - server.started, 2)
            for tokens in (256, 1024):
                text = text_of(tokens)
                seconds, payload = _fresh(browser, server.url + "?text=" + quote(text))
                measured = f"{seconds:.2f} s, {payload / 1e6:.2f} MB received"
                result[f"first picture at about {tokens} tokens (bar at 256: 1.5 MB)"] = measured
            page = browser.new_page(viewport={"width": 1280, "height": 800})
            sent: list = []
            page.on("websocket", lambda socket_: socket_.on("framesent", lambda frame: sent.append(frame)))
            open_page(page, server.url + "?head=0.0&text=" + quote(text_of(56)))
            page.wait_for_timeout(1500)
            typed, chosen = presses(page, count)
            result["keystroke to map, T about 64 (bar 25 / 50)"] = summary(typed)
            result["head choice to exact map (bar 10)"] = summary(chosen)
            result["messages sent while hovering (bar 0)"] = hover_messages(page, sent)
            for model in ("stories-rope", "stories-induction@1200"):  # the second is read by the server alone
                open_page(page, f"{server.url}?model={quote(model)}&text={quote(text_of(56))}")
                page.wait_for_timeout(1500)
                where = "browser" if model == "stories-rope" else "server"
                result[f"messages sent while typing 25 letters, read by the {where}"] = typing_messages(page, sent)
        browser.close()
    return result


def _fresh(browser, url: str) -> tuple[float, int]:
    """Seconds to the first picture and websocket bytes received in a new browser context."""
    context = browser.new_context(viewport={"width": 1280, "height": 800})
    page, received = context.new_page(), []
    page.on("websocket", lambda socket_: socket_.on("framereceived", lambda frame: received.append(len(frame))))
    seconds, _ = open_page(page, url)
    page.wait_for_timeout(1500)  # what is sent after the picture counts as well
    total = sum(received)
    context.close()
    return seconds, total


def text_of(tokens: int) -> str:
    """About this many tokens of story (four characters each, measured on the bundled tokenizer)."""
    import tlmviz

    tokenizer = tlmviz.load("stories-rope").tokenizer
    ids = tokenizer.encode(STORY * (tokens // 40 + 1))
    return tokenizer.decode(ids[: tokens - 1])


# --- at the websocket ----------------------------------------------------------------------------


class Session:
    """One user without a browser: opens the page, types, and waits for the script to finish."""

    def __init__(self, port: int) -> None:
        self.socket = connect(f"ws://localhost:{port}/_stcore/stream", subprotocols=["streamlit"], max_size=None)
        self.text_id = self.fragment = ""
        self.run(BackMsg())

    def run(self, message: BackMsg) -> float:
        """Send a rerun and return the milliseconds until its script has finished."""
        message.rerun_script.page_script_hash = message.rerun_script.page_script_hash or ""
        message.rerun_script.SetInParent()
        began = time.perf_counter()
        self.socket.send(message.SerializeToString())
        while True:
            reply = ForwardMsg()
            reply.ParseFromString(self.socket.recv(timeout=60))
            element = reply.delta.new_element if reply.WhichOneof("type") == "delta" else None
            if element is not None and element.WhichOneof("type") == "text_input":
                self.text_id, self.fragment = element.text_input.id, reply.delta.fragment_id
            if reply.WhichOneof("type") == "script_finished":
                if reply.script_finished not in (0, 3):  # success of a full or of a fragment run
                    continue
                return (time.perf_counter() - began) * 1e3

    def type(self, text: str) -> float:
        """What a pause in typing sends: the text, for the fragment it belongs to."""
        message = BackMsg()
        message.rerun_script.fragment_id = self.fragment
        widget = message.rerun_script.widget_states.widgets.add()
        widget.id, widget.string_value = self.text_id, text
        return self.run(message)


def sessions(users: int, rounds: int, reruns: int) -> dict[str, object]:
    """Latency of many sessions at once, and what sessions and reruns cost in memory."""
    result: dict[str, object] = Rows()
    with serve() as server:
        first = Session(server.port)
        for i in range(40):
            first.type(STORY + f"warm {i}")
        before = server.memory()
        everyone = [first] + [Session(server.port) for _ in range(users - 1)]
        for i, session in enumerate(everyone):
            session.type(STORY + f"hello {i % 8}")
        result["memory per further session, MB (bar 1)"] = round((server.memory() - before) / (users - 1), 2)
        times: list[float] = []
        barrier = threading.Barrier(users)

        def press(number: int) -> None:
            for turn in range(rounds):
                barrier.wait()
                times.append(everyone[number].type(STORY + f"{number} and {turn}"))

        threads = [threading.Thread(target=press, args=(number,)) for number in range(users)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        result[f"{users} sessions pressing at once (bar p95 500)"] = summary(times)
        marks = [server.memory()]
        for i in range(reruns):
            first.type(STORY + f"again {i}")
            if (i + 1) % (reruns // 4) == 0:
                marks.append(server.memory())
        growth = marks[-1] - marks[1]
        result[f"memory over {reruns} reruns, MB at each quarter"] = ", ".join(f"{mark:.0f}" for mark in marks)
        result["growth after the first quarter, MB (bar: flat)"] = round(growth, 1)
    return result


def main() -> None:
    """Run the chosen parts and print one table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--part", choices=["browser", "sessions", "all"], default="all")
    parser.add_argument("--presses", type=int, default=30)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    result: dict[str, object] = {}
    if options.part in ("browser", "all"):
        result.update(in_browser(options.presses))
    if options.part in ("sessions", "all"):
        result.update(sessions(20, 15, 800))
    if options.json:
        options.json.write_text(json.dumps(result, indent=2, default=str) + "\n")


if __name__ == "__main__":
    main()
