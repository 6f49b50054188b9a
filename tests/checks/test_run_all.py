"""Which identities a model is put to: all that the project rests on, and none that it has no part for."""

import pytest

from tests import tiny
from tlmviz import checks
from tlmviz.errors import BadText

pytestmark = pytest.mark.slow

ALWAYS = {
    "Rows sum to 1",
    "No look ahead",
    "Map = softmax",
    "Cache = full pass",
    "Taps are neutral",
    "Parameter formula",
    "Every cache = full pass",
    "Paged = contiguous",
    "No leak in the batch",
    "No leak between requests",
    "G = H is MHA, G = 1 MQA",
    "Sharing = repeating",
    "One M, one map",
    "ALiBi breaks it",
    "RoPE breaks it",
}
ROPE = {"Distance alone", "Norms stay", "Layouts = order", "Planes = score"}
SCALING = {"s = 1: unchanged", "PI = θ(t/s)", "Ends of the spectrum", "Unrotated cache = full pass"}
LATENT = {"Absorbed = naive", "Cache = c_KV and k^R"}
KINDS = {
    "rope": ({}, ROPE | SCALING | {"Turned again = recomputed", "Distance alone, scaled"}),
    "one plane": (dict(n_heads=16, n_kv_heads=16), ROPE),
    "latent": (dict(latent_dim=12, rope_dim=4), LATENT | SCALING),
    "latent, its queries too": (dict(latent_dim=12, rope_dim=4, query_latent_dim=10), LATENT | SCALING),
    "latent without positions": (dict(latent_dim=12, rope_dim=0, positions="none"), LATENT),
    "alibi": (dict(positions="alibi"), set()),
    "learned": (dict(positions="learned"), set()),
    "relative": (dict(positions="relative", relative_distance=6), set()),
}


@pytest.mark.parametrize("kind", KINDS)
def test_a_model_is_put_to_what_applies_and_passes_on_a_full_context(tokenizer, kind):
    """Twenty tokens fill the context: no check may read on beyond it, where learned positions end."""
    changes, wanted = KINDS[kind]
    lm = tiny.language_model(tokenizer, context=20, **changes)
    text, _ = lm.fit("Lily had a red ball and lost it by the tree. " * 2)
    assert len(lm.encode(text)) == 20
    results = checks.run_all(lm, text)
    names = {result.name for result in results}
    assert len(names) == len(results) == len(checks.applicable(lm))
    assert [result for result in results if not result.passed] == []
    assert ALWAYS | wanted <= names and not names & ((ROPE | SCALING | LATENT) - wanted)


def test_the_indexer_is_checked_with_the_model_it_was_distilled_from(stories, lm):
    wanted = {"(Uq)·(Uk) = q·k", "Top-T = dense", "Loss at k = T"}
    assert wanted <= {result.name for result in checks.run_all(stories, "Lily had a red ball.")}
    assert not wanted & {entry.name for entry in checks.applicable(lm)}


@pytest.mark.parametrize("text", ["", "Lily " * 999])
def test_a_text_that_cannot_be_read_is_one_sentence(lm, text):
    with pytest.raises(BadText) as error:
        checks.run_all(lm, text)
    tiny.sentence(error)
