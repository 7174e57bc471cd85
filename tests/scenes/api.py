"""The API's page, and the tokens that programs sign in with."""

from tests.scenes.scene import Scene, Visit, admin


def document(visit: Visit) -> None:
    visit.sign_in(visit.ground.researcher)
    visit.page.goto(f"{visit.ground.stack.task_site_url}/api/v1/")
    visit.page.get_by_text("What a round would cost").wait_for()


def tried(visit: Visit) -> None:
    """An operation laid open, and what it answered."""
    document(visit)
    visit.page.get_by_text("What a round would cost").click()
    visit.page.get_by_role("button", name="Try it out").click()
    visit.page.get_by_placeholder("study").fill("evenings")
    visit.page.get_by_role("button", name="Execute").click()
    visit.page.get_by_text("Server response").wait_for()


def token_made(visit: Visit) -> None:
    visit.open_admin("config/apitoken/add/")
    visit.page.get_by_label("Label").fill("The lab's notebook")
    visit.page.get_by_role("button", name="Save", exact=True).click()
    visit.page.get_by_text("Copy it now").wait_for()


SCENES = [
    admin("admin-tokens-none", "config/apitoken/", bare=True),
    admin("admin-token-new", "config/apitoken/add/"),
    Scene("admin-token-made", token_made),
    Scene("api-page", document),
    Scene("api-tried", tried),
]
