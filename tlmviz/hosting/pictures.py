"""Pictures of the pages' examples, each at an address of its own: a browser asks for those it shows, and keeps them."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable
from pathlib import Path

from starlette.requests import Request
from starlette.responses import FileResponse, PlainTextResponse, Response

FOLDER = "gallery"  # beside the file that names a page's examples, and before every address
PATH = f"/{{under:path}}{FOLDER}/{{chapter}}/{{page}}/{{file}}"
NAME = re.compile(r"[\w-]{1,100}(\.webp)?", re.ASCII)  # no dots: nothing above the pages' folder
KEPT = {"Cache-Control": "public, max-age=86400"}  # a picture taken anew has the same address


@functools.cache
def address(picture: Path) -> str:
    """The address of a picture, below that of the app; empty before it is taken."""
    if not picture.is_file():
        return ""
    chapter, page, _, file = picture.parts[-4:]
    return f"{FOLDER}/{chapter}/{page}/{file}"


def of(pages: Path) -> Callable[[Request], Response]:
    """What answers a request for a picture of an example of the `pages`, in whatever folder the app is mounted."""

    def answer(request: Request) -> Response:
        names = [request.path_params[part] for part in ("chapter", "page", "file")]
        chapter, page, file = names
        picture = pages / chapter / page / FOLDER / file
        if not all(map(NAME.fullmatch, names)) or picture.suffix != ".webp" or not picture.is_file():
            return PlainTextResponse("No such picture.", 404)
        return FileResponse(picture, headers=KEPT)

    return answer
