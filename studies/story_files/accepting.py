"""The gate every story passes, whatever format it came in."""

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from studies.story_files.checks import (
    LONGEST_ID,
    LONGEST_TITLE,
    composed,
    is_blank,
    story_text,
    text_digest,
)
from studies.story_files.formats import Draft
from studies.story_files.results import Findings, ParsedStory

LOST_CHARACTER = "\ufffd"


class Gate:
    """Lets each story in once; empty parts and ids with two texts become problems."""

    def __init__(self, findings: Findings) -> None:
        self.findings = findings
        self.repeated_rows = 0
        # Story id (composed) -> the row it was first seen in, the digest of its text.
        self.seen: dict[str, tuple[int, bytes]] = {}

    def accept(self, draft: Draft, row: int, line: int) -> ParsedStory | None:
        text = story_text(draft.title, draft.sentences, draft.roles)
        if not self._is_whole(draft, text, row, line):
            return None
        key = composed(draft.external_id)
        digest = text_digest(text)
        if key in self.seen:
            self._repeat(draft, row, line, *self.seen[key], digest)
            return None
        self.seen[key] = (row, digest)
        self._note(draft, text, row)
        return ParsedStory(row, draft.external_id, draft.title, draft.sentences, draft.roles)

    def _is_whole(self, draft: Draft, text: str, row: int, line: int) -> bool:
        if _is_plain(draft, text):
            return True
        id_column, title_column, *columns = draft.columns
        faults = []
        if is_blank(draft.external_id):
            faults.append(("no_id", _("The story id is empty."), id_column))
        if len(draft.external_id) > LONGEST_ID:
            message = _("An id has at most %(limit)d characters.") % {"limit": LONGEST_ID}
            faults.append(("long_id", message, id_column))
        if len(draft.title) > LONGEST_TITLE:
            message = _("A title has at most %(limit)d characters.") % {"limit": LONGEST_TITLE}
            faults.append(("long_title", message, title_column))
        for sentence, column in zip(draft.sentences, columns, strict=False):
            if is_blank(sentence):
                faults.append(("empty_sentence", _("This sentence is empty."), column))
        for code, message, column in faults:
            self.findings.problem(code, message, row=row, line=line, column=column)
        return not faults

    def _repeat(
        self, draft: Draft, row: int, line: int, first_row: int, first: bytes, digest: bytes
    ) -> None:
        if digest == first:
            self.repeated_rows += 1
            return
        self.findings.problem(
            "id_twice",
            _("Story %(story)s is in row %(first)d already, with another text.")
            % {"story": draft.external_id, "first": first_row},
            row=row,
            line=line,
        )

    def _note(self, draft: Draft, text: str, row: int) -> None:
        self.findings.lengths[draft.counted] += 1
        if draft.counted != draft.expected:
            message = ngettext(
                "%(count)d sentence where %(expected)d are usual.",
                "%(count)d sentences where %(expected)d are usual.",
                draft.counted,
            )
            counts = {"count": draft.counted, "expected": draft.expected}
            self.findings.notice(
                "sentence_count", message % counts, row=row, story_id=draft.external_id
            )
        if not text.isascii() and LOST_CHARACTER in "".join(draft.sentences):
            message = _(
                "The text holds “%(mark)s”: a character was lost before this file was made."
            )
            self.findings.notice(
                "lost_character",
                message % {"mark": LOST_CHARACTER},
                row=row,
                story_id=draft.external_id,
            )


def _is_plain(draft: Draft, text: str) -> bool:
    """Whether a quick look finds nothing to ask: most stories of large files."""
    external_id = draft.external_id
    return bool(
        text.isascii()
        and external_id.isascii()
        and external_id.strip()
        and len(external_id) <= LONGEST_ID
        and len(draft.title) <= LONGEST_TITLE
        and all(map(str.strip, draft.sentences))
    )
