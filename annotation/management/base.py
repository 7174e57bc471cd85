"""What commands about reviews and releases share."""

from django.core.management.base import CommandError

from annotation.models import Release
from studies.models import Study


def counted(count: int, one: str, many: str) -> str:
    return f"{count:,} {one if count == 1 else many}"


def find_release(study: Study, name: str) -> Release:
    release = study.releases.filter(name=name).select_related("study").first()
    if release is None:
        known = ", ".join(study.releases.order_by("pk").values_list("name", flat=True)[:20])
        raise CommandError(
            f"Study “{study.slug}” has no release “{name}”. "
            + (f"Known: {known}." if known else "Make one: manage.py build_release")
        )
    return release
