"""The doctor on faults that were written without a look at its rules: none is called by another's name."""

import pytest

from benchmarks.outside_faults import FAULTS, judge

# Those that it names; the others it cannot tell, and says where runs first differ.
NAMED = {
    "qkv_by_head",
    "tiled_groups",
    "rope_backwards",
    "gate_for_up",
    "latent_scale",
    "zeros_off_by_one",
    "untied_head",
    "llama_second_bos",
}


@pytest.mark.parametrize("fault, pair", FAULTS, ids=[fault.name for fault, _ in FAULTS])
def test_it_is_named_or_nothing_is(fault, pair):
    judge(fault, pair)
    assert fault.verdict == ("right" if fault.name in NAMED else "unsure"), fault.said
