"""Sessions in the database, looked for only by what can be the key of one."""

from django.contrib.sessions.backends import db


class SessionStore(db.SessionStore):
    """Whatever else a cookie brings is nobody's session: PostgreSQL refuses to look for a NUL."""

    def _validate_session_key(self, key: str) -> bool:
        return bool(super()._validate_session_key(key)) and key.isascii() and key.isalnum()  # type: ignore[misc]
