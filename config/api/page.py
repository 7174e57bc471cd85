from django.contrib.admin.views.decorators import staff_member_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.cache import never_cache


@never_cache
@staff_member_required
def show(request: HttpRequest) -> HttpResponse:
    """The API's document to read and to try, from files of this site alone.

    Security: staff; others are sent to the admin's sign-in.
    """
    may_make_tokens = request.user.has_perm("config.view_apitoken")
    return render(request, "api/page.html", {"may_make_tokens": may_make_tokens})
