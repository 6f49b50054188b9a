"""How large models are, by their files alone."""

import numpy as np
import pytest
from safetensors.numpy import save_file

import tlmviz
from tlmviz.checkpoints.sizes import size


@pytest.mark.parametrize("name", ["stories-rope", "zoo-mla", "stories-mhc"])
def test_the_size_is_what_the_loaded_model_has(name):
    assert size(name) == f"{tlmviz.load(name).n_parameters / 1e6:.1f} M"


def test_large_ones_have_no_decimals_and_other_files_count_in_megabytes(tmp_path):
    save_file({"a": np.zeros((6000, 2000), np.float16)}, tmp_path / "model.safetensors")
    assert size(tmp_path) == "12 M"
    other = tmp_path / "x.gguf"
    other.write_bytes(bytes(3_000_000))
    assert size(other) == "3 MB"
