"""What the page mHC claims, held against matrices, streams, losses and logs that are computed once more and plainly."""

import numpy as np
import pandas as pd
import pytest
import torch

import tlmviz
from pages.streams.mhc.claims import missing, one_stream
from pages.streams.mhc.data import Data
from pages.streams.mhc.depth import claims as depth
from pages.streams.mhc.depth.data import Deep
from pages.streams.mhc.dial import claims as dial
from pages.streams.mhc.dial.data import Dial, Matrix
from pages.streams.mhc.flow import claims as flow
from pages.streams.mhc.flow.data import Data as Flow
from pages.streams.mhc.matrices import claims as matrices
from pages.streams.mhc.matrices.data import Matrices
from pages.streams.mhc.state import (
    ALL,
    AVERAGE,
    BACKWARD,
    DEPTH,
    DIAL,
    FORWARD,
    LARGEST,
    MATRICES,
    MUTE,
    ONE,
    SUM,
    THROUGH,
    WIDTHS,
    Streams,
)
from pages.streams.mhc.streams import claims as streams
from pages.streams.mhc.streams.data import Inside
from pages.streams.mhc.training import claims as training
from pages.streams.mhc.training.data import Data as Logs
from tests import tiny
from tests.pages.helpers import assert_healthy, only_models, open_page
from tests.pages.states import above_the_picture, each_speaks_and_is_silent, stated
from tlmviz.analysis.streams.mixing import Mixing, places
from tlmviz.analysis.streams.unrolled import state_taps
from tlmviz.analysis.streams.vectors import mute_stream
from tlmviz.figures import number, readable
from tlmviz.ui import markdown

START = {name: control.default for name, control in Streams.controls.items()}
KINDS = {
    "a-residual": {},
    "a-hc": dict(connection="hyper", streams=3),
    "a-mhc": dict(connection="manifold", streams=3),
    "deep-hc": dict(connection="hyper", streams=2, n_layers=3),
    "still": dict(connection="manifold", streams=4, n_layers=1),
}
TEXTS = (tiny.TEXT, "Où est passé le chat 🐈 ?", "Hello", "The cat sat on the mat. " * 125)
NAMES = {"residual": "Residual", "hyper": "HC", "manifold": "mHC"}


@pytest.fixture(scope="module", autouse=True)
def models(tokenizer, tmp_path_factory):
    """Tiny random models in place of the bundled ones; one of them, "still", hardly mixes its streams."""
    networks = {name: tiny.network(**changes, vocab_size=tokenizer.vocab_size) for name, changes in KINDS.items()}
    for name, value in networks["still"].named_parameters():
        if name.endswith("static_res"):
            value.data = 6 * torch.eye(4)
        elif name.endswith(".scale"):
            value.data *= 0
    with only_models(networks, tokenizer, tmp_path_factory.mktemp("models")):
        yield


def chosen(model: str, text: str = tiny.TEXT, **values) -> Streams:
    text = tlmviz.load(model).fit(text)[0]
    return Streams(**{**START, **values}, model=model, text=text)


def res_of(model: str, text: str) -> np.ndarray:
    """H_res of every sublayer at every token, from the taps, in float64."""
    trace = tlmviz.load(model).trace(text)
    if f"{places(1)[0]}.res" not in trace.tap_names:
        return np.ones((2 * trace.n_layers, len(trace), 1, 1))
    return np.stack([np.asarray(trace[f"{place}.res"][0], np.float64) for place in places(trace.n_layers)])


def kept(res: np.ndarray) -> tuple[float, float]:
    others = (res * (1 - np.eye(res.shape[-1]))).ravel()
    return np.einsum("...ii->...i", res).mean(), max(others, key=abs)


def carried(res: np.ndarray) -> tuple[float, float]:
    """The least and the largest factor at which the embedding stands in a stream's end, over all tokens."""
    held = np.ones(res.shape[1:3])
    for matrix in res:
        held = np.einsum("tij,tj->ti", matrix, held)
    return held.min(), held.max()


def factor(value: float) -> str:
    """A factor of three digits."""
    return f"× {number(value, '#.3g').rstrip('.')}"


def share(value: float) -> str:
    return number(value, ".1%")


# --- Flow -------------------------------------------------------------------------------------------


