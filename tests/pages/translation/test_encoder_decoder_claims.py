"""What the page Encoder & decoder claims, held against passes of the translator and its copies without the mask."""

import numpy as np
import pytest
import torch

import tlmviz
from pages.translation.encoder_decoder import claims, data
from pages.translation.encoder_decoder.state import KINDS, LEARNED, MASKED, REMOVED, ROTATED, Decoding
from tests import tiny
from tests.pages.helpers import only_models
from tests.pages.states import agree, each_speaks_and_is_silent
from tlmviz.analysis.translation import masks
from tlmviz.ui import markdown, translation
from tlmviz.ui.translation import SentencePair

WRONG = "Le président mange la lune."
CASES = (
    (translation.DEFAULT_SENTENCE, "", (1, 0), 8),
    (translation.DEFAULT_SENTENCE, WRONG, (0, 2), 1),
    ("Où est passé le chat 🐈 ?", "", (2, 5), 3),
    ("cat", "chat", (1, 3), 1),
    ("The cat sat on the mat. " * 2, "", (2, 1), 5),
    ("She never eats meat.", "Elle ne mange jamais de viande.", (0, 0), 4),
)


def chosen(model: str, text: str, french: str, head: tuple[int, int], token: int, kind: str) -> Decoding:
    mt = translation.model(model)
    ids = (*mt.encode_target(french), mt.tokenizer.end_of_text) if french else translation.own_translation(model, text)
    start = {name: control.default for name, control in Decoding.controls.items()}
    pair = SentencePair(model, text, tuple(ids))
    return Decoding(**start | {"model": model, "pair": pair, "head": head, "token": min(token, len(ids)), "kind": kind})


def losses(mt, text: str, ids) -> np.ndarray:
    """Nats of each target token, by one plain pass of the network."""
    given = [mt.tokenizer.end_of_text, *ids[:-1]]
    with torch.inference_mode():
        logits = mt.network(torch.tensor([mt.encode(text)]), torch.tensor([given]))[0]
    return torch.nn.functional.cross_entropy(logits.float(), torch.tensor(list(ids)), reduction="none").numpy()


class Truth:
    """Plain passes of the model and of its copies over a pair."""

    def __init__(self, state: Decoding):
        self.kind, self.pair, (self.layer, self.head) = state.kind, state.pair, state.head
        pair, mt = state.pair, tlmviz.load(state.pair.model)
        weights = masks.unmasked_weights(pair.model, mt.network)
        copies = {MASKED: mt, REMOVED: masks.unmasked(mt), ROTATED: masks.rotated(mt)} | (
            {} if weights is None else {LEARNED: masks.unmasked(mt, weights)}
        )
        self.means = {kind: f"{losses(copy, pair.text, pair.translation).mean():.3f}" for kind, copy in copies.items()}
        self.texts = {kind: copy.translate(pair.text).text for kind, copy in copies.items()}
        maps, own = (masks.read(each, pair.text, list(pair.translation)) for each in (copies[self.kind], mt))
        # Rows sum to 1: what is gained somewhere is lost elsewhere.
        self.moved = np.maximum(maps.cross - own.cross, 0).sum(-1).mean()
        self.count = len(pair.translation)
        decoder = maps.decoder[self.layer, self.head]
        self.ahead = [decoder[t - 1, t] for t in range(1, self.count)]

    def without(self, better: bool):
        """Both losses, where the same weights predict better, or worse, without the mask."""
        both = self.means[REMOVED], self.means[MASKED]
        gain = float(both[1]) - float(both[0])
        return both if (gain > 0 if better else gain < 0) else None


def _peeks(t: Truth):
    if LEARNED not in t.means or float(t.means[LEARNED]) >= float(t.means[MASKED]):
        return None
    text = t.texts[LEARNED]
    return t.means[LEARNED], t.means[MASKED], *([f"“{markdown.plain(text)}”"] if text else [])


PLAIN = {
    "turned": lambda t: (f"{t.moved:.0%}", t.means[ROTATED], t.means[MASKED]) if t.kind == ROTATED else None,
    "hides": lambda t: (sum(range(t.count)), t.count**2) if t.kind == MASKED and t.count > 1 else None,
    "looks_ahead": lambda t: (
        (f"L{t.layer}H{t.head}", f"{np.mean(t.ahead):.0%}") if t.kind in (REMOVED, LEARNED) and t.count > 1 else None
    ),
    "peeks": _peeks,
    "hurts": lambda t: t.without(better=False),
    "helps": lambda t: t.without(better=True),
    "writes_the_same": lambda t: () if t.texts[MASKED] == t.texts[REMOVED] else None,
    "no_copy": lambda t: None if LEARNED in t.means else (t.pair.model,),
}


def check(state: Decoding) -> dict[str, bool]:
    return agree(claims.CLAIMS, PLAIN, data.Data(state), Truth(state))


def test_every_claim_is_what_passes_of_the_model_say(tokenizer, tmp_path):
    found = [check(chosen("eng-fra", *case, kind)) for case in CASES for kind in KINDS[:: 1 if case is CASES[0] else 2]]
    networks = {"plain": tiny.translation_network("transformer", vocab_size=tokenizer.vocab_size, context=64)}
    with only_models(networks, tokenizer, tmp_path):
        found += [check(chosen("plain", "Lily had a ball.", "Tom saw a dog.", (1, 1), 2, REMOVED))]
        found += [
            check(chosen("plain", "a", "", (0, 1), 1, MASKED)),
            check(chosen("plain", "a", "b", (0, 0), 1, MASKED)),
        ]
    same = data.Data(chosen("eng-fra", *CASES[0], MASKED))
    same.__dict__["losses"] = dict.fromkeys(KINDS, np.ones(3))
    same.__dict__["texts"] = {kind: kind for kind in KINDS}
    assert claims.peeks(same) is claims.hurts(same) is claims.helps(same) is claims.writes_the_same(same) is None
    each_speaks_and_is_silent([*found, {name: name == "helps" for name in found[0]}, dict.fromkeys(found[0], False)])


def test_a_lower_loss_without_the_mask_is_said_to_be_one():
    shown = data.Data(chosen("eng-fra", *CASES[0], REMOVED))
    shown.__dict__["losses"] = {MASKED: np.array([0.5, 0.7]), REMOVED: np.array([0.25, 0.25]), LEARNED: np.ones(2)}
    assert "0.250 nats per token in place of 0.600" in claims.helps(shown) and claims.hurts(shown) is None


@pytest.mark.parametrize("kind", KINDS)
def test_the_page_opens_on_the_decoder_s_map_and_then_on_what_peeking_does(kind):
    shown = data.Data(chosen("eng-fra", *CASES[0], kind))
    first, second = [said for claim in claims.CLAIMS if (said := claim(shown))][:2]
    opening = {MASKED: claims.hides, ROTATED: claims.turned}.get(kind, claims.looks_ahead)
    assert first == opening(shown)
    if kind == ROTATED:
        return
    assert second.startswith("Allowed to peek at the next word")
    assert float(second.values[0]) < 0.01
