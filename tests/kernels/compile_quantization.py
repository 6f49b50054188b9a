"""What is compiled of the number formats: each format through each kernel that treats it differently."""

from tlmviz.kernels import quantization_triton as kernels
from tlmviz.kernels.reference.quantization import LIMITS, SMALLEST

FORMATS = {
    name: dict(LIMIT=limit, MANTISSA=kernels.SHAPES[name][0], BIAS=kernels.SHAPES[name][1])
    for name, limit in LIMITS.items()
}
STORED = {name: "*i8" if name == "int8" else "*u8" for name in FORMATS}
SIZES = dict(rows="i32", length="i32")
TILE = dict(BLOCK_R=4, BLOCK_N=128)
ROWS = dict(x="*bf16", scale="*fp32") | SIZES
BACK = dict(scale="*fp32", out="*bf16", groups="i32", block="i32") | SIZES

CASES = [
    (kernels.absmax_kernel, dict(x="*bf16", largest="*fp32") | SIZES, TILE),
    *[
        (
            kernels.quantize_rows_kernel,
            ROWS | dict(values=STORED[name]),
            form | TILE | dict(SMALLEST=SMALLEST, ONE_BLOCK=name.startswith("fp8")),
        )
        for name, form in FORMATS.items()
    ],
    (kernels.quantize_scaled_kernel, ROWS | dict(values="*u8"), FORMATS["int4"] | TILE),
    (kernels.quantize_scaled_kernel, ROWS | dict(values="*u8"), FORMATS["fp8_e4m3"] | TILE),
    *[(kernels.dequantize_kernel, BACK | dict(values=STORED[name]), form | TILE) for name, form in FORMATS.items()],
]
