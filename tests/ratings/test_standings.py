"""The standings page, its file, and what stands beside a missing place."""

import csv
import io
import itertools
import re
from datetime import timedelta

import pytest
import time_machine
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import translation

from leagues.models import Season
from leagues.models.league import Visibility
from leagues.services import enter_player, withdraw_player
from ratings.engine.standings import TIE_BREAKS
from ratings.models import PrizeTier, Replay, Standing
from ratings.models.rules import TIE_BREAK_WORDS
from ratings.services.facts import rules_of
from ratings.services.rules import change_prize_tiers, change_rules
from ratings.services.standings import missing_opponents, recent_games
from ratings.tables.standings import Reasons, meter
from tests.factories import (
    make_game,
    make_league,
    make_organizer,
    make_players,
    make_season,
    make_user,
    replayed,
)

pytestmark = pytest.mark.django_db
HTMX = {"HX-Request": "true"}


def address(season: Season, view: str = "standings") -> str:
    return reverse(f"ratings:{view}", args=[season.league.slug, season.slug])


def small_season(**values) -> tuple[Season, list]:
    """Zahari beat Valya 100:0 and Dobri 200:0; a place takes 2 games and 1 meeting with everybody."""
    league = make_league(**values)
    season = make_season(league)
    change_rules(season=season, by=None, values={"min_games": 2, "min_meetings": 1})
    zahari, valya, dobri = players = make_players(league, "Захари", "Валя", "Добри")
    make_game(season, (zahari, 100), (valya, 0))
    make_game(season, (zahari, 200), (dobri, 0))
    return replayed(season), players


def test_everybody_entered_is_listed_by_season_score(client: Client) -> None:
    season, _players = small_season()
    rows = client.get(address(season)).context["table"].rows
    assert [row.record.player.name for row in rows] == ["Захари", "Валя", "Добри"]
    assert [row.record.place for row in rows] == [1, None, None]


def test_a_missing_place_has_its_reason(client: Client) -> None:
    season, _players = small_season()
    page = re.sub(r"<[^>]+>", "", client.get(address(season)).content.decode())
    assert "1 more game; 1 more with Добри" in page
    assert "1 more game; 1 more with Валя" in page


def test_a_withdrawn_player_has_no_place_and_is_missed_by_nobody(client: Client) -> None:
    season, (_zahari, _valya, dobri) = small_season()
    withdraw_player(entry=season.entries.get(player=dobri), by=None)
    page = client.get(address(replayed(season))).content.decode()
    assert "withdrawn" in page
    assert "with Добри" not in page


def test_missing_opponents_are_named_as_many_as_a_reader_takes_in() -> None:
    a, b, c, d = make_players(make_league(), "Анна", "Борис", "Вера", "Галя")
    said = Reasons().meetings
    assert said([(a, 2)]) == "2 more with Анна"
    assert said([(a, 2), (b, 1), (c, 1)]) == "2 more with Анна, 1 more with Борис, 1 more with Вера"
    assert said([(a, 2), (b, 1), (c, 1), (d, 1)]) == "2 more with Анна, 1 more with Борис and 2 others"
    assert said([(a, 2)] * 12) == "2 more with Анна, 2 more with Анна and 10 others"
    assert said([(a, 2)] * 13) == "13 more opponents"


def test_missing_opponents_come_most_missing_first() -> None:
    league = make_league()
    season = make_season(league)  # four meetings with everybody
    zahari, valya, dobri = make_players(league, "Захари", "Валя", "Добри")
    make_game(season, (zahari, 100), (valya, 0))
    enter_player(season=season, player=dobri, by=None)
    season = replayed(season)
    missing = missing_opponents(season, list(Standing.objects.filter(season=season)), rules_of(season))
    assert missing[zahari.pk] == [(dobri, 4), (valya, 3)]


