"""What the parts of the page Formats claim, held against numbers that are looked up in a list of all that a format has,
and against products and passes that are computed plainly."""

import math
from dataclasses import replace

import numpy as np
import pytest
import torch

import tlmviz
from pages.numbers.formats.bits import claims, data
from pages.numbers.formats.bits.state import KINDS, Bits
from pages.numbers.formats.product import claims as product_claims
from pages.numbers.formats.product import data as product_data
from pages.numbers.formats.product.state import Product
from pages.numbers.formats.state import Rounding
from pages.numbers.formats.whole import claims as whole_claims
from pages.numbers.formats.whole import data as whole_data
from pages.numbers.formats.whole.state import ROUNDED, Whole
from tests.pages.states import agree, each_speaks_and_is_silent, states
from tlmviz.analysis.numbers import formats, rounded_model, scaling
from tlmviz.ui.inputs import DEFAULT_TEXT

NAMES = {format.key: format.name for format in formats.FORMATS}
TEXTS = (
    DEFAULT_TEXT,
    "Où est passé le chat 🐈 ? <b>Zoé</b> ne sait pas.",
    "Lily ran",
    ("The cat sat on the mat and looked at the big red ball. " * 60)[:3000],
)
MODEL = "zoo-mqa"


# --- one number -------------------------------------------------------------------------------------


def all_of(key: str) -> np.ndarray:
    format = formats.find(key)
    codes = np.arange(2**format.bits)
    values = np.unique(formats.decoded(codes, format))
    return values[np.isfinite(values) & (np.abs(values) <= format.largest)]


LISTS = {key: all_of(key) for key in NAMES if formats.find(key).bits <= 16}


def short_of(x: float, bits: int) -> float:
    """x with so many significant bits, fewer below 2⁻¹²⁶: Python rounds ties to even."""
    if x == 0 or not math.isfinite(x):
        return x
    step = max(math.frexp(x)[1], -125) - bits
    return math.ldexp(round(math.ldexp(x, -step)), step)


class Plain:
    """A number, and the nearest in the list of each format's numbers; beyond its last step and a half, what it
    becomes."""

    def __init__(self, state: Bits):
        self.key, text = state.format, state.number
        self.format = formats.find(self.key)
        if text.startswith("0x"):
            code = int(text, 16)
            self.x = float(formats.decoded(code, self.format)) if code < 2**self.format.bits else math.nan
        else:
            self.x = float(text.replace("−", "-"))
        self.kept = {key: self.nearest(key) for key in NAMES}
        self.mine = self.kept[self.key]
        self.held = [key for key in NAMES if self.kept[key] == self.x]

    def beyond(self, key: str) -> bool:
        if key in LISTS:
            last, before = LISTS[key][-1], LISTS[key][-2]
            return abs(self.x) > last + (last - before) / 2
        return abs(self.x) > 3.4028235e38

    def nearest(self, key: str) -> float:
        if math.isnan(self.x) or self.beyond(key):
            top = formats.find(key).top
            return {"infinity": math.copysign(math.inf, self.x), "nan": math.nan}.get(
                "nan" if math.isnan(self.x) else top, math.copysign(formats.find(key).largest, self.x)
            )
        if key in LISTS:
            return float(LISTS[key][np.abs(LISTS[key] - self.x).argmin()])
        return short_of(self.x, {"fp32": 24, "tf32": 11}[key])

    @property
    def rounds(self) -> bool:
        return math.isfinite(self.x) and not self.beyond(self.key) and self.mine not in (0, self.x)

    def off(self, key: str) -> str:
        return f"{spell(100 * abs(self.kept[key] / self.x - 1), 2)}%"


