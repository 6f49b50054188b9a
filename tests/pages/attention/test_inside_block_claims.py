"""What the page Inside a block claims, held against maps, logits and streams that are computed plainly."""

import re

import numpy as np
import torch

import tlmviz
from pages.attention.inside_block import claims, data
from pages.attention.inside_block.state import Choice
from tests.pages.helpers import open_page
from tests.pages.states import above_the_picture, each_speaks_and_is_silent, left_without
from tlmviz.analysis.attention.stacks import DECODER, ENCODER
from tlmviz.figures import readable
from tlmviz.tokens import output_names
from tlmviz.ui import translation
from tlmviz.ui.inputs import DEFAULT_TEXT, EXAMPLES
from tlmviz.ui.translation import SentencePair

START = {name: control.default for name, control in Choice.controls.items()}
FRENCH = "Le chat 😀 voit le chat. Le chien voit le"
LONG = "The cat sat on the mat. " * 125


def state(text: str, layer: int, head: int, position: int, model: str = "stories-rope", **values) -> Choice:
    given = {"model": model, "text": text, "pair": None, "layer": layer, "head": head, "position": position}
    return Choice(**START | given | values)


def translating(which: str, layer: int, head: int, position: int, step: str | None = None) -> Choice:
    text = translation.DEFAULT_SENTENCE
    pair = SentencePair("eng-fra", text, translation.own_translation("eng-fra", text))
    return state(text, layer, head, position, "eng-fra", pair=pair, which=which, step=step)


def has(said: str | None, *parts: object) -> bool:
    """Whether a sentence has these parts, in this order."""
    plain = (said or "").replace("\\", "")
    return bool(re.search(".*".join(re.escape(str(part)) for part in parts), plain))


def check_language(said: dict, choice: Choice) -> None:
    lm = tlmviz.load(choice.model)
    trace = lm.trace(choice.text)
    q, k, _ = (x.double() for x in trace.qk(choice.layer, choice.head))
    at = choice.position
    row = torch.softmax(k[: at + 1] @ q[at] * trace.specs[choice.layer].scale, 0)
    best, ids = int(row.argmax()), trace.ids
    logits = lm(torch.tensor([ids]))[0, at].double().softmax(-1)
    expected, p = int(logits.argmax()), f"{float(logits.max()):.0%}"
    shown = output_names(lm.tokenizer, [expected])[0]
    followed = best > 0 and best - 1 < at and ids[best - 1] == ids[at]
    token, head = f"“{readable(trace.tokens[at])}” ({at})", f"L{choice.layer}H{choice.head}"
    key, share = f"“{readable(trace.tokens[best])}” ({best})", f"{float(row[best]):.0%}"
    again = followed and ids[best] == expected
    assert (bool(said["comes_again"]), bool(said["comes_again_in_vain"]), bool(said["looks"])) == (
        again,
        followed and not again,
        not followed,
    )
    assert not said["crosses"] and not said["encodes"]
    check_written(said["writes"], lm, choice, token)
    if again:
        left, still = left_without(lm, choice.text, (choice.layer, choice.head), at)
        assert has(said["comes_again"], token, head, share, key, p, "ithout", *([] if still else ["expects"]), left)
    elif followed:
        assert has(said["comes_again_in_vain"], token, head, share, key, readable(shown), p)
    else:
        assert has(said["looks"], token, head, "itself" if best == at else key, share, readable(shown), p)
    length = len(trace.tokens)
    assert bool(said["hides"]) == (choice.step == "mask" and at < length - 1)
    assert not said["hides"] or has(said["hides"], length - 1 - at, length, token)
    assert bool(said["hides_nothing"]) == (choice.step == "mask" and at == length - 1)
    loss = [f"{each:.2f}" for each in trace.loss_per_token().tolist()]
    worst = max(range(len(loss)), key=lambda each: float(loss[each]))
    assert bool(said["dearest"]) == (choice.step == "loss" and loss.count(loss[worst]) == 1)
    assert not said["dearest"] or has(said["dearest"], readable(trace.tokens[worst + 1]), loss[worst])
    check_heads(said, lm, choice)
    check_stream(said, lm, choice, readable(shown))


def check_written(said: str | None, lm, choice: Choice, token: str) -> None:
    """What the layer's two parts add, by their own forward passes over the stream that comes in."""
    block, kept = lm.network.blocks[choice.layer], {}

    def keep(name: str):
        return lambda _module, _given, made: kept.update({name: made[0, choice.position].double()})

    hooks = [block.attn.register_forward_hook(keep("attn")), block.mlp.register_forward_hook(keep("mlp"))]
    names = tuple(f"blocks.{choice.layer}.{name}" for name in ("resid_pre", "resid_post"))
    trace = lm.trace(choice.text, keep=names.__contains__)
    for hook in hooks:
        hook.remove()
    before, after = (trace[name][0, choice.position].double() for name in names)
    torch.testing.assert_close(before + kept["attn"] + kept["mlp"], after, atol=1e-4, rtol=1e-4)
    come, attention, mlp = (float(each.norm()) for each in (before, kept["attn"], kept["mlp"]))
    assert bool(said) == (f"{attention:.3g}" != f"{mlp:.3g}")
    parts = [f"{attention:.3g}", f"{mlp:.3g}"] if mlp > attention else [f"{mlp:.3g}", f"{attention:.3g}"]
    times = max(attention, mlp) / min(attention, mlp)
    times = f"{times:.1f}" if times < 10 else f"{times:.0f}"
    assert not said or has(said, f"Layer {choice.layer}", token, f"{come:.3g}", *parts, f"{times} times")


