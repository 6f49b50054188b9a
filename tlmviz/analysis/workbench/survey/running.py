"""A survey run: shards computed by processes side by side, each kept as it is done, and put together at the end."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import signal
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager, nullcontext
from itertools import islice
from multiprocessing import get_context, parent_process
from pathlib import Path
from types import ModuleType
from typing import Any, cast

import torch

from tlmviz.checkpoints.registry import load
from tlmviz.errors import BadShape, Error, UnknownName
from tlmviz.extras import require
from tlmviz.parent import end_with_parent
from tlmviz.protocols import LanguageModelLike

from . import cluster
from .corpus import Document, Skipped, documents
from .results import SETTINGS, Survey, put_together
from .shards import LONGEST, shard_path, survey_shard, weights_of, write

SHARD = 16  # documents
Progress = Callable[[int, int], None]  # documents done, documents in all


def survey(
    model: str,
    corpus: str | os.PathLike[str],
    out: str | os.PathLike[str],
    workers: int | None = None,
    length: int = LONGEST,
    progress: Progress = lambda done, total: None,
    skipped: Skipped = lambda path, why: None,
    most: int | None = None,
    keep_shards: bool = True,
    ray: str | None = None,
) -> Survey:
    """Exact statistics of every head of a model over a corpus, written to the folder `out` as Parquet.

    Shards of 16 documents are computed by `workers` processes of one thread each (one per core unless given; 0 computes
    them in this one), and each is kept when it is done: the same call goes on where a killed one was. Texts are cut
    into passages of `length` tokens; `most` reads no more than so many documents. Without `keep_shards` only the tables
    stay. With `ray`, "auto" or HOST:PORT, the cores of a Ray cluster compute the shards instead; tlmviz and the model
    are installed there, corpus and results stay here. A shard whose worker dies is computed by another. Raises BadText
    (no text), UnknownName (no language model), BadShape (a length that no model reads), and Error where the folder
    holds another survey or cannot be written, Ray is not installed, or no cluster answers.
    """
    if ray is not None and workers is not None:
        raise BadShape("workers are processes of this machine, and ray takes a cluster's: give one of the two.")
    if workers is not None and workers < 0:
        raise BadShape(f"workers is {workers}; give a number of processes, or 0 for none but this one.")
    require("pyarrow", "survey", "A survey")
    if length < 2:
        raise BadShape(f"length is {length}; a passage needs at least 2 tokens.")
    if most is not None and most < 1:
        raise BadShape(f"most is {most}; give a number of documents from 1 on, or leave it away for all of them.")
    corpus, out = Path(corpus), Path(out)
    shards = out / "shards"
    try:
        with nullcontext() if ray is None else cluster.connected(ray):
            settings, name = _prepared(model, corpus, out, length, skipped, most)
            total = settings["documents"]
            if ray is None:
                processes = os.cpu_count() or 1 if workers is None else workers
                _run(model, _shards(corpus, total), shards, processes, length, total, progress)
            else:
                compute = cluster.computing(model, settings["weights"], length)
                cluster.run(compute, _shards(corpus, total), shards, total, progress)
        found = put_together(out, settings, name)
        if not keep_shards:
            shutil.rmtree(shards)
        return found
    except BrokenProcessPool:
        raise Error(
            f"A process of the survey was killed; shards that are done are kept in {out}: the same command goes on."
        ) from None
    except OSError as error:
        raise Error(f"{out} cannot be written: {error.strerror or error}; shards that are done are kept.") from None


def _prepared(
    model: str, corpus: Path, out: Path, length: int, skipped: Skipped, most: int | None
) -> tuple[dict[str, Any], Callable[[int], str]]:
    """The folder with the settings of a survey in it; those, and what tells a token's name."""
    if corpus.resolve() in (out.resolve(), *out.resolve().parents):
        raise Error(f"{out} lies in the corpus {corpus}, which it would change; give another folder to --out.")
    total = sum(1 for _ in islice(documents(corpus, skipped), most))
    loaded = load(model)
    if getattr(loaded, "task", None) != "language":
        raise UnknownName(f"{model} is no language model; choose one from those that `tlmviz list` names.")
    lm = cast(LanguageModelLike, loaded)
    settings = _settings(lm, corpus, total, length)
    (out / "shards").mkdir(parents=True, exist_ok=True)
    _check(out / SETTINGS, settings)
    return settings, lm.tokenizer.name


