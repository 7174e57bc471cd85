"""Rating forms and their pages without a site: an instrument with a question of every kind."""

from typing import Any

from evaluation.instruments.as_data import to_data
from evaluation.instruments.declaration import Declaration
from evaluation.instruments.parts import (
    Condition,
    Example,
    Field,
    Kind,
    Level,
    Option,
    Question,
    Role,
)
from evaluation.rating.form import RatingForm
from studies import task_types
from tests.static.site import task_page

ANSWERS = ["She was late.", "She was tired.", "She was lost."]
FIELDS = {"story": ["Ines missed the tram.", "She ran all the way."], "answers": ANSWERS}
EVERY_KIND = Declaration(
    slug="every-kind",
    title="A question of every kind",
    about="Answers to a question about a story.",
    fields=(Field("story", "Story", Role.STORY), Field("answers", "Answers")),
    questions=(
        Question(
            "sound",
            "Is the question sound?",
            Kind.YES_NO,
            (Option(1, "Yes"), Option(0, "No")),
            help="It can be answered from the story.",
            examples=(Example("Why did she run?", 1, "The story tells."),),
        ),
        Question("why", "What is wrong with it?", Kind.TEXT, condition=Condition("sound", (0,))),
        Question(
            "best",
            "Which answer is best?",
            Kind.CHOICE,
            (Option(3, "None of them"),),
            options_from="answers",
            brought=3,
        ),
        Question(
            "clear",
            "How clear is it?",
            Kind.LIKERT,
            (Option(1, "Not at all"), Option(2, "Somewhat"), Option(3, "Very")),
            Level.ORDINAL,
            condition=Condition("best", (0, 1, 2)),
        ),
    ),
)


def item_of(declared: Declaration, *items: dict[str, Any]) -> dict[str, Any]:
    shown = [{"key": f"k{place}", "fields": fields} for place, fields in enumerate(items, 1)]
    return {"instrument": to_data(declared), "items": shown}


def form_of(
    answers: dict[str, str] | None = None,
    declared: Declaration = EVERY_KIND,
    items: int = 1,
    fields: dict[str, Any] | None = None,
    **more: Any,
) -> RatingForm:
    return RatingForm(answers, item=item_of(declared, *[fields or FIELDS] * items), **more)


def page_of(form: RatingForm, **more: Any) -> str:
    return task_page(task_type=task_types.get("rating"), item=form.item, form=form, **more)
