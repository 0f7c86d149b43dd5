"""Two players who are one person become one, in all seasons, and two again."""

from __future__ import annotations

from datetime import date, timedelta
from typing import Any

import pytest
from django.core.exceptions import ValidationError

from leagues import services
from leagues.games_csv import FileGame, FileSide, GamesFile
from leagues.models import (
    Adjustment,
    AuditEntry,
    Challenge,
    Entry,
    FormerAddress,
    Game,
    GameReport,
    Invitation,
    League,
    Player,
    PlayerAlias,
    ReportSeat,
    Season,
    SeasonClosedError,
    Side,
    SideMember,
    Team,
)
from leagues.services import PlayedSide, merge_players, record_game, undo_merge
from ratings.services.check import check_season
from tests.factories import (
    make_account,
    make_challenge,
    make_game,
    make_league,
    make_players,
    make_report,
    make_season,
    make_user,
    replayed,
)

pytestmark = pytest.mark.django_db

FACTS: list[Any] = [
    PlayerAlias,
    FormerAddress,
    Team,
    Team.members.through,
    Entry,
    Game,
    Side,
    SideMember,
    Challenge,
    GameReport,
    ReportSeat,
]


@pytest.fixture
def league() -> League:
    return make_league("league-a", owner=make_user("alice"))


@pytest.fixture
def season(league: League) -> Season:
    """Ann beat Bob, then Bob beat Anna, then Cyd beat Anna; Ann came by playing, Anna was entered."""
    season = make_season(league)
    ann, anna, bob, cyd = make_players(league, "Ann", "Anna", "Bob", "Cyd")
    services.enter_player(season=season, player=anna, by=None)
    for hour, (winner, loser) in enumerate([(ann, bob), (bob, anna), (cyd, anna)], 1):
        at = season.starts_at + timedelta(hours=hour)
        make_game(season, (winner, 500), (loser, 100), played_at=at)
    return replayed(season)


def player(name: str) -> Player:
    return Player.with_merged.get(name=name)


def merge(keep: str = "Ann", gone: str = "Anna") -> Player:
    return merge_players(keep=player(keep), gone=player(gone), by=None)


def undo(gone: str = "Anna") -> Player:
    return undo_merge(gone=player(gone), by=None)


def everything() -> dict[str, Any]:
    """Every row of the facts; not how often a game was changed."""
    version = Game._meta.get_field("version")
    rows = {
        model.__name__: list(
            model.objects.order_by("pk").values(
                *(field.attname for field in model._meta.concrete_fields if field != version)
            )
        )
        for model in FACTS
    }
    return rows | {"Player": list(Player.with_merged.order_by("pk").values())}


def refusal(keep: str = "Ann", gone: str = "Anna") -> list[str]:
    """Why the two are not merged; nothing is written then."""
    before = everything()
    with pytest.raises(ValidationError) as refused:
        merge(keep, gone)
    assert everything() == before
    return refused.value.messages


# --- What goes to the other


def test_reports_of_the_player_go_along_and_come_back(league: League) -> None:
    season = make_season(league, games_from="both")
    _ann, anna, bob = make_players(league, "Ann", "Anna", "Bob")
    make_account(anna), make_account(bob)
    report = make_report(season, (anna, 2), (bob, 1))
    services.dispute_report(report=make_report(season, (bob, 5), (anna, 4)), reason="No", by=anna.user)
    before = everything()
    merge()
    assert [each.reporter.name for each in GameReport.objects.order_by("pk")] == ["Ann", "Bob"]
    assert GameReport.objects.get(state="disputed").answered_by == player("Ann")
    services.confirm_report(report=report, by=bob.user)
    assert [seat.player.name for seat in Game.objects.get().seats.all()] == ["Ann", "Bob"]
    services.delete_games(games=[Game.objects.get()], by=None)  # and the report with it
    undo()
    for name, key in (("GameReport", "id"), ("ReportSeat", "report_id")):
        assert everything()[name] == [row for row in before[name] if row[key] != report.pk]


def test_who_met_in_a_report_that_waits_are_two_and_one_that_was_dropped_does_not_matter(
    league: League,
) -> None:
    season = make_season(league, games_from="both")
    ann, anna = make_players(league, "Ann", "Anna")
    make_account(ann)
    report = make_report(season, (ann, 2), (anna, 1))
    assert "stand in a reported game that is not decided yet" in refusal()[0]
    services.decide_report(report=report, accept=False, by=None)
    merge()
    assert not GameReport.objects.exists()


