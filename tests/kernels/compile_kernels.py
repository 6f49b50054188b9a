"""Compile every Triton kernel for Ampere and Hopper without a GPU: `python -m tests.kernels.compile_kernels
report.json`.

A kernel that only interprets would pass the other tests: this finds types, shapes and operations that the
compiler refuses. Each module tests/kernels/compile_*.py lists its kernels as
CASES: [(kernel, signature without the constants, constants), ...].
"""

import importlib
import json
import os
import sys
import tempfile
from pathlib import Path

TARGETS = (80, 90)  # compute capabilities: A100 and H100
HERE = Path(__file__).parent


def collect():
    """Every (module, kernel, signature, constants), in a fixed order."""
    names = sorted(path.stem for path in HERE.glob("compile_*.py") if path.stem != "compile_kernels")
    modules = [(name, importlib.import_module(f"{__package__}.{name}")) for name in names]
    return [(name, *case) for name, module in modules for case in module.CASES]


def compile_all():
    """One entry per case and target: None, or what the compiler said."""
    import triton
    from triton.backends.compiler import GPUTarget

    report = []
    for _, kernel, signature, constants in collect():
        types = {name: signature.get(name, "constexpr") for name in kernel.arg_names}
        errors = {}
        for capability in TARGETS:
            try:
                unknown = (signature.keys() | constants.keys()) ^ set(kernel.arg_names)
                if unknown:
                    raise ValueError(f"named on one side only: {', '.join(sorted(unknown))}")
                source = triton.compiler.ASTSource(kernel, signature=types, constexprs=constants)
                triton.compile(source, target=GPUTarget("cuda", capability, 32))
                errors[str(capability)] = None
            except Exception as error:  # the compiler raises many kinds, and each is a finding
                errors[str(capability)] = f"{type(error).__name__}: {error}"
        report.append(errors)
    return report


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as cache:
        os.environ["TRITON_CACHE_DIR"] = cache  # a cached kernel would not be compiled
        os.environ.pop("TRITON_INTERPRET", None)
        Path(sys.argv[1]).write_text(json.dumps(compile_all()), encoding="utf-8")
