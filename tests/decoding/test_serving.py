"""The scheduler: each request gets what it would get alone, memory is counted right, and policies are what they say."""

import itertools

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from tlmviz.decoding.serving import Request, Scheduler, Server, serve
from tlmviz.errors import BadShape, BadText, OutOfPages, UnknownName

from .. import tiny

START = "Lily had a red ball. "
MIXED = (
    Request(START + "One day", 14),
    Request(START + "Tom", 6, 2),
    Request(START + "One day", 10, 3, temperature=0.9, seed=5),
    Request("They were", 9, 1, temperature=0.7, seed=2, top_k=None, top_p=0.9),
    Request(START, 3, 4),
)
SERVERS = {
    "roomy": Server(8, 32, 4),
    "alone": Server(8, 32, 1),
    "unshared": Server(5, 40, 5, sharing="none"),
    "prefix cache": Server(3, 60, 3, sharing="cached"),
    "short": Server(4, 14, 5),
    "short, prefix cache": Server(2, 26, 4, sharing="cached"),
    "pages of one": Server(1, 52, 5),
    "static": Server(8, 32, 4, "static"),
    "static, short": Server(4, 16, 4, "static"),
}


def alone(lm, request: Request) -> str:
    """What `generate` writes for the prompt where the context has room; a server stops there."""
    return lm.generate(
        request.prompt,
        min(request.max_new_tokens, lm.config.context - len(lm.encode(request.prompt))),
        request.temperature,
        request.top_k,
        request.top_p,
        request.seed,
    )


def watched(lm, requests, server):
    """A run, and for each request the logits behind each of its tokens, [n, V]."""
    logits = [[] for _ in requests]
    run = serve(lm, requests, server, lambda number, row: logits[number].append(row))
    return run, [torch.stack(rows) for rows in logits]


