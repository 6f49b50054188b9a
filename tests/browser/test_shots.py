"""Pictures of pages as files, taken by the browser of this machine."""

import io
import json
import re
from xml.etree import ElementTree
from xml.sax.saxutils import escape

import numpy as np
import pytest
from PIL import Image

import tlmviz
from tests.browser.helpers import TEXT, from_menu, open_link
from tests.shots.test_files import pdf_info
from tlmviz import __main__ as commands
from tlmviz.errors import BadShot
from tlmviz.shots import shots

SVG = "{http://www.w3.org/2000/svg}"
LINK = "https://elsewhere.example/pipeline?embed=true"


def words(svg: bytes | str) -> list[str]:
    """The texts of an SVG, in their order."""
    return ["".join(text.itertext()) for text in ElementTree.fromstring(svg).iter(f"{SVG}text")]


def test_a_batch_has_a_file_of_every_format_that_says_what_it_shows(server, tmp_path, capsys):
    names = ("a.svg", "b.png", "c.pdf", "d.html")
    (tmp_path / "list.txt").write_text("".join(f"{LINK} {name}\n" for name in names))
    options = [
        "--batch",
        str(tmp_path / "list.txt"),
        "--out",
        str(tmp_path),
        "--width",
        "1200",
        "--server",
        server,
    ]
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
    assert f'<meta name="source" content="{LINK}">' in html and not re.search(
        r'src="http|@import|url\(http', html
    )
    data = json.loads(re.search(r'id="data">(.*?)</script>', html, re.DOTALL)[1])
    assert len(data["arrays"]["start"]) == len(data["arrays"]["device"]) > 50


def test_both_themes_a_chart_by_its_title_and_what_the_page_does_not_have(server):
    dark = tlmviz.shot("/kv_cache", format="png", server=server, theme="dark", scale=1.0)
    light = tlmviz.shot("/kv_cache", format="png", server=server, scale=1.0)
    pixels = [np.asarray(Image.open(io.BytesIO(data)).convert("L")) for data in (dark, light)]
    assert np.median(pixels[0]) < 60 and np.median(pixels[1]) > 240
    chart = tlmviz.shot("/pipeline", server=server, picture="bubble against")
    assert any("micro-batches" in word for word in words(chart)) and b"modebar" not in chart
    for options, says in [
        ({"picture": 9}, "1 1F1B, simulated"),
        ({"picture": "owl"}, "no picture 'owl'"),
    ]:
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
    for order in (links, links[2:] + ["/tours"] + links[:2]):
        names = [(link, f"{number}.svg") for number, link in enumerate(order)]
        for link, (_, picture) in zip(order, shots(names, None, server, writing=False), strict=True):
            made.setdefault(link, []).append(picture)
    assert str(*made.pop("/tours")) == "/tours shows no picture; this page has none with a menu."
    for link, (one, other) in made.items():
        assert one == other, link
    assert len({one for one, _ in made.values()}) == len(links)


def test_a_view_that_the_browser_lays_out_is_one_figure_of_texts(server):
    """Texts and boxes of the page, and what is drawn on its canvases, drawn again; nothing that is only pressed."""
    (_, told), (_, arcs) = shots(
        [("/encoder_only", "a.svg"), ("/pointers?pointer=sentinel", "b.svg")], None, server, writing=False
    )
    assert {"little", "Reads both sides", "0.925"} <= set(words(told)) and b"<image" not in told
    assert "Zorbina" in words(arcs) and b"<image" not in arcs and re.search(rb'<path d="M[^"]*C', arcs)
    assert b"Save" not in told + arcs


def test_the_menu_of_every_picture_by_keyboard(page, server):
    """A view's and a chart's: the same entries, reached and left by keys; the frame for another page is there."""
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    open_link(page, server, "pipeline")
    page.wait_for_function("window.tlmvizPainted")
    page.locator(".st-key-beneath-pipeline").scroll_into_view_if_needed()  # drawn where it is seen
    chart = page.locator(".js-plotly-plot").get_by_role("button", name="embedding of this chart")
    chart.wait_for()
    for button in (page.get_by_role("button", name="embedding of this figure"), chart):
        button.focus()
        page.keyboard.press("Enter")
        entries = page.get_by_role("menuitem")
        assert entries.all_inner_texts() == ["Copy link", "SVG", "PNG", "Data", "Embed"]
        page.keyboard.press("Enter")
        page.get_by_role("menuitem", name="Copied").wait_for()
        whole = page.evaluate("`${location.origin}${location.pathname}?${tlmvizLink.whole}`")
        assert page.evaluate("navigator.clipboard.readText()") == whole and "plm=8" in whole
        page.keyboard.press("Escape")
        assert entries.count() == 0 and button.evaluate("it => it.getRootNode().activeElement === it")
    with page.expect_download() as saved:
        from_menu(page, "PNG")
    png = Image.open(saved.value.path())
    assert (
        png.size[0] == 2200 and png.text["Title"].startswith("Pipeline: 1F1B") and png.text["Source"] == whole
    )
    with page.expect_download() as saved:
        from_menu(page, "SVG", "this chart")
    svg = saved.value.path().read_text()
    assert "micro-batches" in svg and escape(whole) in svg
    from_menu(page, "Embed", "this chart")  # at the right edge, and within the window
    box = page.get_by_label("The frame's HTML").bounding_box()
    assert box["x"] >= 0 and box["x"] + box["width"] <= 1280
    frame = page.get_by_label("The frame's HTML").input_value()
    address = re.search(r'src="([^"]+)"', frame)[1].replace("&amp;", "&")
    page.goto(address)
    page.get_by_test_id("pipeline-canvas").wait_for()
    assert (
        not page.get_by_test_id("stSidebar").is_visible()
        and not page.get_by_role("button", name="Examples").is_visible()
    )
