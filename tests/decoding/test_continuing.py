"""Samples and contrastive search over steppers, against the same written token by token."""

import pytest
import torch

from tlmviz.decoding.beam import greedy
from tlmviz.decoding.continuing import contrastive, sample
from tlmviz.decoding.sampling import Sampling
from tlmviz.decoding.steppers import LanguageStepper
from tlmviz.errors import BadShape

from ..tiny import TEXT, sentence
from .exhaustive import END, KINDS, TableStepper, logps, small, source_of, stepper

SETTINGS = Sampling(0.9, top_k=7, min_p=0.02, typical=0.95, repetition=1.2)


@pytest.mark.parametrize("kind", KINDS)
def test_log_probabilities_are_the_model_s(kind):
    network = small(kind, 9)
    texts = sample(stepper(network), SETTINGS, count=6, length=7, seed=3)
    assert len({one.tokens for one in texts}) > 1
    for one in texts:
        assert list(one.logps) == pytest.approx(logps(network, [one.tokens])[0].tolist(), abs=1e-4)
        assert one.logp == pytest.approx(sum(one.logps))
        assert one.finished == (one.tokens[-1] == END) and END not in one.tokens[:-1]
        assert one.finished or len(one.tokens) == 7


@pytest.mark.parametrize("kind", KINDS)
def test_a_sample_depends_on_its_seed_alone(kind):
    network = small(kind, 9)
    many = sample(stepper(network), SETTINGS, count=5, length=9, seed=10)
    for i in (0, 3):
        (alone,) = sample(stepper(network), SETTINGS, count=1, length=9, seed=10 + i)
        assert alone.tokens == many[i].tokens


@pytest.mark.parametrize("kind", KINDS)
def test_temperature_zero_is_greedy(kind):
    network = small(kind, 9)
    (one,) = sample(stepper(network), Sampling(0.0), count=1, length=9)
    assert list(one.tokens) == list(greedy(stepper(network), 9))


def test_a_language_model_writes_what_generate_writes(lm):
    prompt = lm.encode(TEXT)
    (one,) = sample(
        LanguageStepper(lm.network, prompt, lm.tokenizer.end_of_text), Sampling(0.8, 40), count=1, length=20, seed=7
    )
    assert lm.tokenizer.decode(one.tokens) == lm.generate(TEXT, 20, 0.8, 40, seed=7)
    (one,) = sample(LanguageStepper(lm.network, prompt, lm.tokenizer.end_of_text), SETTINGS, count=1, length=20, seed=7)
    assert lm.tokenizer.decode(one.tokens) == lm.generate(TEXT, 20, seed=7, sampling=SETTINGS)


def test_repetition_looks_at_each_text_s_own_tokens():
    """Probabilities 0.5 and 0.4: a token once written has 0.5^3, so that the two take turns until both have been."""
    texts = sample(TableStepper({}, [0.0001, 0.5, 0.4]), Sampling(0.0, repetition=3.0), count=2, length=4)
    assert {one.tokens for one in texts} == {(1, 2, 1, 1)}


@pytest.mark.parametrize("kind", KINDS)
def test_contrastive_search_is_its_formula(kind):
    """Every candidate read anew from the start of the text by a stepper of its own."""
    network, k, alpha = small(kind, 9), 4, 0.5

    def read(text):
        """Hidden vectors of all tokens, and log-probabilities of the next."""
        fresh = stepper(network)
        step = fresh.advance(torch.tensor([0]), None)
        hidden = [step.hidden[0]]
        for token in text:
            step = fresh.advance(torch.tensor([0]), torch.tensor([token]))
            hidden.append(step.hidden[0])
        return torch.cat(hidden), step.logp[0]

    text = []
    while len(text) < 6 and text[-1:] != [END]:
        earlier, logp = read(text)
        scores = {}
        for token in logp.topk(k).indices.tolist():
            h = read([*text, token])[0][-1]
            cosine = max(float(h @ one / h.norm() / one.norm()) for one in earlier)
            scores[token] = (1 - alpha) * logp[token].exp().item() - alpha * cosine
        text.append(max(scores, key=scores.get))
    found = contrastive(stepper(network), k, alpha, 6)
    assert list(found.tokens) == text
    assert list(found.logps) == pytest.approx(logps(network, [text])[0].tolist(), abs=1e-4)


@pytest.mark.parametrize("kind", KINDS)
def test_without_contrast_it_is_greedy(kind):
    network = small(kind, 9)
    assert list(contrastive(stepper(network), alpha=0.0, length=9).tokens) == list(greedy(stepper(network), 9))


@pytest.mark.parametrize("write", [lambda one: sample(one, Sampling(0.0), 1)[0], lambda one: contrastive(one, 3)])
def test_the_context_may_be_filled_to_its_end(write):
    network = small("language", 9)
    room = network.config.context - len(source_of(network)) + 1
    found = write(LanguageStepper(network, source_of(network), end=-1))
    assert len(found.tokens) == min(40, room) and not found.finished


@pytest.mark.parametrize(
    "call, said",
    [
        (lambda one: sample(one, count=0), "count is 0"),
        (lambda one: sample(one, count=65), "count is 65"),
        (lambda one: sample(one, length=0), "length is 0"),
        (lambda one: contrastive(one, k=0), "k is 0"),
        (lambda one: contrastive(one, alpha=1.5), "alpha is 1.5"),
        (lambda one: contrastive(one, length=2.0), "length is 2.0"),
    ],
)
def test_bad_settings_give_a_sentence(call, said):
    with pytest.raises(BadShape) as error:
        call(stepper(small("dot")))
    assert said in sentence(error)