def test_of_ranked_opponents_only_those_with_enough_games_are_missed() -> None:
    season, (_zahari, valya, dobri) = small_season()
    change_rules(season=season, by=None, values={"opponents": "ranked"})
    season = replayed(season)
    missing = missing_opponents(season, list(Standing.objects.filter(season=season)), rules_of(season))
    assert missing[valya.pk] == missing[dobri.pk] == []  # both met Zahari, who alone has two games


def test_form_is_of_the_last_five_games_by_the_duels_won_in_each() -> None:
    league = make_league()
    season = make_season(league)
    a, b, c = make_players(league, "Анна", "Борис", "Вера")
    for number, points in enumerate([(1, 0), (0, 1), (0, 1), (1, 1), (1, 0)]):
        make_game(
            season, (a, points[0]), (b, points[1]), played_at=season.starts_at + timedelta(hours=number)
        )
    make_game(
        season, (a, 5), (b, 9), (c, 1), played_at=season.starts_at + timedelta(days=1)
    )  # one won, one lost
    season = replayed(season)
    recent = recent_games(season, list(Standing.objects.filter(season=season)))
    form = {player: games.form for player, games in recent.items()}
    assert form[a.pk] == ["loss", "loss", "draw", "win", "draw"]
    assert form[b.pk] == ["win", "win", "draw", "loss", "win"]
    assert form[c.pk] == ["loss"]


def test_the_small_curve_is_that_of_the_last_ten_games(client: Client) -> None:
    season = make_season()
    one, other, late = make_players(season.league, "One", "Other", "Late")
    for number in range(11):
        moment = season.starts_at + timedelta(hours=number)
        make_game(season, (one, number % 4), (other, 1), played_at=moment)
    make_game(season, (one, 5), (late, 1), played_at=season.starts_at + timedelta(days=1))
    season = replayed(season)
    ledger = {player: season.changes.filter(player=player).order_by("played") for player in (one, late)}
    recent = recent_games(season, list(Standing.objects.filter(season=season)))
    assert recent[one.pk].ratings == [row.after for row in ledger[one]][1:]
    assert recent[late.pk].ratings == [15_000, ledger[late].get().after]
    page = client.get(address(season)).content.decode()
    assert '<svg class="sparkline" viewBox="0 0 10 16"' in page
    assert page.count('<svg class="sparkline"') == 2  # one game makes no curve


@pytest.mark.parametrize(("sort", "first"), [("player", "Валя"), ("-rating", "Захари"), ("rating", "Добри")])
def test_r118_any_column_sorts(client: Client, sort: str, first: str) -> None:
    season, _players = small_season()
    rows = client.get(address(season), {"sort": sort}).context["table"].rows
    assert rows[0].record.player.name == first


def test_the_column_it_is_ranked_by_is_marked_where_no_other_order_is_asked_for(client: Client) -> None:
    season, _players = small_season()

    def marked(**query: str) -> list[tuple[str, str]]:
        text = client.get(address(season), query).content.decode()
        return re.findall(r'aria-sort="(\w+)">\s*<a id="sort-(\w+)"', text)

    assert marked() == [("descending", "season_score")]
    assert marked(sort="player") == [("ascending", "player")]
    change_rules(season=season, by=None, values={"full_weight_games": 0})
    replayed(season)
    assert marked() == [("descending", "rating")]


def test_the_place_stays_whatever_the_order(client: Client) -> None:
    season, _players = small_season()
    rows = client.get(address(season), {"sort": "rating"}).context["table"].rows
    assert [row.record.place for row in rows] == [None, None, 1]


def test_search_forgives_script_and_case(client: Client) -> None:
    season, _players = small_season()
    rows = client.get(address(season), {"q": "ZAHARI"}).context["table"].rows
    assert [row.record.player.name for row in rows] == ["Захари"]


def test_only_the_classified_on_request(client: Client) -> None:
    season, _players = small_season()
    rows = client.get(address(season), {"show": "classified"}).context["table"].rows
    assert [row.record.player.name for row in rows] == ["Захари"]


