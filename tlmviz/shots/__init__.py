"""Pictures of pages as files: `tlmviz.shot(link)`, and `shots` for many with one server and one browser."""

from __future__ import annotations

import contextlib
from collections.abc import Generator, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import overload

from tlmviz.errors import BadShot

from .camera import Camera
from .files import suffix_of, writable, write
from .links import Link, read_link
from .options import Options
from .parties import shot_server

__all__ = ["Link", "Options", "read_link", "shot", "shots"]


@overload
def shot(link: str, path: None = None, format: str = "svg", server: str | None = None, **options: object) -> bytes: ...
@overload
def shot(link: str, path: str | Path, format: str = "svg", server: str | None = None, **options: object) -> Path: ...
def shot(
    link: str, path: str | Path | None = None, format: str = "svg", server: str | None = None, **options: object
) -> bytes | Path:
    """A picture of a page as the link shows it: the bytes of a file of this `format`, or the `path` it was written to.

    `link` is a link of the app: a whole one of any host, "/pipeline?m=8" or "pipeline?m=8". The suffix of `path` says
    the format: svg, png, pdf or html. The app at the address `server` draws it, or one that is started for it and
    stopped. `options` are those of `Options`: width, height, theme, scale, picture. Raises Error where the link, an
    option or the path is wrong, or there is no browser.
    """
    wanted = Options(**options)  # type: ignore[arg-type]
    target = None if path is None else Path(path)
    [(_, made)] = shots([(link, target or f"picture.{format}")], wanted, server, writing=target is not None)
    if isinstance(made, BadShot):
        raise made
    return made if target is None else target


def shots(
    wanted: Iterable[tuple[str, str | Path]],
    options: Options | None = None,
    server: str | None = None,
    writing: bool = True,
) -> Iterator[tuple[Path, bytes | BadShot]]:
    """The pictures of many links, each with the path of its file, one after the other: one server and one browser do
    all.

    Yields every path with the bytes of its file, which is written before unless not `writing`, or with what is wrong
    with this picture: its link, its path, or what its page shows. Raises Error where none can be taken: no server, no
    browser.
    """
    jobs = [(Path(path), _readable(link, Path(path), writing)) for link, path in wanted]
    links = [(link, suffix_of(path)) for path, link in jobs if isinstance(link, Link)]
    if not links:  # nothing is started for nothing
        yield from ((path, wrong) for path, wrong in jobs if isinstance(wrong, BadShot))
        return
    with contextlib.closing(_taken(links, options or Options(), server)) as taken:
        for path, link in jobs:
            made = link if isinstance(link, BadShot) else next(taken)
            yield path, _written(path, made) if writing and isinstance(made, bytes) else made


def _readable(link: str, path: Path, writing: bool) -> Link | BadShot:
    """A link, or what is wrong with it or with the path of its picture."""
    try:
        suffix_of(path)
        if writing:
            writable(path.parent)
        return read_link(link)
    except BadShot as wrong:
        return wrong


def _written(path: Path, data: bytes) -> bytes | BadShot:
    """The same bytes, written, or why they are not."""
    try:
        write(path, data)
    except BadShot as wrong:
        return wrong
    return data


def _taken(
    links: list[tuple[Link, str]], options: Options, server: str | None
) -> Generator[bytes | BadShot, None, None]:
    # In a thread of its own: Playwright refuses to run where an event loop does, as in a notebook.
    with ThreadPoolExecutor(1) as thread, shot_server(server) as url:
        camera = thread.submit(Camera, url, options).result()
        try:
            taken = camera.take(links)
            for _ in links:
                yield thread.submit(next, taken).result()
        finally:
            thread.submit(camera.close).result()