def check_books(run):
    """What must hold of any run: pages are owned as tables say, counts add up, states follow one another."""
    page, static = run.server.page, run.server.policy == "static"
    for step in run.steps:
        counted = [
            [i for i, snapshot in enumerate(step.snapshots) if number in snapshot.table]
            for number in range(run.server.pages)
        ]
        assert [sorted(owners) for owners in step.owners] == counted
        assert step.free == sum(not owners for owners in counted)
        assert step.shared == sum(len(owners) > 1 for owners in counted)
        assert (
            0 <= step.occupied <= step.allocated <= run.server.slots and step.wasted == step.allocated - step.occupied
        )
        busy = [snapshot for snapshot in step.snapshots if snapshot.state in ("prefill", "decode", "padding")]
        assert len(busy) <= run.server.batch
        for snapshot in step.snapshots:
            assert len(set(snapshot.table)) == len(snapshot.table) and snapshot.length <= len(snapshot.table) * page
            if snapshot.state in ("absent", "waiting", "preempted"):
                assert not snapshot.table and not snapshot.num_computed_tokens and not snapshot.new_tokens
            elif snapshot.state in ("prefill", "decode"):
                assert static or len(snapshot.table) == -(-snapshot.length // page)
            if snapshot.state == "decode":
                assert snapshot.num_computed_tokens == 1
        written = [
            max(
                [
                    min(snapshot.length - place * page, page)
                    for snapshot in step.snapshots
                    for place, own in enumerate(snapshot.table)
                    if own == number
                ]
                or [0]
            )
            for number in range(run.server.pages)
        ]
        assert [max(n, 0) for n in written] == list(step.fill)
    follows = {
        "absent": {"absent", "waiting", "prefill"},
        "waiting": {"waiting", "prefill"},
        "preempted": {"preempted", "prefill"},
        "prefill": {"decode", "preempted", "padding", "finished"},
        "decode": {"decode", "preempted", "padding", "finished"},
        "padding": {"padding", "finished"},
        "finished": {"finished"},
    }
    for i, (request, answer) in enumerate(zip(run.requests, run.answers)):
        snapshots = [step.snapshots[i] for step in run.steps]
        assert all(b.state in follows[a.state] for a, b in itertools.pairwise(snapshots))
        assert (
            sum(snapshot.new_tokens for snapshot in snapshots)
            == snapshots[-1].output_tokens
            == len(answer)
            <= request.max_new_tokens
        )
        assert all(snapshot.state == "absent" for snapshot in snapshots[: request.arrival])
        assert all(snapshot.state != "absent" for snapshot in snapshots[request.arrival :])


# --- the same text, whatever else runs --------------------------------------------------------------


@pytest.mark.parametrize("server", SERVERS.values(), ids=SERVERS)
def test_each_gets_the_text_it_would_get_alone(stories, server):
    run, logits = watched(stories, MIXED, server)
    check_books(run)
    for request, prompt, answer, text, rows in zip(MIXED, run.prompts, run.answers, run.texts, logits):
        assert text == alone(stories, request) == stories.tokenizer.decode(answer)
        whole = stories(torch.tensor([[*prompt, *answer]]))[0, len(prompt) - 1 :]  # one pass without any cache
        assert (rows - whole[: len(rows)]).abs().max() < 1e-4


@pytest.mark.parametrize("policy", ["continuous", "static"])
def test_every_variant_is_served(variant, policy):
    server = Server(3, 30, 3, policy, "cached")
    run = serve(variant, MIXED, server)
    check_books(run)
    assert list(run.texts) == [alone(variant, request) for request in MIXED]
    assert policy == "static" or run.totals().preemptions + run.totals().num_cached_tokens


REQUESTS = st.lists(
    st.builds(
        Request,
        st.sampled_from([START, START + "Tom saw", START + "Tom saw a dog", "One day", "a", "They were happy."]),
        st.integers(1, 12),
        st.integers(0, 9),
        st.sampled_from([0.0, 1.0]),
        st.integers(0, 3),
    ),
    min_size=1,
    max_size=6,
)
ANY = st.builds(
    Server,
    st.integers(1, 9),
    st.integers(1, 12),
    st.integers(1, 5),
    st.sampled_from(["continuous", "static"]),
    st.sampled_from(["none", "running", "cached"]),
)


@settings(max_examples=25)
@given(requests=REQUESTS, server=ANY)
def test_any_requests_on_any_server(lm, requests, server):
    """Every request that fits alone is served in the end, with its own text; memory is exact at each step."""
    try:
        run = serve(lm, requests, server)
    except OutOfPages:
        longest = max(len(lm.encode(request.prompt)) + request.max_new_tokens for request in requests)
        assert longest > server.slots
        return
    check_books(run)
    assert list(run.texts) == [alone(lm, request) for request in requests]


def test_a_changed_neighbour_changes_no_bit(stories):
    """Another prompt of the same length beside it: the same shapes, so not even rounding may differ."""
    first, second = "Tom saw a big dog", "Lily and Tom played ball"
    assert len(stories.encode(first)) == len(stories.encode(second))
    mine = Request("Once upon a time", 10)
    server = Server(4, 30, 3, sharing="none")
    runs = [watched(stories, (mine, Request(other, 8), Request("The", 6, 3)), server) for other in (first, second)]
    (one, before), (two, after) = runs
    assert one.answers[1] != two.answers[1]
    for i in (0, 2):
        assert one.answers[i] == two.answers[i] and torch.equal(before[i], after[i])


def test_pages_left_full_of_nan_are_never_read(lm):
    scheduler = Scheduler(lm, MIXED, Server(3, 40, 3))
    scheduler.pool.k.fill_(torch.nan), scheduler.pool.v.fill_(torch.nan)
    while not scheduler.finished:
        scheduler.step()
    texts = [lm.tokenizer.decode(state.ids[state.prompt_length :]) for state in scheduler.requests]
    assert texts == [alone(lm, request) for request in MIXED]


# --- sharing ----------------------------------------------------------------------------------------


def test_a_common_prefix_is_computed_once(lm):
    run = serve(lm, [Request(START + "One day", 12), Request(START + "Tom", 4, 2)], Server(4, 40, 4))
    first, second = run.prompts
    common = next(i for i, (a, b) in enumerate(zip(first, second)) if a != b)
    snapshot, [share, copy] = run.steps[2].snapshots[1], run.steps[2].events
    assert (snapshot.num_cached_tokens, snapshot.num_computed_tokens) == (common, len(second) - common) and common > 8
    assert (share.kind, share.other, share.positions) == ("share", 0, common)
    assert (copy.kind, copy.request) == ("copy", 1) and common % 4  # the part-full page was copied, the full ones not
    donor = run.steps[2].snapshots[0].table
    assert snapshot.table[: common // 4] == donor[: common // 4] and snapshot.table[common // 4] == copy.pages[1]
    assert run.totals().num_cached_tokens == common


def test_the_same_prompt_is_not_read_again_and_its_page_is_copied_at_the_first_write(lm):
    """Several answers to one prompt: all pages are shared, and the part-full one until somebody writes."""
    requests = [Request(START, 6, temperature=1.0, seed=seed) for seed in range(3)]
    run = serve(lm, requests, Server(4, 40, 4))
    length = len(run.prompts[0])
    assert length % 4
    start, after = run.steps[0], run.steps[1]
    assert [snapshot.num_computed_tokens for snapshot in start.snapshots] == [length, 0, 0] and len(
        {snapshot.table for snapshot in start.snapshots}
    ) == 1
    assert start.shared == -(-length // 4) and start.count("copy") == 0
    assert after.count("copy") == 2 and after.shared == length // 4  # the last holder keeps the original
    assert len(set(run.answers)) > 1


def test_less_than_a_page_in_common_is_not_shared(lm):
    run = serve(lm, [Request("One day", 4), Request("One dog", 4)], Server(8, 40, 4))
    assert run.prompts[0][:2] == run.prompts[1][:2] and run.totals().num_cached_tokens == 0


def test_nothing_is_shared_when_nothing_should_be(lm):
    run = serve(lm, MIXED, Server(4, 60, 5, sharing="none"))
    assert run.totals().shared == run.totals().copies == run.totals().num_cached_tokens == 0


def test_the_prefix_cache_keeps_finished_requests_until_memory_is_short(lm):
    requests = [
        Request(START + "Tom", 3),
        Request(START + "One day", 3, 8),
        Request("They were happy. The end.", 3, 14),
    ]
    run = serve(lm, requests, Server(4, 40, 2, sharing="cached"))
    assert run.steps[8].snapshots[1].num_cached_tokens > 8 and run.totals().num_cached_tokens
    assert run.steps[5].allocated == 0 and run.steps[5].free < 40  # pages of the prefix cache are not waste
    assert serve(lm, requests, Server(4, 40, 2)).totals().num_cached_tokens == 0
    need = max(-(-(len(lm.encode(request.prompt)) + 3) // 4) for request in requests)
    short = serve(lm, requests, Server(4, need, 2, sharing="cached"))
    check_books(short)
    assert [event.request for step in short.steps for event in step.events if event.kind == "evict"] == [0, 1]
    assert short.totals().preemptions == 0


# --- short of memory --------------------------------------------------------------------------------


def test_the_latest_arrival_is_preempted_and_recomputed(lm):
    requests = [Request("They were happy", 16), Request("Tom saw a dog", 16, 1), Request("One day", 16, 2)]
    run = serve(lm, requests, Server(4, 13, 3, sharing="none"))
    check_books(run)
    assert list(run.texts) == [alone(lm, request) for request in requests]
    preempted = [event.request for step in run.steps for event in step.events if event.kind == "preempt"]
    assert preempted and 0 not in preempted and preempted[0] == 2
    number = next(n for n, step in enumerate(run.steps) if step.count("preempt"))
    [event] = [event for event in run.steps[number].events if event.kind == "preempt"]
    assert event.pages == run.steps[number - 1].snapshots[2].table and not run.steps[number].count("prefill")
    again = next(step.snapshots[2] for step in run.steps[number:] if step.snapshots[2].state == "prefill")
    # Prompt and answer so far, in one pass.
    assert again.num_computed_tokens == len(run.prompts[2]) + again.output_tokens - 1
    assert run.totals().num_recomputed_tokens >= again.num_computed_tokens


def test_no_one_jumps_the_queue(lm):
    """A short request waits behind a long one that does not fit yet."""
    requests = [Request(START, 12), Request(START + START + START, 4, 1), Request("a", 2, 2)]
    pages = -(-(len(lm.encode(requests[1].prompt)) + 4) // 4)  # all of memory
    run = serve(lm, requests, Server(4, pages, 3, sharing="none"))
    states = run.timeline()
    first = [list(states.loc[i]).index("prefill") for i in (1, 2, 3)]
    assert first == sorted(first) and "waiting" in set(states.loc[3])


def test_all_pages_come_back(lm):
    for sharing in ("none", "running"):
        scheduler = Scheduler(lm, MIXED, Server(4, 40, 3, sharing=sharing))
        while not scheduler.finished:
            scheduler.step()
        scheduler.step()
        assert scheduler.pool.free == 40 and not any(scheduler.pool.holders)


# --- static batches ---------------------------------------------------------------------------------


def test_a_static_batch_keeps_its_rows_to_the_end_of_the_longest(lm):
    requests = [Request("a", 3), Request("They were", 9), Request("One day", 5, 1)]
    run = serve(lm, requests, Server(4, 40, 2, "static"))
    check_books(run)
    lengths = [len(answer) for answer in run.answers]
    assert lengths == [3, 9, 5]
    assert list(run.timeline().loc[1]) == ["prefill", "decode", "decode", *["padding"] * 6, *["finished"] * 5]
    assert list(run.timeline().loc[3]) == ["absent", *["waiting"] * 8, "prefill", *["decode"] * 4]
    longest = max(len(run.prompts[0]), len(run.prompts[1])) + 9
    pages = -(-longest // 4)
    assert {step.allocated for step in run.steps[:9]} == {2 * pages * 4}
    assert run.steps[0].snapshots[1].table == tuple(range(pages, 2 * pages))  # one run of pages each
    written = len(run.prompts[0]) + len(run.prompts[1])
    assert [step.occupied for step in run.steps[:3]] == [written, written + 2, written + 4]
    assert run.steps[8].occupied == len(run.prompts[1]) + 8  # rows that have ended use nothing
    assert run.totals().padding == 6


def test_a_static_batch_is_as_large_as_memory_allows(lm):
    requests = [Request("a", 4) for _ in range(4)]
    need = -(-(len(lm.encode("a")) + 4) // 2)
    run = serve(lm, requests, Server(2, 3 * need + 1, 4, "static"))
    assert [step.count("prefill") for step in run.steps] == [3, 0, 0, 0, 1, 0, 0, 0]


# --- totals and tables ------------------------------------------------------------------------------


def test_totals_are_sums_over_the_steps(lm):
    pages = max(-(-(len(lm.encode(request.prompt)) + request.max_new_tokens) // 4) for request in MIXED)
    run = serve(lm, MIXED, Server(4, pages, 5))
    totals, each = run.totals(), run.per_step()
    assert totals.steps == len(run.steps) == len(each) == run.timeline().shape[1]
    assert totals.tokens == sum(map(len, run.answers)) and totals.tokens_per_step == totals.tokens / totals.steps
    assert totals.waste == pytest.approx(1 - each["occupied slots"].sum() / each["allocated slots"].sum())
    computed = [sum(step.snapshots[i].num_computed_tokens for step in run.steps) for i in range(len(MIXED))]
    assert totals.num_computed_tokens == sum(computed) and list(run.per_request()["computed tokens"]) == computed
    # What is in memory in the end was computed or taken over; a last token that reaches the limit is not read any more.
    limits = [request.max_new_tokens for request in MIXED]
    needed = sum(len(p) + len(a) - (len(a) == limit) for p, a, limit in zip(run.prompts, run.answers, limits))
    again = sum(
        snapshot.length
        for step, after in itertools.pairwise(run.steps)
        for snapshot, then in zip(step.snapshots, after.snapshots)
        if then.state == "preempted" and snapshot.state in ("prefill", "decode")
    )
    assert totals.num_computed_tokens + totals.num_cached_tokens == needed + again and totals.preemptions > 0
    assert totals.ttft >= 1 and totals.end_to_end_latency >= totals.ttft
    assert totals.seconds > 0 and totals.tokens_per_second == pytest.approx(totals.tokens / totals.seconds)


def test_continuous_batching_wastes_less_on_unequal_lengths(lm):
    requests = [Request("They were", n) for n in (2, 20, 3, 18, 4, 2)]
    servers = (Server(4, 60, 2), Server(4, 60, 2, "static"))
    continuous, static = (serve(lm, requests, server).totals() for server in servers)
    assert continuous.steps < static.steps and continuous.waste < static.waste and continuous.tokens == static.tokens
    assert continuous.padding == 0 < static.padding


# --- bad input --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "request_, server, error, words",
    [
        (Request(""), Server(), BadText, "empty"),
        (Request("word " * 200), Server(8, 100), BadText, "reads at most 160"),
        (Request("a", 0), Server(), BadShape, "0 tokens are to be written"),
        (Request("a", 3, -1), Server(), BadShape, "step -1"),
        (Request("a", 3, 10**9), Server(), BadShape, "from 0 to 10,000"),
        (Request("a", 3, seed=-1), Server(), BadShape, "seed is -1"),
        (Request("a", 3, temperature=-1.0), Server(), BadShape, "temperature -1"),
        (Request("They were happy", 40), Server(4, 5), OutOfPages, "memory holds 20 (5 pages of 4)"),
    ],
)
def test_bad_requests_are_one_sentence(lm, request_, server, error, words):
    with pytest.raises(error) as caught:
        serve(lm, [Request("a", 1), request_], server)
    assert words in tiny.sentence(caught)
    assert "temperature" in words or str(caught.value).startswith("Request 2: ")


@pytest.mark.parametrize(
    "change, error, words",
    [
        (dict(page=0), BadShape, "page size is 0"),
        (dict(pages=-3), BadShape, "number of pages is -3"),
        (dict(batch=0), BadShape, "largest batch is 0"),
        (dict(policy="orca"), UnknownName, "'orca'"),
        (dict(sharing="all"), UnknownName, "'all'"),
    ],
)
def test_an_impossible_server_is_one_sentence(change, error, words):
    with pytest.raises(error) as caught:
        Server(**change)
    assert words in tiny.sentence(caught)


def test_no_request_is_one_sentence(lm):
    with pytest.raises(BadShape) as caught:
        serve(lm, [])
    tiny.sentence(caught)


def test_a_prompt_that_fills_the_context_is_refused_and_one_less_writes_one_token(lm):
    full, _ = lm.fit("a b" * 200)
    assert len(lm.encode(full)) == 160
    with pytest.raises(BadText) as caught:
        serve(lm, [Request(full, 4)], Server(8, 40))
    assert "all that tiny reads" in tiny.sentence(caught)
    almost = next(full[:-n] for n in range(1, 9) if len(lm.encode(full[:-n])) == 159)
    run = serve(lm, [Request(almost, 4)], Server(8, 40))
    assert run.texts == (alone(lm, Request(almost, 4)),) and run.totals().tokens == len(run.answers[0]) == 1


def test_many_that_fit_one_after_another_queue(lm):
    run = serve(lm, [Request("a", 3) for _ in range(7)], Server(4, 2, 8, sharing="none"))
    assert [len(answer) for answer in run.answers] == [3] * 7
