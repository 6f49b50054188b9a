"""What is counted as a step, and that the training is left as it was."""

import copy

import pytest
import torch
from torch import nn

import tlmviz

from .conftest import batch, llama, probe, train


def steps_of(monitor):
    return sorted(set(monitor.table["step"]))


def in_bfloat16(model, inside):
    """Losses of a training under autocast, the optimizer's step inside of it, before the pass, or outside.

    Inside, a pass without gradients would leave autocast weights that it rounded without them.
    """
    data, found = torch.Generator().manual_seed(0), []
    optimizer = torch.optim.SGD(model.parameters(), 0.1)
    for _ in range(4):
        ids = batch(data, 4)
        with torch.autocast("cpu", torch.bfloat16):
            if inside:
                optimizer.step()
                optimizer.zero_grad()
            found.append(model(ids, labels=ids).loss)
        found[-1].backward()
        if not inside:
            optimizer.step()
            optimizer.zero_grad()
    return [loss.item() for loss in found]


class TestBitEqual:
    """Losses and weights with and without a monitor are the same numbers."""

    @pytest.mark.parametrize("probes", [True, False], ids=["probes", "batches"])
    def test_with_dropout(self, tmp_path, probes):
        losses, weights = [], []
        for watched in (False, True):
            model = llama(attention_dropout=0.2).train()
            torch.manual_seed(7)  # of dropout
            if watched:
                with tlmviz.monitor(model, 2, tmp_path, [probe()] if probes else None) as monitor:
                    losses.append(train(model, 8))
            else:
                losses.append(train(model, 8))
            assert model.training and all(part.training for part in model.modules())
            weights.append(nn.utils.parameters_to_vector(model.parameters()))
        assert losses[0] == losses[1] and torch.equal(*weights)
        assert steps_of(monitor) == ([0] if probes else []) + [2, 4, 6, 8]

    @pytest.mark.parametrize("inside", [False, True], ids=["step outside", "step inside"])
    def test_bfloat16_autocast(self, tmp_path, inside):
        plain = in_bfloat16(llama(), inside)
        model = llama()
        with tlmviz.monitor(model, 1, tmp_path, [probe()]) as monitor:
            assert in_bfloat16(model, inside) == plain
        assert steps_of(monitor) == [0, 1, 2, 3, 4] and not monitor.events

    def test_weights_that_autocast_rounded_before_the_step_are_not_measured(self, tmp_path):
        model, ids = llama(), probe()
        optimizer = torch.optim.SGD(model.parameters(), 1.0)
        with tlmviz.monitor(model, 1, tmp_path, [ids]) as monitor, torch.autocast("cpu", torch.bfloat16):
            model(ids, labels=ids).loss.backward()
            optimizer.step()
        with torch.autocast("cpu", torch.bfloat16), tlmviz.monitor(model, 1, tmp_path / "b", [ids]) as after:
            pass
        [last, same] = (one.table.groupby("step").get_group(step) for one, step in ((monitor, 1), (after, 0)))
        assert last["q_norm"].tolist() == same["q_norm"].tolist()

    def test_gradient_checkpointing(self, tmp_path):
        losses = []
        for watched in (False, True):
            model = llama()
            model.gradient_checkpointing_enable()
            if watched:
                with tlmviz.monitor(model, 2, tmp_path, [probe()]) as monitor:
                    losses.append(train(model, 4))
            else:
                losses.append(train(model, 4))
        assert losses[0] == losses[1] and steps_of(monitor) == [0, 2, 4]

    @pytest.mark.slow
    @pytest.mark.parametrize("probes", [True, False], ids=["probes", "batches"])
    @pytest.mark.parametrize("way", ["wrapped", "in place"])
    def test_torch_compile(self, tmp_path, way, probes):
        """The graph is compiled once: what the monitor switches for its pass is back before the next step.

        Only a batch that is noted within a graph that was compiled in place has it compiled a second time.
        """
        graphs = []

        def backend(graph, inputs):
            graphs.append(graph)
            return graph.forward

        torch._dynamo.reset()
        losses, counts = [], []
        for watched in (False, True):
            torch._dynamo.reset()
            graphs.clear()
            model = llama()
            if way == "wrapped":
                call = torch.compile(model, backend=backend)
            else:
                model.compile(backend=backend)
                call = model
            if watched:
                with tlmviz.monitor(call, 2, tmp_path, [probe()] if probes else None) as monitor:
                    losses.append(train(model, 6, call=call))
            else:
                losses.append(train(model, 6, call=call))
            counts.append(len(graphs))
        assert losses[0] == losses[1] and counts[1] == counts[0] + (way == "in place" and not probes)
        assert steps_of(monitor)[-3:] == [2, 4, 6]


