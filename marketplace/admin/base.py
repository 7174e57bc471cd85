"""What the marketplace's admin pages share."""

from typing import TYPE_CHECKING, Any, Generic, TypeVar

from django.contrib import admin
from django.db.models import Model
from django.http import HttpRequest

from database.bounded_lists import BoundedList

Row = TypeVar("Row", bound=Model)

if TYPE_CHECKING:

    class UnfoldAdmin(admin.ModelAdmin[Row], Generic[Row]): ...

else:
    from unfold.admin import ModelAdmin

    class UnfoldAdmin(ModelAdmin):
        def __class_getitem__(cls, item: Any) -> type:
            return cls


class MarketplaceAdmin(BoundedList, UnfoldAdmin[Row]):
    list_per_page = 50


class ReadOnlyAdmin(MarketplaceAdmin[Row]):
    """Rows that only the marketplace itself writes."""

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False
