"""What an expert can say of a state annotation."""

from django.utils.translation import gettext_lazy as _

from annotation.tasks.state_annotation.texts import STEPS
from studies.task_types import ReviewForm, ReviewGrade, ReviewReason

REVIEW = ReviewForm(
    steps={step.number: step.label for step in STEPS},
    grades=(
        ReviewGrade("correct", _("Correct"), _("Follows the instructions in all four steps.")),
        ReviewGrade(
            "good",
            _("Good"),
            _(
                "Correct, and it takes thought to infer, reads naturally and changes no more of "
                "the story than it must."
            ),
        ),
    ),
    reasons=(
        ReviewReason(
            "action",
            _("An action"),
            _("It says what someone does, not what someone or something is like."),
            (1, 3),
        ),
        ReviewReason(
            "no_participant",
            _("Not about the story's people or things"),
            _("It is about the world at large, or about nobody and nothing in the story."),
            (1, 3),
        ),
        ReviewReason(
            "stated", _("Stated in the story"), _("The story says it in so many words."), (1,)
        ),
        ReviewReason(
            "not_inferable",
            _("Not inferable"),
            _("A reader of the story would not take it to be likely true."),
            (1,),
        ),
        ReviewReason(
            "not_minimal",
            _("Not minimal"),
            _("A ticked sentence could be left out, and the state would still be clear."),
            (2,),
        ),
        ReviewReason(
            "insufficient",
            _("Not sufficient"),
            _("From the ticked sentences alone the state is not clear."),
            (2,),
        ),
        ReviewReason(
            "still_likely",
            _("Still likely"),
            _("The changed state may well be true of the story as it was."),
            (3,),
        ),
        ReviewReason(
            "illogical",
            _("Illogical"),
            _("The revised story contradicts itself or makes no sense."),
            (4,),
        ),
        ReviewReason(
            "changes_too_much",
            _("Changes too much"),
            _("Less would have been enough for the changed state."),
            (4,),
        ),
        ReviewReason(
            "unlikely_details",
            _("Needless or unlikely details"),
            _("It adds things that the changed state does not need, or that hardly ever happen."),
            (4,),
        ),
        ReviewReason(
            "changed_not_inferable",
            _("Changed state not inferable"),
            _("A reader of the revised story would not take the changed state to be likely true."),
            (4,),
        ),
        ReviewReason(
            "original_inferable",
            _("First state still inferable"),
            _("In the revised story the first state may still be true."),
            (4,),
        ),
        ReviewReason(
            "stated_outright",
            _("Stated outright"),
            _("The revised story says the changed state in so many words."),
            (4,),
        ),
        ReviewReason(ReviewForm.OTHER, _("Something else"), _("Say what it is."), (1, 2, 3, 4)),
    ),
    template_name="admin/annotation/review/state_annotation.html",
)
