import re
from typing import Any

from django.core.management.base import CommandError, CommandParser
from django.utils.translation import gettext as _

from annotation.models import Release, Split
from annotation.releases.building import ReleaseRefused, build_release, seed_for
from annotation.releases.rule import LAYOUTS, ReleaseRule, TestFrom, read_ratios
from annotation.releases.splits import BadRatios
from studies.management.base import StudyCommand, progress_bar
from studies.services.response_layout import PUBLISHED


class Command(StudyCommand):
    help = "Freeze the accepted responses of a study as a release, split by story."
    requires_system_checks = ()

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("--name", required=True, help="what the release is called, such as v1")
        parser.add_argument(
            "--test-from",
            choices=TestFrom.values,
            default=TestFrom.ANY.value,
            help="what a test row has to be (default: any accepted response)",
        )
        parser.add_argument(
            "--ratios",
            default=".8,.12,.08",
            metavar="TRAIN,VALIDATION,TEST",
            help="shares of the rows (default: .8,.12,.08)",
        )
        parser.add_argument(
            "--seed",
            type=int,
            metavar="S",
            help="places stories (default: the newest release's; at first it is drawn)",
        )
        parser.add_argument(
            "--layout",
            choices=LAYOUTS,
            default=PUBLISHED,
            help="pasta-jsonl: stories of five sentences; jsonl: any (default: pasta-jsonl)",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        study = self.find_study(options["study"])
        if not re.fullmatch(r"[\w-]{1,50}", options["name"], re.ASCII):
            raise CommandError("--name is made of letters, digits, - and _, 50 at most.")
        seed = seed_for(study) if options["seed"] is None else options["seed"]
        if not 0 <= seed < 2**63:
            raise CommandError("--seed is a whole number from 0 to 9223372036854775807.")
        try:
            rule = ReleaseRule(
                read_ratios(options["ratios"]), TestFrom(options["test_from"]), options["layout"]
            )
            with progress_bar("rows") as progress:
                release = build_release(
                    study=study, name=options["name"], seed=seed, rule=rule, progress=progress
                )
        except (ReleaseRefused, BadRatios) as refusal:
            raise CommandError(str(refusal)) from refusal
        self.report(_data(release), _text(release), options)


def _data(release: Release) -> dict[str, Any]:
    splits = release.statistics["splits"]
    return {
        "study": release.study.slug,
        "name": release.name,
        "seed": release.seed,
        "rule": release.rule,
        "sha256": release.sha256,
        "splits": {
            name: {"rows": splits[name]["tuples"], "stories": splits[name]["stories"]}
            for name in Split.values
            if name in splits
        },
        "withheld": release.statistics["withheld"],
    }


def _text(release: Release) -> str:
    data = _data(release)
    lines = [
        _("Built %(release)s with seed %(seed)s.") % {"release": release, "seed": release.seed}
    ]
    rows = [(name, one["rows"], one["stories"]) for name, one in data["splits"].items()]
    lines += [
        _("%(split)-10s rows %(rows)7s  stories %(stories)6s")
        % {"split": name, "rows": f"{rows:,}", "stories": f"{stories:,}"}
        for name, rows, stories in rows
    ]
    if data["withheld"]:
        lines.append(
            _("%(split)-10s rows %(rows)7s")
            % {"split": _("withheld"), "rows": f"{data['withheld']:,}"}
        )
    return "\n".join([*lines, f"sha256 {release.sha256}"])
