"""The leagues of this site."""

from django.views.generic import TemplateView


class DirectoryView(TemplateView):
    template_name = "leagues/directory.html"
