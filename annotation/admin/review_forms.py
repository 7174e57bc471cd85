"""What an expert posts, as plain values; the service decides whether it is whole."""

from typing import Any

from django import forms

from annotation.models import Judgement

# A page left open over night says nothing about the pace.
MOST_SECONDS = 3600


class VerdictForm(forms.Form):
    grade = forms.CharField(required=False, max_length=30)
    step = forms.IntegerField(required=False, min_value=0, max_value=100)
    reason = forms.CharField(required=False, max_length=50)
    remark = forms.CharField(required=False, max_length=1000)
    seconds = forms.FloatField(required=False, min_value=0)

    def verdict(self) -> dict[str, Any]:
        """What the service takes; a field that cannot be read counts as left out."""
        self.is_valid()
        given = self.cleaned_data
        seconds = given.get("seconds")
        grade = given.get("grade", "")
        return {
            "judgement": Judgement.CORRECT if grade else Judgement.REJECT,
            "grade": grade,
            "step": None if grade else given.get("step"),
            "reason": "" if grade else given.get("reason", ""),
            "remark": given.get("remark", ""),
            "seconds": None if seconds is None else min(seconds, MOST_SECONDS),
        }