def test_games_entries_and_results_become_those_of_one_player(season: Season) -> None:
    merge()
    replayed(season)
    assert check_season(season.pk) == []
    names = season.standings.order_by("player__name").values_list("player__name", "played", "wins")
    assert list(names) == [("Ann", 3, 1), ("Bob", 2, 1), ("Cyd", 1, 1)]
    assert [entry.player.name for entry in season.entries.order_by("player__name")] == ["Ann", "Bob", "Cyd"]
    assert not Player.objects.filter(name="Anna").exists()


def test_ratings_are_those_of_a_season_in_which_there_was_only_one(season: Season) -> None:
    merge()
    only = make_season(season.league, name="Only one")
    ann, bob, cyd = Player.objects.order_by("name")
    for hour, (winner, loser) in enumerate([(ann, bob), (bob, ann), (cyd, ann)], 1):
        at = only.starts_at + timedelta(hours=hour)
        make_game(only, (winner, 500), (loser, 100), played_at=at)
    ratings = [
        list(replayed(each).standings.order_by("position").values_list("player__name", "rating"))
        for each in (season, only)
    ]
    assert ratings[0] == ratings[1]


def test_a_season_is_rated_anew_from_the_first_game_that_moves(season: Season) -> None:
    revision = season.revision
    merge()
    season.refresh_from_db()
    assert season.revision == revision + 1
    assert season.stale_from == season.starts_at + timedelta(hours=2)


def test_a_season_in_which_only_the_one_who_stays_plays_is_left_alone(season: Season) -> None:
    other = make_season(season.league, name="Other")
    make_game(other, (player("Ann"), 1), (player("Bob"), 0))
    revision = replayed(other).revision
    merge()
    other.refresh_from_db()
    assert (other.revision, other.stale_from) == (revision, None)


def test_who_was_entered_once_stays_when_no_game_is_left(season: Season) -> None:
    """Anna was entered by an organizer, Ann only by playing: the entry of both is an organizer's."""
    merge()
    services.delete_games(games=list(season.games.all()), by=None)
    assert [entry.player.name for entry in season.entries.all()] == ["Ann"]


def test_an_entry_of_the_one_who_goes_becomes_that_of_the_one_who_stays(season: Season) -> None:
    services.enter_player(season=make_season(season.league, name="Next"), player=player("Anna"), by=None)
    merge()
    assert [entry.player.name for entry in Season.objects.get(name="Next").entries.all()] == ["Ann"]


def test_other_names_go_along_and_the_name_becomes_one(season: Season) -> None:
    for each, name in (("Ann", "Annie"), ("Anna", "ANNIE"), ("Anna", "Anička"), ("Anna", "anna")):
        services.add_alias(player=player(each), name=name, by=None)
    merge()
    assert [alias.name for alias in player("Ann").aliases.all()] == ["Annie", "Anička", "anna"]


def test_a_file_that_names_the_one_who_went_finds_the_other(season: Season) -> None:
    merge()
    game = FileGame(2, season.starts_at, (FileSide(("Anna",), 8), FileSide(("Bob",), 9)))
    plan = services.import_games(season=season, file=GamesFile((game,), (), 0, "utf-8", "wide"), by=None)
    assert plan.error_count == 0
    assert player("Ann").seats.count() == 4


def test_teams_get_the_other_member(season: Season) -> None:
    services.create_team(league=season.league, name="Reds", members=[player("Anna"), player("Bob")], by=None)
    merge()
    team = Team.objects.get()
    assert {member.name for member in team.members.all()} == {"Ann", "Bob"}
    assert team.member_key == Team.key_of([player("Ann").pk, player("Bob").pk])


def test_a_year_of_birth_known_of_one_is_that_of_both(season: Season) -> None:
    services.update_player(player=player("Anna"), name="Anna", birth_year=2010, by=None)
    replayed(season)
    merge()
    season.refresh_from_db()
    assert player("Ann").birth_year == 2010
    assert season.stale_from == season.starts_at  # Ann's own games may be a junior's now


def test_one_audit_entry_tells_of_it(season: Season) -> None:
    before = AuditEntry.objects.count()
    merge()
    assert AuditEntry.objects.count() == before + 1
    entry = AuditEntry.objects.first()
    assert entry is not None
    assert (entry.action, entry.object_name) == ("merge_players", "Ann")
    assert entry.after == {"merged": "Anna", "games": 2, "seasons": ["Season 2026"]}


