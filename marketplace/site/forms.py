from typing import TYPE_CHECKING, Any

from django import forms
from django.contrib.auth import password_validation
from django.contrib.auth.models import User
from django.core.exceptions import ValidationError
from django.utils.formats import number_format
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from marketplace.models import Worker

if TYPE_CHECKING:
    WorkerModelForm = forms.ModelForm[Worker]
    UserModelForm = forms.ModelForm[User]
else:
    WorkerModelForm = UserModelForm = forms.ModelForm

# What is wrong with a password, the first of these that is; Django would say all at once.
PASSWORD_WORDS = {
    "password_too_short": gettext_lazy("This is too short. Use at least 8 characters."),
    "password_entirely_numeric": gettext_lazy("These are only digits. Use some letters, too."),
    "password_too_similar": gettext_lazy("This is much like your user name. Choose another one."),
    "password_too_common": gettext_lazy("Many people have this password. Choose another one."),
}
NAME_LABEL = gettext_lazy("What should we call you? (optional)")


class FocusOnError(forms.BaseForm):
    """Shown again, it puts the focus where the first thing is wrong: that may be out of sight."""

    def full_clean(self) -> None:
        super().full_clean()
        wrong = next((name for name in self.fields if name in self.errors), None)
        if wrong is not None:
            self.fields[wrong].widget.attrs["autofocus"] = True


class JoinForm(FocusOnError, forms.Form):
    display_name = forms.CharField(
        label=NAME_LABEL,
        max_length=60,
        required=False,
        widget=forms.TextInput(attrs={"autocomplete": "nickname"}),
    )
    attempt = forms.RegexField(regex=r"^[0-9a-f]{32}$", widget=forms.HiddenInput)


class PlainText(forms.CharField):
    """Counted as the page counts: a new line is one character, though browsers send two."""

    widget = forms.Textarea

    def to_python(self, value: Any) -> Any:
        return (super().to_python(value) or "").replace("\r\n", "\n")

    def run_validators(self, value: Any) -> None:
        try:
            super().run_validators(value)
        except ValidationError as refused:
            for error in refused.error_list:
                if error.code == "max_length":
                    error.params = {
                        name: number_format(number)
                        for name, number in (error.params or {}).items()
                        if name in {"limit_value", "show_value"}
                    }
            raise


class ReplyForm(FocusOnError, forms.Form):
    """What a worker says to a rejection."""

    text = PlainText(
        label=gettext_lazy("Your answer"),
        max_length=1024,
        help_text=gettext_lazy("Up to 1,024 characters. A person reads it: plain words are best."),
        widget=forms.Textarea(attrs={"rows": 6}),
        error_messages={
            "required": gettext_lazy("Write your answer here first."),
            "max_length": gettext_lazy(
                "This has %(show_value)s characters. Shorten it to %(limit_value)s."
            ),
        },
    )


class NameForm(FocusOnError, WorkerModelForm):
    class Meta:
        model = Worker
        fields = ["display_name"]
        labels = {"display_name": gettext_lazy("Name shown here")}
        widgets = {"display_name": forms.TextInput(attrs={"autocomplete": "nickname"})}


class AccountForm(FocusOnError, UserModelForm):
    """A user name and password for a worker; the one before is asked for where there is one."""

    current_password = forms.CharField(
        label=gettext_lazy("Current password"),
        strip=False,
        widget=forms.PasswordInput(attrs={"autocomplete": "current-password"}),
    )
    password = forms.CharField(
        label=gettext_lazy("Password"),
        help_text=gettext_lazy("At least 8 characters, not only digits."),
        strip=False,
        widget=forms.PasswordInput(attrs={"autocomplete": "new-password"}),
    )
    password_again = forms.CharField(
        label=gettext_lazy("The same password again"),
        strip=False,
        widget=forms.PasswordInput(attrs={"autocomplete": "new-password"}),
    )

    class Meta:
        model = User
        fields = ["username"]
        labels = {"username": gettext_lazy("User name")}
        widgets = {"username": forms.TextInput(attrs={"autocomplete": "username"})}
        help_texts = {"username": gettext_lazy("Letters, digits and @ . + - _")}
        error_messages = {
            "username": {
                "unique": gettext_lazy("This user name is taken. Choose another one."),
                "invalid": gettext_lazy("Use only letters, digits and @ . + - _ here."),
            }
        }

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for field in self.fields.values():
            field.error_messages["required"] = _("Fill this in.")
        if not self.instance.has_usable_password():
            del self.fields["current_password"]
        else:
            self.fields["password"].label = _("New password")
            self.fields["password_again"].label = _("The same new password again")
            self.initial["username"] = ""

    def clean_current_password(self) -> str:
        current: str = self.cleaned_data["current_password"]
        if not self.instance.check_password(current):
            raise ValidationError(_("This is not your current password."))
        return current

    def clean(self) -> dict[str, Any]:
        cleaned: dict[str, Any] = super().clean() or self.cleaned_data
        first, again = cleaned.get("password"), cleaned.get("password_again")
        if first and again and first != again:
            self.add_error("password_again", _("The two passwords differ. Type the same twice."))
        return cleaned

    def _post_clean(self) -> None:
        """Judge the password when the new user name is known: they must not resemble."""
        super()._post_clean()  # type: ignore[misc]
        password = self.cleaned_data.get("password")
        if password:
            try:
                password_validation.validate_password(password, self.instance)
            except ValidationError as refused:
                codes = {error.code for error in refused.error_list}
                said = (words for code, words in PASSWORD_WORDS.items() if code in codes)
                self.add_error("password", next(said, refused))

    def save(self, commit: bool = True) -> User:
        self.instance.set_password(self.cleaned_data["password"])
        user: User = super().save(commit)
        return user
