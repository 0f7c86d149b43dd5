"""The public commands: their words, formats and exit codes, which programs outside rely on."""

from __future__ import annotations

import csv
import io
import json
import os
import stat
import subprocess
import sys
from collections import Counter
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from random import Random

import pytest
from django.conf import settings
from django.contrib.auth.models import User
from django.core.management import call_command
from django.core.management.base import CommandError
from django.test import override_settings

from leagues.models import AuditEntry, Game, League, Player, Role, Season
from leagues.models.league import Visibility
from ratings.engine import presets
from ratings.models import Meeting, RatingChange, Replay, Standing
from tests.factories import make_game, make_league, make_players, make_season, make_user, replayed
from tests.independent import READINGS, rated

KEYS = [
    "place", "player", "season_score", "rating", "games", "wins", "draws", "losses", "first_places",
    "classified",
]  # fmt: skip
DUEL = "played_at,side 1,points 1,side 2,points 2\n2026-01-02,Ann,500,Ben,100\n"
SETTINGS = {
    "initial_rating": "1000.5", "k": "32", "keep": "0.5", "curve": "table", "curve_limit": "2",
    "margin_unit": "1000", "draw_margin": "zero", "games_counted": "sides", "full_weight_games": "0",
    "bonus": "0.1", "bonus_games": "150", "min_games": "131", "min_meetings": "0", "opponents": "ranked",
}  # fmt: skip
LIMITS = {
    "largest_margin": "400", "team_min": "2", "team_max": "2", "teams_max": "2", "negative_points": "false",
}  # fmt: skip
# Ann meets Dan in five games only, and Dan counts 60 + 5 * 2 = 70 games where the others count 130.
GAMES_FOR_SETTINGS = [
    *[[(("Ann",), 900), (("Ben",), -20), (("Cem",), 900)], [(("Ann", "Ben", "Dan"), 5), (("Cem",), 1)]] * 60,
    *[[(("Ann", "Ben"), 3), (("Cem",), 2), (("Dan",), 1)]] * 5,
]


@pytest.fixture
def written(tmp_path):
    """Writes a game file and gives its path."""

    def write(content, name="games.csv"):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return write


def rate(path, *options):
    out = io.StringIO()
    call_command("rate", str(path), *options, stdout=out)
    return out.getvalue()


def rows(path, *options):
    return json.loads(rate(path, "--format", "json", *options))


def refusal(command, *arguments, **options):
    """The exit code and the text on standard error of a command that ends with an error."""
    err = io.StringIO()
    with pytest.raises(CommandError) as refused:
        call_command(command, *map(str, arguments), stdout=io.StringIO(), stderr=err, **options)
    return refused.value.returncode, f"{err.getvalue()}{refused.value}"


def output(command, *arguments):
    out = io.StringIO()
    call_command(command, *map(str, arguments), stdout=out)
    return out.getvalue()


def wide(games):
    """The file of these games, a minute apart."""
    width = max(len(game) for game in games)
    header = [f"{word} {number}" for number in range(1, width + 1) for word in ("side", "points")]
    lines = [",".join(["played_at", *header])]
    for number, game in enumerate(games):
        cells = [cell for members, points in game for cell in (" + ".join(members), str(points))]
        cells += [""] * (2 * width - len(cells))
        day, minute = divmod(number, 1440)
        moment = f"{date(2026, 1, 1) + timedelta(day)} {minute // 60:02}:{minute % 60:02}"
        lines.append(",".join([moment, *cells]))
    return "\n".join(lines) + "\n"


