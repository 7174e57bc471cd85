"""Texts as vectors: what an encoder has at its first token, [CLS]."""

from collections.abc import Sequence

import numpy as np
import torch
from numpy.typing import NDArray
from transformers import AutoModel

from modeling.run_folder import RunFolder
from modeling.training.batches import by_length
from modeling.training.device import open_device
from modeling.training.kinds.classification import read_by_encoder
from modeling.training.kinds.kind import tokens
from modeling.training.models import Source, load_model, load_tokenizer, place_of

BATCH_SIZE = 64
MOST_TOKENS = 512


@torch.inference_mode()
def cls_vectors(folder: RunFolder, name: str, texts: Sequence[str]) -> NDArray[np.float32]:
    """One row a text. Raises RunFailure."""
    source = Source(place_of(name, folder), name)
    device = open_device("float32")
    tokenizer = load_tokenizer(source)
    model = load_model(AutoModel, source).to(device.torch).eval()
    encoded = tokens(tokenizer, texts, MOST_TOKENS)
    rows = np.zeros((len(texts), model.config.hidden_size), np.float32)
    for places in by_length([len(one) for one in encoded], BATCH_SIZE):
        batch = read_by_encoder([encoded[place] for place in places], tokenizer.pad_token_id)
        found = model(**{name: one.to(device.torch) for name, one in batch.items()})
        rows[places] = found.last_hidden_state[:, 0].float().cpu().numpy()
    return rows