def ends_of(res: np.ndarray, token: int) -> list[str]:
    """The least and the largest factor at the end of the streams, as the picture writes them."""
    held = np.ones(res.shape[-1])
    for matrix in res[:, token]:
        held = matrix @ held

    def written(value: float) -> str:
        size = abs(value)
        if size >= 1e4:
            return number(value, ".1e")
        digits = 0 if size >= 100 else 1 if size >= 10 else 4 if 0 < size < 0.01 else 2
        return number(value, f".{digits}f")

    return list(dict.fromkeys(written(end) for end in (held.min(), held.max())))


def flow_facts(data: Flow) -> dict[str, tuple]:
    text, family = data.chosen.text, data.family
    found: dict[str, tuple] = {}
    trained, count = data.trained, data.iterations
    plain = {kind: markdown.plain(model) for kind, model in family.items()}

    def matrices_of(kind: str) -> tuple[np.ndarray, tuple, str]:
        """Matrices, the values of the model's name, and the name."""
        if kind == "manifold" and count != trained:  # every later layer reads other streams
            said = f"{plain[kind]} with {count} iteration{'s' * (count != 1)}"
            return data.rerun(count).mixing.res.double().numpy(), (count, plain[kind]), said
        return res_of(family[kind], text), (plain[kind],), plain[kind]

    kind = data.connection.kind
    if kind == "residual":
        found["one_stream"] = (plain[kind],)
    else:
        res, named, _said = matrices_of(kind)
        (own, other), (least, most) = kept(res), carried(res)
        found["mixes"] = (*named, share(own), share(other), factor(least), factor(most))
        if data.chosen.widths == WIDTHS[0]:
            every = []
            shown = [kind, *(other for other in family if other != kind)]
            for each in shown if data.chosen.shown == ALL else [data.chosen.shown]:
                res, named, said = matrices_of(each)
                ends = ends_of(res, data.token)
                every.append(((*ends, *named), f"×\u00a0{' to '.join(ends)} in {said}"))
            *some, (last, _said) = every
            listed = [", ".join(said for _values, said in some)] if some else []
            token = markdown.quoted(data.tokens[data.token], data.token)
            found["carries"] = (2 * data.lm.config.n_layers, token, *listed, *last)
    if data.constrained:
        usual, run = data.rerun(trained), data.rerun(count)
        loss = tlmviz.load(data.constrained).trace(text).loss_per_token().mean().item()
        assert usual.loss == pytest.approx(loss, abs=1e-5)
        (before, gain), (after, gain_now) = (
            (f"{each.loss:.4f}", f"×\u00a0{number(each.forward, '.4g')}") for each in (usual, run)
        )
        if count == trained:
            found["iterations"] = (trained, plain["manifold"], before, gain)
        else:
            found["iterations"] = (count, plain["manifold"], trained, before, after, gain, gain_now)
            if data.written(count) == data.written(trained):
                found["writes_the_same"] = (count, 40)
    return found


def test_flow(monkeypatch):
    found = []
    cases = [(model, text) for model in ("a-mhc", "still") for text in TEXTS]
    cases += [(model, tiny.TEXT) for model in ("a-hc", "a-residual", "deep-hc")]
    for model, text in cases:
        for iterations in (None, 0, 1, 20) if text == tiny.TEXT else (None,):
            data = Flow(chosen(model, text, iterations=iterations))
            found.append(stated(flow.CLAIMS, data, flow_facts(data)))
            said = flow.mixes(data)
            if said:
                res = data.members[data.connection.kind].res.double().numpy()
                assert ("hardly" in said) == (abs(kept(res)[1]) < 0.1), said
    for values in ({"shown": "hyper"}, {"shown": "manifold", "token": 3}, {"widths": WIDTHS[1]}):
        data = Flow(chosen("a-mhc", **values))
        found.append(stated(flow.CLAIMS, data, flow_facts(data)))
    no_numbers = Mixing(*(torch.full((2, 3, *shape), torch.nan) for shape in ((3,), (3,), (3, 3))))
    monkeypatch.setattr(Data, "mixing", no_numbers)
    said = {claim.__name__: claim(Flow(chosen("a-hc"))) is not None for claim in flow.CLAIMS}
    assert said["overflows"] and not said["mixes"]
    each_speaks_and_is_silent([*found, said])


