"""Files under the production server go out piece by piece, without Django's warning."""

import urllib.request

import pytest

from tests.web_server import WebServer

pytestmark = pytest.mark.django_db(transaction=True)


def test_a_static_file_is_streamed_whole(server: WebServer) -> None:
    with urllib.request.urlopen(f"{server.url}/static/django_htmx/htmx-2.min.js") as response:
        body = response.read()
        assert int(response.headers["Content-Length"]) == len(body) > 40_000
