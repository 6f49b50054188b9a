"""A process that is killed takes those that it started along."""

import subprocess
import sys

from tests.processes import assert_ends_with

STARTS = """
import subprocess, sys
from tlmviz.parent import end_with_parent
child = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE, preexec_fn=end_with_parent)
print(child.pid, flush=True)
child.wait()
"""


def test_what_a_killed_process_started_ends():
    parent = subprocess.Popen([sys.executable, "-c", STARTS], stdout=subprocess.PIPE, text=True)
    assert_ends_with(parent)