def spell(value: float, most: int = 9) -> str:
    if value and not 1e-4 <= abs(value) < 1e7 and math.isfinite(value):
        head, exponent = f"{value:.{most - 1}e}".split("e")
        digits = str(int(exponent)).translate(str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"))
        return f"{float(head):.15g}·10{digits}".replace("-", "−")
    return f"{float(f'{value:.{most}g}'):.15g}".replace("-", "−").replace("inf", "∞").replace("nan", "NaN")


def listed(names) -> tuple[str, ...]:
    """The values of a list in a sentence: all but the last, and the last."""
    *some, last = names
    return (*([", ".join(some)] if some else []), last)


def _too_large(t: Plain):
    if not math.isfinite(t.x) or not t.beyond(t.key):
        return None
    made = {"infinity": "infinity", "nan": "NaN"}.get(t.format.top, spell(t.mine))
    found = [spell(t.x), t.format.name, spell(t.format.largest), made]
    others = [
        key
        for key in NAMES
        if formats.find(key).bits == t.format.bits and not formats.find(key).integer and math.isfinite(t.kept[key])
    ]
    if others and not t.format.integer:
        found += [NAMES[others[0]], spell(t.kept[others[0]])]
    return found


def _few_bits(t: Plain):
    if t.format.integer or not 0 < abs(t.mine) < t.format.smallest_normal:
        return None
    steps = abs(t.mine) / t.format.smallest
    bits = max(1, int(math.floor(math.log2(steps))) + 1)
    return bits, t.format.name, spell(t.format.smallest_normal), t.format.mantissa + 1


PLAIN = {
    "too_large": _too_large,
    "vanishes": lambda t: (t.format.name, spell(t.x), spell(t.format.smallest)) if t.x and t.mine == 0 else None,
    "nobody": lambda t: (
        (9, spell(t.x), t.format.name, spell(t.mine), t.off(t.key)) if t.rounds and not t.held else None
    ),
    "others_hold_it": lambda t: (
        (t.format.name, spell(t.x), spell(t.mine), t.off(t.key), *listed([NAMES[key] for key in t.held]))
        if t.rounds and t.held
        else None
    ),
    "held": lambda t: (
        None
        if not math.isfinite(t.x) or t.mine != t.x
        else (spell(t.x), t.format.name)
        if len(t.held) == 9
        else (9 - len(t.held), spell(t.x), t.format.name, 9)
    ),
    "no_number": lambda t: (
        None
        if math.isfinite(t.x)
        else listed(["E2M1", "INT8", "INT4"])
        if math.isnan(t.x)
        else listed(["E4M3", "E2M1", "INT8", "INT4"])
    ),
    "few_bits": _few_bits,
    "integers_need_a_scale": lambda t: () if t.x and abs(t.x) <= 0.5 else None,
}


def test_what_is_said_of_a_number_is_what_the_list_of_all_numbers_says():
    found = []
    for state in states(Bits, {}):
        for number in (state.number, "3.3e-9", "0.3", "5.125"):
            state = replace(state, number=number)
            truth = Plain(state)
            found.append(agree(claims.CLAIMS, PLAIN, data.Data(state), truth))
            assert found[-1] and any(found[-1].values())
    each_speaks_and_is_silent(found)


def test_what_is_said_of_a_model_s_numbers():
    spoken = set()
    for key in ("fp16", "e4m3", "bf16", "int8", "e2m1"):
        for kind in KINDS:
            numbers = data.Numbers(Bits(model=MODEL, text="Lily ran", format=key, kind=kind))
            values = numbers.values[kind]
            values = values[values != 0]
            format, half = formats.find(key), formats.find(key).smallest / 2
            lost = f"{(np.abs(values) <= half).mean():.1%}"
            last = LISTS[key][-1] * 1.5 - LISTS[key][-2] / 2
            large = f"{(np.abs(values) > last).mean():.1%}"
            expected = [lost] * (lost != "0.0%") + [large] * (large != "0.0%")
            said = [claim(numbers) for claim in claims.MODELS]
            assert (said[0] is None) == (not expected) == (said[1] is not None), (key, kind)
            both = [expected[0], KINDS[kind], format.name, *expected[1:]] if expected else [format.name, KINDS[kind]]
            assert sorted((said[0] or said[1]).values) == sorted(both)
            spoken.add(said[0] is None)
    assert spoken == {True, False}


# --- one product ------------------------------------------------------------------------------------


def kept_plainly(x: torch.Tensor, key: str, per: str, block: int) -> torch.Tensor:
    """Every group divided by its own scale and rounded to the nearest of the format's numbers, in float64."""
    format = formats.find(key)
    wide = {"tensor": x.numel(), "channel": x.shape[1]}.get(per, block)
    rows = [x.flatten()] if per == "tensor" else list(x)
    out = []
    for row in rows:
        parts = []
        for group in row.split(wide):
            top = float(group.abs().max())
            if format.exponent >= 8:
                step = 1.0
            elif per == "mx":
                step = 2.0 ** (math.floor(math.log2(top)) - math.floor(math.log2(format.largest))) if top else 1.0
            else:
                step = top / format.largest if top else 1.0
            codes = np.clip((group.double() / step).numpy(), -format.largest, format.largest)
            parts.append(torch.from_numpy(formats.rounded(codes, format) * step))
        out.append(torch.cat(parts))
    return torch.stack(out).reshape(x.shape)


class PlainProduct:
    def __init__(self, state: Product, key: str):
        lm = tlmviz.load(state.model)
        self.key, self.name = key, product_claims.named(key)
        x, matrix = rounded_model.Simulator(lm).read_by(lm.encode(state.text), key)
        rounding = state.rounding
        self.format, self.per, self.block = formats.find(rounding.format), rounding.per, rounding.block
        beside = "block" if self.per == "tensor" else self.per
        loud = np.abs(x.numpy()).max(0)
        middle = np.sort(loud)[(len(loud) - 1) // 2]
        self.ratio, self.x = float(loud.max() / middle), x
        sides = x, matrix.weight
        both = [kept_plainly(part, self.format.key, per, self.block) for per in ("tensor", beside) for part in sides]
        self.lost = [float(((each == 0) & (x != 0)).double().mean()) for each in both[::2]]
        exact = (x.double() @ matrix.weight.double().T).numpy()
        self.db = []
        for left, right in (both[:2], both[2:]):
            noise = ((exact - (left @ right.T).numpy()) ** 2).sum()
            self.db.append(10 * math.log10((exact**2).sum() / noise) if noise else math.inf)
        squares = np.sort(x.double().numpy().ravel() ** 2)[::-1]
        self.few = int(np.searchsorted(np.cumsum(squares), 0.99 * squares.sum())) + 1
        count = {"tensor": 1, "channel": x.shape[0]}.get(self.per, x.shape[0] * math.ceil(x.shape[1] / self.block))
        self.bits = self.format.bits + (8 if self.per == "mx" else 32) * count / x.numel()
        self.each = self.block if beside in ("block", "mx") else None

    @property
    def loud(self) -> bool:
        return round(self.ratio, 1) >= 4

    @property
    def times(self) -> str:
        return f"{self.ratio:,.0f}" if self.ratio >= 9.95 else f"{self.ratio:.1f}"

    @property
    def harmed(self) -> bool:
        one, other = map(product_claims.share, self.lost)
        return self.loud and one != other and self.lost[0] >= self.lost[1]

    def scales(self) -> tuple:
        return (self.each,) if self.each else ()

    def shares(self) -> list[str]:
        return [product_claims.share(each) for each in self.lost]


PLAIN_PRODUCT = {
    "a_few_hold_all": lambda t: (
        (t.few, f"{t.x.numel():,}", t.name, t.format.name, t.shares()[0]) if t.lost[0] >= 0.99 and t.few <= 10 else None
    ),
    "one_is_loud": lambda t: (
        (t.name, t.times, t.format.name, t.shares()[0], *t.scales(), t.shares()[1]) if t.harmed else None
    ),
    "all_alike": lambda t: None if t.loud else (t.name, t.times),
    "loud_and_no_harm": lambda t: (
        (t.name, t.times, t.format.name, t.shares()[0], t.shares()[1], *t.scales()) if t.loud and not t.harmed else None
    ),
    "decibels": lambda t: (
        None
        if f"{t.db[0]:.1f}" == f"{t.db[1]:.1f}" or math.inf in t.db
        else (f"{t.db[0]:.1f}", f"{t.db[1]:.1f}", *t.scales())
    ),
    "price": lambda t: None if f"{t.bits:.2f}" == f"{t.format.bits:.2f}" else (f"{t.bits:.2f}", t.format.bits),
}


def product_states():
    for number, text in enumerate(TEXTS[:3]):
        yield from (
            Product(model=MODEL, text=text, matrix=matrix, rounding=Rounding(format=key, per=per, block=block))
            for key, per, block, matrix in (
                ("int8", "block", 32, ""),
                ("int4", "tensor", 32, "2.down"),
                ("e4m3", "channel", 16, "0.q"),
                ("e2m1", "mx", 64, "1.v"),
                ("bf16", "block", 32, "head"),
            )[number:]
        )
    yield Product(model=MODEL, text=TEXTS[0], rounding=Rounding(format="bf16", per="channel"))
    text, _tokens = tlmviz.load(MODEL).fit(TEXTS[3])  # as the page cuts it
    yield Product(model=MODEL, text=text, rounding=Rounding(format="int4", per="block"))


def test_what_is_said_of_a_product_is_what_plain_rounding_says():
    found = []
    for state in product_states():
        shown = product_data.Data(state)
        truth = PlainProduct(state, shown.key)
        found.append(agree(product_claims.CLAIMS, PLAIN_PRODUCT, shown, truth))
        assert sum(found[-1][name] for name in ("one_is_loud", "all_alike", "loud_and_no_harm")) == 1
    heap = MassiveData(state)
    found.append(
        {claim.__name__: claim(heap) is not None for claim in product_claims.CLAIMS[:4]}
        | dict.fromkeys(("decibels", "price"), True)
    )
    assert product_claims.a_few_hold_all(heap).values[:2] == (2, "4,096")
    each_speaks_and_is_silent(found)


class MassiveData(product_data.Data):
    """What a model with massive activations reads: two numbers of 4,096 are thousands of times as large as all
    others."""

    def __init__(self, state: Product):
        super().__init__(replace(state, rounding=Rounding(format="int8", per="tensor")))

    @property
    def x(self) -> torch.Tensor:
        x = torch.randn(16, 256, generator=torch.Generator().manual_seed(0))
        x[0, 3], x[0, 9] = 3000.0, -2900.0
        return x


def test_a_share_is_100_per_cent_only_where_it_is():
    assert product_claims.share(41469 / 41472) == "over 99.9%" and product_claims.share(1.0) == "100%"
    assert product_claims.share(1e-6) == "under 0.1%" and product_claims.share(0.0) == "0%"


# --- the whole model --------------------------------------------------------------------------------


class PlainWhole:
    """The model with its matrices replaced by rounded ones, where weights alone are rounded; else the simulator's own
    pass."""

    def __init__(self, state: Whole, shown: whole_data.Data):
        lm = tlmviz.load(state.model)
        ids = lm.encode(state.text)
        simulator = rounded_model.Simulator(lm)
        there = simulator.matrices
        scheme = scaling.Scheme(state.rounding.format, state.rounding.per, state.rounding.block)
        layers, parts = set(state.layers), set(state.parts)
        rounded = [each for each in there if each.part in parts and (each.part == "head" or each.layer in layers)]
        self.counts = len(rounded), len(there)
        self.name, self.format = state.model, NAMES[state.rounding.format]

        def logits(sides):
            setting = rounded_model.Setting(scheme, sides, tuple(parts), tuple(layers))
            return simulator.logits(ids, setting).double().log_softmax(-1)

        exact, kept = simulator.logits(ids).double().log_softmax(-1), logits(state.sides)
        ahead = torch.tensor(ids[1:])
        size = sum(len(lm.tokenizer.token_bytes(i)) for i in ids[1:])
        rows = torch.arange(len(ahead))
        self.bits = [f"{float(-each[rows, ahead].sum() / math.log(2) / size):.3f}" for each in (exact, kept)]
        divergence = (exact.exp() * (exact - kept)).sum(-1)[: len(ahead)].clamp(min=0)
        self.changed = int((exact.argmax(-1) != kept.argmax(-1))[: len(ahead)].sum())
        self.count, self.mean = len(ahead), float(divergence.mean())
        self.sides = None
        if state.sides == "both" and rounded:
            self.sides = {
                side: f"{float((exact.exp() * (exact - logits(side))).sum(-1)[: len(ahead)].clamp(min=0).mean()):.3f}"
                for side in ("weights", "activations")
            }

    def how(self) -> tuple:
        some = () if self.counts[0] == self.counts[1] else self.counts
        return *some, self.format


def _costs(sign: int):
    def plain(t: PlainWhole):
        before, after = map(float, t.bits)
        if not t.counts[0] or np.sign(after - before) != sign:
            return None
        return (*t.how(), t.name, *(t.bits[1], t.bits[0])[: 2 if sign else 1])

    return plain


def _sides(t: PlainWhole):
    if t.sides is None or t.sides["weights"] == t.sides["activations"]:
        return None
    return sorted(t.sides.values(), key=float, reverse=True)


PLAIN_WHOLE = {
    "nothing_rounded": lambda t: None if t.counts[0] else (),
    "costs": _costs(1),
    "costs_nothing": _costs(0),
    "gains_by_chance": _costs(-1),
    "other_choices": lambda t: (t.changed, t.count) if t.changed else None,
    "sides": _sides,
}


def whole_states():
    every, layers = Whole.parts.default, Whole.layers.default
    for text, key, per, sides, parts, some in (
        (TEXTS[0], "int8", "block", "both", every, layers),
        (TEXTS[0], "int4", "tensor", "both", every, layers),
        (TEXTS[0], "int4", "tensor", "weights", ("q", "down", "head"), (0, 2, 77)),
        (TEXTS[1], "int4", "channel", "activations", every, (1,)),
        (TEXTS[1], "int4", "mx", "both", ("v", "o"), layers),
        (TEXTS[2], "e2m1", "block", "both", every, layers),
        (TEXTS[2], "e4m3", "tensor", "both", (), layers),
        (TEXTS[2], "int4", "block", "both", every, layers),
        (TEXTS[0], "int4", "tensor", "both", ("k",), (2, 3)),
        (TEXTS[2], "e5m2", "tensor", "weights", every, layers),
    ):
        rounding = Rounding(format=key, per=per)
        assert sides in ROUNDED
        yield Whole(model=MODEL, text=text, rounding=rounding, sides=sides, parts=parts, layers=some)


def test_what_is_said_of_a_pass_is_what_its_logits_say():
    found = []
    for state in whole_states():
        shown = whole_data.Data(state)
        truth = PlainWhole(state, shown)
        found.append(agree(whole_claims.CLAIMS, PLAIN_WHOLE, shown, truth))
        assert f"{shown.moved:.3f}" == f"{truth.mean:.3f}"  # in the title
        assert sum(list(found[-1].values())[:4]) == 1, state
    each_speaks_and_is_silent(found)


@pytest.mark.parametrize("key, sides", [("int4", "both"), ("e4m3", "weights"), ("int4", "activations")])
def test_the_matrix_that_costs_most_alone(key, sides):
    state = Whole(model=MODEL, text="Lily ran", rounding=Rounding(format=key), sides=sides)
    shown = whole_data.Data(state)
    costs = {
        (part, layer): whole_data._loss(
            MODEL, "Lily ran", rounded_model.Setting(scaling.Scheme(key, "block"), sides, (part,), (layer,))
        ).divergence.mean()
        for part in shown.names
        for layer in range(shown.lm.config.n_layers)
    }
    assert list(shown.alone.ravel()) == list(costs.values())
    part, layer = max(costs, key=costs.get)
    assert f"**{part}** of layer {layer} moves" in whole_claims.costs_most(shown)
