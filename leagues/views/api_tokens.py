"""The tokens by which programs come to the API of a league."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.core.exceptions import ValidationError
from django.db.models import F
from django.http import HttpResponse, HttpResponseRedirect
from django.shortcuts import get_object_or_404
from django.urls import reverse
from django.utils.translation import gettext as _

from leagues.forms.api_tokens import ApiTokenForm
from leagues.models import ApiToken
from leagues.services import create_api_token, revoke_api_token
from leagues.views.organizers import OwnersView

SHOWN = 100


class ApiTokenListView(OwnersView):
    """The tokens of a league. A new one is made here, and shows its secret once."""

    template_name = "leagues/api_token_list.html"

    def get(self, _request: Any, *_args: Any, **_kwargs: Any) -> HttpResponse:
        return self.page(form=ApiTokenForm())

    def post(self, request: Any, *_args: Any, **_kwargs: Any) -> HttpResponse:
        form = ApiTokenForm(request.POST)
        if not form.is_valid():
            return self.page(form=form)
        try:
            token, secret = create_api_token(league=self.league, by=request.user, **form.cleaned_data)
        except ValidationError as refused:
            form.add_error(None, refused.messages)
            return self.page(form=form)
        return self.page(form=ApiTokenForm(), made=token, secret=secret)

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        working_first = F("revoked_at").desc(nulls_first=True)
        tokens = ApiToken.objects.in_league(self.league).with_validity().order_by(working_first, "-pk")
        return super().get_context_data(
            tokens=[(each, ApiToken.Scope(each.scope).short) for each in tokens[:SHOWN]], **kwargs
        )


class ApiTokenRevokeView(OwnersView):
    """Let a token open nothing any more."""

    http_method_names = ["post"]

    def post(self, request: Any, *_args: Any, **kwargs: Any) -> HttpResponse:
        token = get_object_or_404(ApiToken.objects.in_league(self.league), pk=kwargs["apitoken"])
        try:
            revoke_api_token(token=token, by=request.user)
            messages.success(request, _("The token “%(name)s” is revoked.") % {"name": token.name})
        except ValidationError as refused:
            messages.error(request, refused.messages[0])
        return HttpResponseRedirect(reverse("leagues:api-token-list", kwargs={"league": self.league.slug}))
