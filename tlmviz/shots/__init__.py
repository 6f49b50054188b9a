"""Pictures of pages as files: `tlmviz.shot(link)`, and `shots` for many with one server and one browser."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import overload

from .camera import Camera
from .files import suffix_of, writable, write
from .links import Link, read_link
from .options import Options
from .parties import shot_server

__all__ = ["Link", "Options", "read_link", "shot", "shots"]


@overload
def shot(
    link: str, path: None = None, format: str = "svg", server: str | None = None, **options: object
) -> bytes: ...
@overload
def shot(
    link: str, path: str | Path, format: str = "svg", server: str | None = None, **options: object
) -> Path: ...
def shot(
    link: str,
    path: str | Path | None = None,
    format: str = "svg",
    server: str | None = None,
    **options: object,
) -> bytes | Path:
    """A picture of a page as the link shows it: the bytes of a file of this `format`, or the `path` it was written to.

    `link` is a link of the app: a whole one of any host, "/pipeline?m=8" or "pipeline?m=8". The suffix of `path` says the
    format: svg, png, pdf or html. The app at the address `server` draws it, or one that is started for it and stopped.
    `options` are those of `Options`: width, height, theme, scale, picture. Raises Error where the link, an option or the
    path is wrong, or there is no browser.
    """
    wanted = Options(**options)  # type: ignore[arg-type]
    target = None if path is None else Path(path)
    [(_, data)] = shots([(link, target or f"picture.{format}")], wanted, server, writing=target is not None)
    return data if target is None else target


def shots(
    wanted: Iterable[tuple[str, str | Path]],
    options: Options | None = None,
    server: str | None = None,
    writing: bool = True,
) -> Iterator[tuple[Path, bytes]]:
    """The pictures of many links, each with the path of its file, one after the other: one server and one browser do all.

    Links and paths are read before anything is started. Yields every path with the bytes of its file, which is written
    before unless not `writing`. Raises Error as `shot`.
    """
    jobs = [(read_link(link), Path(path)) for link, path in wanted]
    for _, path in jobs:
        suffix_of(path)
        if writing:
            writable(path.parent)
    return _taken(jobs, options or Options(), server, writing)


def _taken(
    jobs: list[tuple[Link, Path]], options: Options, server: str | None, writing: bool
) -> Iterator[tuple[Path, bytes]]:
    # In a thread of its own: Playwright refuses to run where an event loop does, as in a notebook.
    with ThreadPoolExecutor(1) as thread, shot_server(server) as url:
        camera = thread.submit(Camera, url, options).result()
        try:
            taken = camera.take([(link, suffix_of(path)) for link, path in jobs])
            for _, path in jobs:
                data = thread.submit(next, taken).result()
                if writing:
                    write(path, data)
                yield path, data
        finally:
            thread.submit(camera.close).result()
