"""Models that are monitored: own code, ours, encoders, wrapped ones, over several ranks; and the Trainer's callback."""

import numpy as np
import pytest
import torch
import torch.nn.functional as F
import transformers as hf
from torch import nn

import tlmviz
from tlmviz import monitoring

from .conftest import WORDS, batch, llama, probe, train


class Layer(nn.Module):
    def __init__(self):
        super().__init__()
        self.qkv, self.out = nn.Linear(32, 96), nn.Linear(32, 32)

    def forward(self, x, options):
        q, k, v = self.qkv(x).view(len(x), -1, 3, 2, 16).permute(2, 0, 3, 1, 4)
        return x + self.out(F.scaled_dot_product_attention(q, k, v, **options).transpose(1, 2).flatten(2))


class Own(nn.Module):
    """Two layers of plain PyTorch; `mask` says how attention is told what to hide."""

    def __init__(self, mask="causal"):
        super().__init__()
        self.mask, self.embed, self.head = mask, nn.Embedding(WORDS, 32), nn.Linear(32, WORDS)
        self.layers = nn.ModuleList(Layer() for _ in range(2))

    def forward(self, ids, shift=0):
        length = ids.shape[1]
        seen = torch.ones(length, length, dtype=torch.bool).tril()
        alibi = -0.5 * torch.arange(1, 3)[:, None, None] * (torch.arange(length)[:, None] - torch.arange(length))
        options = {
            "causal": {"is_causal": True},
            "seen": {"attn_mask": seen},
            "numbers": {"attn_mask": torch.zeros(length, length).masked_fill(~seen, -torch.inf)},
            "adds": {"attn_mask": alibi.masked_fill(~seen, -torch.inf)[None]},
        }[self.mask]
        x = self.embed(ids + shift)
        for layer in self.layers:
            x = layer(x, options)
        return self.head(x)


class TestOwnCode:
    @pytest.mark.parametrize("mask", ["causal", "seen", "numbers", "adds"])
    def test_statistics_are_those_of_the_maps(self, tmp_path, mask):
        torch.manual_seed(0)
        network, ids = Own(mask), probe()
        with tlmviz.monitor(network, 1, tmp_path, [(ids, 0)], snapshots=[0]) as monitor:
            pass
        q, k, _ = network.layers[0].qkv(network.embed(ids)).view(2, 32, 3, 2, 16).permute(2, 0, 3, 1, 4)
        scores = q @ k.mT / 4
        hidden = torch.ones(32, 32).triu(1).bool()
        if mask == "adds":
            away = torch.arange(32)[:, None] - torch.arange(32)
            scores = scores - 0.5 * torch.arange(1, 3)[:, None, None] * away
        maps = scores.masked_fill(hidden, -torch.inf).softmax(-1)
        first = 0 if mask == "adds" else 1  # recognised as causal where the mask only hides
        entropy = -torch.xlogy(maps, maps).sum(-1)[:, :, first:].mean((0, 2)) / np.log(2)
        line = monitor.table.query("layer == 0")
        assert line["entropy"].to_numpy() == pytest.approx(entropy.detach().numpy(), rel=1e-4)
        largest = scores.masked_fill(hidden, -torch.inf).amax((0, 2, 3)).detach().numpy()
        assert line["max_logit"].to_numpy() == pytest.approx(largest, rel=1e-4)
        traces = monitoring.read(tmp_path).snapshots[0]
        torch.testing.assert_close(traces[1].attention(0, 1), maps[1, 1].detach(), atol=1e-5, rtol=1e-4)
        assert traces[1].ids == ids[1].tolist() and line["induction"].notna().all()

    @pytest.mark.parametrize("probes", [True, False], ids=["probes", "batches"])
    def test_a_training_stays_what_it_was(self, tmp_path, probes):
        def run(network):
            data, optimizer = torch.Generator().manual_seed(0), torch.optim.Adam(network.parameters(), 1e-2)
            losses = []
            for _ in range(4):
                ids = batch(data, 8)
                loss = F.cross_entropy(network(ids)[:, :-1].flatten(0, 1), ids[:, 1:].flatten())
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
                losses.append(loss.item())
            return losses

        found = []
        for watched in (False, True):
            torch.manual_seed(0)
            network = Own()
            if watched:
                with tlmviz.monitor(network, 2, tmp_path, [(probe(),)] if probes else None) as monitor:
                    found.append(run(network))
            else:
                found.append(run(network))
        assert found[0] == found[1] and set(monitor.table["step"]) == ({0} if probes else set()) | {2, 4}
        ratios = monitor.table.query("step == 4").groupby("layer")["update_ratio"].first()
        assert (ratios > 0).all() and ratios[0] != ratios[1]


