"""A live file and a static site in a browser: `python benchmarks/browser.py [--json FILE]` (needs the test packages,
Chromium and Node.js).

`lm.save_html` of stories-rope, opened from the disk in headless Chromium: seconds to its first maps, milliseconds from
a key to the map of some 64 tokens (typed at the end, and in front of the text, where nothing of the pass before is of
use) and to the map of another head, 1,024 tokens with the overview of all heads, and the memory of its process beside a
blank page's. Under Node.js on one thread: CPU time of such texts, which other work on the machine changes less, and
GFLOP/s of the product kernel. Of `tlmviz site`, served on this machine: megabytes of each page's first load, seconds to
its first picture in a new profile, and of a second visit without the host. With `--gguf` of SmolLM2-135M alone (`tlmviz
get smollm2-135m`), under Node.js on one thread: seconds to read the file, CPU time of a text of 64 tokens with what
follows it and of a further token, memory of the process. The exit status is 1 when a bar is missed.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

from live import FLAGS, STORY, open_page
from playwright.sync_api import Browser, Page, sync_playwright

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))
import tlmviz
from tlmviz.checkpoints.folders import installed_folder
from tlmviz.checkpoints.gguf import file_of
from tlmviz.site import write_site
from tlmviz.site.pages import site_pages

MODEL = "stories-rope"
FUSED = "--experimental-wasm-relaxed-simd"  # what browsers have by default
TOKENS, LONG = 64, 1024
SITE_MODELS = (MODEL, "eng-fra", "pointer-hull", "words-negative", "stories-mhc")
BARS = {
    "head": 10.0,
    "median": 25.0,
    "p95": 50.0,
    "first": 1.0,
    "long": 1.5,
    "memory": 120.0,
    "gflops": 40.0,
    "fused": 50,
    "load": 8.0,
    "picture": 2.0,
    "text": 600.0,
    "token": 60.0,
}
# Resolves with the milliseconds from the last input or key to the exact map of another text or head.
PAINT = """(canvas, [before, what]) => new Promise((resolve, reject) => {
  const done = () => canvas.dataset[what] !== before && canvas.dataset.paintedKind === "exact"
    && resolve(Number(canvas.dataset.paintedAt) - window.pressed);
  new MutationObserver(done).observe(canvas, { attributes: true });
  setTimeout(() => reject(new Error("no map in 30 s")), 30000);
  done();
})"""
KERNEL = """
import { Memory, Matrix } from "./tlmviz/browser/memory.js";
const [rounds, rows, inner, outputs] = process.argv.slice(1).map(Number);
const memory = new Memory();
const [x, y] = [memory.take(rows * inner), memory.take(rows * outputs)];
const matrix = new Matrix(memory, Float32Array.from({ length: outputs * inner }, Math.random), outputs, inner);
const times = [];
for (let round = 0; round < rounds; round++) {
  const from = performance.now();
  for (let i = 0; i < 20; i++) matrix.apply(x, y, rows);
  times.push((performance.now() - from) / 20);
}
times.sort((a, b) => a - b);
const speed = (time) => (2 * rows * inner * outputs) / time / 1e6;
console.log(JSON.stringify([speed(times[0]), speed(times[Math.floor(rounds / 2)])]));
"""
ENGINE = """
import { readFileSync } from "node:fs";
import { load } from "./tlmviz/browser/language_model.js";
import { surveyOf } from "./tlmviz/browser/survey.js";
const [folder, rounds, ...texts] = process.argv.slice(1);
const read = (name) => readFileSync(`${folder}/${name}`);
const model = load(`${read("config.json")}`, read("model.safetensors"), `${read("tokenizer.json")}`);
const times = texts.map((text) => Array.from({ length: Number(rounds) }, (_, round) => {
  const from = process.cpuUsage();
  const trace = model.trace((round % 2 ? "A" : "B") + text.slice(1)); // nothing of the one before is of use
  if (!trace.following.length || !surveyOf(trace, 48).size) throw new Error("nothing was computed");
  return process.cpuUsage(from).user / 1e3;
}).sort((a, b) => a - b)[Math.floor(rounds / 2)]);
console.log(JSON.stringify(times));
"""
GGUF = """
import { readFileSync } from "node:fs";
import { loadGguf } from "./tlmviz/browser/gguf_model.js";
const [file, rounds, text] = process.argv.slice(1);
const started = performance.now();
const model = loadGguf(readFileSync(file), "smollm2-135m");
const load = (performance.now() - started) / 1e3;
const cost = (read) => {
  const from = process.cpuUsage();
  if (!model.trace(read).following.length) throw new Error("nothing was computed");
  const { user, system } = process.cpuUsage(from);
  return (user + system) / 1e3;
};
const median = (all) => all.sort((a, b) => a - b)[Math.floor(all.length / 2)];
const times = Array.from({ length: Number(rounds) }, (_, round) => cost((round % 2 ? "A" : "B") + text.slice(1)));
let longer = text;
cost(longer);
const tokens = Array.from({ length: 4 * rounds }, () => cost((longer += " and")));
console.log(JSON.stringify([load, median(times), median(tokens), process.memoryUsage().rss / 1e6]));
"""
SMOLLM2 = "smollm2-135m"
SHAPES = ((64, 192, 576), (64, 192, 1024), (64, 512, 192))  # of stories-rope: rows, inputs, outputs


def changed(page: Page, work, what: str = "text") -> float:
    """Milliseconds from an input that `work` makes to the map of another text, or of another head."""
    canvas = page.get_by_test_id("detail")
    before = canvas.get_attribute(f"data-painted-{what}")
    work()
    return float(canvas.evaluate(PAINT, [before, f"painted{what.title()}"]))


def choices(page: Page, count: int) -> list[float]:
    """Milliseconds from an arrow key to the map of the head beside the one that is shown."""
    page.get_by_test_id("overview").focus()
    first = str(page.get_by_test_id("detail").get_attribute("data-painted-head")).endswith(".0")
    ways = ("ArrowRight", "ArrowLeft") if first else ("ArrowLeft", "ArrowRight")
    return [changed(page, lambda way=way: page.keyboard.press(way), "head") for way in ways * (count // 2)]


def keys(page: Page, place: str, count: int) -> list[float]:
    """Milliseconds of keys, of which every second one takes back the one before, at the "End" or at "Home"."""
    box = page.locator("#text")
    times = []
    for number in range(count + 2):
        box.press(place)
        if number % 2 and place == "Home":
            box.press("ArrowRight")
        key = "Backspace" if number % 2 else "x"
        times.append(changed(page, lambda key=key: page.keyboard.press(key)))
    return times[2:]


def renderer_memory(browser: Browser, page: Page) -> float:
    """Megabytes that the process of the page alone has, after a collection of garbage."""
    page.context.new_cdp_session(page).send("HeapProfiler.collectGarbage")
    time.sleep(1)
    processes = browser.new_browser_cdp_session().send("SystemInfo.getProcessInfo")["processInfo"]
    return max(_private(each["id"]) for each in processes if each["type"] == "renderer")


def _private(process: int) -> float:
    lines = Path(f"/proc/{process}/smaps_rollup").read_text().splitlines()
    return sum(int(line.split()[1]) for line in lines if line.startswith("Private_")) / 1e3


def in_a_browser(rounds: int, presses: int) -> dict[str, float]:
    """Everything that is measured in Chromium, by name."""
    lm = tlmviz.load(MODEL)
    text, long = fitted(lm, TOKENS), fitted(lm, LONG)
    found: dict[str, float] = {}
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        file = Path(folder) / "live.html"
        lm.save_html(file, text)
        found["megabytes of the file"] = file.stat().st_size / 1e6
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=FLAGS)
        blank = browser.new_page()
        found["memory of a blank page, MB"] = renderer_memory(browser, blank)
        blank.close()
        first = []
        for _ in range(rounds):
            context = browser.new_context(viewport={"width": 1280, "height": 800})
            page = context.new_page()
            for event in ("keydown", "input"):  # a key in the text is an input a little later
                page.add_init_script(
                    f"addEventListener('{event}', () => {{ window.pressed = performance.now() }}, true)"
                )
            first.append(open_page(page, file.as_uri())[0])
            if len(first) < rounds:
                context.close()
        found["first maps, s, median"] = statistics.median(first)
        found["head choice to map, ms, median"] = statistics.median(choices(page, presses))
        for place, name in (("End", "at the end"), ("Home", "in front")):
            times = sorted(keys(page, place, presses))
            found[f"key {name} to map, ms, median"] = statistics.median(times)
            found[f"key {name} to map, ms, p95"] = times[min(len(times) - 1, int(0.95 * len(times)))]
        found["memory, MB"] = renderer_memory(browser, page)
        box = page.locator("#text")
        longs = [changed(page, lambda part=part: box.fill(part)) / 1e3 for part in [long, text] * rounds]
        found[f"{LONG:,} tokens with the overview, s, median"] = statistics.median(longs[::2])
        found[f"memory after {LONG:,} tokens, MB"] = renderer_memory(browser, page)
        browser.close()
    return found


class Quiet(SimpleHTTPRequestHandler):
    """A host as plain as `python -m http.server`."""

    def log_message(self, *_: object) -> None:
        """Nothing is printed."""


@contextmanager
def hosted(folder: Path) -> Iterator[str]:
    """The address of a folder that is served."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=folder))
    Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://localhost:{server.server_port}/"
    server.shutdown()
    server.server_close()


