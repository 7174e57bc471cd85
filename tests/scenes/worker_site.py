"""The marketplace's pages for workers."""

from functools import partial

from django.contrib.auth.models import User
from django.urls import reverse
from django.utils import timezone

from marketplace.models import Assignment, HITType, Invitation, Worker
from marketplace.services.assignments import return_assignment, submit_assignment
from marketplace.services.reviews import approve_assignment, reject_assignment
from marketplace.site.links import personal_link
from studies.models import Participant
from tests.scenes import offers
from tests.scenes.scene import Scene, Visit
from tests.scenes.world import hit_type_of


def opened(path: str, visit: Visit) -> None:
    """A page for anybody."""
    visit.open(path)


def as_worker(path: str, visit: Visit) -> None:
    visit.come_as(visit.ground.make_worker("Mira Vonk"))
    visit.open(path)


# --- Coming in ------------------------------------------------------------------------------------


def invitation_path(visit: Visit, label: str) -> str:
    with visit.world.stack.django():
        return reverse("worker-join", args=[Invitation.objects.get(label=label).token])


def join(visit: Visit, *, label: str = "Reading group") -> None:
    visit.open(invitation_path(visit, label))


def joined(visit: Visit) -> None:
    join(visit)
    visit.page.locator("[name=display_name]").fill("Mira Vonk")
    visit.page.get_by_role("button", name="Join").click()
    visit.page.wait_for_url("**/worker/account/**")


def joined_already(visit: Visit) -> None:
    visit.come_as(visit.world.make_worker("Mira Vonk"))
    join(visit)


def signed_out_meanwhile(visit: Visit) -> None:
    """Signed out in another tab while the task was being finished."""
    assignment = visit.world.accept(visit.world.make_worker("Teo Lind"))
    visit.world.do(submit, assignment)
    visit.open(f"/worker/assignments/{assignment.assignment_id}/")


def refused_sign_in(visit: Visit) -> None:
    visit.open("/worker/sign-in/")
    visit.page.locator("[name=login]").fill("mira")
    visit.page.locator("[name=password]").fill("not the password")
    visit.page.get_by_role("button", name="Sign in").click()
    visit.page.locator("[role=alert]").wait_for()


def personal(visit: Visit) -> None:
    worker = visit.world.make_worker("Mira Vonk")
    visit.page.goto(visit.world.do(personal_link, worker))


def start(visit: Visit) -> None:
    visit.sign_in(visit.world.do(User.objects.create_user, "teacher-without-worker"))
    visit.open("/worker/start/")


# --- Finding and doing work -----------------------------------------------------------------------


def nothing_open(visit: Visit) -> None:
    """Some of what there is, and none of it for this worker."""
    visit.come_as(visit.world.make_worker("Mira Vonk"))
    held = "UPDATE marketplace_hit SET expires_at = now() {} interval '30 days' WHERE {}"
    others = "available > 0 AND hit_type_id NOT IN (SELECT id FROM marketplace_hittype WHERE "
    others += "reward_usd IN (0.12, 0.05))"
    visit.world.stack.query(held.format("-", others))
    visit.open("/worker/")
    visit.world.stack.query(held.format("+", others))


def list_partial(visit: Visit) -> None:
    """One task being worked on, some open, some closed."""
    worker = visit.come_as(visit.world.make_worker("Teo Lind"))
    visit.world.accept(worker)
    visit.open("/worker/")


def group(visit: Visit) -> None:
    visit.come_as(visit.world.make_worker("Mira Vonk"))
    visit.open(group_path(visit))
    preview = visit.page.frame_locator("iframe#frame")
    preview.get_by_role("heading", level=1).first.wait_for()


def group_preview(visit: Visit) -> None:
    """Further down, where the requester's page is."""
    group(visit)
    visit.page.locator("#frame").scroll_into_view_if_needed()
    visit.page.mouse.wheel(0, 400)
    visit.page.wait_for_timeout(300)


def group_path(visit: Visit) -> str:
    with visit.world.stack.django():
        return reverse("worker-group", args=[hit_type_of(visit.world.round).group_id])


def group_closed(visit: Visit) -> None:
    visit.come_as(visit.world.make_worker("Mira Vonk"))
    visit.page.route(
        f"{offers.TASKS_ELSEWHERE}/**",
        lambda route: route.fulfill(content_type="text/html", body=offers.PREVIEW),
    )
    with visit.world.stack.django():
        hit_type = HITType.objects.get(title="Check the spelling of a page")
        path = reverse("worker-group", args=[hit_type.group_id])
    visit.open(path)


def working(visit: Visit) -> Assignment:
    """The task in its frame, under the bar with reward and time."""
    worker = visit.come_as(visit.world.make_worker("Teo Lind"))
    assignment = visit.world.accept(worker)
    visit.open(f"/worker/assignments/{assignment.assignment_id}/")
    visit.page.frame_locator("iframe#frame").locator("html[data-task-ready]").wait_for()
    return assignment


def somebody_elses(visit: Visit) -> None:
    """Submitted by one worker, in a browser in which another has signed in meanwhile."""
    assignment = visit.world.accept(visit.world.make_worker("Teo Lind"))
    visit.world.do(submit, assignment)
    visit.come_as(visit.world.make_worker("Mira Vonk"))
    visit.open(f"/worker/assignments/{assignment.assignment_id}/")


def returned_elsewhere(visit: Visit) -> None:
    """Given back in another tab, which the open page has noticed."""
    assignment = working(visit)
    with visit.world.stack.django():
        return_assignment(assignment=assignment)
        mine = Participant.objects.latest("pk").assignments
        mine.update(state="returned")
    frame = visit.page.frame_locator("iframe#frame")
    frame.locator("#id_assertion").fill("The one who waits is patient.")
    visit.page.get_by_role("link", name="Back to the list", exact=True).wait_for()


