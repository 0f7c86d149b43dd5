"""What was corrected in a season, and what it changed."""

from __future__ import annotations

from typing import Any

from django.core.paginator import Paginator

from leagues.models import Season
from ratings.services.correction_log import corrections_of, told
from ratings.views.live import LiveMixin

CORRECTIONS_A_PAGE = 30


class CorrectionsView(LiveMixin):
    """The season's public log of corrections, the latest first."""

    template_name = "ratings/corrections.html"
    fragment_name = "ratings/_corrections.html"
    season: Season

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        page = Paginator(corrections_of(self.season), CORRECTIONS_A_PAGE).get_page(
            self.request.GET.get("page")
        )
        return super().get_context_data(page=page, corrections=[told(each) for each in page], **kwargs)
