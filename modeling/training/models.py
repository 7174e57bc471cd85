"""Models and tokenizers: from a folder, a hub, a file of weights, or a run of one's own."""

import hashlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from transformers import AutoConfig, AutoTokenizer

from modeling.reporting import RunFailure
from modeling.run_folder import Reason, RunFolder, place_among_runs, run_named

WEIGHTS = ("*.safetensors", "*.bin", "*.gguf")
PIECE = 1 << 20


@dataclass(frozen=True)
class Source:
    """Where a model is loaded from; `name` is what whoever started the run called it."""

    place: str
    name: str = ""
    revision: str = ""
    gguf_file: str = ""


class Named(Protocol):
    @property
    def model(self) -> str: ...
    @property
    def revision(self) -> str: ...
    @property
    def gguf_file(self) -> str: ...


def source_of(named: Named, folder: RunFolder) -> Source:
    """Raises RunFailure."""
    place = place_of(named.model, folder)
    return Source(place, named.model, named.revision, named.gguf_file)


def place_of(name: str, folder: RunFolder) -> str:
    """A run's last checkpoint, where it names one by its id: that id was checked against the study
    when the run was made, a path was not. Raises RunFailure."""
    runs, run = folder.path.parent, run_named(name)
    if run is None:
        below = place_among_runs(name, runs, Path.cwd())
        if below and any(map(run_named, below.parts)):
            raise RunFailure(Reason.FOLDER_OF_A_RUN, name)
        return name
    checkpoint = RunFolder(runs / str(run)).latest_checkpoint()
    if checkpoint is None:
        raise RunFailure(Reason.NO_MODEL, name)
    return str(checkpoint)


def load_tokenizer(source: Source) -> Any:
    """Raises RunFailure."""
    tokenizer = _load(AutoTokenizer, source)
    if tokenizer.pad_token is None:
        tokenizer.pad_token = tokenizer.eos_token
    return tokenizer


def load_config(source: Source) -> Any:
    """Raises RunFailure."""
    return _load(AutoConfig, source)


def load_model(auto: Any, source: Source, **settings: Any) -> Any:
    """In float32. Raises RunFailure."""
    model = _load(auto, source, dtype="float32", **settings)
    if source.gguf_file:
        # They are plain weights now; what they were would keep them from being saved.
        model.hf_quantizer = None
        del model.config.quantization_config
    return model


def revision_of(model: Any, source: Source) -> str:
    """A hub's commit, or what the weights in a folder hash to."""
    commit = getattr(model.config, "_commit_hash", None)
    return str(commit) if commit else hash_of_weights(Path(source.place))


def hash_of_weights(place: Path) -> str:
    digest = hashlib.sha256()
    for file in sorted(path for pattern in WEIGHTS for path in place.glob(pattern)):
        with file.open("rb") as opened:
            while piece := opened.read(PIECE):
                digest.update(piece)
    return f"sha256:{digest.hexdigest()}"


def _load(auto: Any, source: Source, **settings: Any) -> Any:
    for name in ("revision", "gguf_file"):
        if value := getattr(source, name):
            settings[name] = value
    try:
        return auto.from_pretrained(source.place, **settings)
    # Names that are not there, and files that are something else; the system's own errors have a
    # number, and are no matter of the model.
    except (OSError, ValueError) as error:
        if isinstance(error, OSError) and error.errno is not None:
            raise
        raise RunFailure(Reason.NO_MODEL, source.name or source.place) from error