def first_picture(page: Page, address: str) -> float:
    """Seconds from opening a page to its first picture."""
    page.goto(address)
    page.wait_for_function("() => window.paintedAt")
    found: float = page.evaluate("window.paintedAt") / 1e3
    return found


def of_a_site(rounds: int) -> dict[str, float]:
    """Of every page of a site: its first load, and its first picture at a first visit and at a second one without the
    host."""
    found: dict[str, float] = {}
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        out = Path(folder) / "site"
        write_site(out, SITE_MODELS)
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=FLAGS)
        # All but the glossary, which has no picture.
        paths = [page.page.path + "/" for page in site_pages()[1:] if page.page.path != "glossary"]
        for path in ["", *paths]:
            name = path.strip("/") or "start"
            loads, firsts, seconds = [], [], []
            for _ in range(rounds):
                context = browser.new_context(viewport={"width": 1280, "height": 800})
                page = context.new_page()
                page.add_init_script(
                    "addEventListener('tlmviz:painted', () => { window.paintedAt ??= performance.now() })"
                )
                sizes: list[int] = []
                page.on("response", lambda answer, s=sizes: s.append(int(answer.headers.get("content-length", 0))))
                with hosted(out) as site:
                    firsts.append(first_picture(page, site + path))
                    loads.append(sum(sizes) / 1e6)
                    page.evaluate("navigator.serviceWorker.ready.then(() => true)")
                seconds.append(first_picture(page, site + path))
                context.close()
            found[f"site: {name}, first load, MB"] = max(loads)
            found[f"site: {name}, first picture, s, median"] = statistics.median(firsts)
            found[f"site: {name}, again without the host, s, median"] = statistics.median(seconds)
        browser.close()
    return found


