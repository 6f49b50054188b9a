"""Training of word vectors: the text, the windows, each method's step against autograd, resuming, and the recipes."""

import gzip

import numpy as np
import pytest
import torch

import tlmviz
from tests import tiny
from tests.tiny import sentence
from tlmviz.analysis.words import gradients
from tlmviz.analysis.words.pairs import keep_probability, noise_distribution, pair_positions
from tlmviz.analysis.words.text import split_words
from tlmviz.errors import BadText
from tlmviz.networks.words import WordNetwork
from tlmviz.training import words
from tlmviz.training.word_recipes import WORDS, Log, WordRecipe
from tlmviz.training.words import Trainer, WordSchedule, WordText, draw_windows
from tlmviz.training.words_data import WordData, read_words

TEXT = WordText.of([split_words(text) for text in tiny.SENTENCES])
SCHEDULE = WordSchedule(epochs=3, batch=8)


def config(method, **changes):
    return tiny.word_config(method, TEXT, **changes)


class TestText:
    def test_ids_spell_the_text(self):
        spelled = [TEXT.vocabulary[i] for i in TEXT.ids]
        assert spelled == [word for text in tiny.SENTENCES for word in split_words(text)]
        assert list(np.bincount(TEXT.document)) == [len(split_words(text)) for text in tiny.SENTENCES]
        assert (np.bincount(TEXT.ids) == TEXT.counts).all()

    def test_rare_words_are_dropped(self):
        text = WordText.of([["a", "b", "a"], ["b", "c"]], least=2)
        assert (
            text.vocabulary == ("a", "b")
            and text.ids.tolist() == [0, 1, 0, 1]
            and text.document.tolist() == [0, 0, 0, 1]
        )
        assert text.other([["c", "b", "d"]]).ids.tolist() == [1]

    @pytest.mark.parametrize("text, least", [("", 1), ("one", 1), ("one one one", 1), ("every word once", 2), ("…", 1)])
    def test_too_short_a_text(self, text, least):
        with pytest.raises(BadText) as error:
            WordText.of_text(text, least)
        assert "longer" in sentence(error)


class TestWindows:
    def test_whole_windows_are_all_pairs(self):
        given = draw_windows(TEXT, config("negative"), np.random.default_rng(0), whole=True)
        window, contexts = given.pairs
        centers, others = pair_positions(np.full(len(TEXT.ids), 3), TEXT.document)
        assert given.centers[window].tolist() == TEXT.ids[centers].tolist()
        assert contexts.tolist() == TEXT.ids[others].tolist()

    def test_radii_are_drawn_and_frequent_words_dropped(self):
        ids = np.tile(np.arange(4), 5000) % 3  # word 0 is half of the text
        counts = np.bincount(ids)
        text = WordText(("a", "b", "c"), counts, ids, np.zeros(len(ids), np.int64))
        given = draw_windows(text, config("negative", subsample=0.1), np.random.default_rng(0))
        kept = np.bincount(given.centers.numpy()) / counts
        assert kept == pytest.approx(keep_probability(counts, 0.1), abs=0.03)
        sizes = given.there.sum(1)[10:-10].numpy() / 2
        assert [np.mean(sizes == radius) for radius in (1, 2, 3)] == pytest.approx([1 / 3] * 3, abs=0.02)

    def test_noise_is_drawn_by_counts_to_three_quarters(self):
        noise = words.Noise(TEXT, config("negative"), 0).draw(4000, 50)
        shares = np.bincount(noise.flatten().numpy(), minlength=len(TEXT.vocabulary)) / noise.numel()
        assert shares == pytest.approx(noise_distribution(TEXT.counts), abs=0.002)


def fresh(method):
    """A network with random numbers, in float64, that autograd can follow."""
    network = tiny.randomise(WordNetwork(config(method)), 1, 0.5, centre=0.0)
    return network.double().requires_grad_()


def batch(size=8):
    given = draw_windows(TEXT, config("negative"), np.random.default_rng(0), whole=True)[torch.arange(size)]
    return given._replace(there=given.there.double())


def around(given):
    """(center, its context words) of each window."""
    for center, others, there in zip(given.centers.tolist(), given.contexts.tolist(), given.there.tolist()):
        yield center, [other for other, flag in zip(others, there) if flag]


