"""nginx's configuration: its own program finds it right where it is installed, and its absence is one sentence."""

import pytest

from tlmviz.errors import Error
from tlmviz.hosting import nginx


def test_every_process_is_named_and_visitors_stay(tmp_path):
    text = nginx.write(tmp_path / "new", 8501, ["127.0.0.1:9001", "10.0.0.2:9002"]).read_text()
    assert "server 127.0.0.1:9001 " in text and "server 10.0.0.2:9002 " in text and "listen 8501;" in text
    assert (
        "hash $visitor consistent;" in text and "tlmviz=$request_id; Path=/; HttpOnly; SameSite=Lax" in text
    )
    assert "{" in text and "{{" not in text and text.count("{") == text.count("}")


def test_its_absence_is_one_sentence(monkeypatch):
    monkeypatch.setattr(nginx.shutil, "which", lambda *_, **__: None)
    with pytest.raises(Error, match=r"nginx .* is not installed; get it .* or serve with --processes 1\."):
        nginx.executable()