def fitted(lm, size: int) -> str:
    """A text of about so many tokens."""
    text = STORY * (size // 32 + 1)
    while len(lm.tokenizer.encode(text, bos=True)) > size:
        text = text[:-1]
    return text


def node(script: str, *arguments: object, flags: Sequence[str] = (FUSED,)) -> list[float]:
    """What a module prints, run from the repository's root."""
    run = subprocess.run(
        ["node", *flags, "--input-type=module", "-e", script, *map(str, arguments)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    found: list[float] = json.loads(run.stdout)
    return found


def engine_time(rounds: int) -> dict[str, float]:
    """CPU milliseconds of a whole text: the pass, what follows it, statistics and pictures of all heads."""
    lm = tlmviz.load(MODEL)
    texts = [fitted(lm, size - 4) for size in (TOKENS, LONG)]  # the word that changes may have more tokens
    times = node(ENGINE, ROOT / "models" / MODEL, rounds, *texts)
    return {f"a text of {size:,} in the engine, CPU ms, median": each for size, each in zip((TOKENS, LONG), times)}


def of_a_gguf_file(rounds: int) -> dict[str, float]:
    """Of SmolLM2-135M from its GGUF file: reading it, a text, a further token, and memory."""
    lm = tlmviz.load(SMOLLM2)
    found = node(GGUF, file_of(installed_folder(SMOLLM2)), rounds, fitted(lm, TOKENS))
    names = (
        "reading the file, s",
        f"a text of {TOKENS}, CPU ms, median",
        "a further token, CPU ms, median",
        "memory of the process, MB",
    )
    return {f"{SMOLLM2}: {name}": each for name, each in zip(names, found)}


def kernel_speed(rounds: int) -> dict[str, float]:
    """GFLOP/s of the product kernel on one thread, of the best round and of the median one, over SHAPES: with fused
    multiply-add, as browsers have it, and without."""
    found: dict[str, float] = {}
    for shape in SHAPES:
        for kind, flags in (("fused", (FUSED,)), ("plain", ())):
            best, median = node(KERNEL, rounds, *shape, flags=flags)
            name = f"kernel {'x'.join(map(str, shape))}, {kind}, GFLOP/s"
            found |= {f"{name}, best": best, f"{name}, median": median}
    return found


def bar_of(name: str) -> tuple[float, bool] | None:
    """The bar of a figure, and whether more is better."""
    if name.startswith(SMOLLM2):
        part = next((part for part in ("text", "token") if f" {part}" in name), None)
        return (BARS[part], False) if part else None
    if name.startswith("site"):
        return (BARS["load"] if name.endswith("MB") else BARS["picture"]), False
    if name.startswith("key"):
        return BARS[name.rpartition(" ")[2]], False
    for part, bar in (("first maps", "first"), ("head choice", "head"), ("tokens with", "long"), ("memory", "memory")):
        if part in name and "blank" not in name:
            return BARS[bar], False
    return (BARS["fused" if "fused" in name else "gflops"], True) if name.endswith("best") else None


def main() -> int:
    """Print a line for each figure; 0 when all bars are met."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--rounds", type=int, default=7, help="openings, long texts, and timings of the kernel by ten (7)"
    )
    parser.add_argument("--presses", type=int, default=60, help="keys at each place (60)")
    parser.add_argument("--no-browser", action="store_true", help="what runs under Node.js alone")
    parser.add_argument("--site", action="store_true", help="the site alone")
    parser.add_argument("--gguf", action="store_true", help="SmolLM2-135M from its GGUF file alone")
    parser.add_argument("--json", type=Path, metavar="FILE", help="all figures")
    given = parser.parse_args()
    found: dict[str, float] = {}
    if given.gguf:
        found = of_a_gguf_file(given.rounds)
    elif not given.no_browser and not given.site:
        found = in_a_browser(given.rounds, given.presses)
    if not given.no_browser and not given.gguf:
        found |= of_a_site(given.rounds)
    if not given.site and not given.gguf:
        found |= engine_time(4 * given.rounds) | kernel_speed(10 * given.rounds)
    missed = False
    for name, value in found.items():
        bar = bar_of(name)
        off = bar is not None and (value < bar[0] if bar[1] else value > bar[0])
        missed |= off
        print(f"{name:60}{value:9.2f}" + (f"  bar {bar[0]:g}{': missed' if off else ''}" if bar else ""))
    print(f"load {os.getloadavg()[0]:.1f}")
    if given.json:
        given.json.write_text(json.dumps(found, indent=1))
    return int(missed)


if __name__ == "__main__":
    raise SystemExit(main())