def check_heads(said: dict, lm, choice: Choice) -> None:
    """Which head's mixed values, times its rows of the output matrix, are the longest vector."""
    assert bool(said["writes_most"]) == (choice.step == "per head")
    if choice.step != "per head":
        return
    trace = lm.trace(choice.text, keep=lambda name: True)
    values = trace[f"blocks.{choice.layer}.attn.v"][0]  # [G, T, D]
    out = lm.network.blocks[choice.layer].attn.proj.weight.detach().double()  # [C, H * D]
    lengths = []
    for head in range(trace.n_heads):
        v = values[head * len(values) // trace.n_heads]
        mixed = trace.attention(choice.layer, head)[choice.position].double() @ v.double()
        size = len(mixed)
        lengths.append(float((out[:, head * size : (head + 1) * size] @ mixed).norm()))
    most = int(np.argmax(lengths))
    assert has(said["writes_most"], f"Head {most}", f"{lengths[most]:.2f}")


def check_stream(said: dict, lm, choice: Choice, shown: str) -> None:
    names = ("embed", *(f"blocks.{layer}.resid_post" for layer in range(lm.config.n_layers)))
    trace, at = lm.trace(choice.text, keep=names.__contains__), choice.position
    first, last = (f"{float(trace[name][0, at].norm()):.1f}" for name in (names[0], names[-1]))
    assert has(said["grows"], first, last)
    with torch.inference_mode():
        guesses = [int(lm.network.head(lm.network.norm(trace[name][0, at])).argmax()) for name in names]
    since = next(n for n in range(len(names)) if len(set(guesses[n:])) == 1)
    told = "from the embedding on" if since == 0 else f"from layer {since - 1} on"
    assert has(said["formed"], shown, told)


def check_pair(said: dict, choice: Choice) -> None:
    stack = translation.stack(choice.pair, choice.which)
    crosses = choice.which == DECODER
    row = (stack.cross if crosses else stack.trace).attention(choice.layer, choice.head)[choice.position]
    best, share = int(row.argmax()), f"{float(row.max()):.0%}"
    tokens = choice.pair.source if crosses else stack.trace.tokens
    assert (bool(said["crosses"]), bool(said["encodes"])) == (crosses, not crosses) and not said["writes"]
    assert not any(said[name] for name in ("comes_again", "comes_again_in_vain", "looks"))
    key = f"“{readable(tokens[best])}” ({best})"
    if crosses:
        p = stack.trace.logits[choice.position].softmax(-1)
        written = output_names(stack.tokenizer, [int(p.argmax())])[0]
        assert has(said["crosses"], share, key, readable(written), f"{float(p.max()):.0%}")
    elif best == choice.position:
        assert has(said["encodes"], "itself", share)
    else:
        assert has(said["encodes"], key, share) and ("later" in said["encodes"]) == (best > choice.position)


STATES = [
    state(DEFAULT_TEXT, 5, 4, 25),
    state(DEFAULT_TEXT, 4, 2, 24, step="mask"),
    state(DEFAULT_TEXT, 4, 2, 27, step="mask"),
    state(DEFAULT_TEXT, 0, 0, 10, step="loss"),
    state(DEFAULT_TEXT, 5, 0, 25, step="per head"),
    state(EXAMPLES["Repeats"], 5, 0, 15),
    *(state(EXAMPLES["Repeats"], 5, head, at) for head in (0, 4) for at in (8, 11, 14)),
    state(FRENCH, 2, 4, 9, step="loss"),
    state("cat", 3, 1, 1, step="mask"),
    state("cat", 3, 1, 0),
    state(tlmviz.load("stories-rope").fit(LONG)[0], 1, 1, 200),
]
PAIRS = [
    translating(DECODER, 2, 4, 7),
    translating(DECODER, 0, 1, 2, "cross per head"),
    *(translating(ENCODER, layer, 3, at) for layer in (0, 2) for at in (1, 4)),
]


def test_every_claim_is_what_the_model_says_and_silent_elsewhere():
    found = []
    for each in (*STATES, *PAIRS):
        shown = data.Data(each)
        every = claims.CLAIMS if each.pair else (*claims.CLAIMS, *claims.STREAM)
        said = {claim.__name__: claim(shown) for claim in every}
        (check_pair if each.pair else check_language)(said, each)
        found.append({claim.__name__: bool(said.get(claim.__name__)) for claim in (*claims.CLAIMS, *claims.STREAM)})
    each_speaks_and_is_silent(found)


def test_the_first_claim_stands_above_the_picture_and_survives_an_own_text():
    [said] = above_the_picture(open_page("attention/inside_block"))
    assert "Layer 5 writes twice into the stream" in said and "“red”" in said
    [said] = above_the_picture(open_page("attention/inside_block", text="My brother does not like the dog."))
    assert "writes twice into the stream" in said
