"""What can be run: each method's configuration by its slug. Nothing of PyTorch is loaded here."""

from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from typing import ClassVar, Literal

from django.utils.text import format_lazy
from django.utils.translation import gettext_lazy as _

from modeling.configuration import Configuration, Text, number
from modeling.copying import Copy

Precision = Literal["auto", "float32", "bfloat16"]
Selection = Literal["curated", "random", "nearest"]
SLUG = "abcdefghijklmnopqrstuvwxyz0123456789_"


@dataclass(frozen=True, kw_only=True)
class _WithModel(Configuration):
    """`model` is a folder or a name on a hub, `gguf_file` a file in it that has the weights.
    `precision`: *auto* is bfloat16 where the machine has it."""

    models: ClassVar[tuple[str, ...]] = ("model",)

    model: str
    revision: str = ""
    gguf_file: str = ""
    precision: Precision = "auto"
    generation_batch_size: int = number(32, least=1)

    def check(self) -> Iterator[tuple[str, Text]]:
        yield from super().check()
        if not self.model.strip():
            yield "model", _("Name a model.")
        if ".." in self.revision or self.revision.startswith("/"):
            yield "revision", _("Give the name of a branch or tag, or a commit.")
        if "/" in self.gguf_file or self.gguf_file in {".", ".."}:
            yield "gguf_file", _("Give the name of a file in the model's folder, without a path.")


@dataclass(frozen=True, kw_only=True)
class FineTuning(_WithModel):
    """AdamW (betas .9 and .999) over all weights.

    `batch_size` is what one step learns from, on however many GPUs; `pieces` splits it where memory
    is short. `batching`: *buckets* puts texts of a like length together. `warm_up` is a share of
    all steps. `largest_gradient`: the norm to which gradients are cut, 0 for none.
    """

    epochs: int = number(7, least=1)
    batch_size: int = number(16, least=1)
    pieces: int = number(1, least=1)
    learning_rate: float = number(1e-4, above=0)
    weight_decay: float = number(1e-6, least=0)
    schedule: Literal["linear", "constant"] = "linear"
    warm_up: float = number(0.0, least=0, most=1)
    largest_gradient: float = number(1.0, least=0)
    batching: Literal["buckets", "shuffled"] = "buckets"
    max_input_tokens: int = number(512, least=8)
    checkpoint_steps: int = number(500, least=1)

    def check(self) -> Iterator[tuple[str, Text]]:
        yield from super().check()
        if self.pieces > self.batch_size:
            yield "pieces", _("A batch cannot be split into more pieces than it has examples.")


@dataclass(frozen=True, kw_only=True)
class Classification(FineTuning):
    """AutoModelForSequenceClassification: the model chooses one of `labels`."""

    slug: ClassVar[str] = "classification"
    name: ClassVar[Text] = _("Fine-tuning: classification")
    for_tasks: ClassVar[tuple[str, ...]] = ("state-inference",)

    labels: tuple[str, ...] = ("false", "true")

    def check(self) -> Iterator[tuple[str, Text]]:
        yield from super().check()
        if len(set(self.labels)) < max(2, len(self.labels)):
            yield "labels", _("Give two or more different labels.")


@dataclass(frozen=True, kw_only=True)
class Generating(FineTuning):
    """Outputs are scored by the vectors of layer `bertscore_layer` (0: the last) of
    `bertscore_model`, where one is named."""

    models: ClassVar[tuple[str, ...]] = ("model", "bertscore_model")

    decoding: Literal["nucleus", "greedy"] = "nucleus"
    top_p: float = number(0.93, above=0, most=1)
    temperature: float = number(1.0, above=0)
    max_new_tokens: int = number(100, least=1)
    max_target_tokens: int = number(256, least=2)
    bertscore_model: str = ""
    bertscore_layer: int = number(0, least=0)


@dataclass(frozen=True, kw_only=True)
class Seq2Seq(Generating):
    """AutoModelForSeq2SeqLM: from text to text."""

    slug: ClassVar[str] = "seq2seq"
    name: ClassVar[Text] = _("Fine-tuning: sequence to sequence")


