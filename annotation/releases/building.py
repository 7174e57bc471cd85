"""Building a release: its rows are read, hashed and counted, then frozen in one transaction."""

import secrets
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from annotation.models import Release, ReleaseRow, StorySplit
from annotation.releases.figures import ReleaseFigures
from annotation.releases.identity import ReleaseHash, salt_of
from annotation.releases.manifest import BATCH, Manifest
from annotation.releases.planning import ReleasePlan, plan_release
from annotation.releases.reading import Progress, read_rows
from annotation.releases.rule import ReleaseRule
from studies.models import Study
from studies.services.response_layout import OWN
from studies.task_types import RowError

# So often at most the rows are read anew because they changed while they were read.
TRIES = 3


class ReleaseRefused(Exception):
    """Nothing was built; the text says why."""


class NameTaken(ReleaseRefused):
    """The study has a release of that name."""


class TooFewReviewed(ReleaseRefused):
    """There are not enough test rows."""

    def __init__(self, missing: int) -> None:
        self.missing = missing
        super().__init__(
            ngettext(
                "%(count)s more response has to be reviewed and found correct before the test "
                "split has its share. Review it, or give the test split a smaller ratio.",
                "%(count)s more responses have to be reviewed and found correct before the test "
                "split has its share. Review them, or give the test split a smaller ratio.",
                missing,
            )
            % {"count": f"{missing:,}"}
        )


@dataclass(frozen=True)
class _Draft:
    salt: str
    sha256: str
    statistics: dict[str, Any]


def build_release(
    *,
    study: Study,
    name: str,
    seed: int,
    rule: ReleaseRule | None = None,
    user: Any = None,
    progress: Progress | None = None,
) -> Release:
    """Freeze the study's accepted rows under `name`. Raises ReleaseRefused.

    Stories keep the split that an earlier release gave them.
    """
    rule = rule or ReleaseRule()
    check_name(study, name)
    for _try in range(TRIES):
        plan = plan_release(study=study, seed=seed, rule=rule)
        _check(plan)
        draft = _draft(study, seed, rule, plan, progress)
        with transaction.atomic():
            Study.objects.select_for_update(no_key=True).get(pk=study.pk)
            if plan_release(study=study, seed=seed, rule=rule) == plan:
                check_name(study, name)
                return _freeze(study, name, seed, rule, plan, draft, user)
    raise ReleaseRefused(_("Responses are being decided on right now. Try again in a moment."))


def seed_for(study: Study) -> int:
    """That of the newest release; for the first one it is drawn."""
    newest = study.releases.order_by("-pk").first()
    return newest.seed if newest else secrets.randbits(32)


def check_name(study: Study, name: str) -> None:
    """Raises NameTaken."""
    if Release.objects.filter(study=study, name=name).exists():
        raise NameTaken(_("This study has a release named %(name)s already.") % {"name": name})


def _check(plan: ReleasePlan) -> None:
    if not len(plan.manifest):
        raise ReleaseRefused(_("No response of this study is accepted yet."))
    if plan.placement.missing_reviews:
        raise TooFewReviewed(plan.placement.missing_reviews)


def _draft(
    study: Study, seed: int, rule: ReleaseRule, plan: ReleasePlan, progress: Progress | None
) -> _Draft:
    salt = salt_of(study=study, seed=seed, contributions=plan.manifest.contributions)
    rows = read_rows(manifest=plan.manifest, salt=salt, layout=rule.layout, progress=progress)
    sha256, figures = ReleaseHash(), ReleaseFigures()
    try:
        for _row in figures.over(sha256.over(rows)):
            pass
    except RowError as error:
        raise ReleaseRefused(
            _("%(reason)s Choose the layout %(own)s.") % {"reason": error.message, "own": OWN}
        ) from error
    return _Draft(salt, sha256.hexdigest(), figures.as_dict())


def _freeze(
    study: Study,
    name: str,
    seed: int,
    rule: ReleaseRule,
    plan: ReleasePlan,
    draft: _Draft,
    user: Any,
) -> Release:
    release = Release.objects.create(
        study=study,
        name=name,
        seed=seed,
        rule=rule.as_dict(),
        salt=draft.salt,
        sha256=draft.sha256,
        statistics=draft.statistics,
        made_by=user,
        made_at=timezone.now(),
    )
    StorySplit.objects.bulk_create(
        StorySplit(study=study, story_id=story, split=split) for story, split in plan.placed.items()
    )
    for rows in _batches(release, plan.manifest):
        ReleaseRow.objects.bulk_create(rows)
    return release


def _batches(release: Release, manifest: Manifest) -> Iterator[list[ReleaseRow]]:
    batch: list[ReleaseRow] = []
    for position, (contribution, split) in enumerate(manifest, 1):
        batch.append(
            ReleaseRow(
                release=release, position=position, contribution_id=contribution, split=split
            )
        )
        if len(batch) == BATCH:
            yield batch
            batch = []
    yield batch
