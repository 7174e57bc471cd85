"""Models of two layers with random weights, with a tokenizer trained on the spot."""

import random
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from modeling.configuration import Configuration
from modeling.instances import Instance, Tuple
from modeling.run_folder import RunFolder

PEOPLE = ("Mira", "Tom", "Ines", "Otto", "Rosa", "Paul", "Lea", "Emil")
THINGS = ("cake", "boat", "lamp", "kite", "drum", "coat", "bike", "book")
MARKERS = [f"<extra_id_{number}>" for number in range(10)]


def made_up_tuples(count: int, seed: int = 1) -> list[Tuple]:
    """Stories of three sentences about somebody and a thing."""
    draw = random.Random(seed)
    pairs = [(person, thing) for person in PEOPLE for thing in THINGS]
    return [_tuple(number, *pair) for number, pair in enumerate(draw.sample(pairs, count))]


def _tuple(number: int, person: str, thing: str) -> Tuple:
    story = (f"{person} saw a {thing}.", "It rained.", f"{person} bought the {thing}.")
    revised = (*story[:2], f"{person} went home.")
    return Tuple(
        key=f"t{number}",
        story=story,
        justification=(3,),
        state=f"{person} likes the {thing}.",
        changed_state=f"{person} dislikes the {thing}.",
        revised=revised,
        story_key=f"s{number}",
    )


def make_tokenizer(texts: Iterable[str], *, bos: str | None = None) -> Any:
    """Words and pieces of words, as SentencePiece has them; every text ends with `</s>`."""
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, processors, trainers
    from transformers import PreTrainedTokenizerFast

    tokenizer = Tokenizer(models.Unigram())
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
    tokenizer.decoder = decoders.Metaspace()
    special = ["<pad>", "</s>", "<unk>", *MARKERS]
    trainer = trainers.UnigramTrainer(vocab_size=300, special_tokens=special, unk_token="<unk>")
    tokenizer.train_from_iterator(texts, trainer)
    tokenizer.post_processor = processors.TemplateProcessing(
        single="$A </s>", special_tokens=[("</s>", 1)]
    )
    return PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, pad_token="<pad>", eos_token="</s>", unk_token="<unk>"
    )


def save_t5(
    folder: Path, instances: Sequence[Instance], *, dropout: float = 0.1, width: int = 128
) -> str:
    import torch
    from transformers import T5Config, T5ForConditionalGeneration

    tokenizer = make_tokenizer(text for one in instances for text in (one.text, one.target))
    torch.manual_seed(0)
    model = T5ForConditionalGeneration(
        T5Config(
            vocab_size=len(tokenizer),
            d_model=width,
            d_kv=width // 4,
            d_ff=2 * width,
            num_layers=2,
            num_decoder_layers=2,
            num_heads=4,
            dropout_rate=dropout,
        )
    )
    model.generation_config.decoder_start_token_id = 0
    model.config.decoder_start_token_id = 0
    return _saved(folder, model, tokenizer)


def save_bert(folder: Path, instances: Sequence[Instance]) -> str:
    import torch
    from transformers import BertConfig, BertForSequenceClassification

    tokenizer = make_tokenizer(one.text for one in instances)
    torch.manual_seed(0)
    config = BertConfig(
        vocab_size=len(tokenizer),
        hidden_size=64,
        intermediate_size=128,
        num_hidden_layers=2,
        num_attention_heads=2,
        pad_token_id=0,
    )
    return _saved(folder, BertForSequenceClassification(config), tokenizer)


def save_llama(folder: Path, instances: Sequence[Instance]) -> str:
    import torch
    from transformers import LlamaConfig, LlamaForCausalLM

    tokenizer = make_tokenizer(f"{one.text}\n{one.target}" for one in instances)
    torch.manual_seed(0)
    config = LlamaConfig(
        vocab_size=len(tokenizer),
        hidden_size=128,
        intermediate_size=256,
        num_hidden_layers=2,
        num_attention_heads=4,
        pad_token_id=0,
        bos_token_id=1,
        eos_token_id=1,
    )
    return _saved(folder, LlamaForCausalLM(config), tokenizer)


def make_folder(
    path: Path,
    configuration: Configuration,
    task: str,
    *,
    train: Sequence[Instance],
    validation: Sequence[Instance] = (),
    test: Sequence[Instance] = (),
    seed: int = 1,
) -> RunFolder:
    """As a worker finds it that has just claimed the run."""
    folder = RunFolder(path)
    for split, instances in (("train", train), ("validation", validation), ("test", test)):
        folder.write_instances(split, instances)
    folder.write_config(
        {
            "method": configuration.slug,
            "configuration": configuration.as_dict(),
            "task": task,
            "seed": seed,
        }
    )
    folder.claim("test")
    return folder


def _saved(folder: Path, model: Any, tokenizer: Any) -> str:
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return str(folder)
