"""Pipeline schedules: their rules for any setting, and their bubbles and memory against the papers' formulas."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import settings as options
from hypothesis import strategies as st

from tlmviz.analysis.cost import pipeline
from tlmviz.analysis.cost.pipeline import AGAIN, DUAL, GPIPE, INTERLEAVED, KEPT, ONE, SCHEDULES, SENDING, ZERO, Setting
from tlmviz.analysis.cost.pipeline_orders import BOTH, FORWARD, INPUTS, ORDERS, WEIGHTS
from tlmviz.errors import BadSchedule

times = st.sampled_from([0.1, 0.5, 1.0, 1.3, 2.0, 3.0])
SETTINGS = st.builds(
    Setting,
    stages=st.integers(1, 9),
    micro=st.integers(1, 24),
    chunks=st.integers(1, 4),
    layers=st.integers(36, 60),
    forward=times,
    backward=times,
    weights=times,
    hop=st.sampled_from([0.0, 0.2, 1.5]),
    overlapped=st.booleans(),
    recompute=st.booleans(),
)


def ran(name, setting):
    """The run; where the schedule cannot do with these numbers, with the nearest that it can."""
    if name == INTERLEAVED:
        setting = replace(setting, micro=-(-setting.micro // setting.stages) * setting.stages)
    if name == DUAL:
        stages = setting.stages + setting.stages % 2
        setting = replace(setting, stages=stages, micro=2 * (setting.micro // 2) + 2 * stages)
    assume(setting.micro <= pipeline.MOST_MICRO)
    return pipeline.simulate(name, setting)


def gradients(run):
    """{(micro, stage): the event that gives the gradient by the inputs}."""
    return {(e.micro, e.stage): e for e in run.events if e.kind in (INPUTS, BOTH)}


@pytest.mark.parametrize("name", SCHEDULES)
@given(setting=SETTINGS)
@options(max_examples=40, deadline=None)
def test_a_device_does_one_thing_at_a_time(name, setting):
    run = ran(name, setting)
    for device in range(run.setting.stages):
        blocks = sorted({(event.start, event.end) for event in run.of(device)})
        assert all(start < end for start, end in blocks)
        assert all(first[1] <= second[0] + 1e-9 for first, second in zip(blocks, blocks[1:]))
        joined = [event for event in run.of(device) if event.half]
        assert len({(e.start, e.end) for e in joined}) * 2 == len(joined)  # two of a pair, and no third
        assert {(e.kind, e.half) for e in joined} <= {(FORWARD, 1), (BOTH, 2)}


@pytest.mark.parametrize("name", SCHEDULES)
@given(setting=SETTINGS)
@options(max_examples=40, deadline=None)
def test_nothing_begins_before_its_inputs_have_arrived(name, setting):
    run = ran(name, setting)
    forwards = {(e.micro, e.stage): e for e in run.events if e.kind == FORWARD}
    backwards, last = gradients(run), len(run.shares) - 1
    for event in run.events:
        at, needed = (event.micro, event.stage), []
        if event.kind == FORWARD and event.stage:
            needed = [forwards[event.micro, event.stage - 1]]
        if event.kind in (AGAIN, INPUTS, BOTH):
            needed = [forwards[at]] + ([backwards[event.micro, event.stage + 1]] if event.stage < last else [])
        if event.kind == WEIGHTS:
            needed = [backwards[at]]
        for before in needed:
            hop = run.setting.hop if before.device != event.device else 0
            assert before.end + hop <= event.start + 1e-9


@pytest.mark.parametrize("name", SCHEDULES)
@given(setting=SETTINGS)
@options(max_examples=40, deadline=None)
def test_every_micro_batch_passes_every_stage_once_each_way(name, setting):
    run = ran(name, setting)
    places = sorted((i, s) for i in range(run.setting.micro) for s in range(len(run.shares)))
    assert sorted((e.micro, e.stage) for e in run.events if e.kind == FORWARD) == places
    assert sorted((e.micro, e.stage) for e in run.events if e.kind in (INPUTS, BOTH)) == places
    assert sorted((e.micro, e.stage) for e in run.events if e.kind in (WEIGHTS, BOTH)) == places
    again = [e for e in run.events if e.kind == AGAIN]
    paired = sum(e.half == 2 for e in run.events)
    assert len(again) == (len(places) - paired if run.setting.recompute else 0)


@pytest.mark.parametrize("name", SCHEDULES)
@given(setting=SETTINGS)
@options(max_examples=40, deadline=None)
def test_the_work_is_the_same_in_every_schedule(name, setting):
    run = ran(name, setting)
    at = run.setting
    assert run.busy() - run.busy(SENDING) == pytest.approx(at.micro * at.stages * at.work)
    assert run.bubble >= -1e-9 and run.time >= at.micro * at.work - 1e-9


@given(
    stages=st.integers(1, 16), micro=st.integers(1, 64), recompute=st.booleans(), times=st.tuples(times, times, times)
)
@options(max_examples=60, deadline=None)
def test_the_bubble_of_gpipe_and_1f1b_is_the_formula(stages, micro, recompute, times):
    setting = Setting(stages, micro, 1, stages, *times, recompute=recompute)
    expected = (stages - 1) / (micro + stages - 1)
    for name in (GPIPE, ONE):
        assert pipeline.simulate(name, setting).bubble == pytest.approx(expected)
        assert SCHEDULES[name].formula(setting) == pytest.approx(expected)


@given(stages=st.integers(2, 12), rounds=st.integers(1, 5), chunks=st.integers(1, 4))
@options(max_examples=40, deadline=None)
def test_interleaving_divides_the_wait_by_its_chunks(stages, rounds, chunks):
    setting = Setting(stages, stages * rounds, chunks, stages * chunks)
    run = pipeline.simulate(INTERLEAVED, setting)
    wait = (stages - 1) * 3 / chunks
    assert run.bubble == pytest.approx(wait / (wait + 3 * setting.micro))
    assert SCHEDULES[INTERLEAVED].formula(setting) == pytest.approx(run.bubble)


@given(stages=st.integers(1, 16), more=st.integers(0, 40), weights=st.sampled_from([0.3, 0.7, 1.0]))
@options(max_examples=40, deadline=None)
def test_zero_bubble_waits_as_its_paper_says_where_the_weights_gradient_is_no_longer(stages, more, weights):
    setting = Setting(stages, stages + more, 1, stages, weights=weights)
    wait = (stages - 1) * (2 - weights)
    found = pipeline.simulate(ZERO, setting).bubble
    assert found == pytest.approx(wait / (wait + setting.micro * setting.work))
    assert found == pytest.approx(SCHEDULES[ZERO].formula(setting))


@pytest.mark.parametrize("f, b, w", [(2, 1, 1), (1, 2, 0.5), (3, 1, 0.5), (2, 1, 1.5), (1, 2, 1.5), (0.5, 1, 0.7)])
def test_zero_bubble_is_its_formula_exactly_while_w_is_no_longer_than_f_and_b(f, b, w):
    setting = Setting(4, 12, 1, 4, f, b, w)
    more = pipeline.simulate(ZERO, setting).bubble - SCHEDULES[ZERO].formula(setting)
    assert more == pytest.approx(0) if w <= min(f, b) else more > 0.01


@pytest.mark.parametrize("f, b, w", [(1, 1, 0.5), (2, 2, 1.5), (1, 1, 2), (2, 1, 0.5), (1, 2, 1), (3, 1, 0.5)])
def test_the_formula_of_dualpipe_is_exact_for_f_equal_to_b_and_near_elsewhere(f, b, w):
    setting = Setting(4, 12, 1, 4, f, b, w)
    off = abs(pipeline.simulate(DUAL, setting).bubble - SCHEDULES[DUAL].formula(setting))
    assert off == pytest.approx(0) if f == b and w <= f else 0.01 < off < 0.05


@given(half=st.integers(1, 8), more=st.integers(0, 12))
@options(max_examples=40, deadline=None)
def test_dualpipe_waits_as_its_report_says(half, more):
    setting = Setting(2 * half, 4 * half + 2 * more, 1, 2 * half)
    wait = (half - 1) * (3 + 2 - 3)  # (PP/2 − 1)(F&B + B − 3W)
    run = pipeline.simulate(DUAL, setting)
    assert run.bubble == pytest.approx(wait / (wait + 3 * setting.micro))
    assert run.bubble == pytest.approx(SCHEDULES[DUAL].formula(setting))
    assert run.peak() == setting.stages + 1 and SCHEDULES[DUAL].copies == 2


@given(setting=SETTINGS)
@options(max_examples=60, deadline=None)
def test_memory_of_1f1b_and_zero_bubble_is_at_most_p_and_that_of_gpipe_m(setting):
    setting = replace(setting, layers=setting.stages * 4, recompute=False)
    for device in range(setting.stages):
        held = pipeline.simulate(ONE, setting).peak(device)
        assert held == pytest.approx(min(setting.stages - device, setting.micro))
        assert pipeline.simulate(ZERO, setting).peak(device) <= setting.stages + 1e-9
        assert pipeline.simulate(GPIPE, setting).peak(device) == pytest.approx(setting.micro)


@pytest.mark.parametrize("stages, chunks", [(4, 2), (8, 4), (3, 3)])
def test_memory_of_interleaved_on_the_first_device(stages, chunks):
    setting = Setting(stages, 4 * stages, chunks, stages * chunks)
    run = pipeline.simulate(INTERLEAVED, setting)
    assert run.peak(0) == pytest.approx(stages * (1 + (stages - 1) / (stages * chunks)))


@pytest.mark.parametrize("name", SCHEDULES)
@given(setting=SETTINGS)
@options(max_examples=25, deadline=None)
def test_memory_against_a_count_at_every_moment(name, setting):
    run = ran(name, setting)
    for device in range(run.setting.stages):
        spans = {}
        for event in run.of(device):
            if event.kind != SENDING:
                spans.setdefault((event.micro, event.stage), []).append(event)
        at, held = run.memory(device)
        assert held[-1] == pytest.approx(0, abs=1e-6)
        for time, value in list(zip(at, held))[:: max(1, len(at) // 7)]:
            moment, expected = time + 1e-6, 0.0
            for (_, stage), events in spans.items():
                start, end = min(e.start for e in events), max(e.end for e in events)
                again = min(e.start for e in events if e.kind in (AGAIN, INPUTS, BOTH))
                if start <= moment < end:
                    expected += run.shares[stage] * (KEPT if run.setting.recompute and moment < again else 1)
            assert value == pytest.approx(expected, abs=1e-6)


def test_recomputing_saves_memory_for_one_more_forward():
    plain = pipeline.simulate(GPIPE, Setting())
    again = pipeline.simulate(GPIPE, Setting(recompute=True))
    assert again.time == pytest.approx(plain.time * 4 / 3)
    assert again.peak() == pytest.approx(1 + 7 * KEPT)


def test_messages_delay_and_block_their_senders_unless_overlapped():
    free = pipeline.simulate(ONE, Setting())
    hidden = pipeline.simulate(ONE, Setting(hop=0.5))
    blocking = pipeline.simulate(ONE, Setting(hop=0.5, overlapped=False))
    assert free.time < hidden.time < blocking.time
    assert hidden.sending == 0 < blocking.sending
    sends = [event for event in blocking.events if event.kind == SENDING]
    assert len(sends) == 2 * 3 * 8 and all(event.end - event.start == pytest.approx(0.5) for event in sends)
    alone = pipeline.simulate(ONE, Setting(stages=1, hop=0.5, overlapped=False))
    assert alone.sending == alone.bubble == 0


def test_uneven_layers_take_time_in_proportion():
    run = pipeline.simulate(GPIPE, Setting(stages=4, layers=6))
    assert run.shares == pytest.approx((4 / 3, 4 / 3, 2 / 3, 2 / 3)) and sum(run.shares) == pytest.approx(4)
    assert run.bubble > 3 / 11


def test_the_rules_give_the_first_cells_of_the_papers():
    orders = ORDERS["zero"].blocks(4, 8, 1)
    kinds = ["".join(task.kind[0] for (task,) in order) for order in orders]
    assert kinds[0].startswith("ffffiwfiw") and kinds[3].startswith("fififif")
    first = pipeline.simulate(ONE, Setting()).of(3)
    assert [event.kind for event in first[:4]] == [FORWARD, BOTH, FORWARD, BOTH] and first[0].start == 3


def test_against_micro_batches():
    counts, shares = pipeline.bubbles(DUAL, Setting(), range(1, 20))
    assert list(counts) == [8, 10, 12, 14, 16, 18] and (np.diff(shares) < 0).all()


@pytest.mark.parametrize(
    "wrong, said",
    [
        ({"stages": 0}, "0 stages"),
        ({"micro": 0}, "0 micro-batches"),
        ({"stages": 8, "layers": 6}, "at most 6 stages"),
        ({"stages": 40}, "from 1 to 16"),
        ({"forward": 0}, "above 0"),
        ({"forward": float("nan")}, "finite"),
        ({"hop": -1}, "at least 0"),
        ({"weights": float("inf")}, "finite"),
    ],
    ids=str,
)
def test_what_is_no_pipeline(wrong, said):
    with pytest.raises(BadSchedule, match=said):
        Setting(**wrong)


@pytest.mark.parametrize(
    "name, wrong, said",
    [
        (INTERLEAVED, {"micro": 7}, "no multiple"),
        (INTERLEAVED, {"chunks": 4, "layers": 12}, "need 16 layers"),
        (DUAL, {"stages": 3}, "3 is odd"),
        (DUAL, {"micro": 6}, "at least 2p = 8"),
        (DUAL, {"stages": 1, "micro": 1}, "even number"),
    ],
)
def test_what_a_schedule_cannot_do(name, wrong, said):
    with pytest.raises(BadSchedule, match=said):
        pipeline.simulate(name, Setting(**wrong))


def test_one_stage_and_one_micro_batch():
    for name in (GPIPE, ONE, INTERLEAVED, ZERO):
        assert pipeline.simulate(name, Setting(stages=1)).bubble == pytest.approx(0)
        lone = pipeline.simulate(name, Setting(stages=1, micro=1))
        assert (lone.time, lone.peak()) == (pytest.approx(3), pytest.approx(1))
    assert pipeline.simulate(GPIPE, Setting(micro=1)).bubble == pytest.approx(3 / 4)