def decided(score, sign):
    return -torch.nn.functional.logsigmoid(sign * score) if sign else 0.0


def reading_vectors(method, network, given):
    """What each window predicts from, made anew with a leaf for each, so that its gradient can be asked for."""
    made = []
    members, there = words.member_rows(TEXT.vocabulary, config("fasttext"))
    for center, context in around(given):
        if method == "cbow":
            own = torch.stack([network.vectors[other] for other in context]).mean(0)
        elif method == "fasttext":
            rows = torch.cat([network.vectors, network.parts])
            own = rows[members[center][there[center] > 0]].mean(0)
        else:
            own = network.vectors[center]
        made.append(own.detach().requires_grad_())
    return made


def plain_loss(method, network, learner, given, made):
    """The summed loss of the windows, pair by pair."""
    total = torch.zeros((), dtype=torch.float64)
    for (center, context), v in zip(around(given), made):
        for target in [center] if method == "cbow" else context:
            if method == "skipgram":
                total = total - torch.log_softmax(network.context @ v, -1)[target]
            else:
                rows, signs = learner.decisions(torch.tensor([target]))
                total = total + sum(decided(network.context[row] @ v, sign) for row, sign in zip(rows[0], signs[0]))
    return total


@pytest.mark.parametrize("method", words.METHODS)
def test_a_step_descends_by_the_gradient_of_the_plain_loss(method, monkeypatch):
    """Windows of one center are merged and paths padded: the step is still that of each pair.

    Where a mean predicts, each member moves by the mean's whole gradient, as in word2vec.c and fastText.
    """
    network, given = fresh(method), batch()
    draws = torch.arange(500).view(100, 5) % len(TEXT.vocabulary)
    monkeypatch.setattr(words.Noise, "draw", lambda noise, rows, columns: draws[:1, :columns].expand(rows, columns))
    learner = words.METHODS[method](network, TEXT, 0)
    made = reading_vectors(method, network, given)
    loss = plain_loss(method, network, learner, given, made)
    *grads, context_grad = torch.autograd.grad(loss, [*made, network.context])
    expected = {name: value.detach().clone() for name, value in network.named_parameters()}
    expected["context"] -= 0.1 * context_grad
    members, there = words.member_rows(TEXT.vocabulary, config("fasttext"))
    for (center, context), grad in zip(around(given), grads):
        for row in context if method == "cbow" else [center]:
            expected["vectors"][row] -= 0.1 * grad
        if method == "fasttext":
            for row in members[center][there[center] > 0][1:]:
                expected["parts"][row - len(TEXT.vocabulary)] -= 0.1 * grad
    same, count = learner.loss(given)
    said, predictions = learner.learn(given, 0.1)
    assert said == pytest.approx(float(loss.detach())) == pytest.approx(same)
    assert predictions == count == (len(given.centers) if method == "cbow" else int(given.there.sum()))
    for name, value in network.named_parameters():
        torch.testing.assert_close(value.detach(), expected[name])


def test_glove_descends_by_adagrad():
    trainer = Trainer(config("glove", x_max=5.0), TEXT, WordSchedule(epochs=2, rate=0.1, batch=16))
    twin = WordNetwork(trainer.config)
    twin.load_state_dict(trainer.network.state_dict())
    optimizer = torch.optim.Adagrad(twin.parameters(), 0.1, initial_accumulator_value=1.0, eps=0.0)
    cells, rates = trainer.cells(TEXT), []
    rng = np.random.default_rng(0)
    order = torch.from_numpy(rng.permutation(len(cells.x)))
    for chosen in order.split(16):
        optimizer.zero_grad()
        i, j, x = cells.rows[chosen], cells.columns[chosen], cells.x[chosen]
        gap = (twin.vectors[i] * twin.context[j]).sum(-1) + twin.bias[i] + twin.context_bias[j] - x.log()
        (gradients.glove_weight(x, 5.0) / 2 * gap**2).sum().backward()
        optimizer.step()
        rates.append(len(chosen))
    for progress in trainer.passes():
        if progress.epochs >= 1:
            break
    assert sum(rates) == len(cells.x)
    for own, other in zip(trainer.network.parameters(), twin.parameters()):
        torch.testing.assert_close(own, other.detach(), atol=1e-5, rtol=1e-4)


