"""The pages that any address may answer with."""

from django.contrib.auth.models import User

from tests.scenes.scene import Scene, Visit


def unreadable(visit: Visit) -> None:
    """More than a form of ours may hold."""
    visit.open("/worker/sign-in/")
    visit.page.evaluate(
        """() => {
            const form = document.querySelector("main form");
            for (let n = 0; n < 2000; n += 1) {
                const field = document.createElement("input");
                field.type = "hidden";
                field.name = `f${n}`;
                form.append(field);
            }
            form.submit();
        }"""
    )
    visit.page.wait_for_load_state()
    visit.page.get_by_role("heading", name="could not be read").wait_for()


def forbidden(visit: Visit) -> None:
    """Staff who may see nothing of the studies."""
    visit.sign_in(visit.world.do(User.objects.create_user, "clerk", is_staff=True))
    visit.page.goto(f"{visit.world.stack.task_site_url}/admin/studies/round/")


def missing(visit: Visit) -> None:
    visit.open("/worker/nowhere/")


def without_cookie(visit: Visit) -> None:
    visit.open("/worker/sign-in/")
    visit.page.context.clear_cookies()
    visit.page.locator("[name=login]").fill("mira")
    visit.page.locator("[name=password]").fill("a password")
    visit.page.get_by_role("button", name="Sign in").click()
    visit.page.get_by_role("heading", name="once more").wait_for()


def too_often(visit: Visit) -> None:
    """More tries to sign in than an address has in a minute."""
    visit.open("/worker/sign-in/")
    visit.page.locator("[name=login]").fill("mira-too-often")
    visit.page.locator("[name=password]").fill("a guess")
    visit.page.evaluate(
        """async () => {
            const form = document.querySelector("main form");
            const body = new URLSearchParams(new FormData(form));
            const refused = async () =>
                (await fetch(form.action, {method: "POST", body})).status === 429;
            for (let n = 0; n < 40 && !(await refused()); n += 1);
        }"""
    )
    visit.page.get_by_role("button", name="Sign in").click()
    visit.page.get_by_role("heading", name="too often").wait_for()
    visit.world.forget_tries()


def broken(visit: Visit) -> None:
    """A page whose table is away."""
    rename = "ALTER TABLE {} RENAME TO {}"
    there, away = "marketplace_invitation", "marketplace_invitation_away"
    visit.world.stack.query(rename.format(there, away))
    try:
        visit.open("/worker/join/anything/")
    finally:
        visit.world.stack.query(rename.format(away, there))


def away(visit: Visit) -> None:
    """A page whose database answers nothing."""
    query = visit.world.stack.query
    query(
        """ALTER TABLE marketplace_invitation RENAME TO marketplace_invitation_away;
        CREATE FUNCTION nothing() RETURNS SETOF marketplace_invitation_away LANGUAGE plpgsql
        AS $$ BEGIN RAISE 'starting up' USING ERRCODE = 'cannot_connect_now'; END $$;
        CREATE VIEW marketplace_invitation AS SELECT * FROM nothing()"""
    )
    try:
        visit.open("/worker/join/anything/")
        visit.page.get_by_role("heading", name="cannot be done right now").wait_for()
    finally:
        query(
            """DROP VIEW marketplace_invitation;
            DROP FUNCTION nothing;
            ALTER TABLE marketplace_invitation_away RENAME TO marketplace_invitation"""
        )


SCENES = [
    Scene("error-400", unreadable),
    Scene("error-403", forbidden),
    Scene("error-403-csrf", without_cookie),
    Scene("error-404", missing),
    Scene("error-429", too_often),
    Scene("error-500", broken),
    Scene("error-503", away),
]