def asking_to_return(visit: Visit) -> None:
    working(visit)
    visit.page.locator("#return").click()
    visit.page.get_by_role("button", name="Return it").wait_for()


def return_page(visit: Visit) -> None:
    worker = visit.come_as(visit.world.make_worker("Teo Lind"))
    assignment = visit.world.accept(worker)
    visit.open(f"/worker/assignments/{assignment.assignment_id}/return/")


def ended(how: str, visit: Visit) -> None:
    """The page of an assignment that the worker has finished or given back."""
    worker = visit.come_as(visit.world.make_worker("Teo Lind"))
    assignment = visit.world.accept(worker)
    with visit.world.stack.django():
        match how:
            case "returned":
                return_assignment(assignment=assignment)
            case "lapsed":
                visit.world.lapse(assignment)
            case _:
                decide(how, submit(assignment))
    visit.open(f"/worker/assignments/{assignment.assignment_id}/")


def submit(assignment: Assignment) -> Assignment:
    fields = [("response", "saved")]
    return submit_assignment(assignment_id=assignment.assignment_id, fields=fields)


def decide(how: str, assignment: Assignment) -> None:
    if how == "approved":
        approve_assignment(assignment=assignment, at=timezone.now(), feedback="Thank you!")
    elif how == "rejected":
        reject_assignment(assignment=assignment, at=timezone.now(), feedback=offers.FEEDBACK)


# --- Looking back ---------------------------------------------------------------------------------


def history(visit: Visit, *, rows: int = 6, query: str = "") -> None:
    worker = visit.come_as(visit.world.make_worker("Teo Lind"))
    visit.world.do(offers.make_history, worker, rows)
    visit.open(f"/worker/history/{query}")


def messages(visit: Visit) -> None:
    worker = visit.come_as(visit.world.make_worker("Teo Lind"))
    visit.world.do(offers.write_to, worker)
    visit.open("/worker/messages/")


def answer(visit: Visit, *, text: str | None = None) -> None:
    history(visit)
    visit.page.get_by_role("link", name="Answer this rejection").click()
    if text is not None:
        visit.page.locator("[name=text]").fill(text)
        visit.page.get_by_role("button", name="Send your answer").click()
    visit.page.wait_for_load_state()


def account(visit: Visit) -> None:
    visit.come_as(known_worker(visit))
    visit.open("/worker/account/")


def known_worker(visit: Visit) -> Worker:
    return visit.world.make_worker(
        "Teo Lind",
        country="CA",
        subdivision="QC",
        approved_before=12_480,
        rejected_before=31,
        record_source="a screenshot of the worker's page elsewhere, read on 3 October 2026",
    )


def account_errors(visit: Visit) -> None:
    account(visit)
    visit.page.locator("[name=username]").fill("teo")
    visit.page.locator("[name=password]").fill("1234")
    visit.page.locator("#password").locator("xpath=..").get_by_role("button").click()
    visit.page.locator(".errorlist").first.wait_for()


SCENES = [
    Scene("worker-sign-in", partial(opened, "/worker/sign-in/")),
    Scene("worker-sign-in-refused", refused_sign_in),
    Scene("worker-sign-in-answers-in", signed_out_meanwhile),
    Scene("worker-sign-up", partial(opened, "/worker/sign-up/")),
    Scene("worker-join", join),
    Scene("worker-join-refused", partial(join, label="Students of the autumn term")),
    Scene("worker-joined", joined),
    Scene("worker-joined-already", joined_already),
    Scene("worker-personal-link", personal),
    Scene("worker-link-refused", partial(opened, "/worker/enter/half-a-link/")),
    Scene("worker-account-closed", partial(opened, "/worker/closed-account/")),
    Scene("worker-start", start),
    Scene("worker-list-empty", partial(as_worker, "/worker/"), bare=True),
    Scene("worker-list-nothing-open", nothing_open),
    Scene("worker-list-partial", list_partial),
    Scene("worker-list-full", partial(as_worker, "/worker/")),
    Scene("worker-group", group),
    Scene("worker-group-preview", group_preview, still=True),
    Scene("worker-group-closed", group_closed),
    Scene("worker-assignment", working, still=True),
    Scene("worker-assignment-asking-to-return", asking_to_return, still=True),
    Scene("worker-return", return_page),
    Scene("worker-assignment-returned-elsewhere", returned_elsewhere, still=True),
    Scene("worker-assignment-not-yours", somebody_elses),
    Scene("worker-assignment-submitted", partial(ended, "submitted")),
    Scene("worker-assignment-approved", partial(ended, "approved")),
    Scene("worker-assignment-rejected", partial(ended, "rejected")),
    Scene("worker-assignment-returned", partial(ended, "returned")),
    Scene("worker-assignment-time-over", partial(ended, "lapsed")),
    Scene("worker-history-empty", partial(as_worker, "/worker/history/"), bare=True),
    Scene("worker-history-full", partial(history, rows=26)),
    Scene("worker-history-none-in-state", partial(history, rows=2, query="?show=rejected")),
    Scene("worker-messages", messages),
    Scene("worker-messages-empty", partial(as_worker, "/worker/messages/"), bare=True),
    Scene("worker-answer", answer),
    Scene("worker-answer-refused", partial(answer, text="")),
    Scene("worker-answer-sent", partial(answer, text=offers.ANSWER)),
    Scene("worker-account", account),
    Scene("worker-account-errors", account_errors),
]