class TestOurs:
    def test_a_network_in_training(self, tmp_path):
        lm = tlmviz.load("zoo-rope")
        ids = lm.encode("Tom saw a dog. Anna saw a dog.")
        network = lm.network.train().requires_grad_()
        optimizer = torch.optim.SGD(network.parameters(), 1e-3)
        with tlmviz.monitor(lm, 1, tmp_path, [ids]) as monitor:
            logits = network(torch.tensor([ids]))
            F.cross_entropy(logits[0, :-1], torch.tensor(ids[1:])).backward()
            optimizer.step()
        first = monitor.table.query("step == 0")
        plain = tlmviz.load("zoo-rope").trace_ids(ids).head_statistics()
        assert first["entropy"].to_numpy() == pytest.approx(plain["entropy"].to_numpy(), rel=1e-5)
        assert (monitor.table.query("step == 1")["update_ratio"] > 0).all() and network.training

    def test_it_reads_ids_alone(self, tmp_path):
        with pytest.raises(tlmviz.Error, match="A probe of LanguageModel is token ids"):
            tlmviz.monitor(tlmviz.load("zoo-rope"), 1, tmp_path, [{"input_ids": probe()}]).__enter__()


class TestTransformers:
    def test_an_encoder_by_a_dict(self, tmp_path):
        torch.manual_seed(0)
        config = hf.BertConfig(
            vocab_size=WORDS, hidden_size=32, num_hidden_layers=2, num_attention_heads=2, intermediate_size=32
        )
        model = hf.BertForMaskedLM(config)
        mask = torch.ones(2, 32, dtype=torch.long)
        mask[1, 20:] = 0
        inputs = {"input_ids": probe(), "attention_mask": mask}
        with tlmviz.monitor(model, 1, tmp_path, [inputs]) as monitor:
            pass
        assert len(monitor.table) == 4 and monitor.table[["entropy", "output_norm"]].notna().all(axis=None)

    def test_grouped_queries(self, tmp_path):
        model = llama(num_attention_heads=4, num_key_value_heads=2)
        with tlmviz.monitor(model, 1, tmp_path, [probe(), probe(1)]) as monitor:
            pass
        assert len(monitor.table) == 8
        norms = monitor.table["k_norm"].to_numpy().reshape(2, 2, 2)
        assert (norms[:, :, 0] == norms[:, :, 1]).all() and (norms[:, 0] != norms[:, 1]).all()


class Rows(torch.utils.data.Dataset):
    def __len__(self):
        return 32

    def __getitem__(self, number):
        ids = batch(torch.Generator().manual_seed(number), 1)[0]
        return {"input_ids": ids, "labels": ids}


def trainer(folder, steps, *callbacks):
    """A real one, which accumulates gradients over two batches and keeps a checkpoint each two steps."""
    args = hf.TrainingArguments(
        str(folder),
        max_steps=steps,
        per_device_train_batch_size=4,
        gradient_accumulation_steps=2,
        logging_steps=1,
        save_steps=2,
        learning_rate=1e-2,
        report_to=[],
        use_cpu=True,
        disable_tqdm=True,
    )
    return hf.Trainer(llama(), args, train_dataset=Rows(), callbacks=list(callbacks))


class TestTrainer:
    def test_a_training_and_one_that_goes_on_from_a_checkpoint(self, tmp_path):
        plain = trainer(tmp_path / "plain", 4)
        plain.train()
        seen = trainer(tmp_path / "seen", 4, tlmviz.MonitorCallback(every=2, out=tmp_path / "run", probes=[probe()]))
        seen.train()
        weights = plain.model.state_dict()
        assert all(torch.equal(part, weights[name]) for name, part in seen.model.state_dict().items())
        callback = tlmviz.MonitorCallback(every=2, out=tmp_path / "run", probes=[probe()])
        further = trainer(tmp_path / "seen", 6, callback)
        further.train(resume_from_checkpoint=str(tmp_path / "seen" / "checkpoint-4"))
        run = monitoring.read(tmp_path / "run")
        assert list(run.heads["step"].unique()) == [0, 2, 4, 6] and callback.monitor.steps == 6
        said = [log["loss"] for log in further.state.log_history if "loss" in log]
        assert run.losses["loss"].to_list()[-2:] == pytest.approx(said[-2:])


