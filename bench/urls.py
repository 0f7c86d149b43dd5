"""The site with two bare views beside it, to compare its pages with."""

from django.http import HttpRequest, HttpResponse
from django.template import engines
from django.urls import include, path

from ratings.models import Standing

TABLE = engines["django"].from_string("""
<!doctype html><title>Standings</title><table>
{% for row in standings %}<tr>
  <td>{{ row.place|default_if_none:"" }}</td>
  <td><a href="{% url 'ratings:player-season' row.season.league.slug row.season.slug row.player.slug %}">
    {{ row.player }}</a></td>
  <td>{{ row.season_score }}</td><td>{{ row.rating }}</td><td>{{ row.games }}</td>
  <td>{{ row.wins }}</td><td>{{ row.losses }}</td><td>{{ row.first_places }}</td>
</tr>{% endfor %}
</table>
""")


def hello(_request: HttpRequest) -> HttpResponse:
    return HttpResponse("hello")


def plain(request: HttpRequest, season: int) -> HttpResponse:
    """100 rows of 8 columns, as one would first write them."""
    standings = Standing.objects.filter(season=season).select_related("player", "season__league")
    return HttpResponse(TABLE.render({"standings": standings.order_by("position")[:100]}, request))


urlpatterns = [
    path("bench/hello", hello),
    path("bench/plain/<int:season>", plain),
    path("", include("wsd_site.urls")),
]
