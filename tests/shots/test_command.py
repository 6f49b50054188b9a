"""`tlmviz shot`: a sentence and status 2 for whatever is wrong, before anything is started."""

import contextlib
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

import pytest

import tlmviz
from tlmviz import __main__ as commands
from tlmviz.cli.shot import batch
from tlmviz.errors import BadShot, MissingExtra
from tlmviz.shots import parties


@pytest.fixture(autouse=True)
def nothing_starts(monkeypatch):
    """No server: what is tested here goes wrong before one is needed."""

    def refuse(**_):
        raise AssertionError("a server was started")

    monkeypatch.setattr(parties, "serve", refuse)


def said(capsys) -> str:
    out, err = capsys.readouterr()
    assert out == "" and err.count("\n") == 1 and "Traceback" not in err
    return err


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["/nosuch", "--out", "a.svg"], "There is no page 'nosuch'"),
        (["/explorer?haed=5.4", "--out", "a.svg"], "names a field 'haed'"),
        (["/explorer", "--out", "a.jpg"], ".jpg was given"),
        (["/explorer", "--out", "/proc/none/a.svg"], "cannot be made a folder"),
        (["/explorer", "--out", "a.svg", "--theme", "sepia"], "choose light, dark or grey"),
        (["/explorer", "--out", "a.svg", "--server", "http://localhost:9"], "No app of tlmviz answers"),
        (["--out", "a.svg"], "Give either a link or --batch"),
        (["--out", "a", "--batch", "nosuch.txt"], "cannot be read"),
        (["--out", "a", "--batch", "list.txt", "--format", "jpg"], ".jpg was given"),
        (["--out", "/proc/none", "--batch", "list.txt"], "cannot be made a folder"),
    ],
)
def test_bad_input_is_one_sentence_and_status_two(arguments, says, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "list.txt").write_text("/pipeline\n")
    assert commands.main(["shot", *arguments]) == 2
    assert says in said(capsys)


def test_in_python_the_same_sentences():
    with pytest.raises(tlmviz.Error, match="did you mean pipeline"):
        tlmviz.shot("/pipelin")


def test_without_playwright_the_extra_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "playwright", None)
    with pytest.raises(MissingExtra, match=r'pip install "tlmviz\[shot\]"'):
        parties.playwright()


def test_without_a_browser_one_sentence_says_so(monkeypatch):
    from playwright.sync_api import Error as NotStarted

    class Nothing:
        def launch(self, **_):
            raise NotStarted("not found")

    class Driver:
        chromium = Nothing()

    with pytest.raises(BadShot, match="No Chromium, Chrome or Edge was found"):
        parties.open_browser(Driver())


def test_a_batch_names_its_pictures(tmp_path):
    file = tmp_path / "list.txt"
    file.write_text("# pictures\n/pipeline\n\n/explorer?head=5.4 head five\n/mhc streams.pdf\n")
    assert batch(file, tmp_path, "png") == [
        (2, "/pipeline", tmp_path / "001.png"),
        (4, "/explorer?head=5.4", tmp_path / "head five.png"),
        (5, "/mhc", tmp_path / "streams.pdf"),
    ]
    file.write_text("/pipeline a\n/mhc a\n")
    with pytest.raises(BadShot, match=r"names a\.svg twice, again in line 2"):
        batch(file, tmp_path, "svg")
    file.write_text("# none\n")
    with pytest.raises(BadShot, match="holds no link"):
        batch(file, tmp_path, "svg")


class Below(BaseHTTPRequestHandler):
    """An app below a path of its host, where Streamlit answers and our /health does not."""

    def do_GET(self):
        found = self.path == "/below/_stcore/health"
        self.send_response(200 if found else 404)
        self.end_headers()
        self.wfile.write(b"ok" if found else b"")

    def log_message(self, *_):
        pass


def test_a_server_may_be_below_a_path_of_its_host():
    with ThreadingHTTPServer(("127.0.0.1", 0), Below) as host:
        Thread(target=host.serve_forever, daemon=True).start()
        url = f"http://127.0.0.1:{host.server_port}"
        with parties.shot_server(f"{url}/below") as address:
            assert address == f"{url}/below/"
        with pytest.raises(BadShot, match="No app of tlmviz answers"), parties.shot_server(url):
            pass
        host.shutdown()


class Sketch:
    """What stands for the browser: it draws links as they are written, but for one that it cannot."""

    def __init__(self, *_):
        pass

    def take(self, jobs):
        for link, format in jobs:
            yield (BadShot("It shows no picture.") if "lessons" in link.text else f"{format} {link.text}".encode())

    def close(self):
        pass


def test_what_is_wrong_with_some_of_a_batch_does_not_end_it(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr("tlmviz.shots.shot_server", lambda _: contextlib.nullcontext("http://nowhere/"))
    monkeypatch.setattr("tlmviz.shots.Camera", Sketch)
    (tmp_path / "taken.svg").mkdir()
    (tmp_path / "list.txt").write_text(
        "# all\n/nosuch a\n/pipeline b\n/lessons c\nhttp://[ d\n/mhc e.jpg\n/mhc taken\n\n/mhc f.png\n"
    )
    assert commands.main(["shot", "--batch", str(tmp_path / "list.txt"), "--out", str(tmp_path)]) == 1
    out, err = capsys.readouterr()
    assert [line.rpartition("/")[2] for line in out.splitlines()] == ["b.svg", "f.png"]
    assert (tmp_path / "f.png").read_text() == "png /mhc"
    said = ["no page 'nosuch'", "shows no picture", "no link of the app", ".jpg was given", "Is a directory"]
    for line, number, words in zip(err.splitlines(), (2, 4, 5, 6, 7), said, strict=True):
        assert line.startswith(f"Line {number}: ") and words in line


def test_a_batch_of_which_nothing_can_be_taken_starts_nothing(tmp_path, capsys):
    (tmp_path / "list.txt").write_text("/nosuch\n/nor_this\n")
    assert commands.main(["shot", "--batch", str(tmp_path / "list.txt"), "--out", str(tmp_path)]) == 1
    assert capsys.readouterr().err.startswith("Line 1: There is no page 'nosuch'")
