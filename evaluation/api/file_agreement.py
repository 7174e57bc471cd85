from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.parsers import MultiPartParser
from rest_framework.request import Request
from rest_framework.response import Response

from evaluation.rating_file import BadRatingFile, RatingColumns, Ways, read_scale
from evaluation.services.file_agreement import KIND, keep_ratings
from stats.choices import COEFFICIENT_NAMES, LEVELS, STANDARD_ERRORS, WEIGHTS
from studies import tasks
from studies.api.base import ApiView
from studies.api.fields import NumberField
from studies.api.jobs import JobSerializer
from studies.api.problems import refusing
from studies.api.uploads import FileSerializer
from studies.services.kept_files import CannotKeep

MOST_RESAMPLES = 10_000
LONGEST = 200
ROLES = ("item", "rater", "value", "by")


class RatingFileSerializer(FileSerializer):
    item = serializers.CharField(max_length=LONGEST, help_text="Column that names what was rated.")
    rater = serializers.CharField(max_length=LONGEST, help_text="Column that names who rated.")
    value = serializers.CharField(
        max_length=LONGEST, help_text="Column that holds the rating; an empty cell is none."
    )
    by = serializers.CharField(
        max_length=LONGEST, required=False, help_text="Apart for each value of this column."
    )
    scale = serializers.CharField(
        max_length=1000, help_text="Every category there is, in order, between commas."
    )
    weights = serializers.ChoiceField(list(WEIGHTS), default="identity")
    coefficient = serializers.ListField(
        child=serializers.ChoiceField(list(COEFFICIENT_NAMES)),
        required=False,
        max_length=len(COEFFICIENT_NAMES),
        help_text="These alone.",
    )
    level = serializers.ChoiceField(
        list(LEVELS), required=False, help_text="Krippendorff's alpha by this metric, too."
    )
    se = serializers.ChoiceField(
        list(STANDARD_ERRORS),
        default="gwet",
        help_text="The published standard error, or the delta method's.",
    )
    confidence = NumberField(min_value=0.5, max_value=0.9999, default=0.95)
    bootstrap = serializers.IntegerField(
        min_value=2,
        max_value=MOST_RESAMPLES,
        required=False,
        help_text="Intervals from so many resamples of the items in place of formulas.",
    )
    seed = serializers.IntegerField(min_value=0, max_value=2**63 - 1, default=0)


class FileAgreementView(ApiView):
    """Security: researchers of the study, with which the job is kept, who may see ratings and
    jobs. Nothing of the file enters the study."""

    needs = {"POST": ("evaluation.view_rating", "studies.view_job")}
    parser_classes = (MultiPartParser,)

    @extend_schema(
        operation_id="measure_agreement",
        summary="How far the raters of a CSV file agree, one rating a row: a job works it out",
        tags=["Evaluation"],
        request={"multipart/form-data": RatingFileSerializer},
        responses={202: JobSerializer},
    )
    def post(self, request: Request, study: str) -> Response:
        found, given = self.study, self.given(RatingFileSerializer)
        file = given.pop("file")
        columns = RatingColumns(**{role: given.pop(role, None) for role in ROLES})
        with refusing(BadRatingFile, CannotKeep):
            scale = read_scale(given.pop("scale"))
            ways = Ways(scale, coefficients=given.pop("coefficient", ()), **given)
            payload = keep_ratings(file=file, columns=columns, ways=ways)
        job = tasks.start_job(kind=KIND, study=found, payload=payload, user=self.user)
        return Response(JobSerializer(job).data, status=202)