class TestRate:
    def test_it_prints_one_object_a_player_in_order_of_the_standings(self, written):
        """500:100 between equals: M = 0.4 + 3.6 * 399 / 499 = 3.2786, so 10 * M / 2 = 16.4.

        One of 75 games for the full weight: 1500 + 16.4 / 75 = 1500.2.
        """
        found = rows(written(DUEL))
        assert [list(row) for row in found] == [KEYS, KEYS]
        assert [list(row.values()) for row in found] == [
            [None, "Ann", 1500.2, 1516.4, 1, 1, 0, 0, 1, False],
            [None, "Ben", 1499.8, 1483.6, 1, 0, 0, 1, 0, False],
        ]
        assert '"rating": 1516.4' in rate(written(DUEL), "--format", "json")

    def test_csv_has_the_same_rows(self, written):
        lines = list(csv.reader(io.StringIO(rate(written(DUEL), "--format", "csv"))))
        assert lines[0] == KEYS
        assert lines[1] == ["", "Ann", "1500.2", "1516.4", "1", "1", "0", "0", "1", "False"]
        assert len(lines) == 3

    def test_csv_holds_no_formula(self, written):
        text = rate(written(DUEL.replace("Ann", "=1+1")), "--format", "csv")
        assert ",'=1+1," in text

    def test_a_table_is_printed_unless_said_otherwise(self, written):
        header, first, second = rate(written(DUEL)).splitlines()
        assert header.split() == " ".join(KEYS).replace("_", " ").split()
        assert first.split() == ["Ann", "1500.2", "1516.4", "1", "1", "0", "0", "1", "False"]
        assert second.split()[0] == "Ben"

    def test_two_equal_rows_are_two_games(self, written):
        row = DUEL.splitlines()[1]
        assert [player["games"] for player in rows(written(f"{DUEL}{row}\n"))] == [2, 2]

    def test_the_long_form_is_the_same_games(self, written):
        long = "game,played_at,side,player,points\n1,2026-01-02,1,Ann,500\n1,2026-01-02,2,Ben,100\n"
        assert rows(written(long, "long.csv")) == rows(written(DUEL))

    @pytest.mark.parametrize(
        ("encoding", "options"),
        [("utf-8-sig", []), ("utf-16", []), ("cp1251", ["--encoding", "cp1251"])],
    )
    def test_it_reads_the_encodings_of_spreadsheets(self, written, encoding, options):
        text = DUEL.replace("Ann", "Захари").replace("Ben", "Щерьо").replace(",", ";")
        assert [row["player"] for row in rows(written(text.encode(encoding)), *options)] == [
            "Захари",
            "Щерьо",
        ]

    def test_games_are_played_in_order_of_time_in_the_zone_given(self, written):
        """From 1500 each, +100 then -600 ends at 1481.3, the other order at 1481.8 (docs/rating.md)."""
        head = "played_at,side 1,points 1,side 2,points 2\n"
        noon, later = "2026-01-02 12:00", "2026-01-02T11:30+00:00"
        file = written(f"{head}{later},Ann,0,Ben,600\n{noon},Ann,100,Ben,0\n")
        ratings = {
            zone: {row["player"]: row["rating"] for row in rows(file, "--timezone", zone)}
            for zone in ("Europe/Sofia", "UTC")
        }
        assert ratings["Europe/Sofia"]["Ann"] == 1481.3
        assert ratings["UTC"]["Ann"] == 1481.8

    @pytest.mark.parametrize(("name", "value"), SETTINGS.items())
    def test_each_setting_counts(self, written, name, value):
        """Cem alone is classified here, and no game would be refused; each setting changes the rows."""
        file = written(wide(GAMES_FOR_SETTINGS))
        usual = ["--set", "min_games=100", "--set", "min_meetings=50"]
        before = rows(file, *usual)
        assert [row["player"] for row in before if row["classified"]] == ["Cem"]
        assert rows(file, *usual, "--set", f"{name}={value}") != before

    @pytest.mark.parametrize(("name", "value"), LIMITS.items())
    def test_each_limit_of_a_game_counts(self, written, name, value):
        file = written(wide(GAMES_FOR_SETTINGS))
        code, text = refusal("rate", file, "--set", f"{name}={value}")
        assert code == 1
        assert text.startswith("Line ")

    def test_every_setting_of_the_contract_is_tried(self):
        assert SETTINGS.keys() | LIMITS.keys() == presets.SETTINGS.keys()

    @pytest.mark.parametrize("preset", ["wsd-2.0", "wsd-2.0-tables", "wsd-2.0-formulas"])
    @pytest.mark.parametrize("kind", ["free-for-all", "mixed"])
    def test_it_equals_an_independent_computation(self, written, preset, kind):
        games = GAMES[kind](Random(7))
        found = rows(written(wide(games)), "--rules", preset)
        assert found == rated(games, preset)
        assert {row["classified"] for row in found} == {True, False}

    @pytest.mark.parametrize("initial", ["1500", "2390"])
    def test_a_ladder_equals_an_independent_computation(self, written, initial):
        """From 2390 some fighters reach 2400, and keep the K of 10 that goes with it."""
        games = ladder_battles(Random(11))
        found = rows(written(wide(games)), "--system", "ladder", "--set", f"initial_rating={initial}")
        assert found == rated(games, "ranked-battle", Decimal(initial))
        assert found == rows(
            written(wide(games)), "--rules", "ranked-battle", "--set", f"initial_rating={initial}"
        )

    def test_every_preset_is_compared(self):
        assert READINGS.keys() == {"wsd-2.0", "wsd-2.0-tables", "wsd-2.0-formulas", "ranked-battle"}

    def test_all_errors_of_a_file_are_listed(self, written):
        wrong = ("yesterday,Ann,1,Ben,2", "2026-01-03,Ann,one,Ben,2", "2026-01-04,Ann,1,Ann,2")
        bad = "\n".join([DUEL.strip(), *wrong, "2026-01-05,Ann,9999,Ben,0"])
        code, text = refusal("rate", written(bad))
        assert code == 1
        lines = text.splitlines()
        assert [line.split(",")[0] for line in lines if line.startswith("Line ")][:3] == [
            "Line 3",
            "Line 4",
            "Line 5",
        ]
        assert any(line.startswith("Line 6") and "9,999" in line for line in lines)

    @pytest.mark.parametrize(
        "content",
        [
            "",
            "\0",
            "played_at\n",
            "a,b\n1,2\n",
            DUEL.splitlines()[0],
            b"\xff\xfe\x00",
            b"\x89PNG\r\n\x1a\n\0\0",
        ],
    )
    def test_what_is_no_game_file_is_refused(self, written, content):
        code, text = refusal("rate", written(content))
        assert code == 1
        assert text.strip()

    @pytest.mark.parametrize(
        "options",
        [
            ["--rules", "ranked-battle", "--system", "wsd"],
            ["--rules", "wsd-2.0", "--system", "ladder"],
            ["--set", "keep"],
            ["--set", "keep=much"],
            ["--set", "keep=2"],
            ["--set", "keep=nan"],
            ["--set", "nothing=1"],
            ["--set", "initial_rating=1500.55"],
            ["--set", "curve=steep"],
            ["--timezone", "Mars/Olympus"],
        ],
    )
    def test_wrong_usage_is_exit_code_2(self, written, options):
        assert refusal("rate", written(DUEL), *options)[0] == 2

    def test_a_file_that_is_not_there_is_an_error(self, tmp_path):
        for name in (tmp_path / "none.csv", tmp_path, "a\0b"):
            code, text = refusal("rate", name)
            assert code == 1
            assert "cannot be read" in text

    def test_an_unknown_encoding_is_an_error(self, written):
        assert refusal("rate", written(DUEL.encode("cp1251") + b"\xff"), "--encoding", "klingon")[0] == 1

    def test_rules_under_which_no_game_can_be_rated_are_an_error(self, written):
        wild = ["--set", "margin_unit=0.01", "--set", "largest_margin=1000000"]
        code, _text = refusal("rate", written(DUEL.replace("500", "900000")), *wild)
        assert code == 1


