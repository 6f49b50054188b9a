"""Patches against edits of a single run each, written with other functions, and against what must hold of all of
them."""

import copy

import numpy as np
import pytest
import torch

from tests import tiny
from tests.tiny import sentence
from tlmviz import LanguageModel
from tlmviz.analysis.attention import interventions as edits
from tlmviz.analysis.workbench import patching
from tlmviz.analysis.workbench.patching import Cell
from tlmviz.errors import BadText, UnknownName

CLEAN, CORRUPTED = ("Lily had a red ball. Lily lost the red ball.", "Lily had a big ball. Lily lost the big ball.")


def close(found, wanted, atol=2e-4):
    torch.testing.assert_close(found, wanted, atol=atol, rtol=0)


@pytest.fixture(scope="module")
def task(variant):
    return patching.task_of(variant, CLEAN, CORRUPTED, "red", "big")


@pytest.fixture(scope="module")
def plain(lm):
    return patching.task_of(lm, CLEAN, CORRUPTED, "red", "big")


def alone(lm, task, edit):
    """How much a run with one edit brings back, from whole passes over both texts."""

    def difference(**keywords):
        logits = lm.trace_ids(task.corrupted.ids, **keywords).logits[-1].double()
        return logits[task.answer] - logits[task.wrong]

    clean = lm.trace_ids(task.clean.ids).logits[-1].double()
    clean, corrupted = clean[task.answer] - clean[task.wrong], difference()
    return float((difference(edit=edit) - corrupted) / (clean - corrupted))


class TestGrid:
    def test_heads_outputs(self, variant, task):
        """Each cell is a run of its own in which one head's output is the clean run's."""
        found = patching.patch_grid(variant, task, "z")
        assert found.shape == (2, 4)
        for layer in range(2):
            for head in range(4):
                edit = edits.patch(f"blocks.{layer}.attn.z", task.clean, heads=slice(head, head + 1))
                assert float(found[layer, head]) == pytest.approx(alone(variant, task, edit), rel=1e-3, abs=2e-4)

    @pytest.mark.parametrize("kind", ["resid", "attn", "mlp"])
    def test_positions(self, variant, task, kind):
        found = patching.patch_grid(variant, task, kind)
        assert found.shape == (2, len(task.clean))
        for layer in range(2):
            for position in (4, len(task.clean) - 1):
                name = f"blocks.{layer}.{patching.POSITION_KINDS[kind]}"
                edit = edits.patch(name, task.clean, positions=slice(position, position + 1))
                assert float(found[layer, position]) == pytest.approx(alone(variant, task, edit), rel=1e-3, abs=2e-4)

    @pytest.mark.parametrize("kind", ["q", "k", "v"])
    def test_queries_keys_and_values(self, lm, plain, kind):
        """With as many key heads as query heads, a patch of k is a patch of the tensor itself."""
        found = patching.patch_grid(lm, plain, kind)
        for layer, head in ((0, 1), (1, 3)):
            edit = edits.patch(f"blocks.{layer}.attn.{kind}", plain.clean, heads=slice(head, head + 1))
            assert float(found[layer, head]) == pytest.approx(alone(lm, plain, edit), rel=1e-3, abs=2e-4)

    def test_patterns(self, lm, plain):
        """A head that attends with the clean weights, row by row."""
        found = patching.patch_grid(lm, plain, "pattern")
        for layer, head in ((0, 2), (1, 0)):
            weights = plain.clean.attention(layer, head)
            rows = (edits.replace_row(layer, head, row, weights[row]) for row in range(len(weights)))
            assert float(found[layer, head]) == pytest.approx(
                alone(lm, plain, edits.combine(*rows)), rel=1e-3, abs=2e-4
            )

    def test_one_query_head_of_a_group(self, tokenizer):
        """Where two query heads share keys, patching one head's k leaves the other's scores alone."""
        lm = tiny.language_model(tokenizer, n_kv_heads=2)
        task = patching.task_of(lm, CLEAN, CORRUPTED, "red", "big")
        q, k, v = (task.corrupted[f"blocks.1.attn.{part}"].double() for part in "qkv")
        key, value = task.clean["blocks.1.attn.k"].double()[0, 0], v[0, 0]
        scores = (q[0, 1] @ key.T * 8**-0.5).masked_fill(~torch.ones(len(key), len(key)).tril().bool(), -torch.inf)
        made = (scores.softmax(-1) @ value).float()

        def edit(z, record):
            return torch.cat((z[:, :1], made[None, None].to(z), z[:, 2:]), 1)

        found = patching.patch_grid(lm, task, "k")[1, 1]
        assert float(found) == pytest.approx(alone(lm, task, {"blocks.1.attn.z": edit}), rel=1e-3, abs=2e-4)

    def test_batches_and_progress(self, lm, plain, monkeypatch):
        whole, seen = patching.patch_grid(lm, plain, "resid"), []
        monkeypatch.setattr(patching, "AT_ONCE", 3 * len(plain.clean))
        close(patching.patch_grid(lm, plain, "resid", lambda *done: seen.append(done)), whole)
        length = len(plain.clean)
        steps = [after - before for (before, _), (after, _) in zip([(0, 0), *seen], seen)]
        # The exchanged tokens are two: in layer 0 all others are alike and count as done at once, in layer 1 those
        # before them.
        assert steps[:2] == [length - 2, 2] and max(steps[3:]) == 3
        assert seen[-1] == (2 * length, 2 * length)

    def test_progress_may_end_it(self, lm, plain):
        class Cancelled(Exception):
            pass

        def stop(done, total):
            raise Cancelled

        with pytest.raises(Cancelled):
            patching.patch_grid(lm, plain, "z", stop)

    def test_what_is_alike_is_not_run(self, lm, plain, monkeypatch):
        """Before the first exchanged token, and at every other one in the embedding, both runs are the same."""
        runs = []
        real = patching.run_from
        monkeypatch.setattr(patching, "run_from", lambda *given: runs.append(given[3]) or real(*given))
        found = patching.patch_grid(lm, plain, "resid")
        first, *others = (i for i, (a, b) in enumerate(zip(plain.clean.ids, plain.corrupted.ids)) if a != b)
        assert runs == [1 + len(others), len(plain.clean) - first]
        assert not found[:, :first].any()


