"""Models of published shapes with random weights, and something of the right length to learn."""

import random
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache
from itertools import cycle, islice
from pathlib import Path
from typing import Any

import torch
from transformers import (
    AutoModelForSeq2SeqLM,
    AutoModelForSequenceClassification,
    RobertaConfig,
    T5Config,
)

from modeling.instances import Instance, Tuple
from modeling.tasks.registry import TASKS
from tests.modeling.tiny import make_tokenizer

WORDS = (
    "a about after again all and away back because before bike book bought cake came cold day door "
    "down early evening felt found friend gave garden had home house in it kept kitchen late left "
    "letter long looked lost made morning never new of old on over rain read said saw school she "
    "sister slowly small so store street table talked that the then time to told took town walked "
    "wanted was went when window with work"
)
SENTENCES, SHORTEST, LONGEST = 5, 7, 11


@dataclass(frozen=True)
class Shape:
    name: str
    preset: str
    auto: Any
    config: Callable[..., Any]
    sizes: dict[str, Any]

    def save(self, folder: Path) -> str:
        """With a tokenizer that takes about one token for a word, as those of such models do."""
        tokenizer = make_tokenizer(
            text for one in made_up_tuples() for text in (*one.story, *one.revised, one.state)
        )
        config = self.config(
            pad_token_id=tokenizer.pad_token_id, eos_token_id=tokenizer.eos_token_id, **self.sizes
        )
        torch.manual_seed(0)
        self.auto.from_config(config).save_pretrained(folder)
        tokenizer.save_pretrained(folder)
        return str(folder)


T5_BASE = Shape(
    name="T5-base's shape",
    preset="t5-base",
    auto=AutoModelForSeq2SeqLM,
    config=T5Config,
    sizes={
        "vocab_size": 32128,
        "d_model": 768,
        "d_kv": 64,
        "d_ff": 3072,
        "num_layers": 12,
        "num_heads": 12,
        "decoder_start_token_id": 0,
    },
)
ROBERTA_LARGE = Shape(
    name="RoBERTa-large's shape",
    preset="roberta-large",
    auto=AutoModelForSequenceClassification,
    config=RobertaConfig,
    sizes={
        "vocab_size": 50265,
        "hidden_size": 1024,
        "intermediate_size": 4096,
        "num_hidden_layers": 24,
        "num_attention_heads": 16,
        "max_position_embeddings": 514,
        "type_vocab_size": 1,
    },
)
LARGE = (T5_BASE, ROBERTA_LARGE)
SMALL = (
    replace(
        T5_BASE,
        name="a small T5",
        sizes=T5_BASE.sizes
        | {"vocab_size": 400, "d_model": 32, "d_kv": 8, "d_ff": 64, "num_layers": 1}
        | {"num_heads": 4},
    ),
    replace(
        ROBERTA_LARGE,
        name="a small RoBERTa",
        sizes=ROBERTA_LARGE.sizes
        | {"vocab_size": 400, "hidden_size": 32, "intermediate_size": 64}
        | {"num_hidden_layers": 1, "num_attention_heads": 4},
    ),
)


def instances_for(task: str, count: int) -> list[Instance]:
    """The same ones again where there are fewer."""
    every = [one for each in made_up_tuples() for one in TASKS[task].instances(each)]
    return list(islice(cycle(every), count))


@cache
def made_up_tuples(count: int = 64) -> tuple[Tuple, ...]:
    """Five sentences of seven to eleven words that mean nothing; two of them are revised."""
    draw = random.Random(1)
    return tuple(_tuple(f"t{number}", draw) for number in range(count))


def _tuple(key: str, draw: random.Random) -> Tuple:
    story = tuple(_sentence(draw) for _ in range(SENTENCES))
    revised = (story[0], _sentence(draw), *story[2:4], _sentence(draw))
    return Tuple(
        key=key,
        story=story,
        justification=(2, 5),
        state=_sentence(draw),
        changed_state=_sentence(draw),
        revised=revised,
        story_key=key,
    )


def _sentence(draw: random.Random) -> str:
    words = draw.choices(WORDS.split(), k=draw.randint(SHORTEST, LONGEST))
    return f"{' '.join(words).capitalize()}."