def test_hundred_rows_a_page(client: Client) -> None:
    season = make_season()
    for player in make_players(season.league, *(f"Player {n}" for n in range(101))):
        enter_player(season=season, player=player, by=None)
    season = replayed(season)
    assert len(client.get(address(season)).context["table"].page.object_list) == 100
    assert len(client.get(address(season), {"page": 2}).context["table"].page.object_list) == 1


@pytest.mark.parametrize(
    "query",
    ["q=%00", "q=" + "x" * 500, "page=abc", "page=-1", "page=999999999999", "per_page=0", "sort=nothing",
     "sort=-", "sort=", "sort=%00", "sort=rating&sort=-rating", "sort=player__league__name", "show=nothing"],
)  # fmt: skip
def test_nonsense_in_the_address_is_passed_over(client: Client, query: str) -> None:
    season, _players = small_season()
    for view in ("standings", "standings-file"):
        response = client.get(f"{address(season, view)}?{query}")
        assert response.status_code == 200
        assert "Захари" in b"".join(response).decode()


def test_the_last_seven_days_show_beside_the_rating(client: Client) -> None:
    league = make_league()
    season = make_season(league)
    a, b = make_players(league, "Анна", "Борис")
    make_game(season, (a, 100), (b, 0), played_at=season.starts_at + timedelta(days=1))
    make_game(season, (b, 100), (a, 0), played_at=season.starts_at + timedelta(days=20))
    season = replayed(season)
    before, after = (
        season.changes.get(player=b, played=2).before,
        season.changes.get(player=b, played=2).after,
    )
    with time_machine.travel(season.starts_at + timedelta(days=22), tick=False):
        page = client.get(address(season)).content.decode()
    assert f'<span class="gained change up">+{(after - before) / 10}</span>' in page
    with time_machine.travel(season.starts_at + timedelta(days=40), tick=False):
        assert "gained change" not in client.get(address(season)).content.decode()


def test_a_ladder_leaves_out_what_says_nothing_there(client: Client) -> None:
    league = make_league()
    season = make_season(league, preset="ranked-battle")
    a, b = make_players(league, "Ali", "Bora")
    make_game(season, (a, 1), (b, 0))
    page = client.get(address(replayed(season)))
    columns = [column.name for column in page.context["table"].columns]
    assert columns == ["place", "player", "rating", "peak", "games", "wins", "form"]
    assert "badge classified" not in page.content.decode()


def test_prize_places_have_their_colour(client: Client) -> None:
    season, _players = small_season()
    tiers = [PrizeTier(name=f"Cup {place}", first_place=place, last_place=place) for place in (1, 2, 3, 4)]
    change_prize_tiers(season=season, by=None, saved=tiers)
    change_rules(season=season, by=None, values={"min_games": 0, "min_meetings": 0})
    make_game(season, *zip(make_players(season.league, "Four", "Five"), (1, 0), strict=True))
    page = client.get(address(replayed(season))).content.decode()
    assert re.findall(r'<tr class="tier-(\d)', page) == ["1", "2", "3", "4"]


def test_the_state_of_the_results_is_said(client: Client) -> None:
    season, (zahari, valya, _dobri) = small_season()
    assert "After game 2 of 1 January 2026, 01:00" in client.get(address(season)).content.decode()
    make_game(season, (zahari, 1), (valya, 0))
    page = client.get(address(season))
    assert "being recomputed" in page.content.decode()
    assert page.context["live_every"] == 2


def test_why_a_replay_failed_is_for_organizers(client: Client) -> None:
    season, _players = small_season()
    Season.objects.filter(pk=season.pk).update(revision=season.revision + 1)
    Replay.objects.filter(season=season).update(failed_revision=season.revision + 1, error="K is infinite.")
    page = client.get(address(season)).content.decode()
    assert "K is infinite." not in page
    assert "These are the results of" in page
    client.force_login(make_organizer(season.league))
    assert "K is infinite." in client.get(address(season)).content.decode()


