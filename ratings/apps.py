from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _

from leagues.signals import season_changed


class RatingsConfig(AppConfig):
    name = "ratings"
    verbose_name = _("Ratings")

    def ready(self) -> None:
        from ratings.tasks import nudge  # noqa: PLC0415 - its models are not loaded before this

        season_changed.connect(nudge, dispatch_uid="replay after a change of facts")
