"""The ladder of a season: the leaderboard, a player's pool, and challenges from their issue to their end."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any, NamedTuple

from django.contrib import messages
from django.core.exceptions import ValidationError
from django.db.models.functions import Coalesce
from django.http import Http404, HttpResponse, HttpResponseBase, HttpResponseRedirect
from django.shortcuts import get_object_or_404
from django.urls import reverse
from django.utils import timezone
from django.utils.functional import cached_property
from django.utils.html import format_html_join
from django.utils.http import urlencode
from django.utils.translation import gettext as _
from django.utils.translation import pgettext

from leagues.models import Challenge, Entry, GameReport, Player, Season
from leagues.models.challenge import ChallengeQuerySet, ChallengeState
from leagues.services.challenges import (
    ChallengeDecidedError,
    accept_challenge,
    decline_challenge,
    forfeit_challenge,
    play_challenge,
    withdraw_challenge,
)
from leagues.services.game_reports import report_challenge
from leagues.services.resting import end_rest, rest_player
from leagues.tenancy.acting import is_reporting, may_act_for
from leagues.tenancy.requests import LeaguePage, ask_to_sign_in
from ratings.engine.explain import expected
from ratings.engine.types import Rules
from ratings.forms.ladder import DeclineForm, ForfeitForm, IssueForm, RestForm, ResultForm
from ratings.models import Meeting, RatingChange, Standing
from ratings.services.challenges import Chances, issue_challenge, stakes_of
from ratings.services.comparing import first_by_name
from ratings.services.explain import Basis
from ratings.tables.ladder import LeaderboardTable
from ratings.views.leaderboard import AroundMixin, ladder_rules
from ratings.views.live import LiveMixin

AT_STAKE = (ChallengeState.ISSUED, ChallengeState.ACCEPTED)  # what it is worth is still to be known
OPEN_SHOWN = 100
HISTORY_SHOWN = 20
LISTED = 400  # so many to choose from are a help without scripts


class Open(NamedTuple):
    """An open challenge, and what the reader may do with it."""

    challenge: Challenge
    may_answer: bool
    may_withdraw: bool
    may_report: bool
    may_see_report: bool
    may_forfeit: bool


class Past(NamedTuple):
    """A past challenge and what came of it: a word, or the points and the challenger's change of its game."""

    challenge: Challenge
    label: str
    points: tuple[int, int] | None
    change: int


class History(NamedTuple):
    """A page of past challenges, and the numbers of the pages beside it."""

    shown: list[Past]
    newer: int | None
    older: int | None


def challenges_of(season: Season) -> ChallengeQuerySet:
    """The challenges between people of a season, with all that a list tells of them."""
    challenges: ChallengeQuerySet = season.challenges.between_people()  # each knows this very season
    return challenges.select_related("challenger", "opponent")


def most_urgent(challenges: ChallengeQuerySet, now: datetime) -> ChallengeQuerySet:
    """Those that still are open, in order of their deadlines."""
    return challenges.open_at(now).order_by(Coalesce("play_by", "respond_by"), "pk")


