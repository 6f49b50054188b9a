"""A survey on a cluster, but for the cluster: what is handed out and kept, and what is said where Ray is not there.

The cluster itself, with workers that die, was run beside the tests: benchmarks/README.md has the table.
"""

import json
import subprocess
import sys
from dataclasses import asdict
from functools import partial

import pytest

from tests import tiny
from tests.tiny import sentence
from tlmviz.__main__ import main
from tlmviz.analysis.workbench.survey import Survey, cluster, running, survey
from tlmviz.analysis.workbench.survey.results import COLUMNS
from tlmviz.analysis.workbench.survey.shards import Shard, weights_of
from tlmviz.checkpoints.native import save_network
from tlmviz.errors import BadShape, Error

TEXTS = [f"Lily had a red ball. Tom found {'the ball ' * (i % 5)}and Lily was happy." for i in range(40)]


@pytest.fixture(scope="module")
def folder(tmp_path_factory, tokenizer):
    path = tmp_path_factory.mktemp("model") / "tiny"
    save_network(path, tiny.language_model(tokenizer, context=40).network, tokenizer)
    return str(path)


@pytest.fixture
def corpus(tmp_path):
    path = tmp_path / "stories.jsonl"
    path.write_text("\n".join(json.dumps({"text": text}) for text in TEXTS))
    return path


@pytest.fixture
def local(folder, corpus, tmp_path):
    return survey(folder, corpus, tmp_path / "local", workers=0)


def row(number, shard):
    """What Ray Data hands to a worker."""
    return {"number": number, "documents": json.dumps([asdict(document) for document in shard])}


def computed(task, shards):
    """Shards as a cluster gives them: the last first, and one of them twice, as where its worker died when it was
    done."""
    for number in [*reversed(shards), next(iter(shards))]:
        result = task(row(number, shards[number]))
        assert not result["problem"]
        yield number, result["content"]


def kept(out):
    return {path.name: path.stat().st_mtime_ns for path in (out / "shards").iterdir()}


def on_cluster(folder, corpus, out, monkeypatch, compute, progress=lambda done, total: None):
    """A survey whose shards are computed by `compute` in place of a cluster."""
    monkeypatch.setattr(cluster, "connected", lambda address: running.nullcontext())
    monkeypatch.setattr(cluster, "_compute", compute)
    return survey(folder, corpus, out, ray="auto", progress=progress)


@pytest.mark.parametrize("wave", [1, 2, 256])
def test_the_tables_are_those_of_the_local_run(folder, corpus, local, tmp_path, monkeypatch, wave):
    monkeypatch.setattr(cluster, "WAVE", wave)
    seen = []
    found = on_cluster(folder, corpus, tmp_path / "out", monkeypatch, computed, lambda *done: seen.append(done))
    for name in COLUMNS:
        assert (found.folder / f"{name}.parquet").read_bytes() == (local.folder / f"{name}.parquet").read_bytes()
    assert seen == sorted(seen) and seen[-1] == (40, 40)
    assert [sum(kept.lengths > 0) for kept in map(Shard.open, sorted((tmp_path / "out/shards").iterdir()))] == [
        16,
        16,
        8,
    ]


def test_it_goes_on_where_it_was_stopped(folder, corpus, local, tmp_path, monkeypatch):
    def dies(task, shards):
        yield next(computed(task, shards))
        raise Error("The cluster stopped.")

    with pytest.raises(Error, match="The cluster stopped"):
        on_cluster(folder, corpus, tmp_path / "out", monkeypatch, dies)
    before = kept(tmp_path / "out")
    assert list(before) == ["000002.npz"]
    asked = []

    def remembers(task, shards):
        asked.extend(shards)
        return computed(task, shards)

    found = on_cluster(folder, corpus, tmp_path / "out", monkeypatch, remembers)
    assert asked == [0, 1] and before.items() <= kept(tmp_path / "out").items()
    assert found.heads.equals(local.heads)
    again = survey(folder, corpus, tmp_path / "out", workers=0)  # either goes on with what the other did
    assert again.heads.equals(local.heads)


def test_a_shard_that_never_comes_is_no_result(folder, corpus, tmp_path, monkeypatch):
    with pytest.raises(Error) as error:
        on_cluster(folder, corpus, tmp_path / "out", monkeypatch, lambda task, shards: list(computed(task, shards))[:1])
    assert "no result for 2 shards" in sentence(error)
    with pytest.raises(Error):
        Survey.open(tmp_path / "out")


def test_a_worker_with_another_model(folder, corpus, lm):
    [(number, shard), *_] = running._shards(corpus, 40)
    assert "other weights" in cluster._work(row(number, shard), folder, "0", 40)["problem"]
    assert "no model 'nothing'" in cluster._work(row(number, shard), "nothing", "0", 40)["problem"]
    whatever = cluster._work({"number": 0, "documents": '[{"source": "x", "number": 0, "text": 3}]'}, folder, "0", 40)
    assert whatever["content"] == b""


def test_a_worker_that_fails_in_another_way(folder, corpus):
    weights = weights_of(cluster.load(folder))
    wrong = {"number": 0, "documents": '[{"source": "x", "number": 0, "text": 3}]'}
    assert "A worker of the cluster failed" in cluster._work(wrong, folder, weights, 40)["problem"]
    told = str(cluster._told(RuntimeError("a\nlong\nModuleNotFoundError: No module named 'tlmviz'\n")))
    assert "No module named 'tlmviz'; its machines need tlmviz" in told


class TestNoCluster:
    def test_without_ray(self, folder, corpus, tmp_path, monkeypatch, capsys):
        monkeypatch.setitem(sys.modules, "ray", None)
        assert main(["survey", folder, str(corpus), "--out", str(tmp_path / "out"), "--ray", "auto"]) == 2
        said = capsys.readouterr().err
        assert (
            'needs ray, which is not installed here; run `pip install "tlmviz[ray]"`.' in said
            and "Traceback" not in said
        )
        assert not (tmp_path / "out").exists()

    @pytest.mark.parametrize("address", ["", "here", "ray://a:1", "a:b", "local"])
    def test_what_is_no_address(self, folder, corpus, tmp_path, address):
        with pytest.raises(Error) as error:
            survey(folder, corpus, tmp_path / "out", ray=address)
        assert f"{address!r} is no address" in sentence(error)

    @pytest.mark.parametrize("address, where", [("auto", "on this machine"), ("10.0.0.9:6379", "at 10.0.0.9:6379")])
    def test_nobody_answers(self, monkeypatch, address, where):
        def silent(command, timeout, **options):
            assert command[-1] == address
            raise subprocess.TimeoutExpired(command, timeout)

        monkeypatch.setattr(subprocess, "run", silent)
        with pytest.raises(Error) as error:
            cluster._answers(address)
        assert f"No Ray cluster answers {where} within 30 seconds" in sentence(error)

    def test_workers_of_both(self, folder, corpus, tmp_path):
        with pytest.raises(BadShape, match="one of the two"):
            survey(folder, corpus, tmp_path / "out", workers=2, ray="auto")


def test_a_folder_is_named_whole(folder, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine").mkdir()
    task = cluster.computing("mine", "0", 40).args[0]
    assert isinstance(task, partial) and task.keywords["model"] == str((tmp_path / "mine").resolve())
    assert cluster.computing("stories-rope", "0", 40).args[0].keywords["model"] == "stories-rope"