def test_both_ways_of_mixing_are_said():
    said = [flow.mixes(Flow(chosen(name))) for name in ("still", "a-mhc")]
    assert "hardly mixes" in said[0] and "hardly" not in said[1]


# --- Matrices ---------------------------------------------------------------------------------------


def matrices_facts(data: Matrices) -> dict[str, tuple]:
    found: dict[str, tuple] = {}
    kind, res = data.connection.kind, res_of(data.chosen.model, data.chosen.text)
    if kind == "residual":
        return {"one_stream": (markdown.plain(data.chosen.model),)}
    n = res.shape[-1]
    own, other = kept(res[data.sublayer, data.token])
    names = [f"{part} {layer}" for layer in range(data.lm.config.n_layers) for part in ("attention", "MLP")]
    token = markdown.quoted(data.tokens[data.token], data.token)
    found["mixes_here"] = (names[data.sublayer], token, share(own), share(other))
    off = np.abs(res * (1 - np.eye(n))).max((-2, -1))
    if np.sum([f"{x:.4g}" == f"{off.max():.4g}" for x in off.ravel()]) == 1:
        sublayer, token = np.unravel_index(off.argmax(), off.shape)
        found["most"] = (names[sublayer], token, number(off.max(), ".4g"))
    spread = res.std(1).max((-2, -1))
    if spread.max() >= 1e-6 and [f"{x:.2g}" for x in spread].count(f"{spread.max():.2g}") == 1:
        found["depends_on_the_token"] = (names[spread.argmax()], number(spread.max(), ".2g"))
    if kind == "hyper":
        sums = res.sum(-1)
        found["free"] = (number(sums.min(), ".3g"), number(sums.max(), ".3g"), number(res.min(), ".2g"))
    else:
        off = [np.abs(res.sum(axis) - 1).max() for axis in (-2, -1)]
        if max(off) < 0.01:
            said = matrices.redistributes(data).values
            # Sums are as near to 1 as is said.
            assert all(error <= 1.5 * float(bound) + 1e-7 for error, bound in zip(off, said))
            found["redistributes"] = said
    return found


def test_matrices():
    found = []
    for model in ("a-mhc", "still", "a-hc", "a-residual"):
        for text in TEXTS:
            for place in ({}, {"token": 0, "sublayer": 1}, {"token": 99_999, "sublayer": 99_999}):
                data = Matrices(chosen(model, text, view=MATRICES, **place))
                found.append(stated(matrices.CLAIMS, data, matrices_facts(data)))
    each_speaks_and_is_silent(found)


def test_matrices_without_numbers(monkeypatch):
    no_numbers = Mixing(*(torch.full((4, 40, *shape), torch.nan) for shape in ((3,), (3,), (3, 3))))
    monkeypatch.setattr(Data, "mixing", no_numbers)
    data = Matrices(chosen("a-mhc"))
    said = {claim.__name__ for claim in matrices.CLAIMS if claim(data)}
    assert said == {"mixes_here"}, "nothing is said of sums that are no numbers"
    assert "no numbers" in matrices.mixes_here(data)


# --- Sinkhorn dial ----------------------------------------------------------------------------------


def residuals(logits: np.ndarray) -> list[float]:
    """How far sums are from 1 after each iteration, by plain divisions."""
    matrix = np.exp(logits - logits.max())
    found = []
    for _ in range(41):
        found.append(max(np.abs(matrix.sum(0) - 1).max(), np.abs(matrix.sum(1) - 1).max()))
        with np.errstate(invalid="ignore"):
            matrix = np.nan_to_num(matrix / matrix.sum(1, keepdims=True))
            matrix = np.nan_to_num(matrix / matrix.sum(0, keepdims=True))
    return found


def size(residual: float) -> str:
    """As it is written; of less than the last digit of a number that is all that is said."""
    return "1e-15" if residual < 1e-15 else number(residual, ".3g")


