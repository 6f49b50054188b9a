"""The attention kernels as they are compiled ahead of time: every switch of theirs in at least one case."""

from tlmviz.kernels import (
    attention_backward_triton,
    attention_maps_triton,
    attention_triton,
    decode_attention_triton,
    statistics_triton,
)

INTEGERS = {
    "heads",
    "group",
    "groups",
    "queries",
    "keys",
    "window",
    "row_start",
    "row_step",
    "row_count",
    "col_start",
    "col_step",
    "col_count",
    "size",
    "down",
    "across",
    "row_total",
    "rows_total",
    "band_count",
    "page",
    "splits",
}
PLAIN = dict(CAUSAL=True, WINDOW=False, ALIBI=False, SEGMENTS=False, LENGTHS=False)
EVERYTHING = dict(CAUSAL=True, WINDOW=True, ALIBI=True, SEGMENTS=True, LENGTHS=True)
BOTH_SIDES = dict(CAUSAL=False, WINDOW=True, ALIBI=True, SEGMENTS=False, LENGTHS=True)


def case(kernel, pointers: dict[str, str], **constants):
    """One kernel with its argument types; pointers that the switches leave unused are None."""
    signature, constexprs = {}, dict(constants)
    optional = dict(
        slopes_ptr="ALIBI",
        query_ids_ptr="SEGMENTS",
        key_ids_ptr="SEGMENTS",
        lengths_ptr="LENGTHS",
        table_ptr="PAGED",
        ids_ptr="INDUCTION",
        grad_lse_ptr="WITH_LSE",
    )
    types = (
        dict(
            slopes_ptr="*fp32",
            query_ids_ptr="*i64",
            key_ids_ptr="*i64",
            lengths_ptr="*i64",
            table_ptr="*i32",
            ids_ptr="*i64",
            grad_lse_ptr="*fp32",
            scale="fp32",
            natural_scale="fp32",
        )
        | pointers
    )
    for name in kernel.arg_names:
        if name in constants:
            signature[name] = "constexpr"
        elif name in optional and not constants[optional[name]]:
            signature[name], constexprs[name] = "constexpr", None
        elif name in ("stride_qd", "stride_kd", "stride_ve"):  # contiguous rows, as the launcher specialises them
            signature[name], constexprs[name] = "constexpr", 1
        elif name in INTEGERS or name.startswith("stride_"):
            signature[name] = "i32"
        else:
            signature[name] = types[name]
    return kernel, signature, constexprs


def attention(kernel, dtype, switches, tile, width=32, **more):
    """A case of a kernel that walks tiles of `tile` = rows, columns."""
    wide = dict.fromkeys(
        ("out_ptr", "grad_ptr", "grad_q_ptr", "grad_k_ptr", "grad_v_ptr", "q_ptr", "k_ptr", "v_ptr"), f"*{dtype}"
    )
    pointers = wide | dict.fromkeys(("lse_ptr", "delta_ptr", "parts_ptr", "result_ptr", "bands_ptr"), "*fp32")
    sizes = dict(D=width, E=width, BLOCK_M=tile[0], BLOCK_N=tile[1], BLOCK_D=width, BLOCK_E=width)
    constants = sizes | switches | dict(PRECISION="ieee" if dtype == "fp32" else "tf32") | more
    if kernel is attention_maps_triton.cells_kernel:
        pointers["out_ptr"] = "*fp32"
    return case(kernel, pointers, **{name: value for name, value in constants.items() if name in kernel.arg_names})


def decode(dtype, paged, switches):
    pointers = dict.fromkeys(("q_ptr", "k_ptr", "v_ptr"), f"*{dtype}") | dict(parts_ptr="*fp32", weights_ptr="*fp32")
    return case(
        decode_attention_triton.parts_kernel,
        pointers,
        D=32,
        E=32,
        BLOCK_R=16,
        BLOCK_N=32,
        BLOCK_D=32,
        BLOCK_E=32,
        PAGED=paged,
        PRECISION="ieee" if dtype == "fp32" else "tf32",
        LENGTHS=switches["LENGTHS"],
        WINDOW=switches["WINDOW"],
        ALIBI=switches["ALIBI"],
    )


FORWARD, BACK = attention_triton.forward_kernel, attention_backward_triton
STATISTICS = statistics_triton.statistics_kernel
CASES = [
    attention(FORWARD, "bf16", PLAIN, (32, 32)),
    attention(FORWARD, "fp16", BOTH_SIDES, (32, 32)),
    attention(FORWARD, "fp32", EVERYTHING, (16, 16), width=16),
    attention(BACK.keys_kernel, "bf16", PLAIN, (32, 32)),
    attention(BACK.keys_kernel, "fp32", EVERYTHING, (16, 16), width=16),
    attention(BACK.queries_kernel, "bf16", PLAIN, (32, 32)),
    attention(BACK.queries_kernel, "fp16", BOTH_SIDES, (32, 32)),
    case(
        BACK.delta_kernel,
        dict(out_ptr="*bf16", grad_ptr="*bf16", delta_ptr="*fp32"),
        E=64,
        BLOCK_M=64,
        BLOCK_E=64,
        WITH_LSE=True,
    ),
    attention(attention_maps_triton.cells_kernel, "fp32", EVERYTHING, (16, 16), width=16, AS_MAP=True),
    attention(attention_maps_triton.pool_kernel, "bf16", PLAIN, (32, 32), MAXIMUM=True, EVEN=True),
    attention(attention_maps_triton.pool_kernel, "fp32", EVERYTHING, (16, 16), width=16, MAXIMUM=False, EVEN=False),
    attention(STATISTICS, "bf16", PLAIN, (32, 32), INDUCTION=False, BANDS=False, BLOCK_BANDS=16),
    attention(STATISTICS, "fp32", EVERYTHING, (16, 16), width=16, INDUCTION=True, BANDS=True, BLOCK_BANDS=16),
    decode("bf16", False, PLAIN),
    decode("fp32", True, EVERYTHING),
    case(
        decode_attention_triton.combine_kernel,
        dict(parts_ptr="*fp32", weights_ptr="*fp32", out_ptr="*bf16", lse_ptr="*fp32"),
        E=64,
        BLOCK_S=8,
        BLOCK_E=64,
    ),
]
