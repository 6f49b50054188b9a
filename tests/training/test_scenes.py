"""Scenes with their questions, what is learned of a text, and a network that learns, stops, and goes on."""

from dataclasses import replace

import numpy as np
import pytest
import torch

from tests import tiny
from tlmviz import digits
from tlmviz.facades.scenes import language
from tlmviz.tokens.whole_words import WordTokenizer
from tlmviz.training import loop, marks, scenes
from tlmviz.training.scenes import IGNORED, RECIPES, SceneBatches, Teacher, texts, train
from tlmviz.training.scenes_export import export, measured_on

IDS = {word: number for number, word in enumerate(scenes.tokenizer().words)}


def test_pictures_hold_the_digits_of_their_labels():
    batches = SceneBatches(digits.held_out(), 3, varied=False)
    made = batches.scenes(20)
    known = {image.tobytes(): int(label) for image, label in zip(*_parts(digits.held_out()))}
    for picture, labels in zip(made.pictures.numpy(), made.labels):
        assert 1 <= (labels >= 0).sum() <= 9
        for cell, label in enumerate(labels):
            row, column = divmod(cell, 3)
            image = picture[8 * row : 8 * row + 8, 8 * column : 8 * column + 8]
            if label < 0:
                assert not image.any()
            else:
                assert known[np.ascontiguousarray(image, np.float64).tobytes()] == label


def _parts(part):
    return part.images.astype(np.float64), part.labels


def test_training_never_draws_a_held_out_digit():
    batches = SceneBatches(digits.training(), 0)
    assert len(batches.images) == len(digits.training())
    held_out = {image.tobytes() for image in digits.held_out().images.astype(np.float32)}
    assert not held_out & {image.tobytes() for image in batches.images.numpy()}


def test_changed_digits_stay_digits():
    batches = SceneBatches(digits.training(), 0)
    changed = batches._vary(batches.images[:200])
    assert changed.min() >= 0 and changed.max() <= 16
    kept = (changed == batches.images[:200]).all((1, 2)).float().mean()
    assert 0.05 < kept < 0.3
    likeness = torch.nn.functional.cosine_similarity(changed.flatten(1), batches.images[:200].flatten(1))
    assert likeness.mean() > 0.8


def test_only_answers_are_learned():
    inputs, targets = texts([("where is the 3", "nowhere"), ("is there a 4", "yes")], IDS)
    end = WordTokenizer.END
    assert inputs.tolist() == [
        [*(IDS[word] for word in ["where", "is", "the", "3"]), end, IDS["nowhere"]],
        [*(IDS[word] for word in ["is", "there", "a", "4"]), end, IDS["yes"]],
    ]
    assert targets.tolist() == [[IGNORED] * 4 + [IDS["nowhere"], end], [IGNORED] * 4 + [IDS["yes"], end]]


def test_every_text_fits():
    labels = list(range(9))
    longest = max(len(q.text.split()) + len(language.answer(labels, q).split()) for q in language.every_question())
    same = len(language.answer([8] * 9, language.Question("where", 8)).split()) + 6
    assert max(longest, same) + 2 <= RECIPES["digits-scenes"].config.context


def test_right_is_what_the_public_face_answers():
    """The share that one pass measures equals that of asking one question after another, word by word."""
    model = tiny.picture_reader()
    batches = [SceneBatches(digits.held_out(), 5, varied=False) for _ in range(2)]
    share = Teacher(model.network, IDS).right(batches[0], "there", 12)
    made, right = batches[1].scenes(12), 0
    asked = [batches[1].question(made.of(scene), "there") for scene in range(12)]
    for scene, question in enumerate(asked):
        cells = [*made.pictures[scene].reshape(3, 8, 3, 8).transpose(1, 2).reshape(9, 8, 8).numpy()]
        grid = [cells[row : row + 3] for row in (0, 3, 6)]
        right += model.answer(grid, question.text).text == language.answer(made.of(scene), question)
    assert share == pytest.approx(right / 12)


