"""The site's addresses with faults in them, which the walk must find. For tests/test_isolation.py."""

from typing import Any

from django.http import HttpResponse
from django.shortcuts import get_object_or_404
from django.urls import include, path

from leagues.models import Game, Player
from wsd_site import urls as site_urls


def any_game(_request: Any, game: int, **_where: str) -> HttpResponse:
    """Finds a game by its id alone."""
    return HttpResponse(get_object_or_404(Game, pk=game).note)


def any_player(request: Any, player: str, **_where: str) -> HttpResponse:
    """Renames a player whoever asks."""
    found = get_object_or_404(Player, slug=player)
    if request.method == "POST":
        Player.objects.filter(pk=found.pk).update(name=request.POST["name"])
    return HttpResponse()


def broken(_request: Any, **_where: str) -> HttpResponse:
    """Raises what it has read of any league."""
    raise RuntimeError(" ".join(Player.objects.values_list("name", flat=True)))


ratings = (
    [
        path("<slug:league>/<slug:season>/games/<int:game>/", any_game, name="game-detail"),
        path("<slug:league>/players/<slug:player>/", any_player, name="player-career"),
        path("<slug:league>/broken/", broken, name="prizes"),
    ],
    "ratings",
)
urlpatterns = [
    path("", include(ratings)),
    path("forgotten/", lambda _request: HttpResponse(), name="forgotten"),
    *site_urls.urlpatterns,
]
