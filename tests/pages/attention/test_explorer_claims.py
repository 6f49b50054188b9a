"""What the page Attention explorer claims, held against queries and keys that are multiplied plainly, and the model's
logits."""

import re

import numpy as np
import torch

import tlmviz
from pages.attention.explorer import claims, data
from pages.attention.explorer.state import Explorer
from tests.pages.helpers import by_title, open_page
from tests.pages.states import MOST, above_the_picture, each_speaks_and_is_silent, left_without
from tlmviz.analysis.attention.attribution import attribute_logit
from tlmviz.figures import readable
from tlmviz.tokens import output_names
from tlmviz.ui import link
from tlmviz.ui.inputs import DEFAULT_TEXT, EXAMPLES

START = {name: control.default for name, control in Explorer.controls.items()}
FRENCH = "Le chat 😀 voit le chat. Le chien voit le"
LONG = "The cat sat on the mat. " * 125


def state(text: str, head: tuple[int, int], query: int | None, model: str = "stories-rope", **values) -> Explorer:
    return Explorer(**START | {"model": model, "text": text, "view": link.View(head=head, query=query)} | values)


def has(said: str | None, *parts: object) -> bool:
    """Whether a sentence has these parts, in this order."""
    plain = (said or "").replace("\\", "")
    return bool(re.search(".*".join(re.escape(str(part)) for part in parts), plain))


def check_row(said: dict, lm, trace, chosen: Explorer) -> None:
    (layer, head), ids = chosen.view.head, trace.ids
    at = len(ids) - 1 if chosen.view.query is None else chosen.view.query
    q, k, _ = (x.double() for x in trace.qk(layer, head))
    row = torch.softmax(k[: at + 1] @ q[at] * trace.specs[layer].scale, 0)
    best = int(row.argmax())
    p = lm(torch.tensor([ids]))[0, at].double().softmax(-1)
    expected, chance = int(p.argmax()), f"{float(p.max()):.0%}"
    followed = 0 < best <= at and best - 1 < at and ids[best - 1] == ids[at]
    again = followed and ids[best] == expected
    assert (bool(said["comes_again"]), bool(said["comes_again_in_vain"]), bool(said["looks"])) == (
        again,
        followed and not again,
        not followed,
    )
    token, key = (f"“{readable(trace.tokens[place])}” ({place})" for place in (at, best))
    name, share = readable(output_names(lm.tokenizer, [expected])[0]), f"{float(row[best]):.0%}"
    if again:
        left, still = left_without(lm, chosen.text, (layer, head), at)
        ends = [left] if still else ["expects", left]
        assert has(said["comes_again"], token, f"L{layer}H{head}", share, key, chance, "ithout", *ends)
        check_others(said["looks_too"], lm, trace, chosen.text, (layer, head), at, best)
    elif followed:
        assert has(said["comes_again_in_vain"], token, f"L{layer}H{head}", share, key, name, chance)
    else:
        assert has(said["looks"], token, f"L{layer}H{head}", "itself" if best == at else key, share, name, chance)


def check_others(said: str | None, lm, trace, text: str, own: tuple[int, int], at: int, key: int) -> None:
    """The other head that looks at the key most, where one gives it half."""
    rows = {
        (layer, head): trace.attention(layer, head, slice(at, at + 1))[0]
        for layer in range(trace.n_layers)
        for head in range(trace.n_heads)
    }
    there = {head: float(row[key]) for head, row in rows.items() if head != own and int(row.argmax()) == key}
    other = max(there, key=there.get, default=None)
    assert bool(said) == (other is not None and there[other] >= 0.5)
    if said:
        left, _ = left_without(lm, text, other, at)
        assert has(said, "L{}H{}".format(*other), f"{there[other]:.0%}", "ithout", left)


