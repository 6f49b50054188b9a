"""Pictures of pages as files, taken by the browser of this machine."""

import base64
import io
import json
import re
import zlib
from xml.etree import ElementTree
from xml.sax.saxutils import escape

import numpy as np
import pytest
from PIL import Image
from playwright.sync_api import expect

import tlmviz
from tests.browser.helpers import TEXT, at_rest, box_of, from_menu, look_below, open_link
from tests.shots.test_files import pdf_info, pdf_objects
from tlmviz import __main__ as commands
from tlmviz.errors import BadShot
from tlmviz.shots import Options, shots

SVG = "{http://www.w3.org/2000/svg}"
LINK = "https://elsewhere.example/pipeline?embed=true"


def words(svg: bytes | str) -> list[str]:
    """The texts of an SVG, in their order."""
    return ["".join(text.itertext()) for text in ElementTree.fromstring(svg).iter(f"{SVG}text")]


def test_a_batch_has_a_file_of_every_format_that_says_what_it_shows(server, tmp_path, capsys):
    names = ("a.svg", "b.png", "c.pdf", "d.html")
    (tmp_path / "list.txt").write_text("".join(f"{LINK} {name}\n" for name in names))
    options = ["--batch", str(tmp_path / "list.txt"), "--out", str(tmp_path), "--width", "1200", "--server", server]
    assert commands.main(["shot", *options]) == 0
    assert [line.rpartition("/")[2] for line in capsys.readouterr().out.split()] == list(names)

    svg = (tmp_path / "a.svg").read_bytes()
    root = ElementTree.fromstring(svg)
    heading, caption = root.findtext(f"{SVG}title"), root.findtext(f"{SVG}desc")
    assert heading.startswith("Pipeline: 1F1B, simulated") and "1F1B" in caption and LINK in svg.decode()
    assert root.get("width") == "1200" and any("device" in word for word in words(svg))

    png = Image.open(tmp_path / "b.png")
    assert png.size[0] == 2400
    assert (png.text["Title"], png.text["Description"], png.text["Source"]) == (heading, caption, LINK)

    pdf = (tmp_path / "c.pdf").read_bytes()
    info = pdf_info(pdf)
    assert (info["Title"], info["Subject"], info["Keywords"]) == (heading, caption, LINK)
    assert b"/Font" in pdf and len(re.findall(rb"/Type\s*/Page\b", pdf)) == 1  # text, on one page

    html = (tmp_path / "d.html").read_text()
    assert f'<meta name="source" content="{LINK}">' in html and not re.search(r'src="http|@import|url\(http', html)
    data = json.loads(re.search(r'id="data">(.*?)</script>', html, re.DOTALL)[1])
    assert len(data["arrays"]["start"]) == len(data["arrays"]["device"]) > 50


def test_both_themes_a_chart_by_its_title_and_what_the_page_does_not_have(server):
    dark = tlmviz.shot("/kv_cache", format="png", server=server, theme="dark", scale=1.0)
    light = tlmviz.shot("/kv_cache", format="png", server=server, scale=1.0)
    pixels = [np.asarray(Image.open(io.BytesIO(data)).convert("L")) for data in (dark, light)]
    assert np.median(pixels[0]) < 60 and np.median(pixels[1]) > 240
    chart = tlmviz.shot("/pipeline", server=server, picture="bubble against")
    assert any("micro-batches" in word for word in words(chart)) and b"modebar" not in chart
    for options, says in [({"picture": 9}, "1 1F1B, simulated"), ({"picture": "owl"}, "no picture 'owl'")]:
        with pytest.raises(BadShot, match=says):
            tlmviz.shot("/pipeline", server=server, **options)


def test_a_tab_that_follows_links_shows_what_a_fresh_one_does_and_goes_on_where_there_is_no_picture(server):
    """Every link is once the first of its tab and once its second, behind another page, model, text or head."""
    links = [
        "/explorer?model=zoo-rope&head=1.2",
        f"/attention_family?fview=Collapse+lemma&text={TEXT}",
        "/attention_family?fview=Collapse+lemma",
        "/explorer",
    ]
    made = {}
    for order in (links, links[2:] + ["/lessons"] + links[:2]):
        names = [(link, f"{number}.svg") for number, link in enumerate(order)]
        for link, (_, picture) in zip(order, shots(names, None, server, writing=False), strict=True):
            made.setdefault(link, []).append(picture)
    assert str(*made.pop("/lessons")) == "/lessons shows no picture; this page has none with a menu."
    for link, (one, other) in made.items():
        assert one == other, link
    assert len({one for one, _ in made.values()}) == len(links)


def test_a_view_that_the_browser_lays_out_is_one_figure_of_texts(server):
    """Texts and boxes of the page, and what is drawn on its canvases, drawn again; nothing that is only pressed."""
    (_, told), (_, arcs) = shots(
        [("/encoder_only?epart=Hidden+words", "a.svg"), ("/pointers?pointer=sentinel", "b.svg")],
        None,
        server,
        writing=False,
    )
    assert {"little", "Reads both sides"} <= set(words(told)) and b"<image" not in told
    assert any(re.fullmatch(r"0\.\d{3}", word) for word in words(told))  # a probability
    assert "Zorbina" in words(arcs) and b"<image" not in arcs and re.search(rb'<path d="M[^"]*C', arcs)
    assert b"Save" not in told + arcs


