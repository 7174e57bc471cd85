"""Reports that compare outputs with what people wrote, of raters and of runs."""

from functools import partial
from random import Random

from django.contrib.auth.models import User

from evaluation.reports.making import Asked, make_report
from evaluation.reports.registry import find_report
from modeling.instances import Tuple
from modeling.instances.building import Variant
from modeling.instances.tuples import tuple_from
from modeling.tasks.state_inference import TASK as INFERENCE
from studies.models import Study
from tests.annotation.releases.world import bring, build
from tests.evaluation.rated import make_item, together
from tests.evaluation.test_runs_reports import generate, make_run
from tests.scenes.scene import Scene, Visit
from tests.studies.published import published_row

SLUG = "beacons"
STORIES = 12
# How many of the words at the end of the revision each system gets right, of ten outputs.
SYSTEMS = {"t5-base": 4, "t5-large": 6, "GPT3": 8}
WORDS = ("Nora gave up after 5 miles.", "Nora gave in after a mile.", "Nora went to sleep.")


def compared_study(_researcher: User) -> Study:
    """Made at the first scene that needs it."""
    return Study.objects.filter(slug=SLUG).first() or _make()


def _make() -> Study:
    study = Study.objects.create(slug=SLUG, title="Beacons along the coast")
    rows = [published_row(f"B{n}", f"beacon-{n}") for n in range(STORIES)]
    bring(study, rows)
    build(study)
    random = Random(3)
    tuples = [_tuple(n) for n in range(STORIES)]
    for system, right in SYSTEMS.items():
        for one in tuples:
            is_right = random.random() * 10 < right
            last = WORDS[0] if is_right else random.choice(WORDS)
            likely = (4, 4, 3) if is_right else tuple(random.randint(0, 4) for _ in range(3))
            make_item(
                study,
                "story-revision",
                *together(inferable=likely, logical=(1, 1, 1), degree=(0, 1, 0)),
                system=system,
                group=one.key,
                fields={"story": [*one.story], "revision": [*one.revised[:-1], last]},
            )
    _add_runs(study, tuples, random)
    make_report(study, find_report("automatic"), Asked(expected_items=STORIES))
    return study


def _add_runs(study: Study, tuples: list[Tuple], random: Random) -> None:
    for name, right in (("t5-base", 7), ("t5-large", 9)):
        for partition in ("original", "both"):
            for seed in (1, 2):
                run = make_run(study, INFERENCE.slug, name=name, partition=partition, seed=seed)
                for one in tuples:
                    for instance in INFERENCE.instances(one):
                        is_right = random.random() * 10 < right
                        generate(run, instance, instance.target if is_right else "perhaps")
    run = make_run(study, "story-revision", name="t5-base")
    for one in tuples:
        for instance in Variant(run.task).instances(one):
            output = random.choice([instance.target, f"<extra_id_5>: {WORDS[2]}"])
            generate(run, instance, output)


def _tuple(n: int) -> Tuple:
    row = published_row(f"B{n}", f"beacon-{n}")
    story = [row[f"Input.line{k}"] for k in range(1, 6)]
    return tuple_from(
        f"B{n}",
        {"sentences": story, "story_id": f"beacon-{n}"},
        {
            "justification": [5],
            "assertion": row["Answer.assertion"],
            "changed_assertion": row["Answer.mod_assertion"],
            "revision": [row[f"Answer.mod_line{k}"] for k in range(1, 6)],
        },
    )


def opened(visit: Visit, *, ending: str) -> None:
    study = visit.world.do(compared_study, visit.ground.researcher)
    visit.open_admin(f"evaluation/item/study/{study.pk}/{ending}")


def drawn(visit: Visit, *, ending: str) -> None:
    opened(visit, ending=ending)
    visit.page.wait_for_selector(".st-drawing svg")


SCENES = [
    Scene("admin-evaluation-automatic", partial(drawn, ending="automatic/?expected_items=12")),
    Scene("admin-evaluation-correlation", partial(drawn, ending="correlation/")),
    Scene("admin-evaluation-models", partial(opened, ending="runs/models/")),
    Scene("admin-evaluation-partitions", partial(opened, ending="runs/partitions/")),
]
