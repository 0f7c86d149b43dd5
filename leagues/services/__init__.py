"""The only writers of facts.

Each service takes keyword arguments, runs in one transaction, raises the revision of the
season it changed and leaves one row in the league's audit log. Bad input is a ValidationError
whose messages are sentences, and nothing is written.
"""

from leagues.services.adjustments import add_adjustment, cancel_adjustment
from leagues.services.api_games import correct_reported_game, report_game
from leagues.services.api_tokens import create_api_token, revoke_api_token
from leagues.services.claims import claim_player, invite_player, release_player
from leagues.services.game_checks import GameRefusedError, PlayedSide, check_game
from leagues.services.game_reports import (
    ReportDecidedError,
    SimilarReportError,
    confirm_report,
    decide_report,
    dispute_report,
    submit_report,
    withdraw_report,
)
from leagues.services.games import (
    FormUsedError,
    GameChangedError,
    SimilarGameError,
    correct_game,
    delete_games,
    record_game,
    restore_game,
    void_game,
)
from leagues.services.imports import ImportPlan, import_games, plan_import
from leagues.services.leagues import create_league, delete_league, update_league
from leagues.services.merging import merge_players, plan_merge
from leagues.services.order import reorder_games, shift_games
from leagues.services.organizers import (
    accept_invitation,
    add_organizer,
    change_role,
    invite_organizer,
    remove_organizer,
    revoke_invitation,
)
from leagues.services.players import (
    add_alias,
    create_player,
    create_team,
    delete_player,
    delete_team,
    remove_alias,
    update_player,
    update_team,
)
from leagues.services.privacy import anonymise_player
from leagues.services.rosters import add_players, mark_players, undo_marking
from leagues.services.seasons import (
    create_season,
    delete_season,
    enter_player,
    reinstate_player,
    remove_entry,
    update_season,
    withdraw_player,
)
from leagues.services.undoing import undo_games
from leagues.services.undoing_changes import undo_change
from leagues.services.unmerging import undo_merge
from leagues.services.webhooks import create_webhook, delete_webhook, switch_webhook

__all__ = [
    "FormUsedError",
    "GameChangedError",
    "GameRefusedError",
    "ImportPlan",
    "PlayedSide",
    "ReportDecidedError",
    "SimilarGameError",
    "SimilarReportError",
    "accept_invitation",
    "add_adjustment",
    "add_alias",
    "add_organizer",
    "add_players",
    "anonymise_player",
    "cancel_adjustment",
    "change_role",
    "check_game",
    "claim_player",
    "confirm_report",
    "correct_game",
    "correct_reported_game",
    "create_api_token",
    "create_league",
    "create_player",
    "create_season",
    "create_team",
    "create_webhook",
    "decide_report",
    "delete_games",
    "delete_league",
    "delete_player",
    "delete_season",
    "delete_team",
    "delete_webhook",
    "dispute_report",
    "enter_player",
    "import_games",
    "invite_organizer",
    "invite_player",
    "mark_players",
    "merge_players",
    "plan_import",
    "plan_merge",
    "record_game",
    "reinstate_player",
    "release_player",
    "remove_alias",
    "remove_entry",
    "remove_organizer",
    "reorder_games",
    "report_game",
    "restore_game",
    "revoke_api_token",
    "revoke_invitation",
    "shift_games",
    "submit_report",
    "switch_webhook",
    "undo_change",
    "undo_games",
    "undo_marking",
    "undo_merge",
    "update_league",
    "update_player",
    "update_season",
    "update_team",
    "void_game",
    "withdraw_player",
    "withdraw_report",
]