@pytest.mark.parametrize("typed", [None, "4 1 2\n1 3 1\n5 1 1", "1 2 3\n0 4 0\n0 5 0", "1 1\n0 1"])
def test_dial(typed):
    found = []
    for model in ("a-mhc", "still"):
        for step in (0, 1, 2, 7, 12):
            for heat in (0.5, 1.0):
                choice = chosen(model, view=DIAL, step=step, temperature=heat, token=2, sublayer=1)
                data = Dial(choice, Matrix(typed, "entries") if typed else None)
                if typed:
                    values = [[float(word) for word in row.split()] for row in typed.split("\n")]
                    with np.errstate(divide="ignore"):
                        logits = np.log(values)
                else:
                    trace = tlmviz.load(model).trace(choice.text)
                    logits = np.asarray(trace[f"{places(trace.n_layers)[1]}.logits"][0, 2], np.float64)
                plain = residuals(logits / heat)
                said, now = dial.off(data).values, plain[step // 2]
                assert now == pytest.approx(data.residuals[step // 2], rel=1e-6, abs=1e-14)
                if step < 2:
                    assert said == (size(now),) or now < 1e-14, said
                elif now >= 1e-12:
                    assert said == (step // 2, size(now), size(plain[0])), said
                near = next((k for k, residual in enumerate(plain) if residual < 1e-6), None)
                settled = dial.settles(data)
                assert (near is None) if settled is None else settled.values == (near,)
                left = dial.leaves(data)
                assert (left is None) == bool(typed)
                found.append((near is not None, left is not None, dial.verdict(data) is not None))
    assert all(verdict == bool(typed) for _near, _left, verdict in found)
    if typed in ("1 2 3\n0 4 0\n0 5 0", "1 1\n0 1"):
        assert not any(near for near, _left, _verdict in found)
    elif typed:
        assert all(near for near, _left, _verdict in found)


# --- Depth, Streams, Training -----------------------------------------------------------------------


def product_gain(res: np.ndarray, way: str) -> np.ndarray:
    """Largest absolute row (column) sum of the product of all matrices, at every token."""
    product = res[0]
    for matrix in res[1:]:
        product = matrix @ product
    return np.abs(product).sum(-1 if way == FORWARD else -2).max(-1)


def test_depth():
    found = []
    for model, text in (("a-mhc", TEXTS[0]), ("a-mhc", TEXTS[1]), ("deep-hc", TEXTS[2]), ("still", TEXTS[3])):
        for over in (ONE, AVERAGE, LARGEST):
            for way in (FORWARD, BACKWARD):
                data = Deep(chosen(model, text, view=DEPTH, over=over, gain=way, token=1))
                reduce = {ONE: lambda all_: all_[1], AVERAGE: np.mean, LARGEST: np.max}[over]
                gain = {
                    kind: factor(reduce(product_gain(res_of(name, data.chosen.text), way)))
                    for kind, name in data.family.items()
                }
                where = (1,) if over == ONE else ()
                wanted: dict[str, tuple | None] = {}
                count = len(data.sublayers)
                if {"hyper", "manifold"} <= set(gain):
                    wanted["gains"] = (count, gain["hyper"], gain["manifold"], *where)
                else:
                    kind, only = list(gain.items())[-1]
                    wanted["gain_alone"] = (count, markdown.plain(data.family[kind]), only, *where)
                if "manifold" in data.family:
                    res = res_of(data.family["manifold"], data.chosen.text)
                    product = res[0]
                    for matrix in res[1:]:
                        product = matrix @ product
                    left = np.linalg.svd(product, compute_uv=False)[:, 1].max()
                    wanted["fades"] = (number(left, ".1%" if left >= 5e-4 else ".1e"),) if left < 0.9995 else None
                losses = [
                    tlmviz.load(name).trace(data.chosen.text).loss_per_token().mean().item()
                    for name in data.family.values()
                ]
                wanted["losses"] = tuple(
                    value for kind, loss in zip(data.family, losses) for value in (NAMES[kind], f"{loss:.3f}")
                )
                found.append(stated(depth.CLAIMS, data, wanted))
    names = [name for name in found[0] if name != "losses"]  # silent where a loss is no number
    each_speaks_and_is_silent([{name: shown[name] for name in names} for shown in found])


def test_streams():
    found = []
    for model in ("a-mhc", "a-hc", "a-residual"):
        for text in TEXTS[:3]:
            for part in (THROUGH, SUM, MUTE):
                data = Inside(chosen(model, text, part=part, token=2, muted="Stream 0"))
                wanted: dict[str, tuple] = {}
                lm = tlmviz.load(model)
                trace, several = lm.trace(data.chosen.text), data.connection.streams > 1
                if part == THROUGH and several:
                    cosines = least_cosines(trace, data.token)
                    first, least, last = (number(each, ".2f") for each in (cosines[0], min(cosines), cosines[-1]))
                    token = markdown.quoted(data.tokens[data.token], data.token)
                    wanted["part_ways"] = (token, first, data.parts[int(np.argmin(cosines))], least, last)
                if part != MUTE and not several:
                    wanted["single"] = (markdown.plain(model),)
                if part == SUM:
                    wanted["embedding_arrives"] = (*arrivals(data), data.chosen.reader)
                if part == MUTE:
                    before = trace.loss_per_token().numpy()
                    after = (
                        lm.trace(data.chosen.text, edit=mute_stream(lm.config.n_layers, 0, 0)).loss_per_token().numpy()
                    )
                    change = after - before
                    worst = int(change.argmax())
                    wanted["costs"] = (
                        number(before.mean(), ".4f"),
                        number(after.mean(), ".4f"),
                        0,
                        number(change.mean(), "+.4f"),
                        worst + 1,
                        readable(data.tokens[worst + 1]),
                        number(change[worst], "+.3f"),
                    )
                    if not several:
                        wanted["nothing_left"] = (markdown.plain(model), f"{np.log(lm.config.vocab_size):.2f}")
                found.append(stated(streams.CLAIMS, data, wanted))
    each_speaks_and_is_silent(found)


def arrivals(data: Inside) -> list[str]:
    """Of every model of the family, its title and the least and the largest factor of the embedding in the mean."""
    found = []
    for kind, name in data.family.items():
        res = res_of(name, data.chosen.text)
        held = np.ones(res.shape[1:3])
        for matrix in res:
            held = np.einsum("tij,tj->ti", matrix, held)
        low, high = held.mean(-1).min(), held.mean(-1).max()
        title = {"residual": "plain residual", "hyper": "HC", "manifold": "mHC"}[kind]
        found += [f"{title} · {name}", *(number(end, ".3f") for end in ((low, high) if high - low >= 5e-4 else (low,)))]
    return found


def least_cosines(trace, token: int) -> list[float]:
    """Behind the embedding and every sublayer, the least cosine of two streams."""
    found = []
    for tap in state_taps(trace.n_layers):
        vectors = np.asarray(trace[tap][0, token], np.float64)
        vectors = vectors / np.linalg.norm(vectors, axis=-1, keepdims=True)
        cosines = vectors @ vectors.T
        found.append(cosines[~np.eye(len(cosines), dtype=bool)].min())
    return found


def test_training(monkeypatch):
    logs = {
        kind: pd.DataFrame({"valid_bpb": [2.0, bits, np.nan], "gain_forward": [1.0, gain, np.nan]})
        for kind, bits, gain in (("residual", 1.3, 1.0), ("hyper", 1.2, 8.5), ("manifold", 1.25, 1.001))
    }
    data = Logs(chosen("a-mhc"))
    monkeypatch.setattr(Logs, "read", (logs, {}, []))
    assert training.ends(data).values == ("HC", "HC", "1.2000", "mHC", "1.2500", "Residual", "1.3000")
    assert training.gains(data).values == ("HC", factor(8.5), "mHC", factor(1.001))
    logs["manifold"].loc[1, "valid_bpb"] = 1.20001
    assert "best" not in training.ends(data)
    monkeypatch.setattr(Logs, "read", ({}, {}, []))
    assert training.ends(data) is None and training.gains(data) is None


def test_what_a_family_lacks_is_said():
    assert missing(Flow(chosen("a-hc"))) is None and one_stream(Flow(chosen("a-hc"))) is None
    assert "plain residuals or constrained" in missing(Flow(chosen("deep-hc")))


# --- the page ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("view", ["Flow", "Matrices", "Sinkhorn dial", "Depth", "Streams", "Training"])
@pytest.mark.parametrize("text", ["Où est passé le chat 🐈 ?", "Hello", "The cat sat on the mat. " * 400])
def test_every_view_says_one_thing_above_its_picture(view, text):
    app = open_page("streams/mhc", smodel="a-mhc", sview=view, _link_text=text)
    assert_healthy(app)
    said = above_the_picture(app)
    assert len(said) == (0 if view == "Training" else 1), said  # tiny models have no logs
