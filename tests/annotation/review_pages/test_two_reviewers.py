"""Two experts at two browsers judge the same forty responses by keyboard alone."""

import re
import time
from collections.abc import Iterator
from dataclasses import dataclass, field

import pytest
from django.contrib.auth.models import User
from django.test import Client
from playwright.sync_api import Browser, Page, Playwright, expect, sync_playwright

from annotation.models import ReviewPlan, Verdict
from studies.models import Participant
from tests.annotation.review_pages.desk import make_desk, make_reviewer
from tests.browser import launch
from tests.e2e.people import tab_to
from tests.stack import Stack

pytestmark = pytest.mark.browser
WORKERS, EACH = 4, 10
ALL = WORKERS * EACH
# From the key to the next response.
MOST_SECONDS = 1.0
ADDRESS = "document.querySelector('#review').dataset.address"


@pytest.fixture(scope="module")
def playwright() -> Iterator[Playwright]:
    with sync_playwright() as started:
        yield started


@dataclass
class Expert:
    """A person with a browser of their own, and no mouse."""

    user: User
    browser: Browser
    page: Page
    # Every how many-th response this one rejects.
    strictness: int
    seen: list[int] = field(default_factory=list)
    waits: list[float] = field(default_factory=list)
    # How often the next response was there without loading a page.
    kept: int = 0

    def begin(self, stack: Stack) -> None:
        self.page.goto(f"{stack.task_site_url}/admin/annotation/turn/")
        tab_to(self.page, self.page, "e.textContent.trim() === 'Start reviewing'")
        self.page.keyboard.press("Enter")
        self.page.wait_for_url(re.compile(r"/turn/\d+/$"))

    def judge(self) -> None:
        number = int(self.page.locator(".review-state p").inner_text().split()[-1].strip("."))
        self.seen.append(number)
        before = self.page.evaluate(f"window.isKept = true, {ADDRESS}")
        if number % self.strictness == 0:
            self.page.keyboard.press("1")
        began = time.perf_counter()
        self.page.keyboard.press("2" if number % self.strictness == 0 else "a")
        self.page.wait_for_function(f"before => {ADDRESS} !== before", arg=before)
        self.waits.append(time.perf_counter() - began)
        self.kept += self.page.evaluate("window.isKept === true")

    @property
    def rejected(self) -> set[int]:
        return {number for number in range(ALL) if number % self.strictness == 0}


@pytest.fixture
def plan(stack: Stack) -> ReviewPlan:
    with stack.django():
        return make_desk(workers=WORKERS, each=EACH, experts=2)


@pytest.fixture
def experts(stack: Stack, plan: ReviewPlan, playwright: Playwright) -> Iterator[list[Expert]]:
    made = []
    for name, strictness in (("ottilie", 5), ("bertrand", 4)):
        with stack.django():
            user = make_reviewer(plan.study, name)
        browser = launch(playwright)
        page = browser.new_page(viewport={"width": 1366, "height": 768})
        sign_in(stack, page, user)
        made.append(Expert(user, browser, page, strictness))
    yield made
    for expert in made:
        expert.browser.close()


def sign_in(stack: Stack, page: Page, user: User) -> None:
    with stack.django():
        client = Client()
        client.force_login(user)
    for cookie in client.cookies.values():
        page.context.add_cookies(
            [{"name": cookie.key, "value": cookie.value, "url": stack.task_site_url}]
        )


@pytest.mark.timeout(240)
def test_forty_responses_each_by_keyboard_and_their_agreement(
    stack: Stack, plan: ReviewPlan, experts: list[Expert]
) -> None:
    for expert in experts:
        expert.begin(stack)
    secrets = secrets_of(stack, experts)
    for _turn in range(ALL):
        for expert, other in (experts, experts[::-1]):
            page = expert.page.content()
            assert not [word for word in (*secrets, other.user.username) if word in page]
            assert "You judged" not in page
            expert.judge()

    for expert in experts:
        expect(expert.page.get_by_role("heading", name="Nothing left to review")).to_be_visible()
        assert sorted(expert.seen) == list(range(ALL))
        assert max(expert.waits) < MOST_SECONDS, sorted(expert.waits)[-5:]
        # After the last one there is another page.
        assert expert.kept == ALL - 1
    assert experts[0].seen != experts[1].seen
    with stack.django():
        for expert in experts:
            given = Verdict.objects.filter(reviewer=expert.user, replaced_at=None)
            assert given.count() == ALL
            assert given.filter(judgement="reject", step=1).count() == len(expert.rejected)
            assert not given.filter(seconds=None).exists()
    assert_agreement_is_reported(stack, plan, experts)


def secrets_of(stack: Stack, experts: list[Expert]) -> list[str]:
    """What would tell whose response it is."""
    with stack.django():
        return [
            word
            for worker in Participant.objects.all()
            for word in (worker.pseudonym, worker.worker.marketplace_id)
        ]


def assert_agreement_is_reported(stack: Stack, plan: ReviewPlan, experts: list[Expert]) -> None:
    differ = len(experts[0].rejected ^ experts[1].rejected)
    page = experts[0].browser.new_page()
    with stack.django():
        researcher = User.objects.create_superuser("ada")
    sign_in(stack, page, researcher)
    page.goto(f"{stack.task_site_url}/admin/annotation/reviewplan/{plan.pk}/change/")

    row = page.get_by_role("row").filter(has_text="Twice, of the sample").first
    expect(row).to_contain_text(f"{100 * (ALL - differ) / ALL:.1f}%")
    expect(row).to_contain_text(str(ALL))
