"""The page of a story: its text, who uses it, and where its sentences end."""

import json
import re
from collections.abc import Callable
from typing import Any

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse, HttpResponseNotAllowed, HttpResponseRedirect
from django.urls import reverse
from django.utils.translation import gettext as _

from studies.admin.base import ModelAdmin, find, require
from studies.admin.story_forms import SentenceForm
from studies.models import Round, Story
from studies.services.story_sentences import SentencesRefused, merge_sentences, split_sentence

PERMISSION = "studies.change_story"
_GAP = re.compile(r"\s+(?=\S)")


def show(admin: ModelAdmin, request: HttpRequest, object_id: Any) -> HttpResponse:
    """The whole page.

    Security: staff who may see stories; others get 403. The buttons are shown to those who may
    change stories.
    """
    if not (request.user.has_perm("studies.view_story") or request.user.has_perm(PERMISSION)):
        raise PermissionDenied
    story = find(request, Story.objects.select_related("study"), object_id)
    rounds = list(Round.objects.filter(tasks__story=story).distinct().select_related("study"))
    may_change = request.user.has_perm(PERMISSION) and not rounds
    return admin.page(
        request,
        "admin/studies/story/page.html",
        title=str(story),
        original=story,
        story=story,
        lines=list(zip(story.sentences, story.roles, strict=True)),
        rounds=rounds,
        may_change=may_change,
        choices=_choices(story) if may_change else [],
        seen=json.dumps(story.sentences),
    )


def split(admin: ModelAdmin, request: HttpRequest, object_id: int) -> HttpResponse:
    """Make two sentences of one. POST only.

    Security: staff who may change stories; others get 403. A story in use stays as it is.
    """

    def service(story: Story, given: dict[str, Any]) -> None:
        split_sentence(story=story, offset=given["offset"] or 0, **_common(given))

    return _change(admin, request, object_id, service, _("The sentence is split."))


def merge(admin: ModelAdmin, request: HttpRequest, object_id: int) -> HttpResponse:
    """Make one sentence of two. POST only.

    Security: as `split`.
    """

    def service(story: Story, given: dict[str, Any]) -> None:
        merge_sentences(story=story, **_common(given))

    return _change(admin, request, object_id, service, _("The sentences are merged."))


def _common(given: dict[str, Any]) -> dict[str, Any]:
    return {"sentence": given["sentence"], "seen": given["seen"]}


def _change(
    admin: ModelAdmin,
    request: HttpRequest,
    object_id: int,
    service: Callable[[Story, dict[str, Any]], None],
    done: str,
) -> HttpResponse:
    require(request, PERMISSION)
    if request.method != "POST":
        return HttpResponseNotAllowed(["POST"])
    story = find(request, Story, object_id)
    form = SentenceForm(request.POST)
    if not form.is_valid():
        messages.error(request, _("Nothing was changed. Choose a place on this page."))
    else:
        try:
            service(story, form.cleaned_data)
        except SentencesRefused as refusal:
            messages.error(request, str(refusal))
        else:
            admin.log_change(request, story, done)
            messages.success(request, done)
    return HttpResponseRedirect(reverse("admin:studies_story_change", args=[story.pk]), status=303)


def _choices(story: Story) -> list[dict[str, Any]]:
    """For each sentence its words with the places between them, and whether it can be merged."""
    last = len(story.sentences) - 1
    return [
        {
            "number": index + 1,
            "words": _words(sentence),
            "merges": index < last and story.roles[index] == story.roles[index + 1],
        }
        for index, sentence in enumerate(story.sentences)
    ]


def _words(sentence: str) -> list[tuple[str, str]]:
    """Each word with the offset of the place behind it; "" behind the last. Texts, not numbers:
    templates give numbers separators."""
    words = []
    start = 0
    for gap in _GAP.finditer(sentence):
        if sentence[: gap.start()].strip():
            words.append((sentence[start : gap.start()], str(gap.end())))
            start = gap.end()
    return [*words, (sentence[start:], "")]
