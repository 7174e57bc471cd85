"""What can be done about ratings and instruments."""

import json
from typing import Any

from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.core.files.uploadedfile import SimpleUploadedFile
from django.http import QueryDict
from django.urls import reverse

from annotation.releases.reading import manifest_of, read_rows
from evaluation.admin import rating_launch
from evaluation.admin.result_upload import signed
from evaluation.instruments.as_data import to_data
from evaluation.instruments.pasta import STORY_REVISION
from evaluation.models import Instrument, ResultFile
from evaluation.services.instruments import install_built_in
from evaluation.services.result_upload import KeptResults
from studies.models import Study
from tests.evaluation.rated import make_item
from tests.everywhere.rated import declared
from tests.everywhere.states import Request

ONLY_SHOW = {
    *("evaluation_reports", "evaluation_report", "evaluation_report_behind"),
    *("evaluation_report_file", "evaluation_results_preview"),
    *("evaluation_runs_report", "evaluation_runs_report_file"),
    *("evaluation_item_lineage", "evaluation_generation_lineage"),
}
REFUSE_ON_THE_FORM = {
    *("evaluation_instrument_make", "evaluation_results_upload", "evaluation_results_import"),
    *("evaluation_results_withdraw", "evaluation_launch", "evaluation_launch_review"),
}
OUTPUT = b'{"system": "datum", "id": "1"}\n'


def own_pages(study: Study) -> dict[str, tuple[Request, str]]:
    instrument = Instrument.objects.all()[0]
    declaration = to_data(declared("Datum")) | {"slug": "datum-two"}
    file = SimpleUploadedFile("ratings.csv", b"HITId\n")
    given = {"study": study.pk, "instrument": instrument.pk, "system": "datum", "file": file}
    return {
        "evaluation_instrument_make": (
            _post("evaluation_instrument_make", declaration=json.dumps(declaration)),
            "Datum",
        ),
        "evaluation_results_upload": (_post("evaluation_results_upload", **given), "ratings.csv"),
        "evaluation_results_import": (
            _post("evaluation_results_import", kept_results(study)),
            "kept.csv",
        ),
        "evaluation_results_withdraw": (
            _post("evaluation_results_withdraw", _file(study).pk, why="Another datum."),
            "Another datum.",
        ),
        "evaluation_launch": (
            _post(
                "evaluation_launch",
                study.pk,
                **_launch(instrument),
                items=SimpleUploadedFile("outputs.jsonl", OUTPUT),
            ),
            "outputs.jsonl",
        ),
        "evaluation_launch_review": (
            _post("evaluation_launch_review", planned(study, _kept_outputs())),
            str(study),
        ),
        "evaluation_report_score": (
            _post("evaluation_report_score", _with_unscored(study).pk, "automatic"),
            str(study),
        ),
    }


def refused_buttons(study: Study) -> dict[str, tuple[Request, str]]:
    address = reverse("admin:evaluation_report_score", args=[study.pk, "likert"])
    return {
        "evaluation_report_score": (
            Request(f"{address}?instrument=datum", "POST", {}),
            "scored already",
        ),
    }


def _with_unscored(study: Study) -> Study:
    """An output for the first row of its release was rated."""
    if not Instrument.objects.filter(slug=STORY_REVISION.slug).exists():
        install_built_in()
        release = study.releases.get()
        (row, *_others) = read_rows(
            manifest=manifest_of(release), salt=release.salt, layout=release.rule["layout"]
        )
        fields = {"story": row.item["sentences"], "revision": row.item["sentences"]}
        answers = {"inferable": 4, "logical": 1, "degree": 0}
        make_item(study, STORY_REVISION.slug, answers, group=row.label, fields=fields)
    return study


def planned(study: Study, file: str = "rating_items/none.jsonl") -> str:
    """A launch that is being reviewed."""
    query = QueryDict(mutable=True)
    query.update(_launch(Instrument.objects.all()[0]))
    files = {"items": {"file": file, "name": "kept.jsonl"}}
    return rating_launch.signed({"study": study.pk, "query": query.urlencode(), "files": files})


def _kept_outputs() -> str:
    return default_storage.save("rating_items/one.jsonl", ContentFile(OUTPUT))


def _launch(instrument: Instrument) -> dict[str, str]:
    return {
        "instrument": str(instrument.pk),
        "overlap": "1",
        "reward_usd": "0.10",
        "time_limit": "30m",
        "lifetime": "7d",
        "auto_approval_delay": "3d",
        "eligibility": "open",
        "seed": "7",
        "gold_share": "0.1",
        "launch_key": "9b2f6f2e-0a44-4b6e-9a3c-6f1f5d1f7a12",
    }


def _file(study: Study) -> ResultFile:
    return ResultFile.objects.get(study=study)


def kept_results(study: Study) -> str:
    instrument = Instrument.objects.all()[0]
    return signed(KeptResults("results/none.csv", "kept.csv", study.pk, instrument.pk, "datum"))


def _post(name: str, /, *args: Any, **data: Any) -> Request:
    return Request(reverse(f"admin:{name}", args=args), "POST", data)
