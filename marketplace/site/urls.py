from allauth.account.views import account_inactive, signup
from django.urls import path

from marketplace.site.account import account, new_link, rename, set_password
from marketplace.site.assignment import assignment, give_back
from marketplace.site.external_submit import external_submit
from marketplace.site.group import accept, group
from marketplace.site.history import history
from marketplace.site.joining import join, start
from marketplace.site.listing import hit_list
from marketplace.site.preferences import preferences
from marketplace.site.sign_in import SignIn, enter, sign_out

urlpatterns = [
    path("worker/", hit_list, name="worker-list"),
    path("worker/groups/<slug:group_id>/", group, name="worker-group"),
    path("worker/groups/<slug:group_id>/accept/", accept, name="worker-accept"),
    path("worker/assignments/<slug:assignment_id>/", assignment, name="worker-assignment"),
    path("worker/assignments/<slug:assignment_id>/return/", give_back, name="worker-return"),
    path("worker/history/", history, name="worker-history"),
    path("worker/preferences/", preferences, name="worker-preferences"),
    path("worker/account/", account, name="worker-account"),
    path("worker/account/name/", rename, name="worker-rename"),
    path("worker/account/password/", set_password, name="worker-set-password"),
    path("worker/account/new-link/", new_link, name="worker-new-link"),
    path("worker/join/<slug:token>/", join, name="worker-join"),
    path("worker/start/", start, name="worker-start"),
    path("worker/enter/<str:token>/", enter, name="worker-enter"),
    path("worker/sign-in/", SignIn.as_view(), name="worker-sign-in"),
    path("worker/sign-out/", sign_out, name="worker-sign-out"),
    # The names that allauth's own views look for.
    path("worker/sign-in/", SignIn.as_view(), name="account_login"),
    path("worker/sign-up/", signup, name="account_signup"),
    path("worker/closed-account/", account_inactive, name="account_inactive"),
    path("mturk/externalSubmit", external_submit, name="external-submit"),
]
