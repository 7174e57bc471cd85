"""The method `copy` answers each input with the input itself. It needs no model and shows what a
system scores that changes nothing."""

import json
import time
from dataclasses import dataclass
from typing import ClassVar

from django.utils.translation import gettext_lazy as _

from modeling.configuration import Configuration, Text, number
from modeling.reporting import Reporter, RunCancelled
from modeling.run_folder import Output, RunFolder, checkpoint_step

CHECKPOINT_EVERY = 10


@dataclass(frozen=True, kw_only=True)
class Copy(Configuration):
    """`seconds_each` slows it down."""

    slug: ClassVar[str] = "copy"
    name: ClassVar[Text] = _("Copy: no model, the input is the output")
    capability: ClassVar[str] = "cpu"
    seconds_each: float = number(0.0, least=0, most=60)


def run(folder: RunFolder, configuration: Copy) -> None:
    instances = list(folder.instances("test"))
    reporter = Reporter(folder)
    outputs = _kept(folder)
    try:
        for number, instance in enumerate(instances[len(outputs) :], len(outputs) + 1):
            time.sleep(configuration.seconds_each)
            outputs.append(Output(instance.key, instance.text, checkpoint="copy"))
            if number % CHECKPOINT_EVERY == 0:
                _keep(folder, outputs)
            reporter.step(number, len(instances), "generating")
    except RunCancelled:
        _keep(folder, outputs)
        raise
    folder.write_generations(outputs)


def _keep(folder: RunFolder, outputs: list[Output]) -> None:
    with folder.new_checkpoint(len(outputs)) as checkpoint:
        (checkpoint / "keys.json").write_text(json.dumps([output.key for output in outputs]))


def _kept(folder: RunFolder) -> list[Output]:
    """What an earlier attempt had come to."""
    checkpoint = folder.latest_checkpoint()
    if checkpoint is None:
        return []
    known = {instance.key: instance.text for instance in folder.instances("test")}
    keys = json.loads((checkpoint / "keys.json").read_text())
    assert len(keys) == checkpoint_step(checkpoint)
    return [Output(key, known[key], checkpoint="copy") for key in keys]
