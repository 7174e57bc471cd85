"""Mean points of every scale of an instrument."""

from collections.abc import Iterator

from django.utils.translation import gettext as _

from evaluation.instruments.declaration import Declaration
from evaluation.instruments.parts import Kind
from evaluation.reports.rows import Items
from evaluation.reports.scores import Metric, Score
from evaluation.reports.votes import answers, mean


def metrics(declared: Declaration) -> tuple[Metric, ...]:
    return tuple(
        Metric(
            question.slug,
            question.slug.replace("_", " ").capitalize(),
            _("%(question)s From %(low)s (%(low_words)s) to %(high)s (%(high_words)s).")
            % {
                "question": question.text,
                "low": question.codes[0],
                "low_words": question.label_of(question.codes[0]),
                "high": question.codes[-1],
                "high_words": question.label_of(question.codes[-1]),
            },
            scale=1,
        )
        for question in declared.questions
        if question.kind is Kind.LIKERT
    )


def scores(items: Items, declared: Declaration, rule: str) -> Iterator[Score]:
    """An item scores the mean of its raters who were asked; what they were asked of a pair, is of
    both of its systems. Both rules agree here.

    Raises ReportRefused.
    """
    for item in items:
        for metric in metrics(declared):
            if item.codes(metric.slug):
                codes = answers(item, declared.question(metric.slug))
                points = mean([int(code) for code in codes])
                yield Score(item.system, metric.slug, (item.pk,), points, rival=item.rival)
