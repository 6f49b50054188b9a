"""Tiny random models of many families, built from configs alone, and an input for each."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch
import transformers as hf
from torch import Tensor

VOCAB = 60
BASE = dict(
    vocab_size=VOCAB,
    hidden_size=32,
    num_hidden_layers=2,
    num_attention_heads=4,
    num_key_value_heads=2,
    intermediate_size=48,
    max_position_embeddings=64,
    pad_token_id=0,
    bos_token_id=1,
    eos_token_id=2,
)
ENCODER = {
    name: value for name, value in BASE.items() if name not in ("num_key_value_heads", "bos_token_id", "eos_token_id")
}
VISION = dict(
    hidden_size=32, num_hidden_layers=2, num_attention_heads=4, intermediate_size=48, image_size=16, patch_size=4
)
SEQ2SEQ = dict(
    vocab_size=VOCAB,
    d_model=32,
    encoder_layers=2,
    decoder_layers=2,
    encoder_attention_heads=4,
    decoder_attention_heads=4,
    encoder_ffn_dim=48,
    decoder_ffn_dim=48,
    max_position_embeddings=64,
    pad_token_id=0,
    bos_token_id=1,
    eos_token_id=2,
    decoder_start_token_id=1,
    forced_eos_token_id=None,
)


@dataclass(frozen=True)
class Family:
    """How a model is made (auto class, config class, its settings), and what it is fed."""

    config: str
    settings: dict
    auto: str = "AutoModelForCausalLM"
    fed: str = "text"
    gain: float = 4.0  # the usual initialisation is so small that every map would be uniform

    def make(self, seed: int = 0, **changes: Any):
        """The model, the same for the same seed, in evaluation mode."""
        torch.manual_seed(seed)
        config = getattr(hf, self.config)(**self.settings, **changes)
        kind = getattr(hf, self.auto)
        model = (kind.from_config if self.auto.startswith("Auto") else kind)(config).eval()
        with torch.no_grad():
            for parameter in model.parameters():
                if parameter.ndim > 1:
                    parameter.mul_(self.gain)
        return model

    def inputs(self, model: Any) -> dict[str, Tensor]:
        return FED[self.fed](model)


def text(model: Any, side: str = "left") -> dict[str, Tensor]:
    ids = torch.randint(3, VOCAB, (2, 12), generator=torch.Generator().manual_seed(1))
    mask = torch.ones_like(ids)
    mask[1, slice(0, 5) if side == "left" else slice(7, None)] = 0
    return {"input_ids": ids.masked_fill(mask == 0, 0), "attention_mask": mask}


def pair(model: Any) -> dict[str, Tensor]:
    return text(model, "right") | {"decoder_input_ids": text(model)["input_ids"][:1, :7].repeat(2, 1)}


def image(model: Any) -> dict[str, Tensor]:
    return {"pixel_values": torch.randn(2, 3, 16, 16, generator=torch.Generator().manual_seed(1))}


def pixels(model: Any, *shape: int) -> dict[str, Tensor]:
    name = model.main_input_name if "pixel" in model.main_input_name else "pixel_values"
    return {name: torch.randn(shape, generator=torch.Generator().manual_seed(1))}


def cut(model: Any) -> dict[str, Tensor]:
    """Patches that were cut before the model: 3 x 5 of one image, 2 x 4 of another, and padding."""
    seen = torch.arange(16) < torch.tensor([15, 8])[:, None]
    shapes = torch.tensor([[3, 5], [2, 4]])
    return pixels(model, 2, 16, 48) | {"pixel_attention_mask": seen.long(), "spatial_shapes": shapes}


def sound(model: Any) -> dict[str, Tensor]:
    frames = torch.randn(2, model.config.num_mel_bins, 40, generator=torch.Generator().manual_seed(1))
    return {"input_features": frames, "decoder_input_ids": text(model)["input_ids"][:1, :7].repeat(2, 1)}


FED: dict[str, Callable[[Any], dict[str, Tensor]]] = {
    "text": text,
    "right": lambda model: text(model, "right"),
    "pair": pair,
    "image": image,
    "wide": lambda model: pixels(model, 2, 3, 8, 24),
    "video": lambda model: pixels(model, 2, 4, 3, 8, 12),
    "square video": lambda model: pixels(model, 2, 4, 3, 12, 12) | {"skip_predictor": True},
    "cut": cut,
    "both": lambda model: text(model, "right") | image(model),
    "sound": sound,
}


def decoder(config: str, **settings: Any) -> Family:
    return Family(config, {**BASE, **settings})


MLA = dict(
    num_key_value_heads=4,
    kv_lora_rank=8,
    q_lora_rank=12,
    qk_rope_head_dim=4,
    qk_nope_head_dim=8,
    v_head_dim=12,
    n_routed_experts=4,
    num_experts_per_tok=2,
    moe_intermediate_size=16,
    first_k_dense_replace=1,
    n_group=2,
    topk_group=1,
    n_shared_experts=1,
)

DECODERS = {
    "llama": decoder("LlamaConfig"),
    "mistral": decoder("MistralConfig", sliding_window=4),
    "qwen2": decoder("Qwen2Config"),
    "qwen3": decoder("Qwen3Config", head_dim=8),
    "gemma2": decoder(
        "Gemma2Config", head_dim=8, sliding_window=4, attn_logit_softcapping=0.5, query_pre_attn_scalar=4
    ),
    "gemma3": decoder("Gemma3TextConfig", head_dim=8, sliding_window=4, num_hidden_layers=3, sliding_window_pattern=2),
    "gpt2": Family(
        "GPT2Config",
        dict(
            vocab_size=VOCAB,
            n_embd=32,
            n_layer=2,
            n_head=4,
            n_positions=64,
            pad_token_id=0,
            bos_token_id=1,
            eos_token_id=2,
            scale_attn_by_inverse_layer_idx=True,
        ),
    ),  # noqa: E501
    "gpt_neox": decoder("GPTNeoXConfig"),
    "phi3": decoder("Phi3Config", sliding_window=5),
    "olmo2": decoder("Olmo2Config"),
    "gpt_oss": decoder("GptOssConfig", head_dim=8, sliding_window=4, num_local_experts=4, num_experts_per_tok=2),
    "deepseek_v3": decoder("DeepseekV3Config", **MLA),
    "smollm3": decoder("SmolLM3Config"),
}
ENCODERS = {
    "bert": Family("BertConfig", ENCODER, "AutoModel", "right"),
    "modernbert": Family(
        "ModernBertConfig",
        dict(ENCODER, local_attention=4, global_attn_every_n_layers=2, num_hidden_layers=3),
        "AutoModel",
        "right",
    ),  # noqa: E501
    "vit": Family("ViTConfig", VISION, "AutoModel", "image"),
    "dinov2": Family("Dinov2Config", VISION, "AutoModel", "image"),
    "clip": Family(
        "CLIPConfig",
        dict(text_config=dict(ENCODER, eos_token_id=2, bos_token_id=1), vision_config=VISION),
        "AutoModel",
        "both",
    ),  # noqa: E501
    "siglip": Family("SiglipConfig", dict(text_config=ENCODER, vision_config=VISION), "AutoModel", "both"),
}
PAIRS = {
    "t5": Family(
        "T5Config",
        dict(
            vocab_size=VOCAB,
            d_model=32,
            d_kv=8,
            num_layers=2,
            num_heads=4,
            d_ff=48,
            decoder_start_token_id=1,
            pad_token_id=0,
            eos_token_id=2,
        ),
        "AutoModelForSeq2SeqLM",
        "pair",
        1.0,
    ),  # noqa: E501
    "bart": Family("BartConfig", SEQ2SEQ, "AutoModelForSeq2SeqLM", "pair"),
    "marian": Family("MarianConfig", SEQ2SEQ, "AutoModelForSeq2SeqLM", "pair"),
    "whisper": Family(
        "WhisperConfig",
        dict(
            SEQ2SEQ,
            num_mel_bins=8,
            max_source_positions=20,
            max_target_positions=32,
            suppress_tokens=None,
            begin_suppress_tokens=None,
        ),
        "AutoModelForSpeechSeq2Seq",
        "sound",
    ),  # noqa: E501
}
VIDEO = dict(VISION, image_size=[8, 12], num_frames=4)
# Models of pictures alone: with their kinds of learned tokens in every place, shuffled, of any size, of videos.
PICTURES = {
    "deit": Family("DeiTConfig", VISION, "AutoModel", "image"),
    "yolos": Family("YolosConfig", dict(VISION, image_size=[8, 24], num_detection_tokens=3), "AutoModel", "wide"),
    "vit_mae": Family("ViTMAEConfig", dict(VISION, mask_ratio=0.25), "AutoModel", "image", 1.0),
    "videomae": Family("VideoMAEConfig", dict(VIDEO, tubelet_size=2), "AutoModel", "video"),
    "pixtral_vision": Family("PixtralVisionConfig", VISION, "AutoModel", "wide"),
    "siglip2_vision": Family("Siglip2VisionConfig", dict(VISION, num_patches=16), "AutoModel", "cut"),
    "vit": Family("ViTConfig", dict(VISION, image_size=[8, 24]), "AutoModel", "wide"),
    "dinov2": Family("Dinov2Config", VISION, "AutoModel", "wide"),
    "dinov2_registers": Family("Dinov2WithRegistersConfig", dict(VISION, num_register_tokens=3), "AutoModel", "image"),
    "dinov3": Family("DINOv3ViTConfig", dict(VISION, num_register_tokens=2), "AutoModel", "wide"),
    "beit": Family("BeitConfig", VISION, "AutoModel", "image"),
    "vit_msn": Family("ViTMSNConfig", VISION, "AutoModel", "image"),
    "ijepa": Family("IJepaConfig", VISION, "AutoModel", "image"),
    "clip_vision": Family("CLIPVisionConfig", VISION, "AutoModel", "image"),
    "siglip_vision": Family("SiglipVisionConfig", VISION, "AutoModel", "image"),
    "internvl": Family(
        "InternVLVisionConfig", dict(VISION, image_size=[16, 16], patch_size=[4, 4]), "AutoModel", "image"
    ),
    "llama4": Family(
        "Llama4VisionConfig",
        dict(VISION, intermediate_size=128, vision_output_dim=32, projector_input_dim=32, projector_output_dim=32),
        "Llama4VisionModel",
        "image",
    ),
    "aimv2": Family("Aimv2VisionConfig", VISION, "AutoModel", "image"),
    "vivit": Family("VivitConfig", dict(VIDEO, tubelet_size=[1, 4, 4], num_attention_heads=4), "AutoModel", "video"),
    "vjepa2": Family(
        "VJEPA2Config",
        dict(
            VISION,
            crop_size=12,
            frames_per_clip=4,
            tubelet_size=2,
            hidden_size=48,
            pred_hidden_size=48,
            pred_num_attention_heads=4,
            pred_num_hidden_layers=1,
        ),
        "AutoModel",
        "square video",
    ),
}
MORE = {  # masks that are no window, two calls a layer, shared layers, a part that is a larger model's
    "llama4": decoder(
        "Llama4TextConfig", head_dim=8, attention_chunk_size=4, num_local_experts=2, intermediate_size_mlp=48
    ),
    "deepseek_v32": decoder("DeepseekV32Config", **MLA, index_topk=4, index_n_heads=2, index_head_dim=8),
    "diffllama": decoder("DiffLlamaConfig"),
    "albert": Family("AlbertConfig", dict(ENCODER, embedding_size=16), "AutoModel", "right"),
    "opt": Family("OPTConfig", dict(ENCODER, ffn_dim=48, word_embed_proj_dim=32, bos_token_id=1, eos_token_id=2)),
    "swin": Family(
        "SwinConfig",
        dict(image_size=16, patch_size=2, embed_dim=8, depths=[1, 1], num_heads=[2, 2], window_size=2),
        "AutoModel",
        "image",
    ),  # noqa: E501
}
FAMILIES = DECODERS | ENCODERS | PAIRS
