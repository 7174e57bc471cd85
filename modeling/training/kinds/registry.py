"""The kind of model that a method trains."""

from modeling.methods import Causal, Classification, FineTuning, Seq2Seq
from modeling.training.kinds.causal import CausalKind
from modeling.training.kinds.classification import ClassificationKind
from modeling.training.kinds.kind import Kind
from modeling.training.kinds.seq2seq import Seq2SeqKind


def kind_of(configuration: FineTuning) -> Kind:
    match configuration:
        case Classification():
            return ClassificationKind(configuration)
        case Seq2Seq():
            return Seq2SeqKind(configuration)
        case Causal():
            return CausalKind(configuration)
    raise TypeError(f"There is no kind of model for {configuration.slug}.")
