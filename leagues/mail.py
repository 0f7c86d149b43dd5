"""Letters of the site. What the mail server does not take is in the log, and is nobody's error."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from smtplib import SMTPException

from django.core.mail import EmailMessage

log = logging.getLogger(__name__)


def send_letter(to: str, subject: str, text: str, headers: Mapping[str, str] | None = None) -> bool:
    """Send plain text to one address; False where the mail server does not take it."""
    letter = EmailMessage(" ".join(subject.split()), text, None, [to], headers=dict(headers or {}))
    try:
        return bool(letter.send())
    except (OSError, SMTPException, ValueError) as error:
        log.warning("A letter was not sent: %s", error)
        return False
