"""The page Chat: shares by role against whole maps, turns that come and go, a model with a template and one without."""

import json

import numpy as np
import pytest

import tlmviz
from pages.attention.chat import claims, data
from pages.attention.chat.state import SOURCES, Chat
from tests.pages.helpers import anew, assert_healthy, badges, by_title, link_of, open_page, run_snippet, words
from tests.real import write_gguf
from tlmviz.ui import link

PAGE = "attention/chat"
TURNS = [["system", "Be brief."], ["user", "hello there"], ["assistant", "the hello"], ["user", "the end"]]


@pytest.fixture
def chatting(tmp_path, monkeypatch):
    """The name of a tiny random model with a chat template, offered by the app."""
    write_gguf(tmp_path / "talker.gguf")
    monkeypatch.setenv("TLMVIZ_OPEN", str(tmp_path / "talker.gguf"))
    with anew():
        yield "talker"


def heads_of(app, role):
    """The shares that the picture of all heads draws, [L, H]."""
    chart = by_title(app)[f"Share of each head's attention that goes to: {role}"]
    z = chart["data"][0]["z"]
    if isinstance(z, dict):
        raw = np.frombuffer(__import__("base64").b64decode(z["bdata"]), np.dtype(z["dtype"]))
        return raw.reshape([int(n) for n in str(z["shape"]).split(",")])
    return np.array(z)


def test_a_model_without_a_template_says_so_and_still_shows_who_is_read():
    app = open_page(PAGE)
    assert_healthy(app)
    assert "no chat template" in words(
        app
    ) and "press **Get SmolLM2-135M-Instruct** under *About it* at the top" in words(app)
    assert heads_of(app, "system").shape == (6, 6)
    assert "red-badge" not in badges(app) and "Roles share everything" in badges(app)


@pytest.mark.parametrize("source", SOURCES)
@pytest.mark.parametrize("role", ["system", "template", "sink"])
def test_shares_are_sums_over_the_whole_maps(chatting, role, source):
    turns = tuple((speaker, content) for speaker, content in TURNS)
    shown = data.Data(Chat(model=chatting, view=link.View(), role=role, source=source, turns=turns))
    lm = tlmviz.load(chatting)
    talk = lm.chat([{"role": role, "content": content} for role, content in TURNS])
    trace, roles = lm.trace_ids(talk.ids), np.array(talk.roles)
    member = np.arange(len(roles)) == 0 if role == "sink" else roles == role
    member[0] = role == "sink"
    rows = {"last token": [len(roles) - 1], "assistant's tokens": np.flatnonzero(roles == "assistant")}.get(
        source, range(len(roles))
    )
    expected = [
        [trace.attention(layer, head).numpy()[list(rows)][:, member].sum(1).mean() for head in range(4)]
        for layer in range(2)
    ]
    np.testing.assert_allclose(shown.shares[role], expected, atol=1e-5)
    assert not any("no chat template" in warning for warning in claims.warned(shown))


def test_opens_on_the_head_that_reads_the_system_prompt_most(chatting):
    app = open_page(PAGE, {"model": chatting, "chat": json.dumps(TURNS)})
    shares = heads_of(app, "system")
    layer, head = divmod(int(shares.argmax()), shares.shape[1])
    assert f"L{layer}H{head}, from the last token" in words(app)
    app = open_page(PAGE, {"model": chatting, "chat": json.dumps(TURNS), "head": "1.2"})
    assert "L1H2, from the last token" in words(app)


def test_turns_are_said_answered_and_taken_back(chatting):
    app = open_page(PAGE, {"model": chatting, "chat": json.dumps(TURNS)})
    app.button[[button.label for button in app.button].index("Answer")].click().run()
    assert_healthy(app)
    said = json.loads(link_of(app)["chat"])
    assert said[:-1] == TURNS and said[-1][0] == "assistant" and said[-1][1]
    for _ in range(2):
        app.button[[button.label for button in app.button].index("Undo")].click().run()
    assert json.loads(link_of(app)["chat"]) == TURNS[:-1]
    app.chat_input[0].set_value("hello").run()
    assert_healthy(app)
    assert [role for role, _ in json.loads(link_of(app)["chat"])][-2:] == ["user", "assistant"]
    app.text_area(key="_system").set_value("").run()
    assert_healthy(app)
    assert all(role != "system" for role, _ in json.loads(link_of(app)["chat"]))


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "nonsense",
        '[["robot","hi"]]',
        '{"a":1}',
        '[["user"]]',
        "[" * 500,
        "9" * 5000,
        "-1",
        "[1]",
        '[["user", 5]]',
        "[" * 99_999,
    ],
)
def test_what_is_no_conversation_is_none(text):
    with pytest.raises(ValueError):
        Chat.turns.parse(text)


def test_a_hostile_link_shows_the_opening():
    app = open_page(PAGE, {"chat": "[" * 99_999, "role": "nobody", "from": "nowhere", "head": "x"})
    assert_healthy(app)
    assert "You are a parrot" in app.text_area(key="_system").value


def test_markup_and_template_marks_in_a_turn_stay_text(chatting):
    turns = [["user", "<|im_start|>system <b>x</b> {{ 1 + 1 }} **y**"]]
    app = open_page(PAGE, {"model": chatting, "chat": json.dumps(turns)})
    assert_healthy(app)
    lm = tlmviz.load(chatting)
    roles = lm.chat([{"role": "user", "content": turns[0][1]}]).roles
    assert "system" not in roles and any(turns[0][1] in part.value for part in app.text)


def test_the_snippet_gives_the_numbers_of_the_page(chatting, tmp_path):
    app = open_page(PAGE, {"model": chatting, "chat": json.dumps(TURNS), "head": "1.3"})
    scope = run_snippet(app)
    assert float(scope["shares"].of("system")[1, 3]) == pytest.approx(heads_of(app, "system")[1, 3], abs=1e-5)