def free_for_alls(rng):
    """Four of six players, one of whom seldom plays: some with a bonus, some below the minimum."""
    names = [f"P{number}" for number in range(6)]
    return [
        [
            ((name,), rng.randrange(-300, 1400))
            for name in rng.sample(names if rng.random() < 0.2 else names[:5], 4)
        ]
        for _game in range(160)
    ]


def mixed_games(rng):
    """Duels, free-for-alls, and team games of every size, with draws."""
    names = [f"P{number}" for number in range(9)]
    games = []
    for _game in range(220):
        rng.shuffle(names)
        present = iter([name for name in names if name != "P8" or rng.random() < 0.2])
        sizes = rng.choice([(1, 1), (1, 1, 1), (2, 2), (1, 3), (2, 1), (2, 2, 2), (3, 1, 2), (2, 1, 1, 1)])
        members = [tuple(name for name, _seat in zip(present, range(size), strict=False)) for size in sizes]
        games.append([(side, rng.choice((0, 150, 150, rng.randrange(2500)))) for side in members])
    return games


def ladder_battles(rng):
    names = [f"F{number:02}" for number in range(25)]
    return [[((name,), rng.randrange(3)) for name in rng.sample(names, 2)] for _battle in range(4_000)]


GAMES = {"free-for-all": free_for_alls, "mixed": mixed_games}


