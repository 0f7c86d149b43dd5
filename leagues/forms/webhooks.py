"""The form of a webhook."""

from __future__ import annotations

from django import forms

from leagues.models import Webhook


class WebhookForm(forms.ModelForm):
    class Meta:
        model = Webhook
        fields = ("kind", "address")
        widgets = {
            "kind": forms.RadioSelect,
            "address": forms.URLInput(attrs={"autocomplete": "off", "placeholder": "https://"}),
        }
