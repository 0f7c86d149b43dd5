"""What was corrected in a season, and what it changed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from django.core.paginator import Paginator

from leagues.models import Season
from ratings.services.correction_log import ToldCorrection, corrections_of, told
from ratings.views.files import CHUNK, TableFileView
from ratings.views.live import LiveMixin

CORRECTIONS_A_PAGE = 30
FILE_COLUMNS = ("corrected_at", "correction", "effect", "standings_from")


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


class CorrectionsFileView(TableFileView):
    """All of them as a file, in the words of the page."""

    table = "corrections"
    season: Season

    def rows(self) -> Iterable[Sequence[object]]:
        # Told now and not as the file is sent: by then the reader's language is no longer the active one.
        corrections = corrections_of(self.season).iterator(CHUNK)
        return [FILE_COLUMNS, *(self._row(told(each)) for each in corrections)]

    def _row(self, correction: ToldCorrection) -> Sequence[object]:
        day = correction.day.isoformat() if correction.day else None
        return [correction.at.astimezone(self.league.zone), correction.text, correction.effect, day]
