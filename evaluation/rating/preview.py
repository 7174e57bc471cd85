"""An instrument as raters meet it: the page of a task, about an invented item."""

from django.utils.translation import gettext as _

from evaluation.instruments.declaration import Declaration
from evaluation.rating.example import example_item
from evaluation.rating.form import RatingForm
from evaluation.rating.task_type import RatingTask
from studies.views.task_page import NOTHING_WRITTEN, Look, Texts, render_page


def raters_page(declared: Declaration) -> str:
    """Nothing can be answered or sent on it; questions with a condition are shown with it."""
    item = example_item(declared)
    texts = Texts(study_title=declared.title, reward=_("reward of the round"))
    look = Look(preview=True)
    form = RatingForm(item=item)
    return render_page(RatingTask(), item, form, vars(texts), look, NOTHING_WRITTEN)
