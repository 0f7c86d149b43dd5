"""The days of seasons as an iCalendar file (RFC 5545), which people's calendars ask for again and again."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta

from django.conf import settings
from django.http import HttpResponse
from django.utils import timezone
from django.utils.translation import gettext as _
from icalendar import Calendar, Event, vText

from leagues.formats import format_day, format_zone
from leagues.models import Season
from leagues.tenancy.hosts import canonical_address
from ratings.views.feeds import OfLeagueMixin, OfSeasonMixin, clean

ASK_AGAIN = timedelta(hours=6)  # after which a program looks for changes
LAST_HOUR = timedelta(hours=1)
A_YEAR = timedelta(days=365)  # how far before its first time a calendar tells of the zone's clock


class CalendarView(OfSeasonMixin):
    """The days of a season, and the hour in which its last games can be played."""

    def seen(self) -> list[object]:
        shown = [(season.name, season.starts_on, season.ends_on, season.state) for season in self.seasons]
        return [*super().seen(), *shown]

    def answer(self) -> HttpResponse:
        calendar = Calendar()
        calendar.add("prodid", "-//wsd-site//seasons//EN")
        calendar.add("version", "2.0")
        title = vText(clean(self.title))
        calendar.add("name", title)
        calendar.add("x-wr-calname", title)
        calendar.add("x-wr-timezone", self.league.timezone)
        calendar.add("refresh-interval", ASK_AGAIN, parameters={"VALUE": "DURATION"})
        calendar.add("x-published-ttl", "PT6H")
        for season in self.seasons:
            for event in self._events(season):
                calendar.add_component(event)
        _tell_zone(calendar, self.seasons)
        return HttpResponse(calendar.to_ical(), content_type="text/calendar; charset=utf-8")

    def _events(self, season: Season) -> Iterator[Event]:
        """What a season has to be known of: its days; and its end, as long as games can be entered."""
        name = clean(f"{self.league.name}: {season.name}")
        days = self._event(season, "days", name)
        days.add("dtstart", season.starts_on)
        days.add("dtend", season.ends_on + timedelta(days=1))  # the first day after it
        days.add("transp", "TRANSPARENT")  # nobody is busy for a whole season
        yield days
        if not season.is_closed:
            end = self._event(season, "end", _("Last hour for games: %(season)s") % {"season": name})
            end.add("dtstart", _local(season.ends_at - LAST_HOUR, season))
            end.add("dtend", season.ends_at)
            told = _("Games of %(day)s still count, until midnight in the time zone %(zone)s.")
            values = {"day": format_day(season.ends_on), "zone": format_zone(self.league.zone)}
            end.add("description", told % values)
            yield end

    def _event(self, season: Season, kind: str, summary: str) -> Event:
        event = Event()
        host = settings.MAIN_HOST.partition(":")[0]
        event.add("uid", f"season-{season.pk}-{kind}@{host}")
        event.add("dtstamp", timezone.now())
        event.add("summary", summary)
        page = season.get_absolute_url()
        event.add("url", canonical_address(self.request, self.league, page))
        return event


class LeagueCalendarView(CalendarView, OfLeagueMixin):
    """The same of all seasons of a league but drafts."""


def _local(moment: datetime, season: Season) -> datetime:
    return timezone.localtime(moment, season.league.zone)


def _tell_zone(calendar: Calendar, seasons: Sequence[Season]) -> None:
    """Tell the clock of the league's zone: programs need not know zones by their names."""
    ends = [season.ends_at.date() for season in seasons if not season.is_closed]
    if ends:
        calendar.add_missing_timezones(min(ends) - A_YEAR, max(ends) + timedelta(days=1))
