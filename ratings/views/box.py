"""The league in a box, for its owners."""

from __future__ import annotations

import logging
from typing import Any

from django.contrib import messages
from django.http import FileResponse, Http404, HttpResponse, HttpResponseRedirect
from django.utils.decorators import method_decorator
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache

from leagues.models import Role
from leagues.services.kept_boxes import kept_box
from leagues.tenancy.requests import LeagueMixin, LeaguePage
from ratings.services.long_exports import is_quick, run_export, state_of_export
from ratings.tasks import start_export

logger = logging.getLogger(__name__)

POLL_SECONDS = 1


@method_decorator(never_cache, name="dispatch")
class BoxView(LeaguePage):
    """Have the box made, see how far that has come, and fetch it."""

    role_required = Role.OWNER

    def get(self, _request: Any, *_args: Any, **_kwargs: Any) -> HttpResponse:
        step, has_failed = state_of_export(self.league.pk)
        return self.page(
            step=step,
            has_failed=has_failed,
            box=kept_box(self.league.pk),
            asks_every=POLL_SECONDS if step else None,
        )

    def post(self, request: Any, *_args: Any, **_kwargs: Any) -> HttpResponse:
        try:
            if is_quick(self.league):
                run_export(self.league.pk)
            else:
                start_export(self.league.pk)
        except Exception:
            logger.exception("The making of a box could not be started.")
            messages.error(request, _("The box could not be made; try again in a minute."))
        return HttpResponseRedirect(request.path)

    def get_template_names(self) -> list[str]:
        return ["ratings/_box.html" if self.is_fragment else "ratings/box.html"]


@method_decorator(never_cache, name="dispatch")
class BoxFileView(LeagueMixin):
    """The box that was made last."""

    role_required = Role.OWNER

    def get(self, _request: Any, *_args: Any, **_kwargs: Any) -> FileResponse:
        box = kept_box(self.league.pk)
        if box is None:
            raise Http404
        name = f"{self.league.slug}-{box.made_at:%Y-%m-%d}.zip"
        return FileResponse(
            box.path.open("rb"), as_attachment=True, filename=name, content_type="application/zip"
        )
