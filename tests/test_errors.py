"""Error pages."""

import pytest
from django.test import RequestFactory

from wsd_site.wsgi import application


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


@pytest.mark.parametrize("debug", [False, True])
def test_the_address_of_a_button_is_no_blank_page(client, settings, debug):
    settings.DEBUG = debug
    answer = client.get("/accounts/logout/")
    assert answer.status_code == 405
    assert answer["Allow"] == "POST, OPTIONS"
    assert "Go back to that page, and use the button there." in answer.content.decode()


@pytest.mark.django_db
@pytest.mark.parametrize("encoding", ["rot13", "idna", '"utf-7"'])
@pytest.mark.parametrize(("method", "status"), [("GET", "200 OK"), ("POST", "403 Forbidden")])
def test_up_04_whatever_encoding_a_request_names_it_is_read_as_utf_8(encoding, method, status):
    answers: list[str] = []
    said = f"application/x-www-form-urlencoded; charset={encoding}"
    request = RequestFactory().generic(method, "/accounts/login/").environ | {
        "QUERY_STRING": "q=%ff",
        "CONTENT_TYPE": said,
        "HTTP_COOKIE": f"csrftoken={'a' * 32}",  # the form's own token is missing
    }
    b"".join(application(request, lambda status, _headers: answers.append(status)))
    assert answers == [status]