def test_whoever_corrects_a_game_that_moves_sees_the_difference(season: Season) -> None:
    game = season.games.in_play_order()[1]
    sides = services.games.played_sides(game)
    merge()
    with pytest.raises(services.GameChangedError):
        services.correct_game(game=game, played_at=game.played_at, sides=sides, version=game.version, by=None)


def test_nobody_plays_as_a_player_who_was_merged_meanwhile(season: Season) -> None:
    anna, bob = player("Anna"), player("Bob")
    sides = [PlayedSide((anna,), 1), PlayedSide((bob,), 2)]
    merge()
    before = everything()
    acts = [
        lambda: record_game(season=season, played_at=season.starts_at, sides=sides, by=None),
        lambda: services.enter_player(season=season, player=anna, by=None),
        lambda: services.create_team(league=season.league, name="Reds", members=[anna, bob], by=None),
        lambda: services.update_player(player=anna, name="Anne", by=None),
        lambda: services.add_alias(player=anna, name="Anne", by=None),
        lambda: services.delete_player(player=anna, by=None),
        lambda: merge("Bob", "Anna"),
        lambda: merge("Anna", "Bob"),
    ]
    for act in acts:
        with pytest.raises(ValidationError, match="meanwhile"):
            act()
    assert everything() == before


def test_an_address_is_not_given_to_another_while_it_leads_somewhere(season: Season) -> None:
    merge()
    assert services.create_player(league=season.league, name="Anna", by=None).slug == "anna-2"


def test_every_row_that_belongs_to_a_player_is_thought_of() -> None:
    """A new relation to players must be moved by a merge, or be a result, which the replay moves."""
    facts = {Entry, SideMember, PlayerAlias, FormerAddress, Team, Team.members.through, Challenge, Player}
    facts |= {Adjustment, GameReport, ReportSeat, Invitation}
    results = {"appliedadjustment", "ratingchange", "standing", "meeting"}
    relations = Player._meta.get_fields(include_hidden=True)
    related = {field.related_model for field in relations if field.auto_created and field.is_relation}
    assert {model for model in related if model._meta.model_name not in results} == facts


# --- What refuses


def test_r86_who_played_in_one_game_is_not_one_person(season: Season) -> None:
    at = season.starts_at + timedelta(days=3)
    make_game(season, (player("Ann"), 1), (player("Anna"), 2), played_at=at)
    (sentence,) = refusal()
    assert sentence == (
        "Ann and Anna played in one game, on 4 January 2026 in “Season 2026”: they are two people. "
        "Correct or delete that game first if it is wrong."
    )
    make_game(season, ([player("Ann"), player("Anna")], 1), ([player("Bob"), player("Cyd")], 2))
    assert "in 2 games together, the first on 1 January 2026" in refusal()[0]


def test_a_voided_game_of_both_is_in_the_way_too(season: Season) -> None:
    game = make_game(season, (player("Ann"), 1), (player("Anna"), 2))
    services.void_game(game=game, reason="Wrong", by=None)
    assert "two people" in refusal()[0]
    services.delete_games(games=[game], by=None)
    assert merge().name == "Ann"


def test_who_challenged_each_other_are_two_people(season: Season) -> None:
    make_challenge(season, player("Anna"), player("Ann"))
    assert refusal() == ["Ann and Anna challenged each other: they are two people."]


def test_challenges_become_those_of_the_one_who_stays(season: Season) -> None:
    make_challenge(season, player("Anna"), player("Bob"))
    make_challenge(season, player("Cyd"), player("Anna"))
    merge()
    pairs = Challenge.objects.order_by("pk").values_list("challenger__name", "opponent__name")
    assert list(pairs) == [("Ann", "Bob"), ("Cyd", "Ann")]


def test_players_of_two_leagues_are_not_merged(season: Season) -> None:
    make_players(make_league("league-b"), "Zoe")
    assert refusal("Ann", "Zoe") == ["The two play in different leagues and cannot be merged."]


def test_a_player_is_not_merged_with_the_same(season: Season) -> None:
    assert refusal("Ann", "Ann") == ["Choose two different players."]


