"""Games that players report: reporting one, the list of them, and what is done with each."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.core.exceptions import BadRequest, PermissionDenied, ValidationError
from django.http import HttpResponse, HttpResponseBase, HttpResponseRedirect
from django.shortcuts import get_object_or_404
from django.urls import reverse
from django.utils.functional import cached_property
from django.utils.translation import gettext as _
from django.views.generic import TemplateView

from leagues.forms.games import GameForm, ReportForm
from leagues.models import GameReport, Player, Role, Season
from leagues.models.report import GameReportQuerySet
from leagues.services import confirm_report, decide_report, dispute_report, submit_report, withdraw_report
from leagues.services.game_reports import may_answer, reported_sides
from leagues.tenancy.acting import is_reporting
from leagues.tenancy.requests import LeagueMixin, season_of
from leagues.views.games import GameCreateView

DECIDED_SHOWN = 30


def enter_game(request: Any, **kwargs: Any) -> HttpResponseBase:
    """The page behind “enter a game”: an organizer enters it, a player reports it."""
    view = ReportCreateView if is_reporting(request) else GameCreateView
    return view.as_view()(request, **kwargs)


class ReportCreateView(GameCreateView):
    """Report a game that one played."""

    players_too = True
    template_name = "leagues/report_form.html"

    def dispatch(self, request: Any, *args: Any, **kwargs: Any) -> HttpResponseBase:
        if not season_of(request).takes_reports:
            raise PermissionDenied(_("The games of this season are entered by its organizers."))
        return super().dispatch(request, *args, **kwargs)

    def form(self, data: Any = None) -> GameForm:
        if data is not None:
            return ReportForm(self.season, data)
        return ReportForm(self.season, sides=self.own_side())

    def own_side(self) -> list[dict[str, Any]] | None:
        """The reporter on the first side, where sides are alike; of a duel it is the challenger's."""
        if self.season.duels_only:
            return None
        player = Player.objects.in_league(self.league).get(slug=self.request.player)
        return [{"members": [str(player.pk)]}, {}]

    def form_with_other_sides(self) -> GameForm:
        return ReportForm.with_other_sides(self.season, self.request.POST)

    def saved(self, form: GameForm) -> HttpResponse:
        submit_report(
            season=self.season,
            by=self.request.user,
            token=form.cleaned_data["token"],
            even_if_similar="anyway" in self.request.POST,
            **form.facts(),
        )
        messages.success(self.request, _("The game is reported. It counts once it is confirmed."))
        if "another" in self.request.POST:
            return HttpResponseRedirect(self.request.path)
        return HttpResponseRedirect(reports_address(self.season))


def reports_address(season: Season) -> str:
    return reverse("leagues:report-list", kwargs={"league": season.league.slug, "season": season.slug})


class ReportsMixin(LeagueMixin):
    """A page about reports: organizers see all of the season, a player those of the own games."""

    role_required = Role.SCORER
    players_too = True
    season: Season

    @cached_property
    def player(self) -> Player | None:
        if not self.request.player:
            return None
        return Player.objects.in_league(self.league).get(slug=self.request.player)

    @property
    def reports(self) -> GameReportQuerySet:
        reports = GameReport.objects.filter(season=self.season)
        if self.request.role is None:
            reports = reports.of_player(self.player.pk if self.player else 0)
        return reports.with_seats()


class ReportListView(ReportsMixin, TemplateView):
    """The reports that wait, those that end first before the others, and what came of the latest."""

    template_name = "leagues/report_list.html"

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        decided = self.reports.exclude(decided_at=None).order_by("-decided_at", "-pk")
        return super().get_context_data(
            waiting=[self.shown(report) for report in self.reports.open().order_by("answer_by", "pk")],
            decided=[self.shown(report) for report in decided[:DECIDED_SHOWN]],
            **kwargs,
        )

    def shown(self, report: GameReport) -> dict[str, Any]:
        """A report with what this visitor may do with it."""
        is_open = report.is_open and self.season.is_open and not report.is_due
        is_own = self.player is not None and report.reporter == self.player
        answers = self.player is not None and report.is_waiting and may_answer(report, self.player)
        return {
            "report": report,
            "sides": reported_sides(report),
            "may_answer": is_open and answers,
            "may_withdraw": is_open and is_own,
            "may_decide": is_open and self.request.role is not None,
        }


class ReportAnswerView(ReportsMixin):
    """Confirm, dispute, withdraw, accept or drop a report."""

    http_method_names = ["post"]

    def post(self, request: Any, *_args: Any, **_kwargs: Any) -> HttpResponse:
        report = get_object_or_404(self.reports, pk=self.kwargs["gamereport"])
        report.season = self.season
        try:
            messages.success(request, self.done(report))
        except ValidationError as refused:
            messages.error(request, refused.messages[0])
        return HttpResponseRedirect(reports_address(self.season))

    def done(self, report: GameReport) -> str:
        """Do what was asked, and say it. Raises ValidationError, and what refuses the whole request."""
        by, asked = self.request.user, self.request.POST.get("answer")
        if asked in ("accept", "drop"):
            if self.request.role is None:
                raise PermissionDenied(_("Organizers decide; you confirm or dispute."))
            decide_report(report=report, accept=asked == "accept", by=by)
            return _("The game counts.") if asked == "accept" else _("The report is dropped.")
        if asked == "withdraw":
            withdraw_report(report=report, by=by)
            return _("The report is withdrawn.")
        if asked == "dispute":
            dispute_report(report=report, reason=self.request.POST.get("reason", ""), by=by)
            return _("The report is disputed. An organizer decides.")
        if asked == "confirm":
            confirm_report(report=report, by=by)
            return _("The game is confirmed, and counts.")
        raise BadRequest("The form says nothing that can be done with a report.")
