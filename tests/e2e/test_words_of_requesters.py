"""Whatever requesters write, nothing of the worker site is pushed out of the window by it."""

from decimal import Decimal

import pytest
from django.utils import timezone

from marketplace.models import Assignment, HITType, Requester, Worker
from marketplace.services.bonuses import send_bonus
from marketplace.services.messages import send_messages
from marketplace.services.reviews import reject_assignment
from tests.e2e import study
from tests.e2e.people import Person
from tests.marketplace.factories import make_hit, make_hit_type, make_requester, make_submitted
from tests.stack import Stack

pytestmark = [pytest.mark.browser, pytest.mark.timeout(240)]
WORD = "Donaudampfschifffahrtsgesellschaftskapitän" * 2
ARABIC = "شكراً لك على العمل الدقيق (كثيراً)!"
LINES = f"{ARABIC}\nAnd one in English."


@pytest.fixture
def assignment(stack: Stack, person: Person) -> Assignment:
    """Rejected, with a bonus; its worker has 100 messages that they have not read."""
    person.join(study.invitation(stack, "Mira"), "Mira")
    with stack.django():
        worker = Worker.objects.get()
        requester = make_requester(name=WORD)
        hit_type = make_hit_type(requester)
        HITType.objects.filter(pk=hit_type.pk).update(title=WORD, description=WORD)
        for _ in range(2):
            make_hit(hit_type)
        done = make_submitted(hit_type, worker)
        now = timezone.now()
        reject_assignment(assignment=done, at=now, feedback=f"https://example.org/{WORD * 3}")
        send_bonus(
            requester=Requester.objects.get(pk=requester.pk),
            assignment=done,
            amount_usd=Decimal("1234.56"),
            reason=f"{WORD * 3}\n{LINES}",
            at=now,
        )
        for number in range(100):
            text = LINES if number else WORD * 3
            send_messages(requester=requester, workers=[worker], subject=WORD, text=text, at=now)
        return Assignment.objects.select_related("hit__hit_type").get(pk=done.pk)


def test_long_words_widen_no_page_and_hide_no_column(
    stack: Stack, person: Person, assignment: Assignment
) -> None:
    site, page = f"{stack.worker_site_url}/worker/", person.page
    own = f"assignments/{assignment.assignment_id}/"
    group = f"groups/{assignment.hit.hit_type.group_id}/"
    for path in ("", "history/", "messages/", group, own, f"{own}answer/"):
        page.goto(f"{site}{path}")
        for width in (360, 768, 1280):
            page.set_viewport_size({"width": width, "height": 800})
            reaches = page.evaluate("document.documentElement.scrollWidth")
            assert reaches == width, (path, width)
            for table in page.locator(".table-wrap").all():
                assert table.evaluate("e => e.scrollWidth === e.clientWidth"), (path, width)


@pytest.mark.parametrize("width", [320, 360])
def test_a_phone_shows_all_links_on_one_line_however_many_messages_there_are(
    stack: Stack, person: Person, assignment: Assignment, width: int
) -> None:
    person.page.set_viewport_size({"width": width, "height": 700})
    person.page.goto(f"{stack.worker_site_url}/worker/")

    tops = person.page.locator(".site-nav a").evaluate_all(
        "links => links.map(link => link.getBoundingClientRect().top)"
    )
    assert len(tops) == 4
    assert len(set(tops)) == 1


@pytest.mark.parametrize("path", ["messages/", "history/"])
def test_each_line_runs_its_own_way(
    stack: Stack, person: Person, assignment: Assignment, path: str
) -> None:
    person.page.goto(f"{stack.worker_site_url}/worker/{path}")

    words = person.page.locator("bdi", has_text="And one in English.").first
    arabic, english = words.evaluate(
        """bdi => ["شكراً", "And"].map(word => {
            const walk = document.createTreeWalker(bdi, NodeFilter.SHOW_TEXT);
            while (walk.nextNode()) {
                const at = walk.currentNode.data.indexOf(word);
                if (at < 0) continue;
                const range = document.createRange();
                range.setStart(walk.currentNode, at);
                range.setEnd(walk.currentNode, at + word.length);
                const place = range.getBoundingClientRect(), room = bdi.getBoundingClientRect();
                return [place.left - room.left, room.right - place.right];
            }
        })"""
    )
    assert arabic[1] < 1, "from the right"
    assert english[0] < 1, "from the left"


def test_letters_of_twice_the_size_leave_what_is_in_the_history_in_sight(
    stack: Stack, person: Person, assignment: Assignment
) -> None:
    with stack.django():
        make_submitted(assignment.hit.hit_type, assignment.worker)
    person.page.set_viewport_size({"width": 360, "height": 700})
    person.page.goto(f"{stack.worker_site_url}/worker/history/")
    person.page.evaluate("document.documentElement.style.fontSize = '200%'")

    table = person.page.locator(".table-wrap")
    assert table.evaluate("e => e.scrollWidth === e.clientWidth")