def test_what_stands_for_a_page_is_whole(server):
    """A long title in lines, the matrix and not the path to it, and no button of a player."""
    names = [("/patch", "a.svg"), ("/why", "b.svg"), ("/next_tokens?nview=Writing", "c.svg")]
    (_, patched), (_, why), (_, written) = shots(names, None, server, writing=False)
    title = ElementTree.fromstring(patched).findtext(f"{SVG}title").partition(": ")[2]
    assert "put into" in title and re.search("answer “ball” against “\\w+”$", title)
    lines = words(patched)
    assert title not in lines and title in " ".join(lines)
    assert "The score, source by source" in words(why) and "sum" in words(why)
    assert any(word.startswith("pass 3 of") for word in words(written)) and "▶" not in words(written)


def is_grey(svg: bytes) -> bool:
    """Whether no colour of an SVG has a hue, images that it does not filter included."""
    text = svg.decode()
    hexes = [re.findall("..", color) for color in re.findall(r"#([0-9a-f]{6})\b", text)]
    triples = [color.split(",") for color in re.findall(r"rgba?\((\d+, ?\d+, ?\d+)", text)]
    assert hexes or triples
    plain = all(len({part.strip() for part in color}) == 1 for color in hexes + triples)
    images = re.findall(r"data:image/png;base64,([^\"]+)", text)
    pixels = [np.asarray(Image.open(io.BytesIO(base64.b64decode(image))).convert("RGB")) for image in images]
    return plain and all((image == image[..., :1]).all() for image in pixels)


def test_a_picture_for_a_column_without_colour(server):
    """Signs by their side of the middle grey, text as large as on the page; the same picture otherwise has hues."""
    names = [("/compare", "a.svg"), ("/training", "b.svg")]
    (_, narrow), (_, gradients) = shots(names, Options(theme="grey", width=420), server, writing=False)
    [(_, coloured)] = shots(names[:1], None, server, writing=False)
    assert is_grey(narrow) and is_grey(gradients) and not is_grey(coloured)
    root = ElementTree.fromstring(narrow)
    drawn = float(root.get("viewBox").split()[2])
    assert root.get("width") == "420" and drawn < 460  # laid out anew, not made smaller


def test_a_file_has_a_ground_and_says_where_it_is_from_or_as_is_wished(page, server):
    open_link(page, server, "explorer", model="zoo-rope", text=TEXT)
    at_rest(page)

    def saved(name: str) -> bytes:
        with page.expect_download() as file:
            from_menu(page, name, "this figure")
        return file.value.path().read_bytes()

    plain = words(saved("SVG"))
    assert f"Attention explorer · zoo-rope · “{TEXT}” · tlmviz" == plain[-1]
    corners = [Image.open(io.BytesIO(saved("PNG"))).convert("RGBA").getpixel((0, 0))]
    page.get_by_role("button", name="embedding of the overview").click()  # the sentence is not about that one
    expect(page.get_by_role("menuitemcheckbox", name="Transparent")).to_be_visible()
    expect(page.get_by_role("menuitemcheckbox", name="With its sentence")).to_have_count(0)
    page.keyboard.press("Escape")
    page.get_by_role("button", name="embedding of this figure").first.click()
    for wish in ("With its sentence", "Transparent"):
        item = page.get_by_role("menuitemcheckbox", name=wish)
        item.click()
        expect(item).to_have_attribute("aria-checked", "true")
    page.keyboard.press("Escape")
    said = " ".join(words(saved("SVG"))).replace(" ", "")
    claim = page.locator(".st-key-claim").inner_text().strip()
    assert re.sub(r"\s", "", claim) in said and len(claim) > 20
    corners.append(Image.open(io.BytesIO(saved("PNG"))).convert("RGBA").getpixel((0, 0)))
    assert corners == [(255, 255, 255, 255), (0, 0, 0, 0)]


def pdf_pixels(pdf: bytes) -> np.ndarray:
    """The image of a PDF that a browser wrote, [rows, columns, 3], and its size on the page as its aspect."""
    [page] = re.findall(rb"/MediaBox \[0 0 ([\d.]+) ([\d.]+)\]", pdf)
    [image] = [body for body in pdf_objects(pdf).values() if b"/ColorSpace /DeviceRGB" in body]
    assert b"/SMask" not in image
    columns, rows, length = (
        int(re.search(rb"/%s (\d+)" % name, image)[1]) for name in (b"Width", b"Height", b"Length")
    )
    start = image.index(b"stream\n") + len(b"stream\n")
    pixels = np.frombuffer(zlib.decompress(image[start : start + length]), np.uint8)
    assert columns / rows == pytest.approx(float(page[0]) / float(page[1]), rel=0.01)
    return pixels.reshape(rows, columns, 3)


