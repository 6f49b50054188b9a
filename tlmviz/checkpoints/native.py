"""Names and folders to networks: reading and writing checkpoints.

A checkpoint is a folder with config.json, model.safetensors and tokenizer.json
(and card.md for people). Pickles are never read: they can run code. What is no language
model says its `kind` in config.json: a translation model, or an indexer, which networks/indexer.py reads.
"""

from __future__ import annotations

import json
from pathlib import Path

import torch
from safetensors import SafetensorError
from safetensors.torch import load_file, save_file
from torch import nn

from tlmviz.config import ModelConfig, without_connections
from tlmviz.errors import BadCheckpoint, BadConfig, UnknownName
from tlmviz.networks.encoder_decoder import EncoderDecoder
from tlmviz.networks.seq2seq import Seq2Seq
from tlmviz.networks.transformer import TransformerLM
from tlmviz.tokens import Tokenizer
from tlmviz.translator_config import CONFIGS, TranslatorConfig

MODELS = Path(__file__).resolve().parents[2] / "models"
FILES = ("config.json", "model.safetensors", "tokenizer.json")
PICKLES = (".bin", ".pt", ".pth", ".ckpt", ".pkl")


Network = TransformerLM | EncoderDecoder | Seq2Seq
NETWORKS: dict[str, type[Network]] = {
    "": TransformerLM,
    "encoder-decoder": EncoderDecoder,
    "seq2seq": Seq2Seq,
}
TASKS = {"language": ("",), "translation": ("encoder-decoder", "seq2seq")}


def list_models(task: str | None = None) -> dict[str, str]:
    """The bundled models: name -> one-line description; `task` "language" or "translation" lists those alone."""
    folders = sorted(path.parent for path in MODELS.glob("*/config.json"))
    kinds = TASKS[task] if task else NETWORKS
    return {folder.name: _read_config(folder).description for folder in folders if kind(folder) in kinds}


def stream_models() -> dict[str, str]:
    """The bundled models with hyper-connections, and those that differ from one of them in nothing else, as `list_models`."""
    configs = {name: _read_config(MODELS / name) for name in list_models("language")}
    plain = {name: without_connections(config) for name, config in configs.items()}
    twins = [plain[name] for name, config in configs.items() if config.connection != "residual"]
    return {name: config.description for name, config in configs.items() if plain[name] in twins}