class LadderView(AroundMixin, LiveMixin):
    """The ladder as everybody sees it, or as it is around one player."""

    template_name = "ratings/ladder.html"
    fragment_name = "ratings/_ladder.html"
    season: Season

    def get_template_names(self) -> list[str]:
        is_table = self.is_fragment and self.request.htmx.target == "table"
        return ["ratings/_leaderboard.html"] if is_table else super().get_template_names()

    def _etag(self) -> None:
        """None: what is told here goes by the clock, and by challenges, which raise no revision."""

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        rules, now = ladder_rules(self.season), timezone.now()
        me, q = self.me, self.asked.cleaned_data.get("q", "")
        table = LeaderboardTable.of(self.season, me, q)
        rows = table.show(self.request.GET)
        return super().get_context_data(
            table=table,
            q=q,
            me=me,
            rules=rules,
            open_challenges=self.open_challenges(now),
            history=self.history(now),
            **self.others(me),
            now=now,
            **(self.around(me, rules, table, rows) if me else {}),
            **kwargs,
        )

    def others(self, me: Standing | None) -> dict[str, Any]:
        """The options for everybody else, and at how many they are cut."""
        listed = first_by_name(Standing.objects.filter(season=self.season), LISTED)
        others = [each for each in listed if me is None or each[0] != me.player.slug]
        # Not of the template, which takes ten times as long for hundreds.
        options = format_html_join("", '<option value="{}">{}</option>', others)
        return {"others": options, "cut": LISTED if len(listed) == LISTED else None}

    def around(
        self, me: Standing, rules: Rules, table: LeaderboardTable, rows: list[Standing]
    ) -> dict[str, Any]:
        """What is shown around a player; the table learns it too."""
        chances = Chances(self.season, rules, me, rows)
        table.prospects, table.may_act = chances.prospects(), may_act_for(self.request, me.player)
        return {
            "may_act": table.may_act,
            "pool": [(table.prospects[player], table.act(player)) for player in chances.pool],
            "higher": sum(each.rating > me.rating for each in chances.pool.values()),
            "k": chances.k,
            "nearest": (me.rating - rules.pool_deviation, me.rating + rules.pool_deviation),
            "obstacle": chances.own_obstacle,
            "rests_until": chances.rests.get(me.player_id),
            "own_page": table.page_of(me),
        }

    def challenges(self) -> ChallengeQuerySet:
        found = challenges_of(self.season)
        return found.of_players([self.me.player_id]) if self.me else found

    def open_challenges(self, now: datetime) -> list[Open]:
        """Those of the player, or of everybody, the most urgent first."""
        return [open_to(self.request, each) for each in most_urgent(self.challenges(), now)[:OPEN_SHOWN]]

    def history(self, now: datetime) -> History:
        """A page of those that are decided, the latest first: of the player, or of everybody."""
        page = self.asked.cleaned_data.get("past") or 1
        start = (page - 1) * HISTORY_SHOWN
        # One more tells that there are older ones: nobody counts them all.
        over = self.challenges().over_at(now).order_by("-issued_at", "-pk")
        found = list(over[start : start + HISTORY_SHOWN + 1])
        older = page + 1 if len(found) > HISTORY_SHOWN else None
        return History(told_past(found[:HISTORY_SHOWN], now), page - 1 or None, older)


def told_past(challenges: Sequence[Challenge], now: datetime) -> list[Past]:
    """What came of these challenges; one query for the results of all."""
    games = [each.game_id for each in challenges if each.game_id]
    rated = {(row.game_id, row.player_id): row for row in RatingChange.objects.filter(game__in=games)}
    told = []
    for each in challenges:
        own = rated.get((each.game_id or 0, each.challenger_id))
        other = rated.get((each.game_id or 0, each.opponent_id))
        points = (own.points, other.points) if own and other else None
        told.append(Past(each, told_briefly(each, now), points, own.change if own else 0))
    return told


def told_briefly(challenge: Challenge, now: datetime) -> str:
    """The state of a challenge in one word, as a list has room for."""
    brief = {
        ChallengeState.EXPIRED: pgettext("challenge", "expired"),
        ChallengeState.FORFEITED: pgettext("challenge", "forfeited"),
    }
    return brief.get(ChallengeState(challenge.state_at(now))) or told_state(challenge, now)


def told_state(challenge: Challenge, now: datetime) -> str:
    """The state of a challenge in words."""
    return str(ChallengeState(challenge.state_at(now)).label)


def open_to(request: Any, challenge: Challenge) -> Open:
    """The challenge with what the reader may do with it now."""
    by_challenger = may_act_for(request, challenge.challenger)
    by_opponent = may_act_for(request, challenge.opponent)
    state = challenge.state_at(timezone.now())
    waits = state == ChallengeState.ISSUED
    is_to_play = state == ChallengeState.ACCEPTED or (
        state == ChallengeState.EXPIRED and challenge.play_by is not None
    )
    return Open(
        challenge,
        may_answer=waits and by_opponent,
        may_withdraw=waits and by_challenger,
        may_report=is_to_play and (by_challenger or by_opponent),
        may_see_report=state == ChallengeState.REPORTED and (by_challenger or by_opponent),
        may_forfeit=is_to_play and request.role is not None,
    )


class ActView(LeaguePage):
    """Where somebody acts for a player of a ladder season."""

    season: Season

    def dispatch(self, request: Any, *args: Any, **kwargs: Any) -> HttpResponseBase:
        if request.method == "POST" and not request.user.is_authenticated:
            return ask_to_sign_in(request)
        return super().dispatch(request, *args, **kwargs)

    def refuse_strangers(self, *players: Player) -> None:
        """Http404 where the reader may act for none of these players."""
        if not any(may_act_for(self.request, player) for player in players):
            raise Http404

    def to_ladder(self, slug: str = "") -> HttpResponseRedirect:
        """To the ladder around the player of this address, or that of everybody."""
        values = {"league": self.league.slug, "season": self.season.slug}
        query = f"?{urlencode({'player': slug})}" if slug else ""
        return HttpResponseRedirect(reverse("ratings:ladder", kwargs=values) + query)


