"""What the page Chat claims, held against whole maps whose columns are summed by who wrote them."""

import numpy as np

import tlmviz
from pages.attention.chat import claims, data, state
from pages.attention.chat.examples import CONVERSATIONS
from pages.attention.chat.state import ALL, LAST, OPENING, REPLIES, Chat
from tests.pages.helpers import open_page
from tests.pages.states import above_the_picture, each_speaks_and_is_silent
from tlmviz.analysis.attention.roles import PARTIES
from tlmviz.ui import link

START = {name: control.default for name, control in Chat.controls.items()} | {
    "model": "stories-rope",
    "view": link.View(),
}
WHERE = {LAST: "from the last token", REPLIES: "from the assistant's tokens", ALL: "from all tokens"}
FRENCH = (("system", "Réponds en un mot 🐈."), ("user", "Où est <b>Zoé</b> ?"), ("user", "Et toi ?"))


def plain_shares(chosen: Chat) -> dict[str, np.ndarray]:
    """Party -> [L, H], by whole maps."""
    lm = tlmviz.load(chosen.model)
    asks = chosen.turns[-1][0] == "user"
    messages = [{"role": role, "content": content} for role, content in chosen.turns]
    talk = lm.chat(messages, add_generation_prompt=asks)
    roles, trace = np.array(talk.roles), lm.trace_ids(list(talk.ids))
    roles[0] = "sink"
    rows = {ALL: range(len(roles)), REPLIES: np.flatnonzero(np.array(talk.roles) == "assistant").tolist()}.get(
        chosen.source
    )
    rows = list(rows) if rows else [len(roles) - 1]
    maps = [
        [trace.attention(layer, head).numpy()[rows] for head in range(trace.n_heads)] for layer in range(trace.n_layers)
    ]
    return {
        party: np.array([[each[:, roles == party].sum(1).mean() for each in layer] for layer in maps])
        for party in PARTIES
    }


def check(said: dict, chosen: Chat) -> None:
    shares = plain_shares(chosen)
    nothing = chosen.source == REPLIES and all(role != "assistant" for role, _content in chosen.turns)
    where = WHERE[LAST if nothing else chosen.source]
    mine, count = shares[chosen.role], shares["sink"].size
    layer, head = np.unravel_index(mine.argmax(), mine.shape)
    there = mine.max() > 0
    assert (bool(said["reads_most"]), bool(said["nobody_there"])) == (there, not there)
    name = claims.NAMES[chosen.role]
    if there:
        assert said["reads_most"] == (
            f"Of {count} heads L{layer}H{head} reads {name} most: {mine.max():.0%} of its attention, {where}, goes "
            "there."
        )
    else:
        assert name in said["nobody_there"]
    means = {party: f"{share.mean():.0%}" for party, share in shares.items()}
    first, second = sorted(shares, key=lambda party: -shares[party].mean())[:2]
    assert bool(said["most_goes"]) == (means[first] != means[second])
    if said["most_goes"]:
        assert (
            f"give most to {claims.NAMES[first]}, {means[first]} of their attention {where}; then {means[second]} to"
            in said["most_goes"]
        )
    resting = int((shares["sink"] > 0.5).sum())
    assert (bool(said["many_rest"]), bool(said["few_rest"])) == (resting > count / 2, resting <= count / 2)
    assert f"{resting} of {count} heads give it more than half of their attention, {where}" in (
        said["many_rest"] or said["few_rest"]
    )
    speakers = [role for role, _content in chosen.turns if role != "system"]
    twice = any(one == other for one, other in zip(speakers, speakers[1:]))
    assert bool(said["in_a_row"]) == twice


def test_every_claim_is_what_the_maps_say_and_silent_elsewhere(monkeypatch):
    several = [
        {},
        {"role": "sink", "source": ALL},
        {"role": "template"},
        {"role": "assistant", "source": REPLIES},
        *({"turns": turns, "role": role} for turns in CONVERSATIONS.values() for role in ("system", "assistant")),
        {"turns": FRENCH, "source": ALL},
        {"turns": (("user", "hi"),), "source": REPLIES},
        {
            "turns": (("user", "The cat sat on the mat. " * 60), ("assistant", "word " * 100)),
            "source": ALL,
            "role": "user",
        },
    ]
    found = []
    for values in several:
        chosen = Chat(**START | values)
        shown = data.compute(chosen)
        said = {claim.__name__: claim(shown) for claim in claims.CLAIMS}
        check(said, chosen)
        found.append({name: bool(text) for name, text in said.items()})
    shown = data.compute(Chat(**START))
    rest = {party: np.full((6, 6), 0.6 if party == "sink" else 0.1) for party in PARTIES}
    monkeypatch.setattr(data, "shares", lambda *of: rest)
    assert "36 of 36 heads" in claims.many_rest(shown) and not claims.few_rest(shown)
    rest |= dict.fromkeys(PARTIES, np.full((6, 6), 0.2))
    assert not claims.most_goes(shown), "a tie, as it is written"
    found.append({**found[-1], "many_rest": True, "few_rest": False, "most_goes": False})
    each_speaks_and_is_silent(found)


def test_the_first_claim_stands_above_the_picture():
    [said] = above_the_picture(open_page("attention/chat", {"model": "stories-rope"}))
    assert said.startswith("Of 36 heads L5H5 reads the system prompt most: 45%")


def test_a_conversation_never_ends_without_a_turn():
    app = open_page("attention/chat", {"model": "stories-rope", "chat": '[["system","hi"]]'})
    app.text_area(key="_system").set_value("").run()
    assert not app.exception and state.system.__doc__
    assert any(OPENING[1][1] in part.value for part in app.text)