def test_marks_are_the_cells_that_the_answer_speaks_of():
    teacher = Teacher(tiny.picture_marker().network, IDS)
    made = SceneBatches(digits.held_out(), 2, varied=False).scenes(3)
    questions = [language.Question("count"), language.Question("describe"), language.Question("place", place="left")]
    asked = np.array([marks.QUESTIONS.index(question) for question in questions])
    _, truth = teacher.marks(made, np.arange(3), asked)
    for scene, (row, question) in enumerate(zip(truth, questions)):
        cells = {cell for cell in range(9) if row.view(6, 6)[cell // 3 * 2, cell % 3 * 2]}
        assert cells == set(language.cells(made.of(scene), question)) and row.sum() == 4 * len(cells)


def test_questions_of_several_lengths_at_once_are_answered_as_one_by_one():
    teacher = Teacher(tiny.picture_marker().network, IDS)
    made = SceneBatches(digits.held_out(), 2, varied=False).scenes(3)
    scene, asked = np.array([2, 0, 1, 0]), np.array([70, 3, 25, 62])
    together = teacher.marks(made, scene, asked)[0]
    singly = [teacher.marks(made, scene[[i]], asked[[i]])[0][0] for i in range(4)]
    torch.testing.assert_close(together, torch.stack(singly))


def test_the_cells_of_every_question_are_those_of_the_language():
    made = SceneBatches(digits.held_out(), 4, varied=False).scenes(60)
    cells = marks.truth(made.labels)
    found = marks.outcomes(made.labels, cells)
    for scene in range(60):
        labels = made.of(scene)
        for i, question in enumerate(marks.QUESTIONS):
            assert np.flatnonzero(cells[scene, i]).tolist() == sorted(language.cells(labels, question))
            assert (found[scene, i] == marks.BLANK) == (not cells[scene, i].any())
            several = question.kind == "side" and labels.count(question.digit) > 1
            assert (found[scene, i] == marks.SEVERAL) == several


def test_half_of_the_questions_that_are_drawn_have_something_to_mark():
    made = SceneBatches(digits.held_out(), 4, varied=False).scenes(60)
    found = marks.outcomes(made.labels, marks.truth(made.labels))
    drawn = marks.drawn(np.random.default_rng(0), found, 100, np.array([0.5, 0.5, 0, 0, 0, 0]))
    assert set(np.unique(marks.KIND_OF[drawn])) == {0, 1}
    outcomes = np.take_along_axis(found, drawn, 1)
    assert 0.4 < (outcomes == marks.MARKED).mean() < 0.6 and (outcomes == marks.SEVERAL).any()


def test_what_is_right_is_counted_apart_for_marks_and_blanks():
    network = tiny.picture_marker().network
    with torch.no_grad():
        network.mark.weight.zero_()
        network.mark.bias.fill_(-1)
    shares = Teacher(network, IDS).marked_right(SceneBatches(digits.held_out(), 4, varied=False), 5)
    assert shares["side"] == {"blank": 1, "marked": 0, "several": 0} and shares["count"] == {"marked": 0}


@pytest.mark.slow
@pytest.mark.parametrize("name", RECIPES)
def test_a_run_logs_resumes_and_is_exported(name, tmp_path, monkeypatch):
    recipe = RECIPES[name]
    config = tiny.scenes_config(recipe.config.kind, cross_layers=1)
    small = replace(
        recipe, config=config, scenes=3, questions=2, schedule=loop.Schedule(steps=4, warmup=1, evaluate_every=2)
    )
    monkeypatch.setattr("tlmviz.training.scenes.FRESH", 4)
    train(replace(small, schedule=replace(small.schedule, steps=2)), tmp_path / "run")
    weights = loop.read_weights(tmp_path / "run")
    log = train(small, tmp_path / "run")
    assert [point["step"] for point in log["curve"]] == [2, 4] and log["curve"][0]["right"].keys() == set(
        language.KINDS
    )
    again = loop.read_weights(tmp_path / "run")
    assert any(not torch.equal(again[key], value) for key, value in weights.items())
    monkeypatch.setattr("tlmviz.training.scenes_export.SCENES", 5)
    export(small, log, tmp_path / "run", tmp_path / "models" / "tiny")
    card = (tmp_path / "models" / "tiny" / "card.md").read_text()
    assert "| side | " in card and "CC BY 4.0" in card and "382" in card


def test_what_is_measured_of_a_loaded_model():
    assert measured_on(tiny.picture_marker(), 3).keys() == set(language.KINDS)
