"""The addresses elsewhere that are told of a league's games."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.core.exceptions import ValidationError
from django.http import HttpResponse, HttpResponseRedirect
from django.shortcuts import get_object_or_404
from django.urls import reverse
from django.utils.translation import gettext as _

from leagues.forms.webhooks import WebhookForm
from leagues.models import Webhook
from leagues.services import create_webhook, delete_webhook, switch_webhook
from leagues.views.organizers import OwnersView


class WebhookListView(OwnersView):
    """The webhooks of a league. A new one is made here; that of a program shows its secret once."""

    template_name = "leagues/webhook_list.html"

    def get(self, _request: Any, *_args: Any, **_kwargs: Any) -> HttpResponse:
        return self.page(form=WebhookForm())

    def post(self, request: Any, *_args: Any, **_kwargs: Any) -> HttpResponse:
        form = WebhookForm(request.POST)
        if not form.is_valid():
            return self.page(form=form)
        try:
            hook = create_webhook(league=self.league, by=request.user, **form.cleaned_data)
        except ValidationError as refused:
            form.add_error(None, refused.messages)
            return self.page(form=form)
        return self.page(form=WebhookForm(), made=hook if hook.kind == Webhook.Kind.JSON else None)

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        return super().get_context_data(
            hooks=Webhook.objects.in_league(self.league).with_given_up(), **kwargs
        )


class WebhookUpdateView(OwnersView):
    """Switch a webhook on or off, or delete it."""

    http_method_names = ["post"]

    def post(self, request: Any, *_args: Any, **kwargs: Any) -> HttpResponse:
        hook = get_object_or_404(Webhook.objects.in_league(self.league), pk=kwargs["webhook"])
        try:
            if "delete" in request.POST:
                delete_webhook(hook=hook, by=request.user)
                messages.success(request, _("%(hook)s is told nothing any more.") % {"hook": hook})
            else:
                is_on = switch_webhook(hook=hook, on="on" in request.POST, by=request.user).is_active
                sentence = _("%(hook)s is switched on.") if is_on else _("%(hook)s is switched off.")
                messages.success(request, sentence % {"hook": hook})
        except ValidationError as refused:
            messages.error(request, refused.messages[0])
        return HttpResponseRedirect(reverse("leagues:webhook-list", kwargs={"league": self.league.slug}))