@pytest.mark.parametrize("what", ["a game", "an entry"])
def test_a_closed_season_does_not_change(season: Season, what: str) -> None:
    old = make_season(season.league, name="Old", starts_on=date(2025, 1, 1), ends_on=date(2025, 12, 31))
    if what == "a game":
        make_game(old, (player("Anna"), 1), (player("Bob"), 2))
    else:
        services.enter_player(season=old, player=player("Anna"), by=None)
    services.update_season(season=old, state=Season.State.CLOSED, by=None)
    assert refusal() == ["The season “Old” is closed and takes no changes; an owner can reopen it."]
    # The other way round too: nobody's name changes in what is final.
    with pytest.raises(SeasonClosedError):
        merge()
    assert merge("Anna", "Ann").name == "Anna"  # Ann has nothing in it


def test_who_is_withdrawn_and_who_is_not_is_no_guess(season: Season) -> None:
    services.withdraw_player(entry=Entry.objects.get(player__name="Anna"), by=None)
    assert refusal() == ["In “Season 2026” Anna is withdrawn and Ann is not: withdraw both first, or none."]
    services.withdraw_player(entry=Entry.objects.get(player__name="Ann"), by=None)
    merge()
    assert Entry.objects.get(player__name="Ann").withdrawn_at


def test_teams_that_would_be_one_are_in_the_way(season: Season) -> None:
    ann, anna, bob = player("Ann"), player("Anna"), player("Bob")
    for name, members in (("Reds", [ann, bob]), ("Blues", [anna, bob]), ("Twins", [ann, anna])):
        services.create_team(league=season.league, name=name, members=members, by=None)
    assert sorted(refusal()) == [
        "Ann and Anna are both in the team “Twins”; change or delete it first.",
        "The teams “Blues” and “Reds” would be the same; change or delete one first.",
    ]


def test_two_years_of_birth_are_two_people(season: Season) -> None:
    for name, year in (("Ann", 1980), ("Anna", 2010)):
        services.update_player(player=player(name), name=name, birth_year=year, by=None)
    assert refusal() == ["Ann was born in 1980 and Anna in 2010; correct the wrong one first."]


# --- Taking it back


def furnish(season: Season) -> None:
    """All that a merge can move, join or drop."""
    league = season.league
    ann, anna, bob = player("Ann"), player("Anna"), player("Bob")
    next_one = make_season(league, name="Next")
    make_season(league, name="Nobody's")
    services.enter_player(season=next_one, player=anna, by=None)
    voided = make_game(next_one, (anna, 1), (bob, 2))
    services.void_game(game=voided, reason="Wrong", by=None)
    make_game(next_one, ([anna, bob], 1), (player("Cyd"), 2))
    for each, name in ((ann, "Annie"), (anna, "ANNIE"), (anna, "Anička")):
        services.add_alias(player=each, name=name, by=None)
    services.create_team(league=league, name="Reds", members=[anna, bob], by=None)
    make_challenge(season, anna, bob)
    make_challenge(season, bob, anna)
    make_challenge(season, ann, bob)
    services.update_player(player=anna, name="Aneta", birth_year=2010, by=None)
    services.update_player(player=anna, name="Anna", birth_year=2010, by=None)


def test_r86_undo_gives_back_exactly_the_state_before(season: Season) -> None:
    furnish(season)
    before = everything()
    standings = [list(each.standings.values()) for each in map(replayed, season.league.seasons.all())]
    merge()
    assert everything() != before
    undo()
    assert everything() == before
    for each, rows in zip(map(replayed, season.league.seasons.all()), standings, strict=True):
        assert check_season(each.pk) == []
        assert [row | {"id": None} for row in each.standings.values()] == [row | {"id": None} for row in rows]


def test_undo_after_a_replay_gives_back_the_same(season: Season) -> None:
    furnish(season)
    before = everything()
    merge()
    assert [check_season(replayed(each).pk) for each in season.league.seasons.all()] == [[], [], []]
    undo()
    assert everything() == before
    assert [check_season(replayed(each).pk) for each in season.league.seasons.all()] == [[], [], []]


def test_a_merge_is_done_and_undone_again(season: Season) -> None:
    before = everything()
    merge()
    merged = everything()
    undo()
    merge()
    assert [row["player_id"] for row in everything()["SideMember"]] == [
        row["player_id"] for row in merged["SideMember"]
    ]
    undo()
    assert everything() == before
    with pytest.raises(ValidationError, match="merged into nobody"):
        undo()


