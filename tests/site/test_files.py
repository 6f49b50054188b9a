"""What `tlmviz site` writes: files that refer to each other and to nothing else, small enough, and only where it
may."""

import html
import json
import os
import re

import pytest

from pages import ALL
from tests.site.built import MODELS, built
from tlmviz import __main__ as commands
from tlmviz.site import SERVICE, write_site
from tlmviz.site.pages import site_pages

NAMESPACES = r"http://(www\.w3\.org/(2000/svg|1999)|purl\.org/dc/)"  # names, which nobody fetches
LOADED = re.compile(r'(?:src|href)="([^"#]+)"')
IMPORTED = re.compile(r'^import .* from "([^"]+)";$', re.MULTILINE)
MOST = 8_000_000  # bytes of a page's first load


def texts():
    """Every file of the site that is text, by its path."""
    paths = [path for path in built().rglob("*") if path.is_file() and path.suffix != ".safetensors"]
    return {path.relative_to(built()): path.read_text(encoding="utf-8") for path in paths}


def test_no_file_has_a_foreign_address():
    found = {
        str(path): addresses
        for path, text in texts().items()
        if (addresses := re.findall(r"(?:https?:)?//[\w-]+\.[\w.-]+", re.sub(NAMESPACES, "", text)))
    }
    assert not found


def test_what_pages_and_scripts_load_is_there_and_scripts_lie_once():
    files = texts()
    for path, text in files.items():
        pattern = LOADED if path.suffix == ".html" else IMPORTED
        for target in pattern.findall(text) if path.suffix in (".html", ".js") else ():
            named = built() / path.parent / target
            assert (named / "index.html" if target.endswith("/") else named).is_file(), (path, target)
    scripts = [text for path, text in files.items() if path.suffix == ".js" and "source" not in path.name]
    assert len(set(scripts)) == len(scripts)


@pytest.mark.parametrize("page", site_pages(), ids=lambda page: page.page.path)
def test_a_page_with_its_largest_model_is_a_small_load(page):
    file = built() / page.page.path / "index.html"
    text = file.read_text(encoding="utf-8")
    loaded = {(file.parent / target).resolve() for target in LOADED.findall(text) if not target.endswith("/")}
    models = [sum(file.stat().st_size for file in folder.iterdir()) for folder in (built() / "models").iterdir()]
    assert file.stat().st_size + sum(each.stat().st_size for each in loaded) + max(models) < MOST
    data = json.loads(re.search(r'<script id="data" type="application/json">(.*?)</script>', text, re.DOTALL)[1])
    assert set(data["models"]) == set(MODELS)
    for model in data["models"].values():
        sizes = {file.name: file.stat().st_size for file in (built() / model["folder"]).iterdir()}
        assert sizes == model["files"]


def test_start_leads_to_every_page_and_names_those_that_only_the_app_has():
    text = (built() / "index.html").read_text(encoding="utf-8")
    here = {page.page.path for page in site_pages()}
    for page in ALL:
        assert (f'href="./{page.path}/"' in text) == (page.path in here)
        assert html.escape(page.title) in text


def test_a_page_without_a_model_of_its_kind_is_left_out(tmp_path):
    files = write_site(tmp_path / "site", ["zoo-rope"])
    pages = {name.removesuffix("/index.html") for name in files if name.endswith("/index.html")}
    assert pages == {"start", "train", "explorer", "inside_block", "rope_planes", "kv_cache", "glossary"}
    further = files["index.html"].decode().partition('id="app"')[2]
    assert all(name in further for name in ("Pointers", "Projector", "Beam search"))


def test_the_service_worker_keeps_all_but_models_and_has_the_version_of_what_it_keeps(tmp_path):
    head = (built() / SERVICE.name).read_text(encoding="utf-8").partition(";\n")[0]
    site = json.loads(head.removeprefix("self.SITE = "))
    kept = {
        os.path.normpath(os.path.join(name, "index.html") if name.endswith("/") else name) for name in site["files"]
    }
    assert kept == {str(path) for path in texts() if path.parts[0] != "models" and path.name != SERVICE.name}
    assert sorted(site["models"]) == sorted(f"models/{each.name}" for each in (built() / "models").iterdir())
    same, other = (write_site(tmp_path / "x", names)[SERVICE.name] for names in (MODELS, MODELS[:2]))
    assert same == (built() / SERVICE.name).read_bytes() != other


def test_it_replaces_a_site_and_nothing_else(tmp_path, capsys):
    out = tmp_path / "site"
    assert commands.main(["site", str(out), "--models", "zoo-rope"]) == 0
    assert re.search(r"\d+ pages, \d\.\d MB and 2\.\d MB of models", capsys.readouterr().out)
    (out / "scripts" / "old.js").write_text("")
    assert commands.main(["site", str(out), "--models", "zoo-rope"]) == 0
    assert not (out / "scripts" / "old.js").exists()
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "thesis.tex").write_text("years")
    capsys.readouterr()
    assert commands.main(["site", str(tmp_path / "other")]) == 2
    assert "is not a site of tlmviz" in capsys.readouterr().err
    assert (tmp_path / "other" / "thesis.tex").read_text() == "years"


@pytest.mark.parametrize(
    "name, said", [("nope", "nope"), ("digits-scenes", "a site holds models of language, translation, hull, words")]
)
def test_a_model_that_no_page_runs_is_a_sentence(tmp_path, capsys, name, said):
    assert commands.main(["site", str(tmp_path / "x"), "--models", name]) == 2
    assert said in capsys.readouterr().err
    assert not (tmp_path / "x").exists()