@pytest.mark.parametrize(
    ("of", "path", "fields", "says"),
    [
        (
            "this figure",
            "explorer",
            {"model": "zoo-rope", "text": TEXT},
            f"Attention explorer · zoo-rope · “{TEXT}” · tlmviz",
        ),
        ("this figure", "pipeline", {}, "Pipeline · tlmviz"),
        ("this view", "pointers", {"pointer": "sentinel"}, "Pointers · "),
        ("this view", "next_tokens", {"text": TEXT}, "Next tokens · "),
        (
            "this chart",
            "kv_cache",
            {"model": "zoo-rope", "text": TEXT, "kview": "Cost"},
            f"KV cache · zoo-rope · “{TEXT}” · tlmviz",
        ),
    ],
    ids=["attention view", "kit", "laid out", "next tokens", "chart"],
)
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_kind_of_picture_is_saved_in_every_format(page, server, of, path, fields, says, scheme):
    """On a ground of its own, with where it is from; the PDF has the PNG's picture, the HTML the SVG's and the
    claim."""
    page.emulate_media(color_scheme=scheme)
    open_link(page, server, path, **fields)
    page.get_by_role("button", name=f"embedding of {of}").first.wait_for()
    at_rest(page)
    files = {}
    for name in ("SVG", "PNG", "PDF", "HTML"):
        with page.expect_download() as file:
            from_menu(page, name, of)
        assert file.value.suggested_filename.endswith(f".{name.lower()}")
        files[name] = file.value.path().read_bytes()
    title = ElementTree.fromstring(files["SVG"]).findtext(f"{SVG}title")
    assert words(files["SVG"])[-1].startswith(says) and pdf_info(files["PDF"])["Title"] == title

    png = Image.open(io.BytesIO(files["PNG"]))
    assert png.text["Title"] == title
    corner = png.convert("RGBA").getpixel((0, 0))
    assert corner[3] == 255
    pixels = pdf_pixels(files["PDF"])
    assert tuple(pixels[0, 0]) == corner[:3] and pixels.shape[1] == pytest.approx(1.5 * png.width, abs=2)
    small = Image.fromarray(pixels).resize((png.width // 8, png.height // 8), Image.Resampling.BOX)
    drawn = png.convert("RGB").resize(small.size, Image.Resampling.BOX)
    assert np.abs(np.asarray(small, float) - np.asarray(drawn, float)).mean() < 2
    bottom = np.asarray(png.convert("L"), float)[-50:]  # where it says where it is from
    assert np.ptp(bottom) > 100

    html = files["HTML"].decode()
    assert "<svg" in html and escape(title) in html and not re.search(r'src="http|@import|url\(http', html)
    claim = page.locator(".st-key-claim").text_content().strip()
    assert len(claim) > 20 and claim in ElementTree.fromstring(files["SVG"]).findtext(f"{SVG}desc")


def test_the_menu_of_every_picture_by_keyboard(page, server):
    """A view's and a chart's: the same entries, reached and left by keys; the frame for another page is there."""
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    open_link(page, server, "pipeline")
    at_rest(page)
    chart = page.locator(".stPlotlyChart").get_by_role("button", name="embedding of this chart")
    look_below(page, "beneath-pipeline", chart)
    for button in (page.get_by_role("button", name="embedding of this figure"), chart):
        button.focus()
        page.keyboard.press("Enter")
        entries = page.get_by_role("menuitem")
        expect(entries).to_have_text(["Copy link", "SVG", "PNG", "PDF", "HTML", "Data", "Embed"])
        page.keyboard.press("Enter")
        page.get_by_role("menuitem", name="Copied").wait_for()
        whole = page.evaluate("`${location.origin}${location.pathname}?${tlmvizLink.whole}`")
        assert page.evaluate("navigator.clipboard.readText()") == whole and "plm=8" in whole
        page.keyboard.press("Escape")
        expect(entries).to_have_count(0)
        expect(button).to_be_focused()
    with page.expect_download() as saved:
        from_menu(page, "PNG")
    png = Image.open(saved.value.path())
    assert (
        png.size[0] == 2 * (1100 + 2 * 14)
        and png.text["Title"].startswith("Pipeline: 1F1B")
        and png.text["Source"] == whole
    )
    with page.expect_download() as saved:
        from_menu(page, "SVG", "this chart")
    svg = saved.value.path().read_text()
    assert "micro-batches" in svg and escape(whole) in svg
    assert words(svg)[-1] == "Pipeline · tlmviz"
    from_menu(page, "Embed", "this chart")  # at the right edge, and within the window
    box = box_of(page.get_by_label("The frame's HTML"))
    assert box["x"] >= 0 and box["x"] + box["width"] <= 1280
    frame = page.get_by_label("The frame's HTML").input_value()
    address = re.search(r'src="([^"]+)"', frame)[1].replace("&amp;", "&")
    page.goto(address)
    page.get_by_test_id("pipeline-canvas").wait_for()
    expect(page.get_by_test_id("stSidebar")).to_be_hidden()
    expect(page.get_by_role("button", name="Examples")).to_be_hidden()