class TestCounting:
    def test_accumulation(self, tmp_path):
        model, data = llama(), torch.Generator().manual_seed(0)
        optimizer = torch.optim.SGD(model.parameters(), 0.1)
        with tlmviz.monitor(model, 2, tmp_path, [probe()]) as monitor:
            for number in range(12):
                ids = batch(data, 2)
                (model(ids, labels=ids).loss / 3).backward()
                if number % 3 == 2:
                    optimizer.step()
                    optimizer.zero_grad()
        assert monitor.steps == 4 and steps_of(monitor) == [0, 2, 4]

    def test_optimizers_of_other_models_do_not_count_and_of_several_one_does(self, tmp_path):
        model, other = llama(), nn.Linear(2, 2)
        halves = list(model.parameters())[::2], list(model.parameters())[1::2]
        optimizers = [torch.optim.SGD(half, 0.1) for half in halves]
        with tlmviz.monitor(model, 1, tmp_path, [probe()]) as monitor:
            ids = probe()
            model(ids, labels=ids).loss.backward()
            for optimizer in (torch.optim.SGD(other.parameters(), 0.1), *optimizers, *optimizers):
                optimizer.step()
            assert monitor.steps == 2
            torch.optim.Adam(model.parameters()).step()  # in the place of both
        assert monitor.steps == 3
        optimizers[0].step()  # behind the block
        assert monitor.steps == 3

    def test_by_hand_where_no_optimizer_of_torch_steps(self, tmp_path):
        model = llama()
        with tlmviz.monitor(model, 2, tmp_path, [probe()]) as monitor:
            for _ in range(4):
                monitor.step()
        assert steps_of(monitor) == [0, 2, 4]

    def test_by_hand_beside_an_optimizer_counts_once(self, tmp_path):
        model = llama()
        optimizer = torch.optim.SGD(model.parameters(), 0.1)
        with tlmviz.monitor(model, 2, tmp_path, [probe()]) as monitor:
            for _ in range(4):
                optimizer.step()
                monitor.step()
        assert monitor.steps == 4


class TestUpdates:
    def test_the_ratio_of_a_step_that_is_known(self, tmp_path):
        """Every parameter is made a hundredth smaller."""
        model = llama()
        optimizer = torch.optim.SGD(model.parameters(), 0.01)
        with tlmviz.monitor(model, 2, tmp_path, [probe()]) as monitor:
            for _ in range(2):
                for part in model.parameters():
                    part.grad = part.detach().clone()
                optimizer.step()
        first, last = (monitor.table[monitor.table["step"] == step]["update_ratio"] for step in (0, 2))
        assert first.isna().all() and last.to_numpy() == pytest.approx(0.01, rel=1e-4)

    def test_a_large_parameter_is_sampled(self, monkeypatch):
        from tlmviz.monitoring import updates

        monkeypatch.setattr(updates, "LARGEST", 10)
        network = nn.ModuleDict({"a": nn.Linear(7, 5), "b": nn.Linear(3, 3)})
        kept = updates.Updates(network, ["a", "b"])
        kept.before()
        assert [[len(part) for part in block] for block in kept.copies] == [[9, 5], [9, 3]]
        with torch.no_grad():
            network["a"].weight *= 1.5
        [changed, same] = kept.ratios()
        assert 0 < changed <= 0.5 and same == 0 and kept.copies is None


class TestBatches:
    def test_a_bounded_number_of_rows_without_padding_or_labels(self, tmp_path):
        model, ids = llama(), probe(6)
        mask = torch.ones_like(ids)
        mask[0, 20:] = 0
        optimizer = torch.optim.SGD(model.parameters(), 0.1)
        with tlmviz.monitor(model, 1, tmp_path, rows=2) as monitor:
            model(input_ids=ids, attention_mask=mask, labels=ids).loss.backward()
            with torch.no_grad():
                model.eval()(ids[3:])  # an evaluation is no batch
            model.train()
            optimizer.step()
        before = copy.deepcopy(model)
        with tlmviz.watch(before) as watched:
            before.eval()(ids[:2], attention_mask=mask[:2])
        means = sum(trace.head_statistics()["entropy"] for trace in watched.traces) / 2
        assert monitor.table["entropy"].to_numpy() == pytest.approx(means.to_numpy(), rel=1e-5)