def _settings(lm: LanguageModelLike, corpus: Path, total: int, length: int) -> dict[str, Any]:
    """What decides every number of a survey: another one of these is another survey."""
    files = sorted(path for path in corpus.rglob("*") if path.is_file()) if corpus.is_dir() else [corpus]
    digest = hashlib.sha256()
    for path in files:
        digest.update(f"{path.name} {path.stat().st_size}".encode())
    return {
        "model": lm.name,
        "weights": weights_of(lm),
        "layers": lm.config.n_layers,
        "heads": lm.config.n_heads,
        "corpus": corpus.name,
        "files": digest.hexdigest()[:16],
        "documents": total,
        "length": length,
        "shard": SHARD,
    }


def _check(path: Path, settings: dict[str, Any]) -> None:
    """Keep the settings with the survey. Raises Error where the folder holds one of other settings."""
    if path.exists():
        held = Survey(path.parent).settings
        other = next((name for name in settings if held.get(name) != settings[name]), None)
        if other is not None:
            raise Error(
                f"{path.parent} holds a survey with {other} {held.get(other)!r}, and this one has {settings[other]!r}; "
                "give another folder, or remove that one."
            )
    write(path, json.dumps(settings, indent=1).encode())


def _shards(corpus: Path, total: int) -> Iterator[tuple[int, list[Document]]]:
    """The first `total` documents of a corpus in shards, numbered in order."""
    every = islice(documents(corpus), total)
    number = 0
    while shard := list(islice(every, SHARD)):
        yield number, shard
        number += 1


def _run(
    model: str,
    shards: Iterator[tuple[int, list[Document]]],
    folder: Path,
    workers: int,
    length: int,
    total: int,
    progress: Progress,
) -> None:
    """Every shard that is not there yet, in processes; no more are handed out than are being worked on."""
    done, waiting = 0, {}
    with _callers_script_hidden(), _ended_at_once(_pool(workers, model)) as pool:
        for number, shard in shards:
            if shard_path(folder, number).exists():
                done += len(shard)
                progress(done, total)
                continue
            with _uninterrupted():
                waiting[pool.submit(_work, shard, length, shard_path(folder, number))] = len(shard)
            if len(waiting) >= 2 * max(workers, 1):
                done += _collect(waiting)
                progress(done, total)
        while waiting:
            done += _collect(waiting)
            progress(done, total)


@contextmanager
def _callers_script_hidden() -> Iterator[None]:
    """A process that is started would run the script it was started from once more: a notebook's, a Streamlit
    page's."""
    script = sys.modules["__main__"]
    sys.modules["__main__"] = ModuleType("__main__")
    try:
        yield
    finally:
        sys.modules["__main__"] = script


@contextmanager
def _ended_at_once(pool: Executor) -> Iterator[Executor]:
    """The processes end with an error of the block, such as Ctrl-C: what they are at is done anew by the same
    command."""
    with pool:
        try:
            yield pool
        except BaseException:
            processes = list((getattr(pool, "_processes", None) or {}).values())
            pool.shutdown(wait=False, cancel_futures=True)
            for process in processes:
                process.terminate()
            raise


@contextmanager
def _uninterrupted() -> Iterator[None]:
    """Processes that are started within hear no Ctrl-C: the one that started them does, and ends them."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _pool(workers: int, model: str) -> Executor:
    """Processes with a model each, or this one alone."""
    if workers == 0:
        return ThreadPoolExecutor(1, initializer=_open, initargs=(model,))
    return ProcessPoolExecutor(workers, mp_context=get_context("spawn"), initializer=_open, initargs=(model,))


def _collect(waiting: dict[Future[Any], int]) -> int:
    """Wait for a shard; how many documents are done by it. Raises what the worker raised."""
    finished, _ = wait(waiting, return_when=FIRST_COMPLETED)
    for future in finished:
        future.result()
    return sum(waiting.pop(future) for future in finished)


_model: Any = None  # a worker's own


def _open(model: str) -> None:
    """Once in each process: the model, one thread for it, and the same end as the survey's, however that one ends."""
    global _model
    if parent_process() is not None:
        end_with_parent()
    torch.set_num_threads(1)
    _model = load(model)


def _work(shard: list[Document], length: int, path: Path) -> None:
    survey_shard(_model, shard, length).save(path)
