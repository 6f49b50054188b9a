"""Scripts of others that the app serves itself, each as its package has it.

An address holds a version, so a browser keeps the script for good; another version has another address.
"""

from __future__ import annotations

import functools
import gzip
import importlib.metadata
import importlib.util
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response

FOLDER = Path(__file__).parent
KEPT = {"Cache-Control": "public, max-age=31536000, immutable", "Vary": "Accept-Encoding"}


@dataclass(frozen=True)
class Script:
    """A script, and how it is found as gzip."""

    name: str
    read: Callable[[], bytes]

    @property
    def path(self) -> str:
        """Its address below that of the app."""
        return f"vendored/{self.name}"

    @functools.cached_property
    def packed(self) -> bytes:
        """The script as gzip."""
        return self.read()

    @functools.cached_property
    def text(self) -> bytes:
        """The script as it is run."""
        return gzip.decompress(self.packed)


def _all_of_plotly() -> bytes:
    found = importlib.util.find_spec("plotly")
    assert found is not None and found.submodule_search_locations is not None  # the app's figures are Plotly's
    [folder] = found.submodule_search_locations
    return gzip.compress(Path(folder, "package_data", "plotly.min.js").read_bytes())


# plotly-cartesian.min.js of the npm package plotly.js-cartesian-dist-min 4.1.1, MIT licence (the file beside it): the
# smallest of Plotly's bundles with maps; the next smaller one, basic, has none.
CARTESIAN = Script("plotly-cartesian-4.1.1.min.js", (FOLDER / "plotly-cartesian-4.1.1.min.js.gz").read_bytes)
SHA256 = "79542150855a52c567260e3137095dbe2b744e6d702a5cabe67da246942fba7a"  # of CARTESIAN, unpacked
DRAWN = {"bar", "box", "contour", "heatmap", "histogram", "image", "pie", "scatter", "violin"}  # by CARTESIAN
# Three times as large, with every kind of trace: treemaps, and points by WebGL. Plotly's Python package brings it.
ALL = Script(f"plotly-all-{importlib.metadata.version('plotly')}.min.js", _all_of_plotly)
SCRIPTS = {script.name: script for script in (CARTESIAN, ALL)}


def plotly_for(kinds: Iterable[str]) -> Script:
    """The smallest script that draws traces of these kinds."""
    return CARTESIAN if DRAWN.issuperset(kinds) else ALL


def script(request: Request) -> Response:
    """The script that an address names, in whatever folder the app is mounted."""
    found = SCRIPTS.get(request.path_params["name"])
    if found is None:
        return PlainTextResponse("No such script.", 404)
    packed = "gzip" in request.headers.get("accept-encoding", "")
    return Response(
        found.packed if packed else found.text,
        media_type="text/javascript",
        headers=KEPT | ({"Content-Encoding": "gzip"} if packed else {}),
    )
