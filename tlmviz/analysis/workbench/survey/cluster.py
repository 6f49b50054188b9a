"""A survey on a Ray cluster: Ray Data hands shards out, and what comes back is kept where the survey was started."""

from __future__ import annotations

import json
import logging
import re
import subprocess
import sys
import warnings
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import asdict
from functools import cache, partial
from itertools import islice
from pathlib import Path
from typing import Any, cast

import torch

from tlmviz.checkpoints.registry import load
from tlmviz.errors import BadCheckpoint, Error
from tlmviz.extras import require
from tlmviz.protocols import LanguageModelLike

from .corpus import Document
from .shards import shard_path, survey_shard, weights_of, write

WAVE = 256  # shards handed out at once: fewer leave many cores idle at a wave's end, more fill the memory
WAIT = 30  # seconds that a cluster has to answer; Ray waits two minutes, and then ends the process
RETRIES = 5  # a shard that kills every worker it is given to must end the survey some time
Compute = Callable[[dict[int, list[Document]]], Iterable[tuple[int, bytes]]]


def run(
    compute: Compute,
    shards: Iterator[tuple[int, list[Document]]],
    folder: Path,
    total: int,
    progress: Callable[[int, int], None],
) -> None:
    """Every shard that is not there yet, a wave at a time; each is kept once, however often `compute` gives it.

    Raises Error where `compute` leaves one out, and what it raises.
    """
    done = 0
    while wave := dict(islice(shards, WAVE)):
        missing = {number: shard for number, shard in wave.items() if not shard_path(folder, number).exists()}
        done += sum(len(shard) for number, shard in wave.items() if number not in missing)
        progress(done, total)
        for number, content in compute(dict(missing)) if missing else ():
            if number in missing:
                write(shard_path(folder, number), content)
                done += len(missing.pop(number))
                progress(done, total)
        if missing:
            raise Error(f"The cluster gave no result for {len(missing)} shards; the same command goes on with them.")


@contextmanager
def connected(address: str) -> Iterator[None]:
    """The cluster at `address` ("auto" or HOST:PORT), until the block ends; a connection that there was is kept.

    Raises Error where Ray is not installed, and where no cluster answers within 30 seconds.
    """
    if address != "auto" and not re.fullmatch(r"[^\s/:]+:\d{1,5}", address):
        raise Error(
            f"{address!r} is no address of a Ray cluster; give auto for the one that runs on this machine, or "
            "HOST:PORT."
        )
    require("ray", "ray", "A cluster")
    import ray
    import ray.data

    ours = not ray.is_initialized()
    if ours:
        _answers(address)
        ray.init(address, logging_level=logging.ERROR, log_to_driver=False)
    try:
        yield
    except ray.exceptions.RayError as error:
        raise _told(error) from None
    finally:
        if ours:
            ray.shutdown()


def _answers(address: str) -> None:
    """Connect in a process that can be ended: Ray's own attempt cannot. Raises Error."""
    code = "import ray, sys; ray.init(sys.argv[1], log_to_driver=False)"
    try:
        subprocess.run([sys.executable, "-c", code, address], timeout=WAIT, check=True, capture_output=True)
    except (subprocess.CalledProcessError, subprocess.TimeoutExpired):
        where = "on this machine" if address == "auto" else f"at {address}"
        raise Error(
            f"No Ray cluster answers {where} within {WAIT} seconds; start one with `ray start --head`, and this "
            "command on a machine that is part of it."
        ) from None


def computing(model: str, weights: str, length: int) -> Compute:
    """What has shards computed on the cluster that is connected: a task of Ray Data each, as they are done."""
    whole = str(Path(model).resolve()) if Path(model).exists() else model  # workers run in another directory
    return partial(_compute, partial(_work, model=whole, weights=weights, length=length))


def _compute(task: Callable[..., Any], shards: dict[int, list[Document]]) -> Iterator[tuple[int, bytes]]:
    import ray

    context = ray.data.DataContext.get_current()
    context.enable_progress_bars = False
    context.execution_options.preserve_order = False
    logging.getLogger("ray.data").setLevel(logging.CRITICAL)  # what goes wrong comes as an exception too
    rows = [
        {"number": number, "documents": json.dumps([asdict(document) for document in shard])}
        for number, shard in shards.items()
    ]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # Ray has no other argument yet for how often it tries, and tries without end
        results = ray.data.from_items(rows, override_num_blocks=len(rows)).map(task, num_cpus=1, max_retries=RETRIES)
    for row in results.iter_rows():
        if row["problem"]:
            raise Error(row["problem"])
        yield int(row["number"]), row["content"]


def _work(row: dict[str, Any], model: str, weights: str, length: int) -> dict[str, Any]:
    """On a worker: one shard as the bytes of its file, or the sentence that says why there is none."""
    shard = [Document(**document) for document in json.loads(row["documents"])]
    content, problem = b"", ""
    try:
        content = survey_shard(_open(model, weights), shard, length).to_bytes()
    except Error as error:
        problem = str(error)
    except Exception as error:  # Ray would wrap it in pages of its own
        problem = f"A worker of the cluster failed: {type(error).__name__}: {error}; what is done is kept."
    return {"number": row["number"], "content": content, "problem": problem}


@cache
def _open(model: str, weights: str) -> Any:
    """A worker's own model, read once. Raises BadCheckpoint where it is another one than where the survey was
    started."""
    torch.set_num_threads(1)
    lm = cast(LanguageModelLike, load(model))  # where the survey was started, it was one
    if weights_of(lm) != weights:
        raise BadCheckpoint(f"{model} has other weights on a machine of the cluster; install the same there.")
    return lm


def _told(error: BaseException) -> Error:
    """What Ray itself says went wrong, such as a worker that cannot start, by its last line."""
    said = str(error).strip().splitlines() or [type(error).__name__]
    return Error(
        f"The cluster stopped: {said[-1]}; its machines need tlmviz and the model. What is done is kept, and the same "
        "command goes on."
    )