class TestProcesses:
    """Exit codes and streams as a shell sees them, with a database that nobody can reach."""

    def manage(self, *arguments):
        environment = os.environ | {
            "DATABASE_URL": "postgres://nobody@127.0.0.1:9/nothing",
            "REDIS_URL": "redis://127.0.0.1:9/0",
        }
        return subprocess.run(
            [sys.executable, "manage.py", *map(str, arguments)],
            cwd=settings.BASE_DIR,
            env=environment,
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )

    def test_rate_needs_no_database(self, written):
        done = self.manage("rate", written(DUEL), "--format", "json")
        assert (done.returncode, done.stderr) == (0, "")
        assert [row["player"] for row in json.loads(done.stdout)] == ["Ann", "Ben"]

    def test_errors_of_the_file_go_to_standard_error(self, written):
        done = self.manage("rate", written(f"{DUEL}2026-01-03,Ann,x,Ben,y\n"), "--format", "json")
        assert (done.returncode, done.stdout) == (1, "")
        assert done.stderr.count("Line 3, points") == 2
        assert "Traceback" not in done.stderr

    def test_wrong_usage_is_exit_code_2(self, written):
        done = self.manage("rate", written(DUEL), "--rules", "chess")
        assert (done.returncode, done.stdout) == (2, "")
        assert "chess" in done.stderr
        assert "Traceback" not in done.stderr