def test_correlation_is_numpys():
    a, b = np.random.default_rng(0).normal(size=(2, 3, 4))
    assert patching.correlation(a, b) == pytest.approx(np.corrcoef(a.ravel(), b.ravel())[0, 1])
    assert np.isnan(patching.correlation(a, np.ones_like(a)))


class TestTogether:
    def test_all_of_a_layers_stream_is_the_clean_run(self, variant, task):
        cells = [Cell("resid", 1, position) for position in range(len(task.clean))]
        close(patching.patched_trace(variant, task, cells).logits[-1], task.clean.logits_at(-1))

    def test_nothing_is_the_corrupted_run(self, variant, task):
        assert torch.equal(patching.patched_trace(variant, task, []).logits, task.corrupted.logits)

    @pytest.mark.parametrize("kind", ["z", "attn"])
    def test_one_alone_is_the_grids_cell(self, variant, task, kind):
        found = patching.patch_grid(variant, task, kind)[1, 2]
        trace = patching.patched_trace(variant, task, [Cell(kind, 1, 2)])
        assert float(task.restored(trace.logits_at(-1))) == pytest.approx(float(found), rel=1e-3, abs=2e-4)

    def test_a_later_patch_meets_an_earlier_one(self, lm, plain):
        """The pattern of layer 1 mixes values that the patch of layer 0 has changed."""
        cells = [Cell("z", 0, 1), Cell("pattern", 1, 3)]
        weights = plain.clean.attention(1, 3)
        edit = edits.combine(
            edits.patch("blocks.0.attn.z", plain.clean, heads=slice(1, 2)),
            *(edits.replace_row(1, 3, row, weights[row]) for row in range(len(weights))),
        )
        found = plain.restored(patching.patched_trace(lm, plain, cells).logits_at(-1))
        assert float(found) == pytest.approx(alone(lm, plain, edit), rel=1e-3, abs=2e-4)


