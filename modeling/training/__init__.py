"""Runs of models: the one place that loads PyTorch, and only once something needs it.

Nothing but a runner's process may come here (modeling/runner.py): PyTorch that was used before a
process forks hangs the child for ever.
"""

import os
from collections.abc import Mapping
from typing import Any

from modeling.configuration import Configuration
from modeling.methods import FineTuning, Prompting
from modeling.reporting import RunFailure
from modeling.run_folder import Reason, RunFolder

# Of one process: more make a run slower on small batches, and slow whoever else is on the machine.
ENVIRONMENT = {
    "OMP_NUM_THREADS": "1",
    "OMP_WAIT_POLICY": "passive",
    "TOKENIZERS_PARALLELISM": "false",
    # They would fill the log, of which the end is shown where a run failed.
    "HF_HUB_DISABLE_PROGRESS_BARS": "1",
    "TQDM_DISABLE": "1",
}
# What PyTorch says on a processor; on a GPU it is an error of its own.
NO_MEMORY = ("can't allocate memory", "not enough memory")


def run(folder: RunFolder, configuration: Configuration) -> Mapping[str, Any]:
    """What there is to say of the run once it is done.

    Raises RunFailure, RunCancelled and TakenOver.
    """
    for name, value in ENVIRONMENT.items():
        os.environ.setdefault(name, value)
    if folder.config()["task"] not in configuration.for_tasks:
        raise RunFailure(Reason.BAD_CONFIGURATION, f"{configuration.slug} cannot do this task.")
    try:
        return _run(folder, configuration)
    except RuntimeError as error:
        if any(text in str(error) for text in NO_MEMORY):
            raise RunFailure(Reason.OUT_OF_MEMORY) from error
        raise


def _run(folder: RunFolder, configuration: Configuration) -> Mapping[str, Any]:
    if isinstance(configuration, FineTuning):
        from modeling.training.fine_tuning import fine_tune

        return fine_tune(folder, configuration)
    assert isinstance(configuration, Prompting)
    from modeling.prompting.running import prompt

    return prompt(folder, configuration)
