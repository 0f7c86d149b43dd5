"""The two demo leagues, made by the services from a fixed seed."""

from ratings.demo.ladder import create_ranked_battle
from ratings.demo.wsd import create_wsd

__all__ = ["create_ranked_battle", "create_wsd"]
