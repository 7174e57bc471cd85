"""Batches of ratings into rows, checked against those that came before them."""

import hashlib
import json
from collections.abc import Sequence

from django.utils.translation import gettext as _

from evaluation.models import Item, Rating, ResultFile
from evaluation.result_files.errors import ItemDiffers, RatedTwice, RatingTwice
from evaluation.result_files.rows import ReadRating
from studies.models import Participant, Worker


class RatingStore:
    """The items and ratings of one file. Lives inside the import's transaction."""

    def __init__(self, file: ResultFile) -> None:
        self.file = file
        self.ratings = 0
        self._items: dict[str, int] = {}
        self._shown: dict[str, bytes] = {}
        self._raters: dict[str, int] = {}
        self._labels: set[str] = set()
        self._pairs: set[tuple[str, str]] = set()

    @property
    def items(self) -> int:
        return len(self._items)

    @property
    def raters(self) -> int:
        return len(self._raters)

    def add(self, batch: Sequence[ReadRating]) -> None:
        """Raises RatingTwice, RatedTwice and ItemDiffers."""
        for row in batch:
            self._check(row)
        self._refuse_known(batch)
        self._add_items(batch)
        self._add_raters({row.rater for row in batch} - self._raters.keys())
        Rating.objects.bulk_create(
            Rating(
                item_id=self._items[row.item],
                rater_id=self._raters[row.rater],
                label=row.label,
                answers=row.answers,
                swapped=row.swapped,
                accepted_at=row.accepted_at,
                submitted_at=row.submitted_at,
            )
            for row in batch
        )
        self.ratings += len(batch)

    def _check(self, row: ReadRating) -> None:
        if row.label in self._labels:
            raise RatingTwice(row.row, _("the rating %(label)s is there twice."), label=row.label)
        if (row.item, row.rater) in self._pairs:
            raise RatedTwice(
                row.row, _("a worker has rated the item %(item)s twice."), item=row.item
            )
        shown = _fingerprint(row)
        if self._shown.setdefault(row.item, shown) != shown:
            raise ItemDiffers(
                row.row,
                _("the item %(item)s shows something else than in an earlier row."),
                item=row.item,
            )
        self._labels.add(row.label)
        self._pairs.add((row.item, row.rater))

    def _refuse_known(self, batch: Sequence[ReadRating]) -> None:
        by_label = {row.label: row for row in batch}
        known = Rating.objects.filter(
            label__in=by_label,
            item__study=self.file.study_id,
            item__result_file__withdrawn_at=None,
        ).values_list("label", "item__result_file__name")
        for label, name in known[:1]:
            raise RatingTwice(
                by_label[label].row,
                _("the rating %(label)s came with %(file)s already."),
                label=label,
                file=name,
            )

    def _add_items(self, batch: Sequence[ReadRating]) -> None:
        missing = {row.item: row for row in batch if row.item not in self._items}
        made = Item.objects.bulk_create(
            Item(
                study_id=self.file.study_id,
                instrument_id=self.file.instrument_id,
                result_file=self.file,
                system=self.file.system,
                rival=self.file.rival,
                key=row.item,
                group=row.group,
                part=row.part,
                fields=row.fields,
                gold=row.gold,
            )
            for row in missing.values()
        )
        self._items |= {item.key: item.pk for item in made}

    def _add_raters(self, worker_ids: set[str]) -> None:
        Worker.objects.bulk_create(
            (Worker(marketplace_id=one) for one in sorted(worker_ids)), ignore_conflicts=True
        )
        workers = Worker.objects.filter(marketplace_id__in=worker_ids)
        study = self.file.study_id
        Participant.objects.bulk_create(
            (Participant(study_id=study, worker=worker) for worker in workers.order_by("pk")),
            ignore_conflicts=True,
        )
        found = Participant.objects.filter(study=study, worker__in=workers)
        self._raters |= dict(found.values_list("worker__marketplace_id", "pk"))


def _fingerprint(row: ReadRating) -> bytes:
    shown = [row.group, row.part, row.gold, row.fields]
    return hashlib.sha256(json.dumps(shown, sort_keys=True).encode()).digest()