def test_nobody_entered_is_one_sentence_and_leads_to_the_rules(client: Client) -> None:
    season = make_season()
    page = client.get(address(season)).content.decode()
    assert "Nobody is in this season yet." in page
    assert page.count(f'href="{address(season, "rules")}"') == 2  # of the menu and of the sentence
    assert "No game has been rated yet." not in page
    assert "What the columns say" not in page


def test_players_without_a_game_stand_under_the_word_that_none_is_rated(client: Client) -> None:
    season = make_season()
    (player,) = make_players(season.league, "Ann")
    enter_player(season=season, player=player, by=None)
    page = client.get(address(replayed(season))).content.decode()
    assert "No game has been rated yet." in page
    assert "What the columns say" in page


def test_a_phone_shows_the_duels_below_the_name(client: Client) -> None:
    season, _players = small_season()
    change_rules(season=season, by=None, values={"min_games": 0, "min_meetings": 0})
    page = client.get(address(replayed(season))).content.decode()
    assert '<span class="sub phone-only">2–0–0</span>' in page


def test_xr_12_htmx_gets_the_table_alone(client: Client) -> None:
    season, _players = small_season()
    fragment = client.get(address(season), headers=HTMX)
    assert "<html" not in fragment.content.decode()
    assert "HX-Request" in fragment["Vary"]
    assert (
        "<html"
        in client.get(address(season), headers=HTMX | {"HX-History-Restore-Request": "true"}).content.decode()
    )


class TestAnUnchangedPoll:
    def poll(self, client: Client, season: Season, tag: str = "", query: str = ""):
        return client.get(address(season) + query, headers=HTMX | {"If-None-Match": tag})

    def test_is_not_sent_again_and_reads_next_to_nothing(
        self, client: Client, django_assert_num_queries
    ) -> None:
        season, _players = small_season()
        tag = self.poll(client, season)["ETag"]
        with django_assert_num_queries(1):  # the season, with its league and its replay
            assert self.poll(client, season, tag).status_code == 304

    def test_of_another_page_or_order_is_sent(self, client: Client) -> None:
        season, _players = small_season()
        tag = self.poll(client, season)["ETag"]
        assert self.poll(client, season, tag, "?sort=rating").status_code == 200
        assert client.get(address(season), headers={"If-None-Match": tag}).status_code == 200

    def test_is_sent_when_anything_it_shows_has_changed(self, client: Client) -> None:
        season, (zahari, valya, _dobri) = small_season()
        tag = self.poll(client, season)["ETag"]
        make_game(season, (zahari, 1), (valya, 0))
        behind = self.poll(client, season, tag)
        assert behind.status_code == 200
        replayed(season)
        level = self.poll(client, season, behind["ETag"])
        assert level.status_code == 200
        season.league.touch()
        assert self.poll(client, season, level["ETag"]).status_code == 200

    def test_is_sent_on_another_day_and_to_somebody_else(self, client: Client) -> None:
        season, _players = small_season()
        tag = self.poll(client, season)["ETag"]
        with time_machine.travel(season.ends_at + timedelta(days=1), tick=False):
            assert self.poll(client, season, tag).status_code == 200
        client.force_login(make_organizer(season.league))
        assert self.poll(client, season, tag).status_code == 200


def test_queries_do_not_grow_with_the_season(client: Client, django_assert_num_queries) -> None:
    small, _players = small_season()
    large = make_season()
    players = make_players(large.league, *(f"Player {n}" for n in range(12)))
    for number, (one, other) in enumerate(itertools.pairwise(players)):
        make_game(large, (one, number), (other, 7))
    for season in (small, replayed(large)):
        page, file = address(season), address(season, "standings-file")
        with django_assert_num_queries(6):
            client.get(page)
        with django_assert_num_queries(3):  # season with its league, rules, standings
            b"".join(client.get(file))


