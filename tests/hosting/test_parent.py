"""A process that is killed takes those that it started along."""

import os
import select
import subprocess
import sys

STARTS = """
import subprocess, sys
from tlmviz.hosting.parent import end_with_parent
child = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE, preexec_fn=end_with_parent)
print(child.pid, flush=True)
child.wait()
"""


def test_what_a_killed_process_started_ends():
    parent = subprocess.Popen([sys.executable, "-c", STARTS], stdout=subprocess.PIPE, text=True)
    assert parent.stdout is not None
    child = os.pidfd_open(int(parent.stdout.readline()))
    assert select.select([child], [], [], 0) == ([], [], [])
    parent.kill()
    parent.wait()
    assert select.select([child], [], [], 30)[0] == [child]
    os.close(child)
