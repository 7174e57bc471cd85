from django.contrib.auth.models import User
from django.test import Client

from marketplace.models import Worker


def make_signed_up(name: str, password: str | None = None) -> Worker:
    user = User.objects.create_user(username=name, password=password)
    return Worker.objects.create(user=user, display_name=name)


def browser_of(worker: Worker) -> Client:
    client = Client()
    assert worker.user is not None
    client.force_login(worker.user)
    return client