def kind(folder: Path) -> str:
    """What a checkpoint folder holds, as its config.json says; "" for a language model or an unreadable file."""
    try:
        values = json.loads((folder / "config.json").read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return ""
    return str(values.get("kind", "")) if isinstance(values, dict) else ""


def checkpoint_folder(name_or_path: str | Path) -> Path:
    """The folder of a bundled model or of a checkpoint on disk. Raises UnknownName."""
    text = str(name_or_path)
    bundled = MODELS / text
    try:
        if Path(text).name == text and (bundled / "config.json").is_file():
            return bundled
        folder = Path(text).expanduser()
        if folder.is_dir():
            return folder
    except (
        OSError,
        RuntimeError,
    ):  # longer than a file name may be, or the home of a user who does not exist
        pass
    raise UnknownName(
        f"There is no model {text!r}; choose one of {', '.join(list_models())}, or give the path of a checkpoint folder."
    )


def load_network(folder: Path) -> tuple[Network, Tokenizer]:
    """Read a checkpoint folder as float32, ready for inference. Raises BadCheckpoint."""
    if kind(folder) == "indexer":
        raise BadCheckpoint(
            f"{folder.name} is a lightning indexer, no model of text; load it with tlmviz.analysis.kernels.indexer.load_indexer."
        )
    if kind(folder) not in NETWORKS:
        raise BadCheckpoint(
            f"{folder.name}/config.json has kind {kind(folder)!r}; a translation model's is {' or '.join(TASKS['translation'])}, "
            "and a language model has none."
        )
    missing = [name for name in FILES if not (folder / name).is_file()]
    if missing:
        pickles = sorted(path.name for path in folder.iterdir() if path.suffix in PICKLES)
        why = (
            f" ({', '.join(pickles)} is a pickle, which tlmviz never opens; convert it to safetensors)"
            if pickles
            else ""
        )
        raise BadCheckpoint(
            f"{folder.name} lacks {', '.join(missing)}{why}; a checkpoint needs {', '.join(FILES)}."
        )
    config = _read_config(folder)
    tokenizer = Tokenizer.load(folder / "tokenizer.json")
    if tokenizer.vocab_size != config.vocab_size:
        raise BadCheckpoint(
            f"{folder.name}: tokenizer.json has {tokenizer.vocab_size} entries, config.json says {config.vocab_size}; "
            "they belong to different models."
        )
    weights = read_weights(folder)
    with torch.device("meta"):  # no time spent drawing random weights that are replaced at once
        network = NETWORKS[kind(folder)](config)
    check_weights(folder.name, _own_weights(network), weights)
    network.to_empty(device="cpu")
    _restore_buffers(network)
    network.load_state_dict(weights, strict=False)
    if _tied(network):
        network.head.weight = network.token_emb.weight
    return for_inference(network), tokenizer


def for_inference(network: Network) -> Network:
    """The same network, ready to be read from and not to be trained."""
    embedding = network.token_emb.weight
    for module in network.modules():
        if isinstance(module, nn.Linear) and module.weight is not embedding:
            # Same numbers, columns side by side in memory: one row times such a matrix, a decode step, takes two thirds.
            module.weight.data = module.weight.data.t().contiguous().t()
    return network.eval().requires_grad_(False)


def save_network(
    folder: Path, network: Network, tokenizer: Tokenizer, dtype: torch.dtype = torch.float16
) -> None:
    """Write config.json, model.safetensors and tokenizer.json."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "config.json").write_text(network.config.to_json())
    (folder / "tokenizer.json").write_text(tokenizer.to_json())
    write_weights(folder, _own_weights(network), dtype)


def read_weights(folder: Path) -> dict[str, torch.Tensor]:
    """The tensors of a checkpoint folder, as float32. Raises BadCheckpoint where the file cannot be read."""
    try:
        weights = load_file(folder / "model.safetensors")
    except (SafetensorError, OSError, ValueError) as error:
        raise BadCheckpoint(
            f"{folder.name}/model.safetensors cannot be read ({error}); it may be truncated, copy it again."
        ) from error
    return {name: value.float() for name, value in weights.items()}


def write_weights(folder: Path, weights: dict[str, torch.Tensor], dtype: torch.dtype) -> None:
    """Write model.safetensors, rounded to `dtype`."""
    rounded = {name: value.detach().to(dtype).contiguous() for name, value in weights.items()}
    save_file(rounded, folder / "model.safetensors", metadata={"format": "pt"})


def _tied(network: Network) -> bool:
    return isinstance(network, TransformerLM) and network.config.tied


def _own_weights(network: Network) -> dict[str, torch.Tensor]:
    """The state dict without the tied head, which is the embedding under another name."""
    weights = network.state_dict()
    if _tied(network):
        weights.pop("head.weight")
    return weights


def check_weights(name: str, expected: dict[str, torch.Tensor], weights: dict[str, torch.Tensor]) -> None:
    """Raise BadCheckpoint unless names and shapes are those expected and every number is finite."""
    missing, extra = sorted(expected.keys() - weights.keys()), sorted(weights.keys() - expected.keys())
    if missing or extra:
        parts = [f"lacks {missing[0]} (1 of {len(missing)} missing)"] if missing else []
        parts += [f"holds {extra[0]}, which this model has no place for"] if extra else []
        raise BadCheckpoint(
            f"{name}/model.safetensors {' and '.join(parts)}; config.json describes another model."
        )
    for key, value in weights.items():
        if value.shape != expected[key].shape:
            raise BadCheckpoint(
                f"{name}/model.safetensors: {key} is {list(value.shape)}, config.json asks for {list(expected[key].shape)}."
            )
        if not torch.isfinite(value).all():
            raise BadCheckpoint(
                f"{name}/model.safetensors: {key} holds NaN or infinity; copy the file again or retrain."
            )


def _restore_buffers(network: Network) -> None:
    """Recompute what is not saved (ALiBi's slopes) after leaving the meta device."""
    if isinstance(network, TransformerLM) and network.config.positions == "alibi":
        from tlmviz.layers.positions import alibi_slopes

        network.positions.slopes = alibi_slopes(network.config.n_heads)


def _read_config(folder: Path) -> ModelConfig | TranslatorConfig:
    try:
        return CONFIGS.get(kind(folder), ModelConfig).from_json(
            (folder / "config.json").read_text(encoding="utf-8")
        )
    except BadConfig as error:
        raise BadCheckpoint(f"{folder.name}: {error}") from error
    except (OSError, UnicodeDecodeError) as error:
        raise BadCheckpoint(f"{folder.name}/config.json cannot be read ({error}).") from error
