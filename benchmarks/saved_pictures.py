"""Random views saved in every format, each file checked, and contact sheets of all of them:
`python benchmarks/saved_pictures.py --out FOLDER [--views 30] [--seed 0]`.

A simulated student presses three things on a random page (all pages in turn, in a random order); the address that comes
of it is a view. Its picture is taken as SVG, PNG, PDF and HTML. Checked of each: it opens, its corners are opaque and
of one colour, it has a title and says what it shows (and which link shows it), its fonts are its own and no address in
it leads to another host; PDFs have one page and text. The sheets are for eyes, legends and legibility: all pictures as
they are, as a printer without colour prints them, in greys by choice, and laid out for a column; each 8 cm wide at 192
pixels to the inch. Ends with 1 where a file fails.
"""

from __future__ import annotations

import argparse
import asyncio
import io
import random
import re
import sys
from pathlib import Path
from xml.etree import ElementTree

from PIL import Image, ImageDraw

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from hall import Record, Student
from shot import LEFT_OUT

from tlmviz.cli.server import serve
from tlmviz.errors import BadShot
from tlmviz.shots import Options, shots
from tlmviz.shots.links import pages

FORMATS = ("svg", "png", "pdf", "html")
PRESSES = 3
WIDE = round(8 / 2.54 * 192)  # pixels of 8 cm
COLUMNS = 4
COLUMN = 420  # pixels that "for a column" lays a picture out for
FOREIGN = re.compile(r"""(?:src|href)\s*=\s*["'](?:https?:)?//|@import|url\(\s*["']?(?:https?:)?//""")
SVG = "{http://www.w3.org/2000/svg}"


async def views(port: int, count: int, chance: random.Random) -> list[str]:
    """Links that a student who presses at random comes to."""
    names = [page for page in pages() if page not in LEFT_OUT]
    order = [name for _ in range(-(-count // len(names))) for name in chance.sample(names, len(names))]
    found = []
    for number, name in enumerate(order[:count]):
        student = Student(port, number + chance.randrange(10**6), Record())
        await student.open(name)
        for _ in range(PRESSES):
            await student.press(stay=True)
        await student.leave()
        found.append(f"/{name}?{student.query}")
    return found


def wrong_with(path: Path, data: bytes) -> list[str]:
    """What a saved picture lacks."""
    return {"svg": _svg, "png": _png, "pdf": _pdf, "html": _html}[path.suffix[1:]](data)


def _svg(data: bytes) -> list[str]:
    root = ElementTree.fromstring(data)
    first = next((each for each in root.iter(f"{SVG}rect")), None)
    ground = first is not None and [first.get(side) for side in ("width", "height")] in (
        [root.get("width"), root.get("height")],
        ["100%", "100%"],
    )
    text = data.decode()
    return _lacking(
        {
            "a ground": ground,
            "a title": root.findtext(f"{SVG}title"),
            "a description": root.findtext(f"{SVG}desc"),
            "only SVG": root.find(f".//{SVG}foreignObject") is None,
            "no foreign address": not FOREIGN.search(text),
        }
    )


def _png(data: bytes) -> list[str]:
    image = Image.open(io.BytesIO(data))
    opaque = image.convert("RGBA")
    right, bottom = opaque.width - 1, opaque.height - 1
    corners = {opaque.getpixel(at) for at in ((0, 0), (right, 0), (0, bottom), (right, bottom))}
    text = getattr(image, "text", {})
    return _lacking(
        {
            "one opaque ground": len(corners) == 1 and corners.pop()[3] == 255,
            **{f"a {name.lower()}": text.get(name) for name in ("Title", "Description", "Source")},
        }
    )


def _pdf(data: bytes) -> list[str]:
    return _lacking(
        {
            "one page": len(re.findall(rb"/Type\s*/Page\b", data)) == 1,
            "text": b"/Font" in data,
            "embedded fonts": b"/FontFile" in data,
            "a title": b"/Title" in data,
        }
    )


def _html(data: bytes) -> list[str]:
    text = data.decode()
    return _lacking(
        {
            "a title": re.search(r"<title>[^<]+</title>", text),
            "its link": '<meta name="source" content="/' in text,
            "no foreign address": not FOREIGN.search(text),
        }
    )


def _lacking(parts: dict[str, object]) -> list[str]:
    return [name for name, there in parts.items() if not there]


def sheet(pictures: list[tuple[str, Image.Image]]) -> Image.Image:
    """All pictures 8 cm wide, in columns, each under its file's name."""
    tiles = []
    for name, picture in pictures:
        size = WIDE, max(1, round(picture.height * WIDE / picture.width))
        tiles.append((name, picture.resize(size, Image.Resampling.LANCZOS)))
    heights = [12] * COLUMNS
    places = []
    for _, tile in tiles:
        column = heights.index(min(heights))
        places.append((12 + column * (WIDE + 12), heights[column]))
        heights[column] += tile.height + 28
    whole = Image.new("RGB", (12 + COLUMNS * (WIDE + 12), max(heights)), "#8899aa")
    pen = ImageDraw.Draw(whole)
    for (name, tile), (x, y) in zip(tiles, places, strict=True):
        pen.text((x, y), name, fill="black")
        whole.paste(tile, (x, y + 14))
    return whole


def main() -> int:
    """Take, check and lay out the pictures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, required=True, help="a folder for the pictures and the sheets")
    parser.add_argument("--views", type=int, default=30)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    failed = 0
    with serve() as server:
        links = asyncio.run(
            views(int(server.url.rstrip("/").rpartition(":")[2]), options.views, random.Random(options.seed))
        )
        jobs = [
            (link, options.out / f"{number:02}-{link.partition('?')[0][1:]}.{format}")
            for number, link in enumerate(links)
            for format in FORMATS
        ]
        named = {path: link for link, path in jobs}
        for path, made in shots(jobs, Options(), server.url):
            wrong = str(made) if isinstance(made, BadShot) else ", ".join(wrong_with(path, made))
            if wrong:
                failed += 1
                print(f"{path.name}: lacks {wrong}  {named[path]}", flush=True)
        as_is = [path for path in named if path.suffix == ".png" and path.exists()]
        pictures = [(path.stem, Image.open(path).convert("RGB")) for path in as_is]
        sheet(pictures).save(options.out / "sheet.png")
        printed = [(name, picture.convert("L").convert("RGB")) for name, picture in pictures]
        sheet(printed).save(options.out / "sheet-printed.png")
        for name, wanted in (("grey", Options(theme="grey")), ("column", Options(width=COLUMN))):
            (options.out / name).mkdir(exist_ok=True)
            others = [(named[path], options.out / name / path.name) for path in as_is]
            taken = [path for path, made in shots(others, wanted, server.url) if not isinstance(made, BadShot)]
            sheet([(path.stem, Image.open(path).convert("RGB")) for path in taken]).save(
                options.out / f"sheet-{name}.png"
            )
    print(f"{len(jobs)} files of {len(links)} views, {failed} fail")
    return int(failed > 0)


if __name__ == "__main__":
    raise SystemExit(main())