def test_the_file_has_the_rows_and_the_order_of_the_page(client: Client) -> None:
    season, _players = small_season()
    response = client.get(address(season, "standings-file"), {"sort": "-player", "q": "а"})
    text = b"".join(response).decode()
    assert text.startswith("\ufeff")
    rows = list(csv.DictReader(io.StringIO(text.removeprefix("\ufeff"))))
    assert [row["player"] for row in rows] == ["Захари", "Валя"]
    assert rows[0]["place"] == "1"
    assert rows[0]["classified"] == "true"
    standing = Standing.objects.get(season=season, place=1)
    assert rows[0]["rating"] == f"{standing.rating / 10}"
    assert rows[1]["place"] == ""
    assert rows[1]["missing_games"] == "1"


def test_a_formula_in_a_name_is_made_neutral(client: Client) -> None:
    season = make_season()
    (player,) = make_players(season.league, "=1+1")
    enter_player(season=season, player=player, by=None)
    text = b"".join(client.get(address(replayed(season), "standings-file"))).decode()
    assert "'=1+1" in text


class TestWhoMaySee:
    @pytest.mark.parametrize("view", ["standings", "standings-file", "prizes", "prizes-file"])
    def test_a_draft_is_for_organizers(self, client: Client, view: str) -> None:
        season = make_season(state=Season.State.DRAFT)
        assert client.get(address(season, view)).status_code == 404
        client.force_login(make_user())
        assert client.get(address(season, view)).status_code == 404
        client.force_login(make_organizer(season.league))
        assert client.get(address(season, view)).status_code == 200

    @pytest.mark.parametrize("view", ["standings", "standings-file", "prizes", "prizes-file"])
    def test_a_private_league_does_not_exist_for_strangers(self, client: Client, view: str) -> None:
        season = make_season(make_league(visibility=Visibility.PRIVATE))
        assert client.get(address(season, view)).status_code == 404
        client.force_login(make_organizer(season.league))
        assert client.get(address(season, view)).status_code == 200

    @pytest.mark.parametrize("view", ["standings", "standings-file", "prizes", "prizes-file"])
    def test_a_season_is_found_in_its_own_league_alone(self, client: Client, view: str) -> None:
        season = make_season(slug="one")
        other = make_season(slug="two")
        assert (
            client.get(reverse(f"ratings:{view}", args=[season.league.slug, other.slug])).status_code == 404
        )


def fragment(client: Client, of: str) -> str:
    return client.get(of, headers=HTMX).content.decode()


def test_an_unchanged_table_is_made_once_and_a_changed_one_anew(client: Client) -> None:
    season, (zahari, valya, _dobri) = small_season()
    first = fragment(client, address(season))
    with CaptureQueriesContext(connection) as queries:
        assert fragment(client, address(season)) == first
    assert not [query for query in queries if "ratings_ratingchange" in query["sql"]]
    client.get(address(season))
    with CaptureQueriesContext(connection) as queries:
        client.get(address(season))
    assert len(queries) == 2  # the season with its league and replay, and the rules
    make_game(season, (valya, 900), (zahari, 1), played_at=season.starts_at + timedelta(days=1))
    assert fragment(client, address(season)) != first, "behind, and it says so"
    replayed(season)
    again = fragment(client, address(season))
    assert again.index("Валя") < again.index("Захари")


