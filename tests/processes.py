"""Processes that tests start: what a killed one takes along."""

import os
import select
import subprocess


def assert_ends_with(parent: subprocess.Popen) -> None:
    """The process whose number `parent` prints first is there, and ends when `parent` is killed."""
    child = os.pidfd_open(int(parent.stdout.readline()))
    assert select.select([child], [], [], 0) == ([], [], [])
    parent.kill()
    parent.wait()
    assert select.select([child], [], [], 30)[0] == [child]
    os.close(child)