class IssueView(ActView):
    """Challenge somebody, or somebody whom the lot chooses."""

    http_method_names = ["post"]

    def post(self, request: Any, *_args: Any, **_kwargs: Any) -> HttpResponse:
        ladder_rules(self.season)
        form = IssueForm(request.POST, season=self.season)
        if not form.is_valid():
            for errors in form.errors.values():
                messages.error(request, str(errors[0]))
            return self.to_ladder(request.POST.get("player", ""))
        player = form.cleaned_data["player"]
        self.refuse_strangers(player)
        try:
            challenge = issue_challenge(
                season=self.season,
                challenger=player,
                opponent=None if form.cleaned_data["draw"] else form.cleaned_data["opponent"],
                by=request.user,
            )
        except ValidationError as refused:
            messages.error(request, refused.messages[0])
            return self.to_ladder(player.slug)
        said = _("Drawn: %(name)s is challenged.") if challenge.by_draw else _("%(name)s is challenged.")
        messages.success(request, said % {"name": challenge.opponent.name})
        return self.to_ladder(player.slug)


class RestView(ActView):
    """Let a player rest, or come back."""

    http_method_names = ["post"]

    def post(self, request: Any, *_args: Any, **_kwargs: Any) -> HttpResponse:
        ladder_rules(self.season)
        form = RestForm(request.POST)
        is_valid = form.is_valid()
        entries = Entry.objects.filter(season=self.season).select_related("player", "season__league")
        slug = form.cleaned_data.get("player", "")
        entry = get_object_or_404(entries, player__league=self.league, player__slug=slug)
        self.refuse_strangers(entry.player)
        try:
            if "back" in request.POST:
                end_rest(entry=entry, by=request.user)
                messages.success(
                    request, _("%(name)s can be challenged again.") % {"name": entry.player.name}
                )
            elif is_valid:
                rest_player(entry=entry, days=form.cleaned_data["days"] or 0, by=request.user)
                messages.success(request, _("%(name)s rests now.") % {"name": entry.player.name})
            else:
                messages.error(request, str(next(iter(form.errors.values()))[0]))
        except ValidationError as refused:
            messages.error(request, refused.messages[0])
        return self.to_ladder(entry.player.slug)