class TestPreview:
    @pytest.mark.parametrize("kind", ["z", "k", "resid", "mlp"])
    def test_is_the_derivative(self, variant, kind):
        """A step of 1/10,000 of the way to the patch at one layer's tap and one back, in float64."""
        lm = LanguageModel(copy.deepcopy(variant.network).double(), variant.tokenizer)
        task = patching.task_of(lm, CLEAN, CORRUPTED, "red", "big")
        found = patching.patch_preview(lm, task, kind)
        layer, column, step = 1, 2, 1e-4
        value = patching._replacement(lm, task, kind, layer)
        where = (slice(None), column) if kind not in patching.HEAD_KINDS else (slice(None), [column])

        def nudged(sign):
            def edit(here, record):
                moved = here.clone()
                moved[where] += sign * step * (value[where] - here[where])
                return moved

            return alone(lm, task, {f"blocks.1.{patching.POSITION_KINDS.get(kind, 'attn.z')}": edit})

        slope = (nudged(1) - nudged(-1)) / (2 * step)
        assert float(found[layer, column]) == pytest.approx(slope, rel=1e-3, abs=1e-4)

    @pytest.mark.parametrize("kind", ["z", "attn"])
    def test_the_last_layers_heads_add_up(self, variant, task, kind):
        """To first order heads add: the sum over a layer's heads is the sum over positions of what its attention
        gives."""
        heads, outs = (patching.patch_preview(variant, task, "z"), patching.patch_preview(variant, task, "attn"))
        close(heads.sum(1), outs.sum(1), atol=1e-3)


class TestApi:
    def test_patch(self, lm, plain):
        found = lm.patch(CLEAN, CORRUPTED, "red", "big")
        close(found, patching.patch_grid(lm, plain, "z"))
        close(lm.patch(CLEAN, CORRUPTED, "red", "big", "mlp", exact=False), patching.patch_preview(lm, plain, "mlp"))

    def test_the_answer_continues_the_text(self, lm):
        assert patching.answer_id(lm, "Lily had a", "red") == patching.answer_id(lm, "Lily had a", " red")
        assert lm.tokenizer.name(patching.answer_id(lm, "Lily had a", "red")).strip("·▁ ") == "red"

    @pytest.mark.parametrize(
        ("arguments", "said"),
        [
            (("Lily had a red ball.", "Lily had a ball.", "red", "big"), "tokens and the corrupted one"),
            (("Lily had a", "Lily had a", "red", "big"), "are the same"),
            (("Lily had a", "Lily saw a", "red", "red"), "both “red”"),
            (("Lily had a", "Lily saw a", "xylophones", "red"), "single token"),
            (("Lily had a", "Lily saw a", "", "red"), "is empty"),
            (("", "Lily saw a", "red", "big"), "empty"),
            (("Lily " * 200, "Lily", "red", "big"), "reads at most"),
        ],
    )
    def test_bad_texts_are_refused_in_a_sentence(self, lm, arguments, said):
        with pytest.raises(BadText) as error:
            lm.patch(*arguments)
        assert said in sentence(error)

    def test_unknown_kinds_and_places(self, lm, plain):
        with pytest.raises(UnknownName, match="“value”"):
            lm.patch(CLEAN, CORRUPTED, "red", "big", kind="value")
        with pytest.raises(UnknownName, match="no column 4"):
            patching.patched_trace(lm, plain, [Cell("z", 0, 4)])
        with pytest.raises(UnknownName, match="no layer 2"):
            patching.patched_trace(lm, plain, [Cell("z", 2, 0)])
