"""A survey against plain loops over `lm.trace`, killed and resumed, and over corpora that are not what they should
be."""

import json
import os
import signal
import subprocess
import sys
from types import ModuleType

import numpy as np
import pandas as pd
import pytest

import tlmviz
from tests import tiny
from tests.processes import assert_ends_with
from tests.tiny import sentence
from tlmviz.__main__ import main
from tlmviz.analysis.workbench.survey import (
    COLUMNS,
    STATISTICS,
    Document,
    Survey,
    documents,
    running,
    shards,
    survey,
    survey_shard,
)
from tlmviz.checkpoints.native import save_network
from tlmviz.errors import BadFile, BadShape, BadText, Error, UnknownName

STORIES = [
    "Lily had a red ball. Lily lost the red ball. Tom found it.",
    "One day a dog ran to the park. The dog was happy and ran and ran.",
    "Once upon a time there was a little girl named Lily.",
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory, tokenizer):
    """A tiny model on disk, as workers load it."""
    path = tmp_path_factory.mktemp("model") / "tiny"
    lm = tiny.language_model(tokenizer, context=40)
    save_network(path, lm.network, tokenizer)
    return str(path)


@pytest.fixture
def corpus(tmp_path):
    path = tmp_path / "stories.txt"
    path.write_text("\n<|endoftext|>\n".join(STORIES * 12), encoding="utf-8")
    return path


class TestCorpus:
    def test_text_between_separators(self, corpus):
        found = list(documents(corpus))
        assert [document.text for document in found] == STORIES * 12
        assert found[5] == Document("stories.txt", 5, STORIES[2])

    def test_json_lines_parquet_and_folders(self, tmp_path):
        (tmp_path / "b").mkdir()
        (tmp_path / "a.jsonl").write_text("".join(json.dumps({"text": text}) + "\n\n" for text in STORIES))
        pd.DataFrame({"text": [*STORIES, None], "n": range(4)}).to_parquet(tmp_path / "b" / "c.parquet")
        found = list(documents(tmp_path))
        assert [document.text for document in found] == STORIES * 2
        assert {document.source for document in found} == {"a.jsonl", os.path.join("b", "c.parquet")}

    def test_what_is_no_text_is_skipped_by_name(self, corpus, tmp_path):
        (tmp_path / "picture.png").write_bytes(b"\x89PNG\0\0" * 100)
        (tmp_path / "latin.txt").write_bytes("café".encode("latin-1"))
        (tmp_path / "broken.jsonl").write_text('{"title": "x"}\n')
        (tmp_path / "broken.parquet").write_text("no")
        (tmp_path / "other.parquet").unlink(missing_ok=True)
        pd.DataFrame({"body": ["x"]}).to_parquet(tmp_path / "other.parquet")
        skipped = {}
        found = list(documents(tmp_path, lambda path, why: skipped.update({path.name: why})))
        assert len(found) == 36
        assert skipped == {
            "picture.png": "it holds zero bytes, as no text does",
            "latin.txt": "it is no UTF-8 text",
            "broken.jsonl": 'line 1 is no JSON object with a key "text"',
            "broken.parquet": "it is no Parquet file",
            "other.parquet": 'it has no column "text"; there are body',
        }

    def test_a_line_of_50_megabytes_comes_in_pieces(self, tmp_path):
        path = tmp_path / "long.txt"
        path.write_text("Lily had a red ball. " * 2_500_000)
        sizes = [len(document.text) for document in documents(path)]
        assert max(sizes) <= 100_000 and sum(sizes) == pytest.approx(52_500_000, rel=1e-4)

    def test_a_json_line_of_50_megabytes_too(self, tmp_path):
        path = tmp_path / "long.jsonl"
        path.write_text(json.dumps({"text": "Lily had a red ball. " * 2_500_000}))
        sizes = [len(document.text) for document in documents(path)]
        assert max(sizes) <= 100_000 and sum(sizes) == pytest.approx(52_500_000, rel=1e-4)

    def test_a_file_that_is_broken_further_on_is_read_up_to_there(self, tmp_path):
        lines = [json.dumps({"text": text}) for text in STORIES]
        (tmp_path / "a.jsonl").write_text("\n".join([*lines, lines[0][:9], lines[1]]))
        (tmp_path / "b.txt").write_bytes(STORIES[0].encode() + b"\n<|endoftext|>\n" + b"x" * (1 << 20) + b"\xff")
        skipped = {}
        found = list(documents(tmp_path, lambda path, why: skipped.update({path.name: why})))
        assert [document.text for document in found[:4]] == [*STORIES, STORIES[0]]
        assert skipped == {
            "a.jsonl": 'line 4 is no JSON object with a key "text" from there on; the first 3 of its texts are read',
            "b.txt": skipped["b.txt"],
        }
        assert "it is no UTF-8 text from there on; the first" in skipped["b.txt"]

    def test_a_file_that_cannot_be_read(self, corpus, tmp_path, monkeypatch):
        (tmp_path / "locked.txt").write_text("x")
        opened = type(corpus).open

        def locked(self, *arguments, **options):
            if self.name == "locked.txt":
                raise PermissionError(13, "Permission denied")
            return opened(self, *arguments, **options)

        monkeypatch.setattr(type(corpus), "open", locked)
        skipped = []
        assert len(list(documents(tmp_path, lambda path, why: skipped.append(why)))) == 36
        assert skipped == ["it cannot be read (Permission denied)"]

    def test_half_a_character(self, tmp_path):
        (tmp_path / "a.jsonl").write_text('{"text": "Lily \\ud83d had a ball"}')
        assert [document.text for document in documents(tmp_path)] == ["Lily ? had a ball"]

    @pytest.mark.parametrize("content", [None, "", "  \n<|endoftext|>\n "])
    def test_no_text_at_all(self, tmp_path, content):
        path = tmp_path / "x.txt"
        if content is not None:
            path.write_text(content)
        with pytest.raises(BadText) as error:
            list(documents(path))
        assert "give a text file" in sentence(error)