@pytest.mark.django_db
class TestCreateLeague:
    def test_it_makes_a_public_league_with_an_open_season(self):
        owner = make_user("zahari")
        out = output(
            *(
                "create_league",
                "desperada",
                "--name",
                "Десперада",
                "--language",
                "bg",
                "--timezone",
                "Europe/Sofia",
            ),
            *("--rules", "wsd-2.0-tables", "--owner", "zahari"),
            *("--season", "Сезон 2026", "--starts", "2025-12-25", "--ends", "2026-12-24"),
        )
        league = League.objects.get(slug="desperada")
        assert (league.name, league.language, league.timezone) == ("Десперада", "bg", "Europe/Sofia")
        assert league.visibility == Visibility.PUBLIC
        assert list(league.organizers.values_list("user", "role")) == [(owner.pk, Role.OWNER)]
        season = league.seasons.get()
        assert (season.name, season.slug, season.state) == ("Сезон 2026", "sezon-2026", Season.State.OPEN)
        assert (season.starts_on, season.ends_on) == (date(2025, 12, 25), date(2026, 12, 24))
        assert season.rule_set.preset == "wsd-2.0-tables"
        assert "/desperada/sezon-2026/" in out

    def test_the_slug_is_enough(self):
        output("create_league", "chess")
        league = League.objects.get()
        assert (league.name, league.timezone, league.seasons.count()) == ("chess", "UTC", 0)

    def test_bytes_of_the_shell_that_are_no_text_are_left_out_of_a_name(self):
        # What is not UTF-8 on the command line comes as lone surrogates, which no database takes.
        output("create_league", "chess", "--name=Che\udcffss")
        assert League.objects.get().name == "Chess"

    @pytest.mark.parametrize("option", [["--system", "ladder"], ["--rules", "ranked-battle"]])
    def test_a_ladder(self, option):
        output("create_league", "fights", *option, "--season=all", "--starts=2026-01-01", "--ends=2026-12-31")
        season = Season.objects.get()
        assert (season.rule_set.system, season.duels_only) == ("ladder", True)

    def test_an_existing_address_is_an_error(self):
        make_league("apes")
        code, text = refusal("create_league", "apes")
        assert code == 1
        assert "slug" in text
        assert League.objects.count() == 1

    @pytest.mark.parametrize(
        "given", [["--season", "x"], ["--season", "x", "--starts", "2026-01-01"], ["--ends", "2026-01-01"]]
    )
    def test_a_season_needs_its_name_and_both_days(self, given):
        assert refusal("create_league", "apes", *given)[0] == 2
        assert not League.objects.exists()

    def test_dates_in_the_wrong_order_are_refused_in_a_plain_sentence(self):
        given = ["--season=2026", "--starts=2026-02-01", "--ends=2026-01-01"]
        assert refusal("create_league", "apes", *given) == (1, "The last day is before the first.")
        assert not League.objects.exists()

    @pytest.mark.parametrize(
        "arguments",
        [
            ["admin"],
            ["Not An Address"],
            ["apes", "--timezone", "Mars/Olympus"],
            ["apes", "--owner", "nobody"],
            ["apes", "--name", "x" * 101],
            ["apes", "--season", "x", "--starts", "2026-02-01", "--ends", "2026-01-01"],
            ["apes", "--season", "", "--starts", "2026-01-01", "--ends", "2026-02-01"],
            ["apes", "--system", "wsd", "--rules", "ranked-battle"],
        ],
    )
    def test_what_is_refused_leaves_nothing(self, arguments):
        out = io.StringIO()
        with pytest.raises(CommandError) as refused:
            call_command("create_league", *arguments, stdout=out)
        assert refused.value.returncode == 1
        assert str(refused.value)
        assert out.getvalue() == ""
        assert not League.objects.exists()
        assert not AuditEntry.objects.exists()


@pytest.fixture
def season(db):
    season = make_season(make_league("apes"), name="2026")
    ann, ben, cem = make_players(season.league, "Ann", "Ben", "Cem")
    make_game(season, (ann, 500), (ben, 100))
    make_game(season, (ann, 10), (ben, 10), (cem, 300), played_at=season.starts_at + timedelta(days=1))
    return replayed(season)


