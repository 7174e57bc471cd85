"""Lists in the admin that stay quick at a million rows: nothing is counted to its end."""

import json
from typing import TYPE_CHECKING, Any

from django.core.paginator import Paginator
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.functional import cached_property

from database.list_rows import OneCheckbox

if TYPE_CHECKING:
    from django.contrib.admin.views.main import ChangeList
else:
    from unfold.views import ChangeList

# Up to here rows are counted; of more, PostgreSQL is asked how many it believes there are.
COUNTED = 10_000
MANY_PAGES = 10**9


class BoundedPaginator(Paginator):  # type: ignore[type-arg]  # not subscriptable when it runs
    """Of a long list there is always a next page to ask for: its end is not known."""

    template_name = "admin/bounded_pages.html"
    object_list: QuerySet[Any]

    @cached_property
    def count(self) -> int:
        counted: int = self.object_list.order_by().values("pk")[: COUNTED + 1].count()
        return max(counted, self._believed()) if counted > COUNTED else counted

    @property
    def is_rough(self) -> bool:
        return self.count > COUNTED

    @property
    def about(self) -> int:
        """The count to two figures, which is all that an estimate deserves."""
        unit: int = 10 ** (len(str(self.count)) - 2)
        return round(self.count / unit) * unit

    @cached_property
    def num_pages(self) -> int:
        pages: int = super().num_pages
        return MANY_PAGES if self.is_rough else pages

    def _believed(self) -> int:
        plan = json.loads(self.object_list.order_by().values("pk").explain(format="json"))
        return int(plan[0]["Plan"]["Plan Rows"])


class BoundedChangeList(ChangeList):
    """Hands the rows of the page to `attach_figures` of the model's admin, where it has one."""

    def get_results(self, request: HttpRequest) -> None:
        super().get_results(request)
        # Django tells a filtered list from a whole one by two counts; here the second is not made.
        if self.get_filters_params() == {} and not self.query or self.paginator.is_rough:
            self.full_result_count = self.result_count
        attach = getattr(self.model_admin, "attach_figures", None)
        if attach is not None:
            self.result_list = list(self.result_list)
            attach(self.result_list)


class BoundedList(OneCheckbox):
    """Mixed into a ModelAdmin."""

    paginator: Any = BoundedPaginator
    show_full_result_count = False

    def get_changelist(self, request: HttpRequest, **kwargs: Any) -> type[ChangeList]:
        return BoundedChangeList
