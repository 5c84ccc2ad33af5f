"""Uploads in an S3-compatible store: the same way in, out and away as through a local folder."""

from collections.abc import Iterator

import boto3
import pytest
from django.core.exceptions import ImproperlyConfigured
from django.test import Client
from moto.server import ThreadedMotoServer
from pytest_django import Settings

from citeweb.environment import storage
from sources.models import VersionState
from sources.removal import delete, order_purge, purge
from tests.conftest import House
from tests.sources import PRICING, add_document

pytestmark = pytest.mark.django_db(transaction=True)

BUCKET = "citeweb-tests"


@pytest.fixture(scope="module")
def store() -> Iterator[str]:
    """The address of an S3 server on loopback."""
    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    yield f"http://{host}:{port}"
    server.stop()


@pytest.fixture
def bucket(store: str, monkeypatch: pytest.MonkeyPatch, settings: Settings) -> Iterator["Bucket"]:
    """An empty bucket, named by the settings as an operator would."""
    monkeypatch.setenv("AWS_ENDPOINT_URL_S3", store)
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "tests")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "tests")
    monkeypatch.setenv("AWS_DEFAULT_REGION", "us-east-1")
    made = Bucket()
    settings.STORAGES = {**settings.STORAGES, "default": storage(f"s3://{BUCKET}/uploads")}
    yield made
    made.remove()


class Bucket:
    """A bucket as its owner sees it."""

    def __init__(self) -> None:
        self._client = boto3.client("s3")
        self._client.create_bucket(Bucket=BUCKET)

    def names(self) -> list[str]:
        return [found["Key"] for found in self._client.list_objects_v2(Bucket=BUCKET).get("Contents", [])]

    def bytes_of(self, name: str) -> bytes:
        body: bytes = self._client.get_object(Bucket=BUCKET, Key=name)["Body"].read()
        return body

    def remove(self) -> None:
        for name in self.names():
            self._client.delete_object(Bucket=BUCKET, Key=name)
        self._client.delete_bucket(Bucket=BUCKET)


def test_an_upload_lies_in_the_bucket_and_is_read_from_there(bucket: Bucket, house: House) -> None:
    document = add_document(house.open_shelf, "pricing.md", PRICING)
    [name] = bucket.names()
    assert name.startswith("uploads/")
    assert bucket.bytes_of(name) == PRICING.encode()
    version = document.current_version
    assert version is not None
    assert (version.state, version.text.strip()) == (VersionState.READY, PRICING.strip())


@pytest.mark.filterwarnings("ignore:StreamingHttpResponse must consume")
def test_a_download_comes_through_our_door(bucket: Bucket, house: House) -> None:
    document = add_document(house.closed_shelf, "pricing.md", PRICING)
    reader, stranger = Client(), Client()
    reader.force_login(house.granted.user)
    stranger.force_login(house.stranger.user)
    response = reader.get(f"/d/{document.pk}/original")
    assert b"".join(response) == PRICING.encode()
    assert response["Content-Length"] == str(len(PRICING.encode()))
    assert stranger.get(f"/d/{document.pk}/original").status_code == 404


def test_two_files_of_one_name_are_two_objects(bucket: Bucket, house: House) -> None:
    add_document(house.open_shelf, "pricing.md", PRICING)
    add_document(house.closed_shelf, "pricing.md", "# Other\n\nQuite another text.")
    assert len({bucket.bytes_of(name) for name in bucket.names()}) == 2


def test_a_purge_empties_the_bucket(bucket: Bucket, house: House) -> None:
    document = add_document(house.open_shelf, "pricing.md", PRICING)
    delete(document, user=house.owner.user)
    order_purge(document, user=house.owner.user)
    purge(document.pk)
    assert bucket.names() == []


def test_a_store_that_lets_us_in_is_ready_and_one_that_is_gone_is_not(
    bucket: Bucket, settings: Settings, client: Client
) -> None:
    assert "storage: ok" in client.get("/readyz").content.decode()
    settings.STORAGES = {**settings.STORAGES, "default": storage("s3://no-such-bucket")}
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("AWS_ENDPOINT_URL_S3", "http://127.0.0.1:9")
        answer = client.get("/readyz")
    assert answer.status_code == 503
    assert "storage: does not answer" in answer.content.decode()


@pytest.mark.parametrize(
    "url", ["/var/files", "https://bucket", "s3://", "s3://key:secret@bucket", "s3://b?x=1"]
)
def test_another_address_stops_the_start(url: str) -> None:
    with pytest.raises(ImproperlyConfigured, match="CITEWEB_STORAGE_URL must be s3://"):
        storage(url)
