"""`tlmviz shot`: a sentence and status 2 for whatever is wrong, before anything is started."""

import builtins

import pytest

import tlmviz
from tlmviz import __main__ as commands
from tlmviz.cli.shot import batch
from tlmviz.errors import BadShot
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
        (["/explorer", "--out", "a.svg", "--theme", "sepia"], "choose light or dark"),
        (["/explorer", "--out", "a.svg", "--server", "http://localhost:9"], "No app of tlmviz answers"),
        (["--out", "a.svg"], "Give either a link or --batch"),
        (["--out", "a", "--batch", "nosuch.txt"], "cannot be read"),
    ],
)
def test_bad_input_is_one_sentence_and_status_two(arguments, says, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert commands.main(["shot", *arguments]) == 2
    assert says in said(capsys)


def test_in_python_the_same_sentences():
    with pytest.raises(tlmviz.Error, match="did you mean pipeline"):
        tlmviz.shot("/pipelin")


def test_without_playwright_the_extra_is_named(monkeypatch):
    real = builtins.__import__

    def without(name, *rest):
        if name.startswith("playwright"):
            raise ImportError(name)
        return real(name, *rest)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(BadShot, match=r'pip install "tlmviz\[shot\]"'):
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
        ("/pipeline", tmp_path / "001.png"),
        ("/explorer?head=5.4", tmp_path / "head five.png"),
        ("/mhc", tmp_path / "streams.pdf"),
    ]
    file.write_text("/pipeline a\n/mhc a\n")
    with pytest.raises(BadShot, match=r"names a\.svg twice"):
        batch(file, tmp_path, "svg")
    file.write_text("# none\n")
    with pytest.raises(BadShot, match="holds no link"):
        batch(file, tmp_path, "svg")