class TestReplay:
    @pytest.mark.parametrize("address", [[], ["apes"], ["apes/2026"], ["/apes/2026/"]])
    def test_the_check_of_good_results_is_exit_code_0(self, season, address):
        assert "apes/2026" in output("replay", *address, "--check")

    @pytest.mark.parametrize(
        ("model", "values"),
        [
            (RatingChange, {"after": 1}),
            (RatingChange, {"wins": 9}),
            (Standing, {"season_score": 1}),
            (Standing, {"place": 1}),
            (Meeting, {"games": 7}),
        ],
    )
    def test_the_check_finds_a_corrupted_row(self, season, model, values):
        row = model.objects.filter(season=season).first()
        model.objects.filter(pk=row.pk).update(**values)
        out = io.StringIO()
        with pytest.raises(CommandError) as refused:
            call_command("replay", "--check", stdout=out)
        assert refused.value.returncode == 1
        ((name, value),) = values.items()
        assert f"{name} is {value}, should be {getattr(row, name)}" in out.getvalue()
        row.refresh_from_db()
        assert getattr(row, name) == value  # it only looks

    @pytest.mark.parametrize("model", [RatingChange, Standing, Meeting])
    def test_the_check_finds_a_missing_row(self, season, model):
        model.objects.filter(season=season).first().delete()
        assert refusal("replay", "apes/2026", "--check")[0] == 1

    def test_results_that_lag_are_a_difference(self, season):
        Season.objects.filter(pk=season.pk).update(revision=season.revision + 1)
        assert refusal("replay", "apes", "--check")[0] == 1
        output("replay", "apes")
        assert "equal" in output("replay", "apes", "--check")

    def test_results_never_computed_are_a_difference(self, season):
        Replay.objects.all().delete()
        assert refusal("replay", "--check")[0] == 1

    def test_a_full_replay_mends_what_the_check_found(self, season):
        Standing.objects.filter(season=season).update(rating=1)
        output("replay", "apes/2026")  # level with its facts: nothing to do
        assert refusal("replay", "--check")[0] == 1
        assert "2 games" in output("replay", "apes/2026", "--full")
        output("replay", "--check")

    def test_only_the_season_named_is_checked(self, season):
        other = replayed(make_season(make_league("bees"), name="2026"))
        Season.objects.filter(pk=other.pk).update(revision=99)
        output("replay", "apes", "--check")
        assert refusal("replay", "bees", "--check")[0] == 1
        assert refusal("replay", "--check")[0] == 1

    @pytest.mark.parametrize("address", ["nobody", "nobody/2026", "apes/unknown", "apes/2026/more"])
    def test_an_unknown_address_is_exit_code_1(self, season, address):
        code, text = refusal("replay", address)
        assert code == 1
        assert address.split("/")[0] in text


class TestSweep:
    def test_once_brings_a_stale_season_level(self, season):
        ann, ben = Player.objects.filter(name__in=["Ann", "Ben"]).order_by("name")
        make_game(season, (ben, 20), (ann, 10), played_at=season.starts_at + timedelta(days=2))
        assert refusal("replay", "--check")[0] == 1
        assert output("sweep").startswith("1 ")
        output("replay", "--check")
        assert output("sweep").startswith("0 ")


@pytest.fixture
def demo(db, tmp_path):
    """The demo leagues, and the file of sign-ins."""
    with override_settings(DEBUG=True, VAR_DIR=tmp_path):
        output("demo")
        yield tmp_path / "demo-logins.txt"