class ChallengeView(ActView):
    """One challenge: what is at stake, what came of it, and what the reader may do with it."""

    template_name = "ratings/challenge.html"

    @cached_property
    def challenge(self) -> Challenge:
        return get_object_or_404(challenges_of(self.season), uuid=self.kwargs["challenge"])

    def get(self, _request: Any, *_args: Any, **_kwargs: Any) -> HttpResponse:
        return self.page()

    def post(self, request: Any, *_args: Any, **_kwargs: Any) -> HttpResponse:
        ladder_rules(self.season)
        acts = {"accept": self.accept, "decline": self.decline, "withdraw": self.withdraw}
        acts |= {"play": self.play, "forfeit": self.forfeit}
        act = acts.get(request.POST.get("act", ""))
        if act is None:
            return self.page()
        try:
            answer = act()
        except ValidationError as refused:
            messages.error(request, refused.messages[0])
            return self.back()
        return answer

    def back(self) -> HttpResponseRedirect:
        """To where the reader acted: the ladder around whomever it was shown, or this page."""
        if "player" in self.request.POST:
            return self.to_ladder(self.request.POST["player"])
        return HttpResponseRedirect(self.challenge.get_absolute_url())

    def accept(self) -> HttpResponse:
        self.refuse_strangers(self.challenge.opponent)
        accept_challenge(challenge=self.challenge, by=self.request.user)
        messages.success(self.request, _("The challenge is accepted."))
        return self.back()

    def decline(self) -> HttpResponse:
        self.refuse_strangers(self.challenge.opponent)
        form = DeclineForm(self.request.POST)
        if not form.is_valid():
            return self.page(decline=form)
        decline_challenge(challenge=self.challenge, reason=form.cleaned_data["reason"], by=self.request.user)
        messages.success(self.request, _("The challenge is declined."))
        return self.back()

    def withdraw(self) -> HttpResponse:
        self.refuse_strangers(self.challenge.challenger)
        withdraw_challenge(challenge=self.challenge, by=self.request.user)
        messages.success(self.request, _("The challenge is withdrawn."))
        return self.back()

    def play(self) -> HttpResponse:
        self.refuse_strangers(self.challenge.challenger, self.challenge.opponent)
        form = ResultForm(self.request.POST, challenge=self.challenge)
        if not form.is_valid():
            return self.page(result=form)
        try:
            return self.report(form) if self.is_to_be_confirmed else self.record(form)
        except ChallengeDecidedError:
            raise
        except ValidationError as refused:
            form.add_error(None, refused.messages)
            return self.page(result=form)

    @property
    def is_to_be_confirmed(self) -> bool:
        """Whether a result of the reader is that of a player: an organizer's counts at once."""
        plays = self.request.player in (self.challenge.challenger.slug, self.challenge.opponent.slug)
        return plays and is_reporting(self.request)

    def record(self, form: ResultForm) -> HttpResponse:
        values = {"played_at": form.cleaned_data["played_at"], "points": form.points}
        game = play_challenge(challenge=self.challenge, by=self.request.user, **values)
        messages.success(self.request, _("The game is saved."))
        return HttpResponseRedirect(game.get_absolute_url())

    def report(self, form: ResultForm) -> HttpResponse:
        values = {"played_at": form.cleaned_data["played_at"], "points": form.points}
        report_challenge(challenge=self.challenge, by=self.request.user, **values)
        messages.success(self.request, _("The game is reported. It counts once it is confirmed."))
        return self.back()

    def forfeit(self) -> HttpResponse:
        if self.request.role is None:
            raise Http404
        form = ForfeitForm(self.request.POST, challenge=self.challenge)
        if not form.is_valid():
            return self.page(forfeit=form)
        absent = form.players[form.cleaned_data["absent"]]
        forfeit_challenge(
            challenge=self.challenge, absent=absent, reason=form.cleaned_data["reason"], by=self.request.user
        )
        messages.success(self.request, _("The challenge is forfeited by %(name)s.") % {"name": absent.name})
        return self.back()

    def page(self, **forms: Any) -> HttpResponse:
        challenge, rules, now = self.challenge, ladder_rules(self.season), timezone.now()
        unfilled = {
            "decline": DeclineForm(),
            "result": ResultForm(challenge=challenge),
            "forfeit": ForfeitForm(challenge=challenge),
        }
        return super().page(
            challenge=challenge,
            state=challenge.state_at(now),
            label=told_state(challenge, now),
            open=open_to(self.request, challenge),
            report=self.waiting_report(),
            to_be_confirmed=self.is_to_be_confirmed,
            meeting=self.meeting(),
            pair_query=urlencode({"side1": challenge.challenger.slug, "side2": challenge.opponent.slug}),
            **(self.stakes(rules) if challenge.state_at(now) in AT_STAKE else {}),
            **unfilled | forms,
        )

    def waiting_report(self) -> GameReport | None:
        """The report that its two players and the organizers know of."""
        if not open_to(self.request, self.challenge).may_see_report:
            return None
        return self.challenge.reports.open().select_related("reporter").first()

    def meeting(self) -> Meeting | None:
        """How often the challenger met the opponent in this season, and how it ended."""
        challenge = self.challenge
        met = Meeting.objects.filter(season=self.season, player=challenge.challenger_id)
        return met.filter(opponent=challenge.opponent_id).first()

    def stakes(self, rules: Rules) -> dict[str, Any]:
        """The challenger's lead with each result and by how many points both would change now, and why."""
        players = [self.challenge.challenger_id, self.challenge.opponent_id]
        rows = Standing.objects.filter(season=self.season, player__in=players).select_related("player")
        standing = {row.player_id: row for row in rows}
        if len(standing) < len(players):
            return {}
        own, other = (standing[player] for player in players)
        stakes = stakes_of(self.season, rules, own, other)
        ends = ((1, stakes.won), (0, stakes.drawn), (-1, stakes.lost))
        score = expected(rules, own.rating - other.rating)
        return {
            "outcomes": [(lead, change / 10, -change / 10) for lead, change in ends],
            "basis": Basis(own.rating, other.rating, score, stakes.k, stakes.k_reason),
        }
