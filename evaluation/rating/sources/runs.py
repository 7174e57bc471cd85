"""The outputs of runs, and as one more system, if wanted, what people wrote."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from django.utils.translation import gettext as _

from evaluation.instruments.declaration import Declaration
from evaluation.rating.fields import FieldError, read_fields
from evaluation.rating.outputs import PEOPLE, BadItems, Output, Outputs
from modeling.models import Generation, Run
from modeling.models.run import RunState
from modeling.tasks.state_change import read_states
from modeling.tasks.story_revision import read_revision


@dataclass(frozen=True)
class Shown:
    """One thing to be rated of an output. `part` is empty where that is the whole of it."""

    fields: Mapping[str, Any]
    part: str = ""


Show = Callable[[Mapping[str, Any], str], list[Shown]]


def _revisions(fields: Mapping[str, Any], output: str) -> list[Shown]:
    revision = read_revision(output, fields["story"])
    return [Shown({**fields, "revision": [*revision.sentences]})]


def _states(fields: Mapping[str, Any], output: str) -> list[Shown]:
    found = read_states(output)
    states = {"state": found.state, "mod_state": found.changed_state}
    return [Shown({**fields, "state": text}, part) for part, text in states.items()]


def _both_states(fields: Mapping[str, Any], output: str) -> list[Shown]:
    found = read_states(output)
    return [Shown({**fields, "state": found.state, "mod_state": found.changed_state})]


# How an output of a task is shown with each instrument that is for it.
SHOWN: dict[str, dict[str, Show]] = {
    "story-revision": {
        "story-revision": _revisions,
        "story-revision-five": _revisions,
        "story-revision-errors": _revisions,
    },
    "state-change": {"state-change": _states, "state-change-errors": _both_states},
}
INSTRUMENTS = {task: tuple(shown) for task, shown in SHOWN.items()}


def outputs_of_runs(
    runs: Sequence[Run], *, declared: Declaration, with_people: bool = False
) -> Outputs:
    """Outputs that cannot be read are left out; a run that is named twice is one. Raises
    BadItems."""
    runs = list(dict.fromkeys(runs))
    _refuse(runs, declared)
    names = _names(runs)
    outputs: dict[tuple[str, str], Output] = {}
    left_out = 0
    for run in runs:
        show = SHOWN[run.task][declared.slug]
        for generation in _generations(run):
            made = [(names[run.pk], generation.output)]
            if with_people:
                made.append((PEOPLE, generation.target))
            for system, text in made:
                for shown, output in _outputs(generation, show, system, text):
                    read = _readable(declared, shown)
                    if read is None:
                        left_out += 1
                    else:
                        outputs[system, output.key] = replace(output, fields=read)
    described = {"kind": "runs", "runs": {str(run.public_id): names[run.pk] for run in runs}}
    release = runs[0].release if len({run.release_id for run in runs}) == 1 else None
    return Outputs(list(outputs.values()), described, release, left_out)


def _refuse(runs: Sequence[Run], declared: Declaration) -> None:
    if not runs:
        raise BadItems(_("Choose a run at least."))
    for run in runs:
        if run.state != RunState.DONE:
            raise BadItems(_("Run %(run)s is not done.") % {"run": run.name or run.pk})
        if run.task not in INSTRUMENTS:
            raise BadItems(
                _(
                    "Outputs for the task “%(task)s” are right or wrong by themselves: nobody "
                    "rates them."
                )
                % {"task": run.task}
            )
        if declared.slug not in INSTRUMENTS[run.task]:
            raise BadItems(
                _("Outputs for the task “%(task)s” are not rated with “%(slug)s”.")
                % {"task": run.task, "slug": declared.slug}
            )


def _names(runs: Sequence[Run]) -> dict[int, str]:
    """By its own name where that tells it from the others."""
    given = [str(run) for run in runs]
    return {
        run.pk: (name if given.count(name) == 1 else f"{name} {run.pk}")[-100:]
        for run, name in zip(runs, given, strict=True)
    }


def _generations(run: Run) -> Iterator[Generation]:
    related = "release_row__contribution__response__assignment"
    return run.generations.select_related(related).order_by("pk").iterator()


def _outputs(
    generation: Generation, show: Show, system: str, text: str
) -> Iterator[tuple[Shown, Output]]:
    row = generation.release_row
    author = row and row.contribution.response.assignment.participant_id
    for shown in show(generation.fields, text):
        key = generation.instance_key
        yield (
            shown,
            Output(
                system=system,
                key=f"{key}:{shown.part}" if shown.part else key,
                fields={},
                source=generation.tuple_key,
                # The states of one output are scored together; else what is of one tuple.
                group=key if shown.part else generation.tuple_key,
                part=shown.part or generation.part,
                authors=frozenset({author} if author else ()),
            ),
        )


def _readable(declared: Declaration, shown: Shown) -> dict[str, Any] | None:
    try:
        return read_fields(declared, shown.fields)
    except FieldError:
        return None
