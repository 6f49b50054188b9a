"""What the page Chat claims, held against whole maps whose columns are summed by who wrote them."""

import numpy as np

import tlmviz
from pages.attention.chat import claims, data, state
from pages.attention.chat.examples import CONVERSATIONS
from pages.attention.chat.state import ALL, LAST, OPENING, REPLIES, Chat
from tests.pages.helpers import open_page
from tests.pages.states import above_the_picture, agree, each_speaks_and_is_silent
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


class Truth:
    """Shares by whole maps, and what a sentence calls them."""

    def __init__(self, chosen: Chat):
        self.chosen, self.shares = chosen, plain_shares(chosen)
        nothing = chosen.source == REPLIES and all(role != "assistant" for role, _content in chosen.turns)
        self.where = WHERE[LAST if nothing else chosen.source]
        self.mine, self.count = self.shares[chosen.role], self.shares["sink"].size
        self.means = {party: f"{share.mean():.0%}" for party, share in self.shares.items()}
        self.first, self.second = sorted(self.shares, key=lambda party: -self.shares[party].mean())[:2]


def _reads_most(t: Truth):
    layer, head = np.unravel_index(t.mine.argmax(), t.mine.shape)
    return (t.count, layer, head, f"{t.mine.max():.0%}") if t.mine.max() > 0 else None


def _most_goes(t: Truth):
    first, second = t.means[t.first], t.means[t.second]
    return (first, second) if first != second else None


def _many_rest(t: Truth):
    resting = int((t.shares["sink"] > 0.5).sum())
    return (resting, t.count) if resting > t.count / 2 else None


def _in_a_row(t: Truth):
    speakers = [role for role, _content in t.chosen.turns if role != "system"]
    return () if any(one == other for one, other in zip(speakers, speakers[1:])) else None


PLAIN = {
    "reads_most": _reads_most,
    "nobody_there": lambda t: None if t.mine.max() > 0 else (),
    "most_goes": _most_goes,
    "many_rest": _many_rest,
    "in_a_row": _in_a_row,
}


def check_names(shown: data.Data, t: Truth) -> None:
    """Who is read, from where."""
    name = claims.NAMES[t.chosen.role]
    if said := claims.reads_most(shown):
        assert f" reads {name} most" in said and f", {t.where}, " in said
    else:
        assert name in claims.nobody_there(shown)
    if said := claims.most_goes(shown):
        assert f"most to {claims.NAMES[t.first]}, " in said and f" to {claims.NAMES[t.second]}." in said
        assert f"attention {t.where}; " in said


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
        shown, truth = data.Data(chosen), Truth(chosen)
        found.append(agree(claims.CLAIMS, PLAIN, shown, truth))
        check_names(shown, truth)
    shown = data.Data(Chat(**START))
    rest = {party: np.full((6, 6), 0.6 if party == "sink" else 0.1) for party in PARTIES}
    monkeypatch.setattr(data.Data, "shares", rest)
    assert claims.many_rest(shown).values == (36, 36)
    rest |= dict.fromkeys(PARTIES, np.full((6, 6), 0.2))
    assert not claims.most_goes(shown), "a tie, as it is written"
    found.append({**found[-1], "many_rest": True, "most_goes": False})
    each_speaks_and_is_silent(found)


def test_the_first_claim_stands_above_the_picture():
    [said] = above_the_picture(open_page("attention/chat", {"model": "stories-rope"}))
    assert said.startswith("Of 36 heads L5H5 reads the system prompt most: 45%")


def test_a_conversation_never_ends_without_a_turn():
    app = open_page("attention/chat", {"model": "stories-rope", "chat": '[["system","hi"]]'})
    app.text_area(key="_system").set_value("").run()
    assert not app.exception and state.system.__doc__
    assert any(OPENING[1][1] in part.value for part in app.text)
