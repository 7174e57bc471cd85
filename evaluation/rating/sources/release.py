"""The state-inference instances of a release: what people wrote, for other people to judge."""

from collections.abc import Iterator
from typing import Literal

from django.utils.translation import gettext as _

from annotation.models import Release
from annotation.releases.reading import manifest_of, pseudonym_of, read_rows
from annotation.releases.rule import ReleaseRule
from evaluation.instruments.declaration import Declaration
from evaluation.rating.outputs import PEOPLE, BadItems, Output, Outputs
from modeling.instances import state_inference
from modeling.instances.state_inference import TRUE
from modeling.instances.tuples import tuple_from

INSTRUMENT, QUESTION = "state-inference", "inferable"


def outputs_of_release(
    release: Release,
    *,
    declared: Declaration,
    input: Literal["marked", "story"] = "marked",
    split: str = "",
) -> Outputs:
    """All four instances of each tuple, of one split or of all. Raises BadItems."""
    if declared.slug != INSTRUMENT:
        raise BadItems(
            _("Rows of a release are rated with the instrument “%(slug)s”.") % {"slug": INSTRUMENT}
        )
    outputs = list(_outputs(release, input, split))
    if not outputs:
        raise BadItems(_("The release has no rows to be rated."))
    described = {"kind": "release", "release": release.name, "input": input, "split": split}
    return Outputs(outputs, described, release)


def _outputs(release: Release, input: Literal["marked", "story"], split: str) -> Iterator[Output]:
    study, salt = release.study, release.salt
    workers = study.participants.values_list("pk", flat=True)
    authors = {pseudonym_of(pk, salt): frozenset({pk}) for pk in workers}
    layout = ReleaseRule.from_dict(release.rule).layout
    for row in read_rows(manifest=manifest_of(release), salt=salt, layout=layout):
        if not row.split or (split and row.split != split):
            continue
        for instance in state_inference(tuple_from(row.label, row.item, row.answers), input=input):
            yield Output(
                system=PEOPLE,
                key=instance.key,
                fields=instance.fields,
                source=instance.tuple_key,
                group=instance.tuple_key,
                part=instance.part,
                gold={QUESTION: int(instance.target == TRUE)},
                authors=authors.get(row.worker, frozenset()),
            )