class TestShard:
    def test_sums_are_those_of_every_row(self, lm):
        found = survey_shard(lm, [Document("x", i, text) for i, text in enumerate(STORIES)], 40)
        totals, counts = np.zeros((7, 8)), np.zeros((7, 8))
        for text in STORIES:
            trace = lm.trace(text)
            for n in range(8):
                p = trace.attention(*divmod(n, 4)).double().numpy()
                for t in range(1, len(trace)):
                    row, ids = p[t, : t + 1], np.array(trace.ids)
                    earlier = [s for s in range(1, t + 1) if s - 1 < t and ids[s - 1] == ids[t]]
                    values = (
                        -(row * np.log2(row, where=row > 0, out=np.zeros_like(row))).sum(),
                        row.max(),
                        row[0],
                        row[t],
                        row[t - 1],
                        (row * (t - np.arange(t + 1))).sum(),
                        row[earlier].sum() if earlier else np.nan,
                    )
                    there = ~np.isnan(values)
                    totals[there, n] += np.array(values)[there]
                    counts[:, n] += there
        assert STATISTICS == ("entropy", "peak", "sink", "self", "previous", "distance", "induction")
        np.testing.assert_allclose(found.sums, totals, atol=1e-3, rtol=1e-4)
        np.testing.assert_array_equal(found.rows, counts)

    def test_each_passage_is_head_statistics(self, lm):
        found = survey_shard(lm, [Document("x", 0, STORIES[0])], 40)
        wanted = lm.trace(STORIES[0]).head_statistics()
        for s, name in enumerate(STATISTICS):
            np.testing.assert_allclose(found.passages[0, s], wanted[name], atol=1e-4)
        assert found.texts == [STORIES[0]] and found.sources == ["x:0"]

    def test_long_texts_are_cut_into_passages(self, lm):
        found = survey_shard(lm, [Document("x", 0, " ".join(STORIES))], 10)
        assert (found.lengths <= 10).all() and found.places[:3, 1].tolist() == [0, 9, 18]
        assert "".join(found.texts).replace(" ", "") == "".join(STORIES).replace(" ", "")

    def test_mass_by_distance_and_by_token(self, lm):
        text = STORIES[0]
        found, trace = survey_shard(lm, [Document("x", 0, text)], 40), lm.trace(text)
        p = trace.attention(1, 2).double().numpy()
        far = np.arange(len(p))[:, None] - np.arange(len(p))[None, :]
        inside = np.arange(len(p))[:, None] > 0
        for index, (low, high) in enumerate([(0, 0), (1, 1), (2, 2), (3, 4), (5, 8)]):
            mass = p[(far >= low) & (far <= high) & inside].sum()
            assert found.histogram[6, index] == pytest.approx(mass, abs=1e-4), shards.bin_names()[index]
        assert found.histogram[6].sum() == pytest.approx(len(p) - 1, abs=1e-3)
        token = trace.ids[3]
        columns = [s for s, other in enumerate(trace.ids) if other == token and s > 0]
        row = found.ids.tolist().index(token)
        assert found.met[6, row] == pytest.approx(p[1:, columns].sum(), abs=1e-4)
        assert found.looked[6, row] == pytest.approx(p[columns, 1:].sum(), abs=1e-4)

    def test_saved_and_opened(self, lm, tmp_path):
        found = survey_shard(lm, [Document("x", 0, STORIES[1])])
        found.save(tmp_path / "s.npz")
        again = shards.Shard.open(tmp_path / "s.npz")
        for name, value in vars(found).items():
            np.testing.assert_array_equal(getattr(again, name), value)
        assert [path.name for path in tmp_path.iterdir()] == ["s.npz"]


