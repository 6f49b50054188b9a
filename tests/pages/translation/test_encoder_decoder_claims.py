"""What the page Encoder & decoder claims, held against passes of the translator and its copies without the mask."""

import numpy as np
import pytest
import torch

import tlmviz
from pages.translation.encoder_decoder import claims, data
from pages.translation.encoder_decoder.state import KINDS, LEARNED, MASKED, REMOVED, ROTATED, Decoding
from tests import tiny
from tests.pages.helpers import only_models
from tests.pages.states import each_speaks_and_is_silent
from tlmviz.analysis.translation import masks
from tlmviz.ui import translation
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
    return Decoding(**start | {"pair": pair, "head": head, "token": min(token, len(ids)), "kind": kind})


def losses(mt, text: str, ids) -> np.ndarray:
    """Nats of each target token, by one plain pass of the network."""
    given = [mt.tokenizer.end_of_text, *ids[:-1]]
    with torch.inference_mode():
        logits = mt.network(torch.tensor([mt.encode(text)]), torch.tensor([given]))[0]
    return torch.nn.functional.cross_entropy(logits.float(), torch.tensor(list(ids)), reduction="none").numpy()


def check(state: Decoding) -> dict[str, bool]:
    shown = data.Data(state)
    said = {claim.__name__: claim(shown) for claim in claims.CLAIMS}
    pair, (layer, head), mt = state.pair, state.head, tlmviz.load(state.pair.model)
    weights = masks.unmasked_weights(pair.model, mt.network)
    copies = {MASKED: mt, REMOVED: masks.unmasked(mt), ROTATED: masks.rotated(mt)} | (
        {} if weights is None else {LEARNED: masks.unmasked(mt, weights)}
    )
    means = {kind: f"{losses(copy, pair.text, pair.translation).mean():.3f}" for kind, copy in copies.items()}
    texts = {kind: copy.translate(pair.text).text for kind, copy in copies.items()}
    assert bool(said["no_copy"]) == (LEARNED not in copies)
    assert bool(said["peeks"]) == (LEARNED in copies and float(means[LEARNED]) < float(means[MASKED]))
    if said["peeks"]:
        assert f"loss of {means[LEARNED]} nats in place of {means[MASKED]}" in said["peeks"]
        assert said["peeks"].replace("\\", "").endswith(f"“{texts[LEARNED]}”." if texts[LEARNED] else "(nothing).")
    worse = float(means[REMOVED]) - float(means[MASKED])
    assert (bool(said["hurts"]), bool(said["helps"])) == (worse > 0, worse < 0)
    if worse:
        assert f"{means[REMOVED]} nats per token in place of {means[MASKED]}" in (said["hurts"] or said["helps"])
    assert bool(said["writes_the_same"]) == (texts[MASKED] == texts[REMOVED])
    maps, count = masks.read(copies[state.kind], pair.text, list(pair.translation)), len(pair.translation)
    decoder, masked = maps.decoder[layer, head], state.kind in (MASKED, ROTATED)
    beside = [decoder[t, t - 1] if masked else decoder[t - 1, t] for t in range(1, count)]
    claim = said["looks_back"] if masked else said["looks_ahead"]
    assert (said["looks_ahead"] if masked else said["looks_back"]) is None and bool(claim) == (count > 1)
    if claim:
        assert f"L{layer}H{head} gives {np.mean(beside):.0%} of" in claim
    assert bool(said["hides"]) == (masked and count > 1)
    if said["hides"]:
        assert f"hides {sum(range(count))} of the {count**2} cells" in said["hides"]
    assert bool(said["turned"]) == (state.kind == ROTATED)
    if said["turned"]:
        own = masks.read(mt, pair.text, list(pair.translation)).cross
        # Rows sum to 1: what is gained somewhere is lost elsewhere.
        moved = np.maximum(maps.cross - own, 0).sum(-1).mean()
        assert f"moves {moved:.0%} of its weight" in said["turned"]
        assert f"the loss is {means[ROTATED]} nats per token, without it {means[MASKED]}." in said["turned"]
    cross = maps.cross[layer, head, state.token - 1]
    best = int(cross.argmax())
    if said["reads"]:
        assert said["reads"].endswith(f"with {cross[best]:.0%}.") and f"L{layer}H{head} looks" in said["reads"]
        assert mt.tokenizer.name(mt.encode(pair.text)[best]).strip() in said["reads"].replace("\\", "")
    else:
        assert sum(f"{weight:.0%}" == f"{cross[best]:.0%}" for weight in cross) > 1
    return {name: text is not None for name, text in said.items()}


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
    assert float(second.split("loss of ")[1][:5]) < 0.01
