"""`tlmviz serve --ray`: pools come and go with machines of a cluster, and nginx is told. Ray itself:
benchmarks/serve_ray.py."""

import signal
import sys
from types import SimpleNamespace

import pytest

from tlmviz import __main__ as commands
from tlmviz.cli import machines as module
from tlmviz.cli.machines import Machines


class Gone(Exception):
    """Ray's error where a machine is lost."""


class Cluster:
    """What `Machines` asks of Ray: nodes, and actors whose answers are there at once."""

    def __init__(self):
        self.cores, self.started, self.broken, self.ended = {"a": 2, "b": 4}, [], set(), set()
        self.exceptions = SimpleNamespace(RayError=Gone, GetTimeoutError=TimeoutError)
        strategies = SimpleNamespace(NodeAffinitySchedulingStrategy=lambda node, soft: node)
        self.util = SimpleNamespace(scheduling_strategies=strategies)

    def nodes(self):
        return [
            {"NodeID": node, "Alive": cores > 0, "Resources": {"CPU": float(cores)}}
            for node, cores in self.cores.items()
        ]

    def remote(self, kind):
        assert kind is module.Machine
        return SimpleNamespace(options=lambda num_cpus, scheduling_strategy: self.actor(scheduling_strategy))

    def actor(self, node):
        def start(arguments, processes):
            if node in self.broken:
                raise Gone("many lines\nno space is left")
            self.started.append((node, arguments, processes))
            return f"10.0.0.{node}:{9000 + len(self.started)}"

        calls = {"start": start, "status": lambda: 1 if node in self.ended else None}
        made = {name: SimpleNamespace(remote=lambda *given, call=call: (call, given)) for name, call in calls.items()}
        return SimpleNamespace(remote=lambda: SimpleNamespace(**made))

    def get(self, answer, timeout):
        call, given = answer
        return call(*given)

    def kill(self, actor):
        pass


@pytest.fixture
def cluster(monkeypatch):
    ray = Cluster()
    for name in ("ray", "ray.util", "ray.util.scheduling_strategies"):
        monkeypatch.setitem(
            sys.modules, name, {"ray": ray, "ray.util": ray.util}.get(name, ray.util.scheduling_strategies)
        )
    return ray


def served(machines):
    text = (machines.folder / "nginx.conf").read_text()
    return sorted(line.split()[1] for line in text.splitlines() if line.strip().startswith("server 10."))


def test_pools_come_and_go_with_the_machines(cluster, tmp_path, capsys):
    told = []
    machines = Machines("auto", 8501, ["--seconds=30"], folder=tmp_path)
    machines.front = SimpleNamespace(send_signal=told.append)
    machines.look()
    assert cluster.started == [("a", ["--seconds=30"], 2), ("b", ["--seconds=30"], 4)]
    assert served(machines) == ["10.0.0.a:9001", "10.0.0.b:9002"]
    assert "tlmviz_machine=$request_id" in (tmp_path / "nginx.conf").read_text()
    machines.look()
    assert told == [signal.SIGHUP]  # nothing has changed
    cluster.cores = {"a": 2, "b": 0, "c": 1}
    machines.look()
    assert served(machines) == ["10.0.0.a:9001", "10.0.0.c:9003"] and len(told) == 2
    cluster.ended.add("a")
    cluster.broken.add("a")
    machines.look()
    assert served(machines) == ["10.0.0.c:9003"]
    assert capsys.readouterr().err == "A machine does not serve: no space is left\n"
    cluster.ended.clear()
    cluster.broken.clear()
    machines.look()
    assert served(machines) == ["10.0.0.a:9004", "10.0.0.c:9003"]


@pytest.mark.parametrize(
    "given, said",
    [
        (["--ray", "here"], "'here' is no address of a Ray cluster"),
        (["--ray", "auto", "--sessions", "-1"], "A limit is -1"),
    ],
)
def test_what_is_no_cluster_is_one_sentence(given, said, monkeypatch, capsys):
    monkeypatch.setattr(module.nginx, "executable", lambda: "nginx")
    assert commands.main(["serve", "--port", "18599", *given]) == 2
    assert said in capsys.readouterr().err