def check_muted(said: dict, lm, trace, chosen: Explorer) -> None:
    muted = chosen.view.mute
    at = len(trace) - 1 if chosen.view.query is None else chosen.view.query

    def silent(heads: list[int]):
        def edit(z, record):
            return z * torch.tensor([head not in heads for head in range(z.shape[1])])[None, :, None, None]

        return edit

    edits = {f"blocks.{layer}.attn.z": silent([head for row, head in muted if row == layer]) for layer, _ in muted}
    before, after = (lm.trace(chosen.text, edit=each).logits[at].double().softmax(-1) for each in ({}, edits))
    top, now = int(before.argmax()), int(after.argmax())
    assert (bool(said["lost"]), bool(said["kept"])) == (bool(muted) and top != now, bool(muted) and top == now)
    if not muted:
        return
    heads = ", ".join(f"L{layer}H{head}" for layer, head in muted[:3])
    name, other = (readable(output_names(lm.tokenizer, [each])[0]) for each in (top, now))
    old, new = (f"{float(p[top]):.0%}" for p in (before, after))
    if top != now:
        assert has(said["lost"], heads.split(", ")[0], name, old, new, other, f"{float(after[now]):.0%}")
    else:
        assert has(said["kept"], heads.split(", ")[0], name, new, *([old] if old != new else []))
    assert len(muted) <= 3 or has(said["lost"] or said["kept"], f"{len(muted) - 3} more")


def check_word(said: dict, lm, trace, chosen: Explorer) -> None:
    if chosen.word is None:
        assert not said["adds_most"]
        return
    at = len(trace) - 1 if chosen.view.query is None else chosen.view.query
    parts = attribute_logit(lm, trace, at, chosen.word)
    layer, head = np.unravel_index(int(parts.heads.argmax()), tuple(parts.heads.shape))
    assert bool(said["adds_most"]) == (float(f"{float(parts.heads.max()):.2f}") > 0)
    logit = float(lm(torch.tensor([trace.ids]))[0, at, chosen.word])
    part = f"{float(parts.heads.max()):.2f}"
    assert has(
        said["adds_most"],
        f"L{layer}H{head}",
        readable(lm.tokenizer.name(chosen.word)),
        part,
        f"{logit:.2f}".replace("-", "−"),
    )


STATES = [
    state(DEFAULT_TEXT, (5, 4), 25),
    state(DEFAULT_TEXT, (5, 0), 25),
    state(DEFAULT_TEXT, (4, 2), None),
    state(DEFAULT_TEXT, (5, 3), 27, word=312),
    state(EXAMPLES["Repeats"], (5, 0), 22, word=579),
    *(state(EXAMPLES["Repeats"], (5, head), at) for head in (0, 4) for at in (8, 11, 14)),
    state(FRENCH, (2, 4), 9),
    state("cat", (3, 1), None),
    state("a", (0, 0), 0),
    state(tlmviz.load("stories-rope").fit(LONG)[0], (1, 1), 200),
    state(DEFAULT_TEXT, (1, 0), 20, "zoo-rope"),
    *(
        state(text, (5, 4), None, view=link.View(head=(5, 4), query=None, mute=mute))
        for text in (DEFAULT_TEXT, EXAMPLES["Repeats"])
        for mute in (((5, 4),), ((0, 0),), tuple((layer, head) for layer in (4, 5) for head in range(6)))
    ),
]


def test_every_claim_is_what_the_model_says_and_silent_elsewhere():
    found = []
    for chosen in STATES:
        lm = tlmviz.load(chosen.model)
        trace, shown = lm.trace(chosen.text), data.Data(chosen)
        said = {claim.__name__: claim(shown) for claim in claims.CLAIMS}
        check_row(said, lm, trace, chosen)
        check_muted(said, lm, trace, chosen)
        check_word(said, lm, trace, chosen)
        found.append({name: bool(text) for name, text in said.items()})
        assert sum(found[-1].values()) <= MOST
    each_speaks_and_is_silent(found)


def test_the_first_claim_stands_above_the_picture_and_survives_an_own_text():
    app = open_page("attention/explorer")
    [said] = above_the_picture(app)
    assert "“red”" in said and "“ball”" in said and all(share in said for share in ("97%", "94%", "60%"))
    app.text_input(key="text").set_value("My brother does not like the dog.").run()
    [said] = above_the_picture(app)
    assert "expects" in said


def test_nothing_of_the_text_before_stands_below_an_empty_one():
    app = open_page("attention/explorer", {"panel": "Data"})
    assert app.dataframe
    app.text_input(key="text").set_value("").run()
    assert not app.exception and not app.dataframe and not by_title(app)