@pytest.mark.parametrize("method", tiny.WORDS)
class TestTrainer:
    def test_the_loss_falls_and_the_seed_repeats(self, method):
        losses = []
        for _ in range(2):
            trainer = Trainer(config(method), TEXT, WordSchedule(epochs=12, rate=0.2, batch=8))
            before = trainer.held_out_loss(TEXT)
            seen = list(trainer.passes())
            losses.append((before, trainer.held_out_loss(TEXT), [progress.loss for progress in seen]))
            assert seen[-1].epochs == pytest.approx(12) and seen[-1].words_read == pytest.approx(12 * len(TEXT.ids))
            assert trainer.seconds > 0 and list(trainer.passes()) == []
        assert losses[0] == losses[1] and losses[0][1] < losses[0][0]

    def test_a_resumed_run_is_the_same(self, method, tmp_path):
        data = WordData(TEXT, TEXT, 4, 0)
        whole, log = Trainer(config(method), TEXT, SCHEDULE), Log()
        log.follow(whole, data, tmp_path / "whole")
        broken, first = Trainer(config(method), TEXT, SCHEDULE), Log()
        first.resume(tmp_path / "broken", broken)  # nothing there yet
        honest = broken.passes
        broken.passes = lambda: (progress for progress in honest() if progress.epochs <= 2 or stop())
        with pytest.raises(KeyboardInterrupt):
            first.follow(broken, data, tmp_path / "broken")
        again, second = Trainer(config(method), TEXT, SCHEDULE), Log()
        second.resume(tmp_path / "broken", again)
        assert again.epoch == 2
        second.follow(again, data, tmp_path / "broken")
        for own, other in zip(whole.network.parameters(), again.network.parameters()):
            assert torch.equal(own, other)
        assert second.read == log.read and torch.equal(torch.stack(second.pictures), torch.stack(log.pictures))


def stop():
    raise KeyboardInterrupt


def test_other_settings_begin_anew(tmp_path):
    data = WordData(TEXT, TEXT, 4, 0)
    Log().follow(Trainer(config("cbow"), TEXT, SCHEDULE), data, tmp_path)
    other = Trainer(config("cbow"), TEXT, WordSchedule(epochs=3, batch=9))
    Log().resume(tmp_path, other)
    assert other.epoch == 0


@pytest.fixture
def data(tmp_path):
    """Stories and sentences, some of both held out."""
    stories = "\n<|endoftext|>\n".join(f"{text} Story {i}." for i in range(15) for text in tiny.SENTENCES)
    (tmp_path / "stories.txt").write_text(stories)
    with gzip.open(tmp_path / "eng-fra.tsv.gz", "wt") as lines:
        lines.write("".join(f"Tom saw {i} dogs.\tTom a vu.\nTom saw {i} dogs.\tIl a vu.\n" for i in range(90)))
    return tmp_path


def test_the_data_is_split_by_hash(data):
    texts = read_words(data, 3)
    assert 0 < len(texts.held_out.ids) < len(texts.train.ids) / 4
    assert texts.stories < 60 and texts.sentences < 90
    assert texts.held_out.vocabulary == texts.train.vocabulary and texts.train.counts.min() >= 3


@pytest.mark.parametrize("method", tiny.WORDS)
def test_a_recipe_writes_a_model(method, data, monkeypatch):
    bundled = WORDS[f"words-{method}"]
    settings = {**bundled.settings, "least": 2, "d_model": 20}
    recipe = WordRecipe(bundled.name, bundled.description, settings, WordSchedule(epochs=2, batch=64))
    recipe.run(data, data / "runs", data / "models")
    wv = tlmviz.load(data / "models" / recipe.name)
    assert wv.kind == method and wv.snapshots.coordinates.shape[0] >= 2 and len(wv.snapshots.curve) >= 2
    assert len(wv.neighbours("dog", 3)) == 3
    card = (data / "models" / recipe.name / "card.md").read_text()
    assert "CDLA-Sharing-1.0" in card and "CC BY 2.0" in card and f"{wv.n_parameters:,} parameters" in card


def test_missing_data_is_one_sentence(tmp_path):
    with pytest.raises(BadText) as error:
        WORDS["words-cbow"].run(tmp_path, tmp_path, tmp_path)
    assert "stories.txt" in sentence(error)
