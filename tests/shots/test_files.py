"""What files of pictures say of themselves, read back, and paths that cannot be written."""

import io
import re

import numpy as np
import pytest
from PIL import Image

from tlmviz.errors import BadShot
from tlmviz.shots import Options
from tlmviz.shots.files import about_pdf, about_png, suffix_of, writable, write

ABOUT = {"title": "Pipeline: p = 4", "caption": "Wait − then work · 27.3%", "link": "/pipeline?m=8"}
PDF = b"\n".join(  # a whole file, but without pages
    [
        b"%PDF-1.4",
        b"1 0 obj",
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"endobj",
        b"2 0 obj",
        b"<< /Type /Pages /Kids [] /Count 0 >>",
        b"endobj",
        b"xref",
        b"0 3",
        b"0000000000 65535 f ",
        b"0000000009 00000 n ",
        b"0000000058 00000 n ",
        b"trailer",
        b"<< /Size 3 /Root 1 0 R >>",
        b"startxref",
        b"110",
        b"%%EOF",
        b"",
    ]
)


def pdf_objects(data: bytes) -> dict[int, bytes]:
    """The objects of the last table, each found at its offset as a reader finds it: from the end."""
    start = int(re.findall(rb"startxref\s+(\d+)\s+%%EOF", data)[-1])
    section = re.match(rb"xref\s+(\d+) (\d+)\s+((?:\d{10} \d{5} [nf] \n)+)", data[start:])
    first, count, rows = int(section[1]), int(section[2]), section[3].splitlines()
    assert len(rows) == count
    found = {}
    for number, row in enumerate(rows, first):
        offset, used = int(row[:10]), row[17:18] == b"n"
        if used:
            assert data[offset:].startswith(b"%d 0 obj" % number)
            found[number] = data[offset : data.index(b"endobj", offset)]
    return found


def pdf_info(data: bytes) -> dict[str, str]:
    """What the last information dictionary says."""
    body = pdf_objects(data)[int(re.findall(rb"/Info (\d+) 0 R", data)[-1])]
    found = re.findall(rb"/(\w+) <([0-9A-F]+)>", body)
    return {name.decode(): bytes.fromhex(value.decode()).decode("utf-16") for name, value in found}


def test_a_png_says_what_it_shows_and_its_pixels_stay():
    pixels = np.arange(48, dtype=np.uint8).reshape(4, 4, 3)
    file = io.BytesIO()
    Image.fromarray(pixels).save(file, "PNG")
    read = Image.open(io.BytesIO(about_png(file.getvalue(), ABOUT)))
    np.testing.assert_array_equal(np.asarray(read), pixels)
    named = {"Title": ABOUT["title"], "Description": ABOUT["caption"], "Source": ABOUT["link"]}
    assert read.text == {**named, "Software": "tlmviz"}  # type: ignore[attr-defined]


def test_a_pdf_says_what_it_shows_and_keeps_what_it_was():
    data = about_pdf(PDF, ABOUT)
    assert data.startswith(PDF) and b"/Root 1 0 R" in data[len(PDF) :] and b"/Prev 110" in data
    named = {"Title": ABOUT["title"], "Subject": ABOUT["caption"], "Keywords": ABOUT["link"]}
    assert pdf_info(data) == {**named, "Creator": "tlmviz"}
    with pytest.raises(ValueError, match="trailer"):
        about_pdf(b"%PDF-1.5", ABOUT)


@pytest.mark.parametrize(("name", "says"), [("map.jpg", ".jpg was given"), ("map", "ends with none")])
def test_an_unknown_suffix_is_one_sentence(tmp_path, name, says):
    assert suffix_of(tmp_path / "map.SVG") == "svg"
    with pytest.raises(BadShot, match=says):
        suffix_of(tmp_path / name)


def test_a_folder_that_cannot_be_written_is_one_sentence(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("")
    with pytest.raises(BadShot, match="cannot be made a folder"):
        writable(tmp_path / "file" / "below")
    writable(tmp_path / "new" / "folder")
    assert (tmp_path / "new" / "folder").is_dir()
    monkeypatch.setattr("os.access", lambda *_: False)
    with pytest.raises(BadShot, match="Nothing can be written"):
        writable(tmp_path)
    with pytest.raises(BadShot, match="cannot be written .Is a directory"):
        write(tmp_path, b"")


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"theme": "sepia"}, "choose light, dark or grey"),
        ({"width": 3}, "choose 50 to 8000"),
        ({"height": 10**6}, "choose 50 to 8000"),
        ({"scale": float("nan")}, "choose 0.1 to 8"),
        ({"picture": 0}, "counted from 1"),
    ],
)
def test_options_that_no_picture_can_have(given, says):
    with pytest.raises(BadShot, match=says):
        Options(**given)
