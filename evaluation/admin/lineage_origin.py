"""The steps below an item: its output, run, checkpoint, seed and release, and who wrote the row."""

from collections.abc import Iterator
from typing import Any

from django.urls import reverse
from django.utils.translation import gettext as _

from annotation.models import Release, ReleaseRow
from annotation.releases.rule import ReleaseRule
from evaluation.admin.lineage_step import Fact, Step, known
from evaluation.lineage.chain import Origin
from modeling.admin.run_page import method_name
from modeling.models import Generation, Run


def steps_of_origin(origin: Origin, why_unknown: str) -> Iterator[Step]:
    """Without an output or a row, one step says why."""
    generation, row = origin.generation, origin.row
    if generation is not None:
        yield _output(generation)
        yield _run(generation.run)
        yield _checkpoint(generation)
        yield _seed(generation.run)
    elif origin.is_people:
        yield Step(_("Output"), known(Fact(_("Written by"), _("people, as one more system"))))
    else:
        yield Step(_("Output, run, checkpoint, seed and release"), why_unknown=why_unknown)
        return
    yield _release(origin)
    yield _row(row) if row else Step(_("Source"), why_unknown=_no_row(origin, why_unknown))


def _output(generation: Generation) -> Step:
    asked = [Fact(name, _text(value), is_field=True) for name, value in generation.fields.items()]
    return Step(
        _("Output"),
        [
            Fact(
                _("Generation"),
                generation.instance_key,
                reverse("admin:modeling_generation_change", args=[generation.pk]),
            ),
            Fact(_("Output"), generation.output or "–"),
            *asked,
            Fact(_("Hash of the input"), generation.input_sha256, is_code=True),
        ],
    )


def _run(run: Run) -> Step:
    return Step(
        _("Run"),
        known(
            Fact(_("Run"), str(run), reverse("admin:modeling_run_change", args=[run.pk])),
            Fact(_("Task"), run.task, is_code=True),
            Fact(_("Method"), method_name(run.method)),
            Fact(
                _("Settings"),
                _text([f"{k}={v}" for k, v in run.configuration.items()]),
                is_code=True,
            ),
            Fact(_("State"), run.get_state_display()),
            Fact(_("Begun, times"), str(run.attempts or "")),
            Fact(_("Code"), run.code_version, is_code=True),
            Fact(_("Hash of the instances"), run.data_sha256, is_code=True),
            Fact(_("Public id"), str(run.public_id), is_code=True),
        ),
    )


def _checkpoint(generation: Generation) -> Step:
    run = generation.run
    base = known(
        Fact(_("Begins with"), run.configuration.get("model", ""), is_code=True),
        Fact(_("Model’s revision"), run.model_revision, is_code=True),
    )
    if generation.checkpoint_step is None:
        why = _("There is none: the method has no weights of its own.")
        return Step(_("Checkpoint"), base, why_unknown=why)
    return Step(
        _("Checkpoint"),
        [
            Fact(_("Step"), str(generation.checkpoint_step)),
            Fact(_("Folder"), generation.checkpoint_folder, is_code=True),
            *known(
                Fact(_("Hash of its weights"), run.facts.get("checkpoint_sha256", ""), is_code=True)
            ),
            *base,
        ],
    )


def _seed(run: Run) -> Step:
    return Step(_("Seed"), [Fact(_("Seed"), str(run.seed))])


def _release(origin: Origin) -> Step:
    release, run = origin.release, origin.run
    if release is not None:
        return Step(_("Release"), _of_release(release))
    files = run.files if run else {}
    facts = [Fact(split, _file(file), is_code=True, is_field=True) for split, file in files.items()]
    why = _("There is none: the run learnt from files.") if files else _("Not known.")
    return Step(_("Release"), facts, why_unknown=why)


def _of_release(release: Release) -> list[Fact]:
    rule = ReleaseRule.from_dict(release.rule)
    shares = ", ".join(f"{share.normalize():f}" for share in rule.ratios)
    return known(
        Fact(
            _("Release"),
            str(release),
            reverse("admin:annotation_release_change", args=[release.pk]),
        ),
        Fact(_("Hash"), release.sha256, is_code=True),
        Fact(_("Shares of training, validation and test"), shares),
        Fact(_("Test rows"), rule.test_from.label),
        Fact(_("Seed"), str(release.seed)),
    )


def _row(row: ReleaseRow) -> Step:
    response = row.contribution.response
    assignment = response.assignment
    writer, story = assignment.participant, assignment.task.story
    return Step(
        _("Source"),
        known(
            Fact(_("Row of the release"), str(row.position)),
            Fact(_("Split"), row.get_split_display() or _("withheld")),
            Fact(
                _("Response"),
                str(response.pk),
                reverse("admin:studies_response_change", args=[response.pk]),
            ),
            Fact(
                _("Story"),
                story and story.external_id,
                story and reverse("admin:studies_story_change", args=[story.pk]) or "",
            ),
            Fact(
                _("Written by"),
                writer.pseudonym if writer else _("unknown (imported)"),
                reverse("admin:studies_participant_change", args=[writer.pk]) if writer else "",
            ),
        ),
    )


def _no_row(origin: Origin, why_unknown: str) -> str:
    if origin.run is not None and origin.run.files:
        return _("Not known: files say nothing of who wrote their rows.")
    return why_unknown


def _text(value: Any) -> str:
    return " ".join(map(str, value)) if isinstance(value, list) else str(value)


def _file(file: Any) -> str:
    return f"{file['name']} {file['sha256']}" if isinstance(file, dict) else str(file)
