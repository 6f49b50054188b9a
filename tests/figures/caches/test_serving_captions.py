"""The captions of each step say what its record says."""

import re

from tlmviz.decoding.serving import Request, Server, serve
from tlmviz.figures.caches.serving_captions import REACH, step_captions

START = "Lily had a red ball. "
REQUESTS = (
    Request(START, 12, temperature=1.0),
    Request(START, 8, temperature=1.0, seed=1),
    Request("They were happy", 14, 1),
)
NAMES = list("ABC")


def test_captions_count_what_the_records_count(lm):
    run = serve(lm, REQUESTS, Server(4, 10, 3))
    totals, lines = run.totals(), step_captions(run, NAMES)
    assert totals.preemptions and totals.copies and totals.num_cached_tokens
    events = [line[2] for line in lines]
    assert sum(line.count("copy-on-write") for line in events) == totals.copies
    assert sum(line.count("preempted") for line in events) == totals.preemptions
    assert f"So far: {totals.tokens} tokens in {totals.steps} steps" in lines[-1][3]
    assert f"{totals.waste:.0%} of allocated slots wasted" in lines[-1][3]
    for step, (work, memory, *_) in zip(run.steps, lines):
        assert (
            re.search(rf"{10 - step.free} of 10 pages in use", memory)
            and f"{step.allocated} slots allocated, {step.occupied} occupied" in memory
        )
        reading = {NAMES[i] for i, snapshot in enumerate(step.snapshots) if snapshot.state == "prefill"}
        assert set(re.findall(r"(\w) reads", work)) == reading


def test_a_static_batch_says_who_only_pads(lm):
    run = serve(lm, [Request("a", 2), Request("One day", 7)], Server(4, 12, 2, "static"))
    padded = [line[0] for line, step in zip(step_captions(run, NAMES[:2]), run.steps) if step.count("padding")]
    assert len(padded) == 5 and all("A only pads it" in line for line in padded)


def test_texts_grow_to_the_answers(lm):
    run = serve(lm, REQUESTS, Server(4, 12, 3))
    texts = run.texts_by_step(lm.tokenizer)
    assert tuple(texts[-1]) == run.texts and texts[0][2] == ""
    waiting = [
        (i, n)
        for n, step in enumerate(run.steps)
        for i, snapshot in enumerate(step.snapshots)
        if snapshot.state == "waiting"
    ]
    assert all(texts[n][i] == REQUESTS[i].prompt for i, n in waiting)


def test_many_events_are_counted_not_spilled(lm):
    run = serve(lm, [Request(START, 6, seed=seed) for seed in range(8)], Server(4, 60, 8))
    longest = max((line[2] for line in step_captions(run, list("ABCDEFGH"))), key=len)
    assert re.search(r"and \d more$", longest) and len(longest) < REACH + 60