class TestAKeptTable:
    """Whatever a table follows from has one of its own: nobody is shown what was kept for another."""

    def reader(self, language: str = "en", user: User | None = None) -> Client:
        client = Client()
        client.cookies["django_language"] = language
        if user:
            client.force_login(user)
        return client

    def test_is_of_one_order_and_one_filter(self, client: Client) -> None:
        season, _players = small_season()
        kept = fragment(client, address(season))
        assert fragment(client, f"{address(season)}?sort=-player") != kept
        assert "Валя" not in fragment(client, f"{address(season)}?q=Захари")

    def test_is_of_one_language(self, client: Client) -> None:
        season, _players = small_season()
        assert "Player" in fragment(self.reader("en"), address(season))
        assert "Играч" in fragment(self.reader("bg"), address(season))

    def test_r100_is_of_one_league(self, client: Client) -> None:
        season, _players = small_season()
        other = make_season(make_league("elsewhere"), name=season.name)
        assert "Захари" in fragment(client, address(season))
        assert "Захари" not in fragment(client, address(other))

    def test_of_a_private_league_is_for_its_organizers(self) -> None:
        season, _players = small_season(visibility=Visibility.PRIVATE)
        organizer = self.reader(user=make_organizer(season.league))
        assert "Захари" in fragment(organizer, address(season))
        for stranger in (self.reader(), self.reader(user=make_user())):
            assert stranger.get(address(season)).status_code == 404

    def test_of_a_league_made_private_is_gone(self, client: Client) -> None:
        season, _players = small_season()
        tag = client.get(address(season))["ETag"]
        season.league.visibility = Visibility.PRIVATE
        season.league.save()
        assert client.get(address(season), headers={"If-None-Match": tag}).status_code == 404

    def test_is_of_one_time_zone(self, client: Client) -> None:
        season, _players = small_season()
        with time_machine.travel(season.starts_at + timedelta(hours=23), tick=False):
            today = fragment(client, address(season))
            season.league.timezone = "Pacific/Auckland"
            season.league.save()
            season.league.touch()
            assert "After game 2 of 1 January 2026, 01:00" in today
            assert "After game 2 of 1 January 2026, 14:00" in fragment(client, address(season))

    def test_xr_06_names_no_reader(self) -> None:
        """What is kept for one organizer is shown to the next."""
        season, _players = small_season()
        one, two = make_organizer(season.league), make_organizer(season.league)
        page = self.reader(user=one).get(address(season)).content.decode()
        assert one.username in page
        page = self.reader(user=two).get(address(season)).content.decode()
        assert two.username in page
        assert one.username not in page

    def test_would_be_shown_to_others_were_its_key_the_same(
        self, client: Client, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """The control: tables are kept indeed, and the key alone keeps them apart."""
        monkeypatch.setattr("ratings.views.live.digest", lambda _parts: "one for all")
        season, _players = small_season()
        other = make_season(make_league("elsewhere"), name=season.name)
        assert "Player" in fragment(self.reader("en"), address(season))
        assert "Играч" not in fragment(self.reader("bg"), address(season))
        assert "Захари" in fragment(client, address(other))


def test_readers_are_told_of_every_tie_break_by_name():
    assert TIE_BREAK_WORDS.keys() == TIE_BREAKS.keys()


def league_of_equals(tie_breaks: list[str]) -> Season:
    """A beat C and B beat D alike; E and F drew. The score is the rating, and a place takes nothing."""
    season = make_season()
    values = {"min_games": 0, "min_meetings": 0, "full_weight_games": 0, "tie_breaks": tie_breaks}
    change_rules(season=season, by=None, values=values)
    a, b, c, d, e, f, g = make_players(season.league, *"ABCDEFG")
    for one, other, points in ((a, c, 100), (b, d, 100), (e, f, 0)):
        make_game(season, (one, points), (other, 0))
    enter_player(season=season, player=g, by=None)
    return replayed(season)


def cells(page: str, name: str) -> list[str]:
    """The texts of the cells of a player's row."""
    row = re.search(rf"<tr [^>]*>(?:(?!</tr>).)*>{name}</a>.*?</tr>", page, re.DOTALL)
    assert row
    return [re.sub(r"<[^>]+>", " ", cell).split() for cell in re.findall(r"<td.*?</td>", row[0], re.DOTALL)]


def test_r48_r56_who_is_equal_in_all_shares_a_place_and_the_next_one_is_passed_over(client: Client) -> None:
    season = league_of_equals(["rating", "duels_won"])
    page = client.get(address(season)).content.decode()
    places = {name: cells(page, name)[0] for name in "ABCDEFG"}
    assert places == {
        "A": ["1="], "B": ["1="], "E": ["3="], "F": ["3="], "G": ["3="], "C": ["6="], "D": ["6="],
    }  # fmt: skip
    assert page.index(">A</a>") < page.index(">B</a>"), "by name"
    stored = Standing.objects.filter(season=season).order_by("position").values_list("place", flat=True)
    assert list(stored) == [1, 1, 3, 3, 3, 6, 6]


def test_r53_the_value_that_decided_between_equal_scores_stands_in_the_row(client: Client) -> None:
    page = client.get(address(league_of_equals(["games"])))
    text = page.content.decode()
    assert cells(text, "E")[0] == ["3="]
    assert cells(text, "E")[2] == ["1500.0", "by", "1", "game"]
    assert cells(text, "G")[0] == ["5"]
    assert cells(text, "G")[2] == ["1500.0", "by", "0", "games"]
    assert cells(text, "A")[2][:2] == [cells(text, "B")[2][0], *cells(text, "A")[2][1:2]]
    assert "separated by games counted" in dict(page.context["table"].legend)["Equal scores"]


def test_who_lacks_something_is_in_reach_until_the_season_is_over(client: Client) -> None:
    season, _players = small_season()
    with time_machine.travel(season.ends_at - timedelta(hours=1), tick=False):
        page = client.get(address(season), {"show": "reach"})
        assert [row.player.name for row in page.context["table"].records] == ["Валя", "Добри"]
        assert "no longer in reach" not in page.content.decode()
    with time_machine.travel(season.ends_at + timedelta(hours=1), tick=False):
        everybody = re.sub(r"<[^>]+>", "", client.get(address(season)).content.decode())
        assert "no longer in reach: 1 more game; 1 more with Добри" in everybody
        nobody = client.get(address(season), {"show": "reach"}).content.decode()
        assert "nobody who has no place can reach one any more" in nobody


class TestAPlaceThatTakesTooMuch:
    def test_r57_is_warned_of_on_the_page(self, client: Client) -> None:
        """Twelve players, three weeks left, 75 games and 4 meetings asked for: 3.6 games a day."""
        season = make_season()
        for player in make_players(season.league, *(f"Player {number}" for number in range(12))):
            enter_player(season=season, player=player, by=None)
        season = replayed(season)
        with time_machine.travel(season.ends_at - timedelta(days=20, hours=1), tick=False):
            page = client.get(address(season)).content.decode()
        assert "A place takes 75 games" in page
        assert "There are 21 days left: 3.6 games a day" in page
        with time_machine.travel(season.ends_at - timedelta(days=60), tick=False):
            assert "A place takes" not in client.get(address(season)).content.decode()

    def test_r59_counts_what_whoever_is_nearest_still_lacks(self, client: Client) -> None:
        season, _players = small_season()  # Zahari has his two games
        with time_machine.travel(season.ends_at - timedelta(hours=1), tick=False):
            assert "A place takes" not in client.get(address(season)).content.decode()


def test_positions_are_told_while_nobody_has_a_place(client: Client) -> None:
    season, players = small_season()
    change_rules(season=season, by=None, values={"min_games": 9, "min_meetings": 1})
    replayed(season)
    assert places_in(client.get(address(season))) == ["1", "2", "3"]
    make_game(season, (players[0], 1), (players[1], 0))
    change_rules(season=season, by=None, values={"min_games": 3, "min_meetings": 1})
    replayed(season)
    assert places_in(client.get(address(season))) == ["1", "–", "–"]


def places_in(response) -> list[str]:
    cells = re.findall(r'<td class="num place">(.*?)</td>', response.content.decode())
    return [re.sub("<.*", "", cell) for cell in cells]


def test_who_has_all_that_is_needed_has_no_bar() -> None:
    assert "<progress" in meter(74, 75)
    assert "/ 75" in meter(74, 75)
    for value in (75, 1064):
        assert "<progress" not in meter(value, 75)
        assert 'title="75 needed"' in meter(value, 75)


def test_thousands_of_games_are_written_as_the_language_does() -> None:
    with translation.override("tr"):
        assert "1.064 <span" in meter(1064, 75)
        assert 'value="1064"' in meter(1064, 2000)
        assert "64 <span" in meter(64, 75)
