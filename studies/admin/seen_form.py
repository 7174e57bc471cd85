"""A form that two people may have open at once."""

from typing import Any

from django import forms
from django.http import QueryDict
from django.utils.translation import gettext as _


class SeenForm(forms.ModelForm):  # type: ignore[type-arg]  # not subscriptable when it runs
    """Writes what was changed on the page, and leaves what others have changed meanwhile.

    The page sends along what it was opened with. What both have changed is asked about once.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if self.instance.pk is not None:
            for field in self.fields.values():
                field.show_hidden_initial = True

    def clean(self) -> dict[str, Any]:
        cleaned: dict[str, Any] = super().clean() or self.cleaned_data
        for name in list(cleaned):
            bound = self[name]
            if bound.html_initial_name not in self.data:
                continue
            if name not in self.changed_data:
                cleaned[name] = self.initial[name]
            elif self._was_changed_meanwhile(name):
                self._take_for_seen(name)
                self.add_error(
                    name,
                    _(
                        "Somebody else changed this after you opened the page. "
                        "Save again to put yours in its place."
                    ),
                )
        return cleaned

    def _was_changed_meanwhile(self, name: str) -> bool:
        field, stored = self.fields[name], self.initial[name]
        sent_as = self[name].html_initial_name
        seen = field.hidden_widget().value_from_datadict(self.data, self.files, sent_as)
        if isinstance(field, forms.CharField) and isinstance(stored, str):
            return _lines(stored) != _lines(seen)
        return bool(field.has_changed(stored, seen))

    def _take_for_seen(self, name: str) -> None:
        """Saved again, it is meant."""
        assert isinstance(self.data, QueryDict)
        stored, given = self.fields[name].prepare_value(self.initial[name]), self.data.copy()
        given.setlist(
            self[name].html_initial_name, stored if isinstance(stored, list) else [stored]
        )
        self.data = given


def _lines(text: str) -> list[str]:
    """A browser ends lines in its own way, and a form drops the space at both ends."""
    return text.strip().splitlines()