class TestSurvey:
    def test_the_corpus_is_the_mean_over_all_rows(self, folder, corpus, tmp_path):
        found = survey(folder, corpus, tmp_path / "out", workers=0)
        lm = tlmviz.load(folder)
        every = [lm.trace(text).row_statistics()["previous"][1, 3, 1:].numpy() for text in STORIES]
        line = found.heads[(found.heads.layer == 1) & (found.heads["head"] == 3)].iloc[0]
        assert line.previous == pytest.approx(np.concatenate(every).mean(), abs=1e-5)
        means = lm.trace(STORIES[0]).head_statistics().drop(columns="max_logit")  # which is no mean of rows
        assert list(found.heads.columns) == list(means.columns)
        assert len(found.passages) == 36 and found.passages.text[1] == STORIES[1]
        assert found.distances.groupby(["layer", "head"]).share.sum().to_numpy() == pytest.approx(1)
        assert found.settings["documents"] == 36

    def test_deciles_and_the_passages_at_the_top(self, folder, corpus, tmp_path):
        found = survey(folder, corpus, tmp_path / "out", workers=0)
        lm = tlmviz.load(folder)
        values = [lm.trace(text).head_statistics().entropy[5] for text in STORIES]
        chosen = found.deciles[(found.deciles.layer == 1) & (found.deciles["head"] == 1)]
        spread = chosen[chosen.statistic == "entropy"].set_index("decile").value
        assert spread[0] == pytest.approx(min(values), abs=1e-4) and spread[10] == pytest.approx(max(values), abs=1e-4)
        top = found.tops[(found.tops.layer == 1) & (found.tops["head"] == 1) & (found.tops.statistic == "entropy")]
        assert found.passages.text[top.passage.iloc[0]] == STORIES[int(np.argmax(values))]
        assert len(top) == 10 and top.value.is_monotonic_decreasing
        tokens = found.tokens[(found.tokens.layer == 0) & (found.tokens["head"] == 0)]
        assert set(tokens.role) == {"query", "key"} and tokens.share.between(0, 1).all()

    def test_it_goes_on_where_it_was_killed(self, folder, corpus, tmp_path, monkeypatch):
        whole = survey(folder, corpus, tmp_path / "whole", workers=0)

        class Killed(BaseException):
            pass

        def stop(done, total):
            if done >= 16:
                raise Killed

        with pytest.raises(Killed):
            survey(folder, corpus, tmp_path / "out", workers=0, progress=stop)
        (tmp_path / "out" / "shards" / "000002.partial").write_bytes(b"half a shard")
        kept = {path.name: path.stat().st_mtime_ns for path in (tmp_path / "out" / "shards").glob("*.npz")}
        assert 1 <= len(kept) < 3
        with pytest.raises(BadFile, match="no finished survey"):
            Survey.open(tmp_path / "out")
        seen = []
        again = survey(folder, corpus, tmp_path / "out", workers=0, progress=lambda *done: seen.append(done))
        for name, time in kept.items():
            assert (tmp_path / "out" / "shards" / name).stat().st_mtime_ns == time
        assert seen[-1] == (36, 36)
        pd.testing.assert_frame_equal(again.heads, whole.heads)
        pd.testing.assert_frame_equal(Survey.open(tmp_path / "out").tops, whole.tops)

    def test_processes_give_the_same(self, folder, corpus, tmp_path):
        one, two = (
            survey(folder, corpus, tmp_path / "0", workers=0),
            survey(folder, corpus, tmp_path / "2", workers=2),
        )
        pd.testing.assert_frame_equal(one.heads, two.heads)
        pd.testing.assert_frame_equal(one.tokens, two.tokens)

    def test_processes_do_not_run_the_callers_script(self, folder, corpus, tmp_path, monkeypatch):
        script = ModuleType("__main__")
        script.__file__, script.__spec__ = str(tmp_path / "page.py"), None
        (tmp_path / "page.py").write_text("raise SystemExit(7)")
        monkeypatch.setitem(sys.modules, "__main__", script)
        found = survey(folder, corpus, tmp_path / "out", workers=1)
        assert len(found.heads) and sys.modules["__main__"] is script

    def test_a_killed_process(self, folder, corpus, tmp_path, monkeypatch):
        monkeypatch.setattr(running, "_open", os.abort)
        with pytest.raises(Error) as error:
            survey(folder, corpus, tmp_path / "out", workers=1)
        assert "the same command goes on" in sentence(error)

    def test_the_processes_of_a_killed_survey_end(self, folder):
        code = (
            "import os, sys\nfrom tlmviz.analysis.workbench.survey import running\n"
            "pool = running._pool(1, sys.argv[1])\nprint(pool.submit(os.getpid).result(), flush=True)\ninput()"
        )
        parent = subprocess.Popen(
            [sys.executable, "-c", code, folder], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        assert_ends_with(parent)

    def test_ctrl_c_ends_what_would_take_an_hour(self, folder):
        """The survey hears it and its processes do not, which would each say so with a traceback."""
        code = (
            "import signal, sys, time\nfrom tlmviz.analysis.workbench.survey import running\n"
            "signal.signal(signal.SIGINT, signal.default_int_handler)\n"
            "with running._ended_at_once(running._pool(1, sys.argv[1])) as pool:\n"
            "    with running._uninterrupted():\n"
            "        deaf = pool.submit(signal.pthread_sigmask, signal.SIG_BLOCK, ())\n"
            "    assert signal.SIGINT in deaf.result()\n"
            "    pool.submit(time.sleep, 3600)\n"
            "    print('begun', flush=True)\n"
            "    time.sleep(3600)"
        )
        survey = subprocess.Popen([sys.executable, "-c", code, folder], stdout=subprocess.PIPE, text=True)
        assert survey.stdout.readline() == "begun\n"
        survey.send_signal(signal.SIGINT)
        assert survey.wait(60) == -signal.SIGINT
        survey.stdout.close()

    def test_another_survey_in_the_folder(self, folder, corpus, tmp_path):
        survey(folder, corpus, tmp_path / "out", workers=0)
        with pytest.raises(Error) as error:
            survey(folder, corpus, tmp_path / "out", workers=0, length=20)
        assert "length 512, and this one has 20" in sentence(error)

    @pytest.mark.parametrize("file", ["settings", "shards/000001", "heads", "tops"])
    def test_a_full_disk(self, folder, corpus, tmp_path, file):
        """/dev/full takes no byte: what is written to it fails as on a full disk, whichever file it is."""
        whole = survey(folder, corpus, tmp_path / "whole", workers=0)
        (tmp_path / "out" / "shards").mkdir(parents=True)
        (tmp_path / "out" / f"{file}.partial").symlink_to("/dev/full")
        with pytest.raises(Error) as error:
            survey(folder, corpus, tmp_path / "out", workers=0)
        assert "No space left on device" in sentence(error) and "kept" in sentence(error)
        assert not list((tmp_path / "out").rglob("*.partial"))  # half a file takes no room
        kept = {path.name: path.stat().st_mtime_ns for path in (tmp_path / "out" / "shards").iterdir()}
        again = survey(folder, corpus, tmp_path / "out", workers=0)
        for name, time in kept.items():
            assert (tmp_path / "out" / "shards" / name).stat().st_mtime_ns == time
        for name in COLUMNS:
            pd.testing.assert_frame_equal(getattr(again, name), getattr(whole, name))

    def test_a_full_disk_in_a_process(self, folder, corpus, tmp_path):
        (tmp_path / "out" / "shards").mkdir(parents=True)
        (tmp_path / "out" / "shards" / "000000.partial").symlink_to("/dev/full")
        with pytest.raises(Error) as error:
            survey(folder, corpus, tmp_path / "out", workers=1)
        assert "No space left on device" in sentence(error)

    def test_an_output_that_is_no_folder_for_it(self, folder, corpus, tmp_path):
        with pytest.raises(Error) as error:
            survey(folder, corpus, corpus, workers=0)
        assert "lies in the corpus" in sentence(error)
        with pytest.raises(Error) as error:
            survey(folder, tmp_path, tmp_path / "out", workers=0)
        assert "lies in the corpus" in sentence(error) and not (tmp_path / "out").exists()
        (tmp_path / "file").write_text("x")
        with pytest.raises(Error) as error:
            survey(folder, corpus, tmp_path / "file" / "out", workers=0)
        assert "cannot be written" in sentence(error)
        (tmp_path / "settings.json").write_text("no survey")
        with pytest.raises(Error) as error:
            survey(folder, corpus, tmp_path, workers=0)
        assert "is no survey" in sentence(error) and (tmp_path / "settings.json").read_text() == "no survey"

    def test_a_damaged_shard(self, folder, corpus, tmp_path):
        whole = survey(folder, corpus, tmp_path / "out", workers=0).heads
        shard = tmp_path / "out" / "shards" / "000001.npz"
        for content in (b"", b"PK no shard", shard.read_bytes()[:500]):
            shard.write_bytes(content)
            with pytest.raises(BadFile) as error:
                survey(folder, corpus, tmp_path / "out", workers=0)
            assert "000001.npz cannot be read; remove it" in sentence(error)
        shard.unlink()
        pd.testing.assert_frame_equal(survey(folder, corpus, tmp_path / "out", workers=0).heads, whole)

    def test_texts_of_one_token(self, folder, corpus, tmp_path, monkeypatch):
        """As in a model whose texts begin with no token of its own."""
        monkeypatch.setattr(shards, "passages_of", lambda lm, text, length: [])
        with pytest.raises(BadText) as error:
            survey(folder, corpus, tmp_path / "out", workers=0)
        assert "two tokens" in sentence(error)

    def test_the_first_documents_alone_and_no_shards(self, folder, corpus, tmp_path):
        found = survey(folder, corpus, tmp_path / "out", workers=0, most=18, keep_shards=False)
        assert found.settings["documents"] == len(found.passages) == 18
        assert found.finished and found.missing == 0 and not (tmp_path / "out" / "shards").exists()

    def test_an_unfinished_one_shows_what_is_there(self, folder, corpus, tmp_path):
        whole = survey(folder, corpus, tmp_path / "out", workers=0)
        first = survey(folder, corpus, tmp_path / "first", workers=0, most=32)
        (tmp_path / "out" / "shards" / "000002.npz").unlink()
        for name in COLUMNS:
            (tmp_path / "out" / f"{name}.parquet").unlink()
        name = tlmviz.load(folder).tokenizer.name
        part = Survey.so_far(tmp_path / "out", name)
        assert not part.finished and part.missing == 1 and part.settings == whole.settings
        for table in COLUMNS:
            pd.testing.assert_frame_equal(getattr(part, table), getattr(first, table))
        (tmp_path / "out" / "shards" / "000001.npz").write_bytes(b"PK no shard")
        with pytest.raises(BadFile) as error:
            Survey.so_far(tmp_path / "out", name)
        assert "cannot be read" in sentence(error)

    @pytest.mark.parametrize(
        "table, column, value",
        [
            *(("heads", "layer", value) for value in ("x", 10**9, -1, np.nan, 0.5)),
            *(("heads", "head", value) for value in (0, 10**9)),  # 0: a line that is there twice
            ("heads", "entropy", "x"),
            ("distances", "share", "x"),
            ("distances", "bin", 3),
            ("deciles", "statistic", "x"),
            ("deciles", "decile", 11),
            ("passages", "passage", 0),
            ("passages", "text", 3),
            ("tops", "layer", 10**9),
            ("tops", "passage", np.nan),
            ("tokens", "token", 3),
            ("tokens", "share", "x"),
        ],
    )
    def test_a_table_that_lies(self, folder, corpus, tmp_path, table, column, value):
        survey(folder, corpus, tmp_path, workers=0)
        path = tmp_path / f"{table}.parquet"
        content = pd.read_parquet(path)
        same = isinstance(value, str) == isinstance(content[column][0], str)  # a column of Parquet has one type
        content[column] = [*content[column][:-1], value] if same else value
        content.to_parquet(path)
        with pytest.raises(BadFile) as error:
            getattr(Survey.open(tmp_path), table)
        assert f"{table}.parquet is no table of a survey" in sentence(error)

    def test_a_table_without_its_last_line(self, folder, corpus, tmp_path):
        survey(folder, corpus, tmp_path, workers=0)
        for name in ("heads", "distances", "deciles"):
            path = tmp_path / f"{name}.parquet"
            pd.read_parquet(path)[:-1].to_parquet(path)
            with pytest.raises(BadFile, match="is no table of a survey"):
                getattr(Survey.open(tmp_path), name)

    def test_what_is_no_survey(self, folder, corpus, tmp_path):
        survey(folder, corpus, tmp_path / "out", workers=0)
        (tmp_path / "out" / "heads.parquet").write_bytes(b"no table")
        with pytest.raises(BadFile) as error:
            _ = Survey.open(tmp_path / "out").heads
        assert "heads.parquet is no table" in sentence(error)
        for text in ("{", "[]", '{"model": "x"}', '{"model": 3}'):
            (tmp_path / "settings.json").write_text(text)
            with pytest.raises(BadFile) as error:
                _ = Survey(tmp_path).settings
            assert "is no survey" in sentence(error)
        (tmp_path / "settings.json").write_text((tmp_path / "out" / "settings.json").read_text())
        with pytest.raises(BadFile, match="no shard yet"):
            Survey.so_far(tmp_path, str)

    def test_bad_arguments(self, folder, corpus, tmp_path):
        with pytest.raises(BadShape, match="length is 1"):
            survey(folder, corpus, tmp_path / "out", length=1)
        with pytest.raises(BadShape, match="workers is -1"):
            survey(folder, corpus, tmp_path / "out", workers=-1)
        with pytest.raises(BadShape, match="most is 0"):
            survey(folder, corpus, tmp_path / "out", most=0)
        with pytest.raises(UnknownName, match="no language model"):
            survey("eng-fra", corpus, tmp_path / "out")


def test_the_command(folder, corpus, tmp_path, capsys):
    (corpus.parent / "picture.png").write_bytes(b"\0\1\2")
    assert (
        main(
            ["survey", folder, str(corpus.parent), "--out", str(tmp_path.parent / "found"), "--workers", "0"]
            + ["--documents", "20", "--drop-shards"]
        )
        == 0
    )
    said = capsys.readouterr()
    assert "20 passages" in said.out and f"TLMVIZ_SURVEYS={tmp_path.parent / 'found'} tlmviz run" in said.out
    assert "picture.png is skipped: it holds zero bytes" in said.err
    again = ["survey", folder, str(corpus.parent), "--out", str(tmp_path.parent / "json"), "--workers", "0"]
    assert main([*again, "--documents", "20", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    heads = Survey.open(tmp_path.parent / "json").heads
    assert told["passages"] == 20 and len(told["heads"]) == len(heads)
    assert told["heads"][0]["entropy"] == pytest.approx(float(heads.entropy.iloc[0]))
    assert main(["survey", folder, str(tmp_path / "nothing"), "--out", str(tmp_path / "y")]) == 2
