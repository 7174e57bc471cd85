"""A run's outputs, scored, as rows: all of them with the end of the run, or none."""

import hashlib
from collections.abc import Iterable, Iterator
from dataclasses import asdict

from django.db import transaction

from modeling.metrics.share import Share, added
from modeling.models import Generation, Run, RunState
from modeling.run_folder import TEST, Outcome, Output
from modeling.runs.lease import Lease
from modeling.tasks.registry import TASKS
from modeling.tasks.scoring import score_output
from modeling.tasks.task import Scored
from studies.storable import storable

RENEW_EVERY = 200
BATCH = 500


class BadOutputs(Exception):
    """The runner answered what it was not asked, or twice."""


def store_generations(run: Run, *, outcome: Outcome, lease: Lease) -> None:
    """End the run with its outputs. Raises LeaseLost and BadOutputs."""
    generations = list(_scored(run, lease))
    facts = {
        **outcome.facts,
        "answered": len(generations),
        "asked": _asked(run),
        "scores": summed(generations),
    }
    with transaction.atomic():
        lease.finish(
            RunState.DONE,
            facts=facts,
            model_revision=str(outcome.facts.get("model_revision", ""))[:100],
        )
        Generation.objects.bulk_create(generations, batch_size=BATCH)


def summed(generations: Iterable[Generation]) -> dict[str, dict[str, float]]:
    """The mean of each metric over all outputs, for each part of them that is judged by itself."""
    found: dict[str, dict[str, list[Share]]] = {}
    for one in generations:
        for part, metrics in Scored.from_dict(one.score).shares.items():
            for metric, share in metrics.items():
                found.setdefault(part, {}).setdefault(metric, []).append(share)
    return {
        part: {metric: added(shares).value for metric, shares in metrics.items()}
        for part, metrics in found.items()
    }


def _scored(run: Run, lease: Lease) -> Iterator[Generation]:
    instances = {instance.key: instance for instance in run.folder.instances(TEST)}
    rows, task = run.folder.rows(), TASKS[run.task]
    # Models may write what the database has no characters for.
    outputs = (Output(**storable(asdict(output))) for output in run.folder.generations())
    for number, output in enumerate(outputs, 1):
        instance = instances.pop(output.key, None)
        if instance is None:
            raise BadOutputs(output.key)
        if number % RENEW_EVERY == 0:
            lease.renew()
        yield Generation(
            run=run,
            release_row_id=rows.get(instance.tuple_key),
            instance_key=instance.key,
            tuple_key=instance.tuple_key,
            part=instance.part,
            checkpoint=output.checkpoint,
            input_sha256=hashlib.sha256(instance.text.encode()).hexdigest(),
            fields=instance.fields,
            output=output.text,
            target=instance.target,
            score=score_output(task, instance, output).as_dict(),
            details=dict(output.details),
        )


def _asked(run: Run) -> int:
    return sum(1 for _ in run.folder.instances(TEST))
