"""Mails that remind players of challenges whose deadline is near."""

from __future__ import annotations

from collections.abc import Iterator

from django.contrib.auth.models import User
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils import timezone, translation
from django.utils.translation import gettext as _

from leagues.hosts import organizers_address
from leagues.mail import send_letter
from leagues.models import Challenge, Player
from leagues.models.challenge import ChallengeState


def mail_reminder(challenge: Challenge) -> None:
    """Mail those who still have to do something, in the league's language.

    Who has no account sees it on the page.
    """
    league = challenge.season.league
    for player, user in _to_remind(challenge):
        with translation.override(league.language), timezone.override(league.zone):
            context = {"challenge": challenge, "player": player, "league": league, "link": _link(challenge)}
            subject = _("%(challenge)s: little time left") % {"challenge": challenge}
            text = render_to_string("leagues/challenge_email.txt", context)
        send_letter(user.email, subject, text)


def _to_remind(challenge: Challenge) -> Iterator[tuple[Player, User]]:
    """Who answers, or both who play, where their accounts have an address."""
    both = [challenge.challenger, challenge.opponent]
    for player in both if challenge.state == ChallengeState.ACCEPTED else both[1:]:
        if player.user is not None and player.user.is_active and player.user.email:
            yield player, player.user


def _link(challenge: Challenge) -> str:
    season = challenge.season
    values = {"league": season.league.slug, "season": season.slug, "challenge": challenge.uuid}
    return organizers_address(reverse("ratings:challenge", kwargs=values))
