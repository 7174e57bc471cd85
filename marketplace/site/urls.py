from allauth.account.views import account_inactive, signup
from django.urls import URLPattern, URLResolver, include, path

from marketplace.site.account import account, new_link, rename, set_password
from marketplace.site.assignment import assignment, give_back
from marketplace.site.external_submit import external_submit
from marketplace.site.group import accept, group
from marketplace.site.history import history
from marketplace.site.joining import join, start
from marketplace.site.listing import hit_list
from marketplace.site.messages import messages
from marketplace.site.preferences import preferences
from marketplace.site.preview import preview
from marketplace.site.rejection import answer
from marketplace.site.sign_in import SignIn, enter, sign_out

worker_site: list[URLPattern | URLResolver] = [
    path("", hit_list, name="worker-list"),
    path("groups/<slug:group_id>/", group, name="worker-group"),
    path("groups/<slug:group_id>/accept/", accept, name="worker-accept"),
    path("assignments/<slug:assignment_id>/", assignment, name="worker-assignment"),
    path("assignments/<slug:assignment_id>/return/", give_back, name="worker-return"),
    path("assignments/<slug:assignment_id>/answer/", answer, name="worker-answer"),
    path("history/", history, name="worker-history"),
    path("messages/", messages, name="worker-messages"),
    path("preferences/", preferences, name="worker-preferences"),
    path("account/", account, name="worker-account"),
    path("account/name/", rename, name="worker-rename"),
    path("account/password/", set_password, name="worker-set-password"),
    path("account/new-link/", new_link, name="worker-new-link"),
    path("join/<slug:token>/", join, name="worker-join"),
    path("start/", start, name="worker-start"),
    path("enter/<str:token>/", enter, name="worker-enter"),
    path("sign-in/", SignIn.as_view(), name="worker-sign-in"),
    path("sign-out/", sign_out, name="worker-sign-out"),
    # The names that allauth's own views look for.
    path("sign-in/", SignIn.as_view(), name="account_login"),
    path("sign-up/", signup, name="account_signup"),
    path("closed-account/", account_inactive, name="account_inactive"),
]
# Grouped: of another address one comparison says that it is none of these.
urlpatterns = [
    path("worker/", include(worker_site)),
    path("mturk/externalSubmit", external_submit, name="external-submit"),
    path("mturk/preview", preview, name="mturk-preview"),
]
