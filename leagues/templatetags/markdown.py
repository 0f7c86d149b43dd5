"""What organizers write in Markdown."""

from django import template
from django.utils.safestring import SafeString

from leagues.markdown import to_html

register = template.Library()


@register.filter
def markdown(text: str, top: int = 2) -> SafeString:
    """``{{ season.rules_text|markdown:3 }}``: safe HTML whose highest headings are ``<h3>``."""
    return to_html(text or "", top)
