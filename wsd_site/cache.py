"""The cache of pages: what is kept in it can be made again, so a page never waits for it or fails by it."""

from __future__ import annotations

import logging
from collections.abc import Callable
from time import monotonic
from typing import Any

from django.core.cache.backends.redis import RedisCache
from redis.exceptions import RedisError

logger = logging.getLogger(__name__)

REST = 2.0  # seconds for which a Redis that did not answer is left alone


class PageCache(RedisCache):
    """Keeps nothing while Redis is refused or silent."""

    not_before = 0.0  # by time.monotonic()

    def get(self, key: Any, default: Any = None, version: int | None = None) -> Any:
        return self._ask(lambda: super(PageCache, self).get(key, default, version), default)

    def set(self, key: Any, value: Any, *args: Any, **options: Any) -> None:
        self._ask(lambda: super(PageCache, self).set(key, value, *args, **options), None)

    def _ask(self, act: Callable[[], Any], otherwise: Any) -> Any:
        if monotonic() < PageCache.not_before:  # of the process: each thread has a cache of its own
            return otherwise
        try:
            return act()
        except RedisError as error:
            PageCache.not_before = monotonic() + REST
            logger.warning("Pages are not kept: %s", error)
            return otherwise
