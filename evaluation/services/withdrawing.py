"""Taking back a result file that was imported wrongly: its rows stay, and count in no report."""

from typing import Any

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from evaluation.models import ResultFile
from studies.models import Study

LONGEST_WHY = 500


class WithdrawalRefused(ValueError):
    pass


class AlreadyWithdrawn(WithdrawalRefused):
    pass


@transaction.atomic
def withdraw_results(*, file: ResultFile, why: str, user: Any = None) -> ResultFile:
    """Have the file's ratings count no more, so that the file can be imported again.

    Raises WithdrawalRefused.
    """
    reason = why.strip()
    if not 0 < len(reason) <= LONGEST_WHY:
        raise WithdrawalRefused(
            _("Say why, in %(most)s characters at most.") % {"most": LONGEST_WHY}
        )
    # An import into the study waits for this, or this for it.
    Study.objects.select_for_update(no_key=True).get(pk=file.study_id)
    found = ResultFile.objects.get(pk=file.pk)
    if found.withdrawn_at is not None:
        raise AlreadyWithdrawn(
            _("%(file)s was withdrawn on %(day)s: “%(why)s”.")
            % {
                "file": found.name,
                "day": found.withdrawn_at.date().isoformat(),
                "why": found.withdrawn_why,
            }
        )
    found.withdrawn_at, found.withdrawn_by, found.withdrawn_why = timezone.now(), user, reason
    found.save(update_fields=["withdrawn_at", "withdrawn_by", "withdrawn_why"])
    return found
