"""`tlmviz shot LINK --out FILE`: any picture of any page as a file, by the link that shows it."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import NamedTuple

from tlmviz.errors import BadShot


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The link or a file of links, where the pictures go, and how they are taken."""
    parser.add_argument("link", nargs="?", help="a link of the app, whole or from the page on: /explorer?head=5.4")
    parser.add_argument(
        "--out",
        type=Path,
        required=True,
        help="the file: its suffix, .svg, .png, .pdf or .html, is its format; a folder with --batch",
    )
    parser.add_argument(
        "--batch",
        type=Path,
        metavar="FILE",
        help="a file with a link a line, and behind it a name for its picture, or none",
    )
    parser.add_argument("--format", default="svg", help="of the files of a batch whose names have no suffix (svg)")
    parser.add_argument("--width", type=int, help="pixels of the picture")
    parser.add_argument("--height", type=int, help="pixels of the picture")
    parser.add_argument("--theme", default="light", help="light (the default), dark or grey")
    parser.add_argument("--scale", type=float, default=2.0, help="pixels of a PNG per pixel of the page (2)")
    parser.add_argument("--picture", help="the number of a picture on its page, or a part of its title")
    parser.add_argument("--server", metavar="URL", help="an app that runs already; one is started unless given")


def run(options: argparse.Namespace) -> int:
    """Take the pictures; 1 where some of a batch could not be, each with a sentence at the end.

    Raises BadShot for a wrong option or folder, where there is no browser, and for whatever is wrong with a picture
    alone.
    """
    from tlmviz.shots import Options, shots  # late: the other commands take none

    picture = int(options.picture) if (options.picture or "").isdigit() else options.picture
    wanted = Options(options.width, options.height, options.theme, options.scale, picture)
    if (options.link is None) == (options.batch is None):
        raise BadShot("Give either a link or --batch with a file of links.")
    if options.batch is None:
        [(path, made)] = shots([(options.link, options.out)], wanted, options.server)
        if isinstance(made, BadShot):
            raise made
        print(path)
        return 0
    lines, failed = batch(options.batch, options.out, options.format), []
    taken = shots([(line.link, line.path) for line in lines], wanted, options.server)
    for line, (path, made) in zip(lines, taken, strict=True):
        if isinstance(made, BadShot):
            failed.append(f"Line {line.number}: {made}")
        else:
            print(path, flush=True)
    if failed:
        print("\n".join(failed), file=sys.stderr)
    return int(bool(failed))


class Line(NamedTuple):
    """A line of a batch: its number from 1, its link, and the path of its picture."""

    number: int
    link: str
    path: Path


def batch(file: Path, folder: Path, format: str) -> list[Line]:
    """The links of a file and the paths of their pictures. Empty lines and those that begin with # are left out.

    Raises BadShot where the file cannot be read, holds no link, or names one picture twice, where nothing can be
    written into the folder, and where there is no such format.
    """
    from tlmviz.shots.files import suffix_of, writable

    try:
        written = file.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise BadShot(f"{file} cannot be read: {getattr(error, 'strerror', None) or 'it is no text'}.") from None
    suffix_of(Path(f"picture.{format}"))
    lines: list[Line] = []
    for number, text in enumerate(written, 1):
        if not text.strip() or text.lstrip().startswith("#"):
            continue
        link, *name = text.split(maxsplit=1)
        stem = name[0].strip() if name else f"{len(lines) + 1:03d}"
        lines.append(Line(number, link, folder / (stem if Path(stem).suffix else f"{stem}.{format}")))
    if not lines:
        raise BadShot(f"{file} holds no link; write one a line, and behind it a name for its picture.")
    paths = [line.path for line in lines]
    if twice := next((line for line in lines if paths.index(line.path) < lines.index(line)), None):
        raise BadShot(
            f"{file} names {twice.path.name} twice, again in line {twice.number}; give every picture a name of its own."
        )
    writable(folder)
    return lines
