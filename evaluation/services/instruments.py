"""Instruments as rows: those of the house, new ones, and new versions of either."""

from typing import Any

from django.db import connection, transaction
from django.db.models import Max
from django.utils.translation import gettext as _

from evaluation.instruments.as_data import to_data
from evaluation.instruments.builtin import BUILT_IN
from evaluation.instruments.declaration import Declaration
from evaluation.instruments.house import HOUSE, check_kept
from evaluation.models import Instrument


class UnknownInstrument(LookupError):
    pass


class SlugTaken(Exception):
    """There is an instrument of that name; a new version of it may be made instead."""


class NothingNew(Exception):
    """The newest version asks just that."""


def find_instrument(name: str) -> Instrument:
    """The newest version, or of `slug@3` the third. Raises UnknownInstrument, naming the ones there
    are.

    One of the house that is not stored yet, or in other words, is stored first.
    """
    slug, _at, version = name.partition("@")
    if slug in HOUSE and not _is_installed(HOUSE[slug]):
        install_built_in()
    versions = Instrument.objects.filter(slug=slug).order_by("-version")
    if version:
        known = version.isdecimal()
        versions = versions.filter(version=int(version)) if known else versions.none()
    found = versions.first()
    if found is None:
        stored = Instrument.objects.newest().values_list("slug", flat=True)
        raise UnknownInstrument(
            _("There is no instrument “%(slug)s”. Known: %(known)s.")
            % {"slug": name, "known": ", ".join(sorted({*stored, *HOUSE}))}
        )
    return found


@transaction.atomic
def make_instrument(*, declared: Declaration, user: Any = None) -> Instrument:
    """Raises SlugTaken."""
    _one_at_a_time()
    if declared.slug in HOUSE or Instrument.objects.filter(slug=declared.slug).exists():
        raise SlugTaken(_("There is an instrument “%(slug)s” already.") % {"slug": declared.slug})
    return _store(declared, 1, user)


@transaction.atomic
def make_version(*, declared: Declaration, user: Any = None) -> Instrument:
    """The next version of the instrument of that name.

    Raises UnknownInstrument, NothingNew and ReportsNeed.
    """
    check_kept(declared)
    _one_at_a_time()
    newest = find_instrument(declared.slug)
    if newest.declaration == to_data(declared):
        raise NothingNew(_("Nothing differs from version %(n)s.") % {"n": newest.version})
    return _store(declared, newest.version + 1, user)


@transaction.atomic
def install_built_in() -> None:
    """Store the instruments of the house; one whose words have changed gets a new version."""
    _one_at_a_time()
    for declared in BUILT_IN:
        if not _is_installed(declared):
            versions = Instrument.objects.filter(slug=declared.slug)
            newest = versions.aggregate(newest=Max("version"))["newest"] or 0
            _store(declared, newest + 1, None)


def _is_installed(declared: Declaration) -> bool:
    return Instrument.objects.filter(
        slug=declared.slug, made_by=None, declaration=to_data(declared)
    ).exists()


def _store(declared: Declaration, version: int, user: Any) -> Instrument:
    return Instrument.objects.create(
        slug=declared.slug,
        version=version,
        title=declared.title,
        declaration=to_data(declared),
        made_by=user,
    )


def _one_at_a_time() -> None:
    with connection.cursor() as cursor:
        cursor.execute("LOCK TABLE evaluation_instrument IN SHARE ROW EXCLUSIVE MODE")