def test_games_recorded_since_stay_with_the_other(season: Season) -> None:
    services.enter_player(season=make_season(season.league, name="Next"), player=player("Anna"), by=None)
    merge()
    next_one = Season.objects.get(name="Next")
    for each in (season, next_one):
        make_game(each, (player("Ann"), 1), (player("Bob"), 2))
    undo()
    assert (player("Ann").seats.count(), player("Anna").seats.count()) == (3, 2)
    assert sorted(entry.player.name for entry in next_one.entries.all()) == ["Ann", "Anna", "Bob"]
    assert [check_season(replayed(each).pk) for each in (season, next_one)] == [[], []]


def test_what_was_deleted_since_stays_deleted(season: Season) -> None:
    next_one = make_season(season.league, name="Next")
    make_game(next_one, (player("Anna"), 1), (player("Bob"), 2))
    merge()
    services.delete_games(games=[season.games.in_play_order()[1]], by=None)
    services.delete_season(season=next_one, by=None)
    undo()
    assert [seat.game.season.name for seat in player("Anna").seats.all()] == ["Season 2026"]
    assert check_season(replayed(season).pk) == []


def test_a_correction_that_leaves_the_player_there_is_kept(season: Season) -> None:
    merge()
    game = season.games.in_play_order()[1]
    sides = [PlayedSide((player("Bob"),), 5), PlayedSide((player("Ann"),), 7)]
    services.correct_game(game=game, played_at=game.played_at, sides=sides, by=None)
    undo()
    assert [(seat.player.name, seat.side.points) for seat in game.seats.order_by("side__position")] == [
        ("Bob", 5),
        ("Anna", 7),
    ]


def refused_undo() -> list[str]:
    before = everything()
    with pytest.raises(ValidationError) as refused:
        undo()
    assert everything() == before
    return refused.value.messages


def test_a_game_that_is_somebody_elses_now_is_not_taken_away(season: Season) -> None:
    merge()
    game = season.games.in_play_order()[1]
    sides = [PlayedSide((player("Bob"),), 5), PlayedSide((player("Cyd"),), 7)]
    services.correct_game(game=game, played_at=game.played_at, sides=sides, by=None)
    (sentence,) = refused_undo()
    assert sentence.startswith("1 game that went to Ann was corrected since, and Ann no longer plays in it")


def test_a_season_closed_since_is_left_alone(season: Season) -> None:
    merge()
    services.update_season(season=season, state=Season.State.CLOSED, by=None)
    assert refused_undo() == [
        "The season “Season 2026” is closed and takes no changes; an owner can reopen it."
    ]


def test_merges_of_merged_players_are_taken_back_in_turn(season: Season) -> None:
    make_players(season.league, "Anne")
    before = everything()
    merge()
    merge("Anne", "Ann")
    assert refused_undo() == ["“Ann” was merged into “Anne” since; undo that first."]
    undo("Ann")
    undo("Anna")
    assert everything() == before


@pytest.mark.parametrize("order", [["Anna", "Anne"], ["Anne", "Anna"]])
def test_two_merges_into_one_player_are_taken_back_in_any_order(season: Season, order: list[str]) -> None:
    make_players(season.league, "Anne")
    make_game(season, (player("Anne"), 1), (player("Bob"), 2))
    before = everything()
    merge("Ann", "Anna")
    merge("Ann", "Anne")
    for name in order:
        undo(name)
    after = everything()
    seats = [[row["player_id"] for row in rows["SideMember"]] for rows in (before, after)]
    assert seats[0] == seats[1]
    assert [row["player_id"] for row in after["Entry"]] == [row["player_id"] for row in before["Entry"]]
    assert check_season(replayed(season).pk) == []


def test_an_anonymised_player_takes_along_the_names_of_all_who_were_merged(season: Season) -> None:
    make_players(season.league, "Aneta")
    merge("Anna", "Aneta")
    merge()
    services.anonymise_player(player=player("Ann"), by=None)
    names = [name for row in everything()["Player"] for name in (row["name"], row["slug"], row["search"])]
    assert not {"ann", "anna", "aneta"} & {name.lower() for name in names}
    assert len({row["slug"] for row in everything()["Player"]}) == 5
    assert "An" not in "".join(
        str(entry.before) for entry in AuditEntry.objects.filter(action="merge_players")
    ).replace("Anonymous", "")