class TestCallback:
    """By the handler that calls a Trainer's callbacks."""

    def handler(self, callback, model, step=0):
        args, state, control = (
            hf.TrainingArguments.__new__(hf.TrainingArguments),
            hf.TrainerState(),
            hf.TrainerControl(),
        )
        state.global_step = step
        from transformers.trainer_callback import CallbackHandler

        handler = CallbackHandler([callback], model, None, None, None)
        return lambda event: getattr(handler, f"on_{event}")(args, state, control)

    def train(self, tell, model, steps, optimizer):
        for _ in range(steps):
            tell("step_begin")
            ids = probe()
            model(ids, labels=ids).loss.backward()
            optimizer.step()
            optimizer.zero_grad()
            tell("step_end")

    def test_one_that_was_interrupted_leaves_nothing(self, tmp_path):
        model = llama()
        optimizer = torch.optim.SGD(model.parameters(), 0.1)
        monitors = []
        for _ in range(2):
            callback = tlmviz.MonitorCallback(every=2, out=tmp_path, probes=[probe()])
            tell = self.handler(callback, model)
            tell("train_begin")
            self.train(tell, model, 2, optimizer)
            monitors.append(callback.monitor)
        tell("train_end")
        assert [monitor.steps for monitor in monitors] == [2, 2]

    def test_wrong_options_are_refused_when_training_begins(self, tmp_path):
        tell = self.handler(tlmviz.MonitorCallback(every=0, out=tmp_path, probes=[probe()]), llama())
        with pytest.raises(tlmviz.Error, match="every is 0"):
            tell("train_begin")


def sharded(model):
    """By torch's `fully_shard`, which leaves the whole parameters in place behind a pass without gradients."""
    from torch.distributed import fsdp

    mesh = torch.distributed.init_device_mesh("cpu", (2,))
    for layer in model.model.layers:
        fsdp.fully_shard(layer, mesh=mesh)
    return fsdp.fully_shard(model, mesh=mesh)


WAYS = {
    "DistributedDataParallel": nn.parallel.DistributedDataParallel,
    "FullyShardedDataParallel": lambda model: torch.distributed.fsdp.FullyShardedDataParallel(
        model, device_id=torch.device("cpu"), use_orig_params=True
    ),
    "fully_shard": sharded,
}


def one_rank(rank, folder, way):
    """A training by two processes, plain and monitored."""
    import torch.distributed.fsdp

    torch.set_num_threads(1)
    torch.distributed.init_process_group("gloo", f"file://{folder}/meeting", rank=rank, world_size=2)
    both = WAYS[way](llama())
    plain = train(both, 4, rows=4)
    both = WAYS[way](llama())
    with tlmviz.monitor(both, 2, f"{folder}/run", [probe()]) as monitor:
        seen = train(both, 4, rows=4)
    assert seen == plain and monitor.steps == 4 and not monitor.events
    assert monitor.writes == (rank == 0) and monitor.table.empty == (rank == 1)
    torch.distributed.destroy_process_group()


@pytest.mark.slow
@pytest.mark.parametrize("way", WAYS)
def test_of_two_ranks_one_writes(tmp_path, way):
    torch.multiprocessing.spawn(one_rank, (str(tmp_path), way), nprocs=2)
    table = monitoring.read(tmp_path / "run").heads
    assert list(table["step"].unique()) == [0, 2, 4]
    with tlmviz.monitor(llama(), 1, tmp_path / "alone", [probe()]) as monitor:  # whole parameters, on one rank
        pass
    first = table.query("step == 0")[["entropy", "k_norm"]].to_numpy()
    assert first == pytest.approx(monitor.table[["entropy", "k_norm"]].to_numpy(), rel=1e-5)
