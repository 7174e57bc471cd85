"""Outputs from a file: one of one system on each line."""

import hashlib
from collections.abc import Mapping
from pathlib import PurePath
from typing import Any, BinaryIO

from django.utils.translation import gettext as _

from evaluation.instruments.declaration import Declaration
from evaluation.rating.fields import FieldError, read_fields, read_gold, wanted_fields
from evaluation.rating.outputs import BadItems, Output, Outputs
from evaluation.rating.sources.records import GOLD, read_rows
from studies.models import Study
from studies.story_files.results import Findings, problem_lines

# Beside the fields that the instrument shows.
NAMES = {"system": 100, "id": 150, "group": 150, "part": 40, "author": 20}
NEEDED = ("system", "id")
MOST_OUTPUTS = 20_000
MOST_BYTES = 32 * 2**20
CHUNK = 2**20


def outputs_of_file(
    source: BinaryIO, *, name: str, study: Study, declared: Declaration, gold: bool = False
) -> Outputs:
    """Every line is read, and what is wrong is named line by line; `gold` items need their right
    answers. Raises BadItems."""
    digest = hashlib.sha256()
    file = PurePath(name).name[-200:]
    while chunk := source.read(CHUNK):
        digest.update(chunk)
        if source.tell() > MOST_BYTES:
            raise BadItems(
                _("%(file)s has more than 32 MB. Rate its outputs in several rounds.")
                % {"file": file}
            )
    source.seek(0)
    reading = _Reading(study, declared, gold)
    outputs = reading.read(source)
    if reading.findings.problem_count:
        found = reading.findings
        raise BadItems("\n".join(problem_lines(file, tuple(found.problems), found.problem_count)))
    described = {"kind": "file", "name": file, "sha256": digest.hexdigest()}
    return Outputs(outputs, described)


class _Reading:
    def __init__(self, study: Study, declared: Declaration, gold: bool) -> None:
        self.declared = declared
        self.gold = gold
        self.findings = Findings()
        self.columns = [*NAMES, GOLD, *(field.name for field in wanted_fields(declared))]
        self._authors = dict(study.participants.values_list("pseudonym", "pk"))
        self._seen: dict[tuple[str, str], int] = {}

    def read(self, source: BinaryIO) -> list[Output]:
        outputs: list[Output] = []
        for row, record in read_rows(source, columns=self.columns, findings=self.findings):
            if len(outputs) >= MOST_OUTPUTS:
                message = _("There are more than %(most)s outputs. Rate them in several rounds.")
                self.findings.problem("too_many", message % {"most": f"{MOST_OUTPUTS:,}"}, row=row)
                break
            try:
                outputs.append(self._output(row, record))
            except FieldError as error:
                self.findings.problem("field", str(error), row=row, column=error.field)
        if not outputs and not self.findings.problem_count:
            self.findings.problem("nothing", _("There are no outputs in this file."))
        return outputs

    def _output(self, row: int, record: dict[str, Any]) -> Output:
        named = {name: _name(name, record.pop(name, "")) for name in NAMES}
        gold = record.pop(GOLD, {})
        if not isinstance(gold, Mapping) or (self.gold and not gold):
            raise FieldError(GOLD, _("This has to be an object: question and right answer."))
        key = f"{named['id']}:{named['part']}" if named["part"] else named["id"]
        self._refuse_twice(named["system"], key, row)
        source = named["group"] or named["id"]
        return Output(
            system=named["system"],
            key=key,
            fields=read_fields(self.declared, record),
            source=source,
            group=source,
            part=named["part"],
            gold=read_gold(self.declared, gold),
            authors=self._author(named["author"]),
        )

    def _refuse_twice(self, system: str, key: str, row: int) -> None:
        earlier = self._seen.setdefault((system, key), row)
        if earlier != row:
            raise FieldError(
                "id",
                _("The system “%(system)s” has an output for this in row %(row)s already.")
                % {"system": system, "row": earlier},
            )

    def _author(self, pseudonym: str) -> frozenset[int]:
        if not pseudonym:
            return frozenset()
        if pseudonym not in self._authors:
            raise FieldError("author", _("This study has no worker of this pseudonym."))
        return frozenset({self._authors[pseudonym]})


def _name(name: str, value: Any) -> str:
    if type(value) is int:
        value = str(value)
    if not isinstance(value, str):
        raise FieldError(name, _("This has to be a text."))
    text = value.strip()
    if not text and name in NEEDED:
        raise FieldError(name, _("This is missing."))
    if len(text) > NAMES[name]:
        raise FieldError(name, _("This has more than %(most)s characters.") % {"most": NAMES[name]})
    return text