class TestDemo:
    def test_both_leagues_are_as_described_and_a_second_call_changes_nothing(self, client, demo):
        def everything():
            rows = (League, Season, Player, Game, User, AuditEntry, Replay, RatingChange, Standing)
            return [list(model.objects.order_by("pk").values()) for model in rows], demo.read_text()

        before = everything()
        assert output("demo") == ""
        assert everything() == before
        assert set(League.objects.values_list("slug", flat=True)) == {"wsd", "ranked-battle"}
        self.check_wsd(Season.objects.get(league__slug="wsd"))
        self.check_ladder(Season.objects.get(league__slug="ranked-battle"))
        self.check_sign_ins(client, demo)
        output("replay", "--check")

    def check_wsd(self, season):
        assert (season.starts_on.month, season.starts_on.day) == (12, 25)
        assert (season.ends_on.month, season.ends_on.day) == (12, 24)
        assert (season.league.language, season.league.timezone) == ("bg", "Europe/Sofia")
        assert season.games.count() == 600
        assert {"Захари", "Валя", "Марина", "Добри"} < set(
            season.league.players.values_list("name", flat=True)
        )
        assert season.prize_tiers.count() == 3
        sizes = Counter(
            tuple(side.members.count() for side in game.sides.all()) for game in season.games.all()[:100]
        )
        assert any(len(sides) > 2 for sides in sizes)
        assert any(max(sides) > 1 for sides in sizes)

    def check_ladder(self, season):
        assert (season.league.language, season.duels_only) == ("tr", True)
        assert (season.entries.count(), season.games.count()) == (60, 1500)
        assert season.rule_set.k_rule == "fide"
        now = datetime.now(UTC)
        states = [each.state_at(now) for each in season.challenges.between_people()]
        assert {"issued", "accepted", "declined", "expired", "withdrawn", "played"} == set(states)
        assert all(
            abs(each.challenger_rating - each.opponent_rating) <= 10 * season.rule_set.pool_deviation
            for each in season.challenges.open()
        )

    def check_sign_ins(self, client, file):
        assert stat.S_IMODE(file.stat().st_mode) == 0o600
        passwords = dict(line.split()[:2] for line in file.read_text().splitlines())
        assert passwords.keys() == {"admin", "zahari", "ayse"}
        for username, password in passwords.items():
            assert client.login(username=username, password=password)

    def test_a_late_season_has_classified_players_and_others(self, db, tmp_path, time_machine):
        """Games lie between the season's start and now: in autumn the regulars have enough of them."""
        time_machine.move_to("2026-10-01 12:00+00:00", tick=False)
        with override_settings(DEBUG=False, VAR_DIR=tmp_path):
            output("demo")
        season = Season.objects.get(league__slug="wsd")
        counts = Counter(Standing.objects.filter(season=season).values_list("classified", flat=True))
        assert counts[True] >= 3
        assert counts[False] >= 2
        assert not User.objects.exists()
        assert list(tmp_path.iterdir()) == []

    @pytest.mark.parametrize(
        "moment", ["2025-12-31 22:00+00:00", "2026-12-24 21:59+00:00", "2026-12-24 22:00+00:00"]
    )
    def test_it_can_be_loaded_on_the_first_and_last_day(self, db, tmp_path, time_machine, moment):
        time_machine.move_to(moment, tick=False)
        with override_settings(DEBUG=False, VAR_DIR=tmp_path):
            output("demo")
        assert Game.objects.count() == 2100
        assert not Replay.objects.exclude(error="").exists()

    def test_sign_ins_can_be_asked_for(self, db, tmp_path):
        make_league("wsd")
        make_league("ranked-battle")
        with override_settings(DEBUG=False, VAR_DIR=tmp_path):
            output("demo")
            assert not User.objects.exists()
            output("demo", "--sign-ins")
            assert User.objects.count() == 3

    def test_it_can_be_for_an_empty_site_only(self, db, tmp_path):
        make_league("apes")
        with override_settings(DEBUG=True, VAR_DIR=tmp_path):
            output("demo", "--if-empty")
        assert League.objects.count() == 1
        assert not User.objects.exists()


class TestAddresses:
    @pytest.mark.parametrize(
        "address",
        [
            *("/", "/apes/", "/apes/2026/", "/apes/2026/?show=classified", "/apes/2026/games/"),
            *("/apes/2026/players/ann/", "/apes/players/", "/apes/players/ann/", "/apes/2026/prizes/"),
            *("/apes/2026/standings.csv", "/apes/2026/games.csv", "/apes/2026/changes.csv"),
            *("/apes/2026/prizes.csv", "/apes/players.csv"),
            *("/api/v1/leagues", "/api/v1/leagues/apes/seasons/2026/standings", "/api/v1/openapi.json"),
            "/healthz",
        ],
    )
    def test_everybody_can_read_a_public_league(self, client, season, address):
        assert client.get(address).status_code == 200

    def test_a_game_has_an_address(self, client, season):
        assert client.get(f"/apes/2026/games/{season.games.first().pk}/").status_code == 200

    @pytest.mark.parametrize(
        "word", ["admin", "api", "embed", "static", "media", "healthz", "accounts", "players"]
    )
    def test_words_of_the_site_are_no_league(self, db, word):
        assert refusal("create_league", word)[0] == 1

    def test_entering_a_game_asks_a_stranger_to_sign_in(self, client, season):
        response = client.get("/apes/2026/games/new/")
        assert (response.status_code, response["Location"].split("?")[0]) == (302, "/accounts/login/")
