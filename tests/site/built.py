"""A site that all tests look at, and a host of it on this machine."""

import functools
import tempfile
import threading
from contextlib import contextmanager
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from tlmviz.site import write_site

MODELS = ("stories-rope", "zoo-rope", "eng-fra", "pointer-hull", "words-negative", "stories-mhc")


@functools.cache
def built() -> Path:
    """Its folder, written once in a process."""
    out = Path(tempfile.mkdtemp(prefix="tlmviz-site-")) / "site"
    write_site(out, MODELS)
    return out


class Quiet(SimpleHTTPRequestHandler):
    """A host as plain as `python -m http.server`."""

    def log_message(self, *_) -> None:
        """Nothing is printed."""


@contextmanager
def hosted(folder: Path):
    """The address of a folder that is served."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=folder))
    server.handle_error = lambda *_: None  # a page that is left while it loads is no error
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://localhost:{server.server_port}/"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
