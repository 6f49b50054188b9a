"""`tlmviz shot LINK --out FILE`: any picture of any page as a file, by the link that shows it."""

from __future__ import annotations

import argparse
from pathlib import Path

from tlmviz.errors import BadShot

HELP = "write any picture of any page as SVG, PNG, PDF or HTML, by the link that shows it"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The link or a file of links, where the pictures go, and how they are taken."""
    parser.add_argument(
        "link", nargs="?", help="a link of the app, whole or from the page on: /explorer?head=5.4"
    )
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
    parser.add_argument(
        "--format", default="svg", help="of the files of a batch whose names have no suffix (svg)"
    )
    parser.add_argument("--width", type=int, help="pixels of the picture")
    parser.add_argument("--height", type=int, help="pixels of the picture")
    parser.add_argument("--theme", default="light", help="light (the default) or dark")
    parser.add_argument("--scale", type=float, default=2.0, help="pixels of a PNG per pixel of the page (2)")
    parser.add_argument("--picture", help="the number of a picture on its page, or a part of its title")
    parser.add_argument(
        "--server", metavar="URL", help="an app that runs already; one is started unless given"
    )


def run(options: argparse.Namespace) -> int:
    """Take the pictures. Raises BadShot for a wrong link, option or path, and where there is no browser."""
    from tlmviz.shots import Options, shots  # late: the other commands take none

    picture = int(options.picture) if (options.picture or "").isdigit() else options.picture
    wanted = Options(options.width, options.height, options.theme, options.scale, picture)
    if (options.link is None) == (options.batch is None):
        raise BadShot("Give either a link or --batch with a file of links.")
    jobs = (
        [(options.link, options.out)]
        if options.batch is None
        else batch(options.batch, options.out, options.format)
    )
    for path, _ in shots(jobs, wanted, options.server):
        print(path, flush=True)
    return 0


def batch(file: Path, folder: Path, format: str) -> list[tuple[str, Path]]:
    """The links of a file and the paths of their pictures. Empty lines and those that begin with # are left out.

    Raises BadShot where the file cannot be read, holds no link, or names one picture twice.
    """
    try:
        lines = file.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise BadShot(
            f"{file} cannot be read: {getattr(error, 'strerror', None) or 'it is no text'}."
        ) from None
    jobs: list[tuple[str, Path]] = []
    for line in lines:
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        link, *name = line.split(maxsplit=1)
        stem = name[0].strip() if name else f"{len(jobs) + 1:03d}"
        jobs.append((link, folder / (stem if Path(stem).suffix else f"{stem}.{format}")))
    if not jobs:
        raise BadShot(f"{file} holds no link; write one a line, and behind it a name for its picture.")
    paths = [path for _, path in jobs]
    if twice := next((path for path in paths if paths.count(path) > 1), None):
        raise BadShot(f"{file} names {twice.name} twice; give every picture a name of its own.")
    return jobs
