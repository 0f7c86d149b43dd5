"""Error pages."""

import pytest


@pytest.mark.django_db
@pytest.mark.parametrize("debug", [False, True])
@pytest.mark.parametrize("address", ["/nowhere/", "/no/where/at/all/", "/wsd/season/games/1/"])
def test_what_is_not_there_is_the_sites_own_page(client, settings, debug, address):
    settings.DEBUG = debug
    answer = client.get(address)
    assert answer.status_code == 404
    page = answer.content.decode()
    assert "<h1" in page
    assert "DEBUG" not in page
