"""Rounds in which people rate outputs: planned from what is to be rated, then launched."""

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from django.db import transaction
from django.utils.translation import gettext as _

from evaluation.instruments.as_data import to_data
from evaluation.models import Instrument, Item, Rating, RatingRound
from evaluation.rating.bundling import (
    Bundle,
    bundles_of,
    by_system,
    gold_bundles,
    items_of,
    mixed,
    sampled,
)
from evaluation.rating.fields import is_pairwise
from evaluation.rating.outputs import BadItems, Outputs
from evaluation.rating.task_type import RatingTask
from studies import task_types
from studies.models import Job, Round, Study
from studies.services.plans import Plan
from studies.services.round_tasks import NewTask
from studies.services.rounds import launch_round
from studies.services.table_statistics import refresh_statistics

BATCH = 2_000
DEFAULT_GOLD_SHARE = Decimal("0.1")


@dataclass(frozen=True)
class Design:
    """How what is to be rated becomes tasks. `seed` draws the sample and every order."""

    sample: int | None = None
    same_raters: bool = False
    gold_share: Decimal = DEFAULT_GOLD_SHARE


@dataclass(frozen=True)
class RatingPlan:
    """`plan` is what the engine launches; the rest is kept beside it."""

    plan: Plan
    instrument: Instrument
    design: Design
    outputs: Outputs
    bundles: Sequence[Bundle]
    gold: Outputs | None

    @property
    def items(self) -> int:
        return sum(len(one.items) for one in self.bundles)

    @property
    def systems(self) -> list[tuple[str, int]]:
        return list(
            by_system(item for one in self.bundles for item in one.items if not item.is_gold)
        )


def plan_ratings(
    *,
    study: Study,
    instrument: Instrument,
    outputs: Outputs,
    design: Design,
    chosen: Mapping[str, Any],
    gold: Outputs | None = None,
) -> RatingPlan:
    """`chosen` is what else a round is launched with: overlap, reward_usd, and so on.

    Raises BadItems and RoundRefused.
    """
    if not 0 <= design.gold_share < 1:
        raise BadItems(_("The share of gold items is from 0 to less than 1."))
    if design.sample is not None and design.sample < 1:
        raise BadItems(_("The sample is one source at least."))
    # Of a plan without tasks: its seed, and whether all else is right.
    base = Plan(**chosen, study=study, task_type=task_types.get(RatingTask.slug), tasks=())
    bundles = _bundles(instrument, outputs, gold, design, base.seed)
    if not bundles:
        raise BadItems(
            _("There is nothing to rate: none of the outputs can be read.")
            if outputs.left_out
            else _("There is nothing to rate.")
        )
    declaration = to_data(instrument.declared)
    tasks = [NewTask(payload_of(one, declaration), barred=one.authors) for one in bundles]
    plan = Plan(**{**vars(base), "tasks": tasks})
    return RatingPlan(plan, instrument, design, outputs, bundles, gold)


def payload_of(bundle: Bundle, declaration: dict[str, Any]) -> dict[str, Any]:
    """What raters may see, and nothing else."""
    items = [{"key": item.token, "fields": dict(item.fields)} for item in bundle.items]
    return {"instrument": declaration, "items": items}


@transaction.atomic
def launch_ratings(
    *, plan: RatingPlan, user: Any = None, launch_key: uuid.UUID | None = None
) -> tuple[Round, Job]:
    """The round, its tasks and slots, and the rows of its items. Raises RoundRefused and
    AlreadyLaunched."""
    round, job = launch_round(plan=plan.plan, user=user, launch_key=launch_key)
    gold = {"gold": plan.gold.described} if plan.gold else {}
    RatingRound.objects.create(
        round=round,
        instrument=plan.instrument,
        source={**plan.outputs.described, **gold},
        release=plan.outputs.release,
        sample=plan.design.sample,
        seed=round.seed,
        same_raters=plan.design.same_raters,
        gold_share=plan.design.gold_share if plan.gold else Decimal(0),
    )
    _store_items(round, plan)
    return round, job


def _store_items(round: Round, plan: RatingPlan) -> None:
    tasks = round.tasks.order_by("position").values_list("pk", flat=True)
    own = ("system", "rival", "key", "group", "part", "fields", "gold", "token", "is_gold")
    Item.objects.bulk_create(
        (
            Item(
                study=round.study,
                instrument=plan.instrument,
                task_id=task,
                **{name: getattr(item, name) for name in own},
            )
            for task, bundle in zip(tasks, plan.bundles, strict=True)
            for item in bundle.items
        ),
        batch_size=BATCH,
    )
    refresh_statistics(Item, Rating, added=plan.items)


def _bundles(
    instrument: Instrument, outputs: Outputs, gold: Outputs | None, design: Design, seed: int
) -> list[Bundle]:
    pairwise = is_pairwise(instrument.declared)
    items = items_of(sampled(outputs.outputs, design.sample, seed), pairwise=pairwise)
    bundles = bundles_of(items, same_raters=design.same_raters, seed=seed)
    if gold is None:
        return bundles
    golden = items_of(gold.outputs, pairwise=pairwise)
    extra = gold_bundles(golden, bundles, share=design.gold_share, seed=seed)
    return mixed(bundles, extra, seed)
