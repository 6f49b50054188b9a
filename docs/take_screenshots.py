"""The README's pictures, taken anew: `python docs/take_screenshots.py` (needs the test packages and Chromium)."""

import contextlib
import shutil
import socket
import subprocess
import sys
import urllib.request
from pathlib import Path
from urllib.parse import quote

from playwright.sync_api import sync_playwright

HERE = Path(__file__).resolve().parent
FLAGS = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking"]
TEXT = "Once upon a time there was a little girl named Lily. Lily had a red ball. One day, Lily lost the red ball."
REPEATS = "The cat saw a bird. The dog saw a bird. The cat saw a bird. The dog saw a"
TWICE = "He is a good man, a good father, a good friend and a good neighbour."
# file, page, scheme, width, height
SHOTS = [
    ("explorer-light", f"?text={quote(TEXT)}&head=4.2&query=24&key=16", "light", 1280, 800),
    (
        "explorer-dark",
        f"?text={quote(REPEATS)}&head=5.0&query=23&key=17&mode=arcs&order=induction",
        "dark",
        1280,
        800,
    ),
    ("explorer-phone", f"?text={quote(TEXT)}&head=4.2", "light", 390, 844),
    ("block-light", f"inside_block?text={quote(TEXT)}&head=4.2&step=softmax", "light", 1280, 800),
    ("planes-light", f"rope_planes?text={quote(TEXT)}&head=4.2&query=24&key=16", "light", 1280, 800),
    ("cache-light", f"kv_cache?text={quote(REPEATS)}&model=zoo-rope&ktok=12", "light", 1280, 800),
    ("serving-dark", "serving", "dark", 1280, 800),
    ("beam-light", f"beam_search?english={quote('I am cold.')}", "light", 1280, 800),
    ("alignment-dark", "alignment", "dark", 1280, 800),
    (
        "coverage-light",
        f"alignment?aview={quote('With and without coverage')}&arep={quote(TWICE)}",
        "light",
        1280,
        800,
    ),
    ("mhc-light", "mhc?stok=4", "light", 1280, 800),
    ("flash-light", f"flash_attention?text={quote(TEXT)}&part=Tiles&head=4.2", "light", 1280, 800),
    ("long-dark", "long_context?lview=Masks&ltok=1024", "dark", 1280, 800),
]


def main() -> None:
    """Start the app, take every shot, stop."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    server = subprocess.Popen(
        [sys.executable, "-m", "streamlit", "run", "app.py", "--server.port", str(port)], cwd=HERE.parent
    )
    try:
        while True:
            with contextlib.suppress(OSError):
                urllib.request.urlopen(f"http://localhost:{port}/_stcore/health", timeout=1).read()
                break
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=FLAGS)
            for name, address, scheme, width, height in SHOTS:
                page = browser.new_page(viewport={"width": width, "height": height}, color_scheme=scheme)
                page.goto(f"http://localhost:{port}/{address}")
                page.locator(".stPlotlyChart .main-svg").first.wait_for(timeout=180_000)
                page.locator('[data-test-script-state="notRunning"]').wait_for(timeout=180_000)
                page.wait_for_timeout(3000)  # charts fade in
                page.screenshot(path=HERE / f"{name}.png")
                page.close()
            browser.close()
    finally:
        server.terminate()


if __name__ == "__main__":
    main()