@dataclass(frozen=True, kw_only=True)
class Causal(Generating):
    """AutoModelForCausalLM: the target is learnt as what goes on after the text."""

    slug: ClassVar[str] = "causal"
    name: ClassVar[Text] = _("Fine-tuning: causal")


@dataclass(frozen=True, kw_only=True)
class Prompting(Configuration):
    """Each of `selections` with each number of `examples` is tried on `sample_size` validation rows
    when there are several, and the best by BERTScore answers the test rows.

    Examples come from the tuples named in `pool`, else from `pool_size` drawn among the training
    rows. *curated* takes the first of `curated`, *random* draws for each row, *nearest* takes those
    whose [CLS] vector by `encoder` has the largest cosine.
    """

    for_tasks: ClassVar[tuple[str, ...]] = ("story-revision", "state-change")
    models: ClassVar[tuple[str, ...]] = ("encoder", "bertscore_model")

    model: str
    selections: tuple[Selection, ...] = ("random",)
    examples: tuple[int, ...] = (5, 10, 15)
    pool: tuple[str, ...] = ()
    pool_size: int = number(200, least=1)
    curated: tuple[str, ...] = ()
    encoder: str = ""
    sample_size: int = number(200, least=1)
    bertscore_model: str = ""
    bertscore_layer: int = number(0, least=0)
    temperature: float = number(0.9, least=0)
    frequency_penalty: float = number(0.5, least=-2, most=2)
    max_new_tokens: int = number(100, least=1)

    @property
    def cells(self) -> list[tuple[Selection, int]]:
        return [(selection, count) for selection in self.selections for count in self.examples]

    def check(self) -> Iterator[tuple[str, Text]]:
        yield from super().check()
        if not self.model.strip():
            yield "model", _("Name a model.")
        for name, values in (("selections", self.selections), ("examples", self.examples)):
            if not values or len(set(values)) < len(values):
                yield name, _("Give one or more, none of them twice.")
        yield from self._check_examples(max(self.examples, default=0))
        if len(self.cells) > 1 and not self.bertscore_model.strip():
            yield "bertscore_model", _("Name the model by which the grid is scored.")

    def _check_examples(self, most: int) -> Iterator[tuple[str, Text]]:
        if min(self.examples, default=1) < 1:
            yield "examples", format_lazy(_("Give {bound} or more."), bound=1)
        if most > (len(self.pool) or self.pool_size):
            yield "pool_size", _("The pool has fewer rows than a prompt has examples.")
        if "curated" in self.selections and len(set(self.curated)) < most:
            yield "curated", _("Name as many curated examples as the longest prompt has.")
        if "nearest" in self.selections and not self.encoder.strip():
            yield "encoder", _("Name the encoder that finds the nearest examples.")


@dataclass(frozen=True, kw_only=True)
class LocalPrompting(Prompting, _WithModel):
    """A causal model on the worker goes on after the prompt."""

    slug: ClassVar[str] = "prompt-local"
    name: ClassVar[Text] = _("Few-shot prompting: a model on the worker")
    models: ClassVar[tuple[str, ...]] = ("model", *Prompting.models)


@dataclass(frozen=True, kw_only=True)
class EndpointPrompting(Prompting):
    """An OpenAI-compatible endpoint answers. Its address and key are the worker's
    (`FABULA_ENDPOINT_<NAME>_URL` and `_KEY`): nobody who starts a run learns them or sends the key
    elsewhere."""

    slug: ClassVar[str] = "prompt-endpoint"
    name: ClassVar[Text] = _("Few-shot prompting: an endpoint")

    endpoint: str
    api: Literal["completions", "chat"] = "completions"
    parallel: int = number(4, least=1, most=64)
    attempts: int = number(6, least=1)
    timeout_seconds: int = number(60, least=1)
    input_usd_per_million: Decimal = number(Decimal(0), least=0)
    output_usd_per_million: Decimal = number(Decimal(0), least=0)

    def check(self) -> Iterator[tuple[str, Text]]:
        yield from super().check()
        if not self.endpoint or set(self.endpoint) - set(SLUG):
            yield "endpoint", _("Give the endpoint's name: small letters, digits and _.")


METHODS: dict[str, type[Configuration]] = {
    cls.slug: cls
    for cls in (Classification, Seq2Seq, Causal, LocalPrompting, EndpointPrompting, Copy)
}
