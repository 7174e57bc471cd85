import signal
import urllib.request

from django.contrib.auth import get_user_model

from tests.stack import Stack


def status(url: str) -> int:
    with urllib.request.urlopen(url, timeout=10) as answer:
        code: int = answer.status
        return code


def test_the_site_answers_under_both_of_its_names(stack: Stack) -> None:
    assert status(f"{stack.worker_site_url}/static/css/tokens.css") == 200
    assert status(f"{stack.task_site_url}/static/css/tokens.css") == 200


def test_rows_are_gone_before_the_next_test(stack: Stack) -> None:
    with stack.django():
        get_user_model().objects.create(username="reviewer")
    assert stack.query("SELECT username FROM auth_user") == [("reviewer",)]

    stack.empty()

    assert stack.query("SELECT username FROM auth_user") == []


def test_a_killed_web_process_is_replaced(stack: Stack) -> None:
    stack.kill("web", signal.SIGKILL)
    stack.start("web")

    assert status(f"{stack.task_site_url}/static/css/tokens.css") == 200


def test_the_worker_takes_jobs_from_the_embedded_broker(stack: Stack) -> None:
    said = stack.run_manage(
        "shell", "--no-imports", "-c", "from config.celery import app; print(app.control.ping())"
    )

    assert "pong" in said.stdout
