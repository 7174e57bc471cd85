"""What people are told of a run that failed."""

from collections.abc import Mapping

from django.utils.functional import Promise
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from modeling.run_folder import Reason

_SAID: Mapping[str, tuple[Promise, Promise]] = {
    Reason.OUT_OF_MEMORY: (
        _("The memory of the machine or of its GPU was full."),
        _("Take a smaller batch, or split it into pieces, and start the run again."),
    ),
    Reason.DISK_FULL: (
        _("The disk of the runs' folder is full."),
        _("Make room, then resume the run: it goes on from its last checkpoint."),
    ),
    Reason.NOT_A_NUMBER: (
        _("The loss is no number any more."),
        _("Take a smaller learning rate, or float32 instead of bfloat16."),
    ),
    Reason.NO_TORCH: (
        _("This worker has no PyTorch."),
        _("On its host: pip install -r requirements-gpu.txt. Then resume the run."),
    ),
    Reason.NO_MODEL: (
        _("The model was not found."),
        _("Give a folder on the worker's host, or a name of a hub that the host can reach."),
    ),
    Reason.FOLDER_OF_A_RUN: (
        _("The model lies in the folder of a run."),
        _("Start a run that names the other run by its id instead."),
    ),
    Reason.NO_INSTANCES: (
        _("There is nothing to learn from or to answer."),
        _("See how many rows each split of the release has."),
    ),
    Reason.NO_ENDPOINT: (
        _("The worker does not know the endpoint."),
        _("Set its address in the worker's environment and start the worker again, then resume."),
    ),
    Reason.NO_ANSWER: (
        _("The endpoint did not answer."),
        _("Resume the run later: what has been answered is kept."),
    ),
    Reason.REFUSED_TO_ANSWER: (
        _("The endpoint refused to answer."),
        _(
            "See that its address and key on the worker are right and that it has the model. What "
            "has been answered is kept: resume the run, or start another."
        ),
    ),
    Reason.UNREADABLE_ANSWER: (
        _("There is no text in what the endpoint answered."),
        _(
            "See that its address on the worker is right and that the setting “api” fits it. "
            "Answers with a text are kept: resume the run, or start another."
        ),
    ),
    Reason.BAD_CONFIGURATION: (
        _("The worker does not know a setting of this run."),
        _("See that web and workers have the same version of Fabula."),
    ),
    Reason.BAD_DATA: (_("The data cannot be used as they are."), _("Nothing was run.")),
    Reason.KILLED: (
        _("Its process was killed each time it was begun."),
        _("Most often the machine had no memory left. The log's last lines may say more."),
    ),
    Reason.UNEXPECTED: (
        _("Something unexpected stopped this run."),
        _("The log's last lines say what."),
    ),
}


def what_failed(reason: str, detail: str = "") -> str:
    """What happened, what it was about, and what to do."""
    happened, to_do = _SAID.get(reason, _SAID[Reason.UNEXPECTED])
    if detail:
        happened_so = gettext("%(happened)s (%(detail)s)")
        return f"{happened_so % {'happened': happened, 'detail': detail}} {to_do}"
    return f"{happened} {to_do}"
