"""The address at which MTurk previews a group: scripts make links to it from a HIT's ids."""

from django.db.models import Q
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_safe

from marketplace.models import HITType
from marketplace.site.group import UNKNOWN_GROUP


@require_safe
def preview(request: HttpRequest) -> HttpResponse:
    """To the page of the group; `groupId` may be a HITGroupId or a HITTypeId.

    Security: everybody. It says no more than where the page is, and that page asks who is there.
    """
    wanted = request.GET.get("groupId", "")
    hit_type = HITType.objects.filter(Q(group_id=wanted) | Q(hit_type_id=wanted)).first()
    if hit_type is None:
        raise Http404(UNKNOWN_GROUP)
    return redirect("worker-group", hit_type.group_id)
