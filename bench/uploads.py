"""A thousand files through the sources page of a running server, and how quick its other pages stay meanwhile.

    python bench/uploads.py http://127.0.0.1:8000 EMAIL PASSWORD COLLECTION_ID [FILES] [--key KEY]

Sends the files 25 at a time, as the page does, and asks for the chat page and the list from another thread; with an
API key of somebody also a question, from the sending of it to the whole cited answer. Prints seconds; the files are
read by the server's worker, which this waits for.
"""

import argparse
import http.cookiejar
import json
import re
import statistics
import threading
import time
import uuid
from collections.abc import Callable
from urllib.parse import urlencode
from urllib.request import HTTPCookieProcessor, OpenerDirector, Request, build_opener

AT_ONCE = 25


def main() -> None:
    given = arguments()
    url, shelf = given.url, f"{given.url}/sources/{given.collection}/"
    writer, reader = (signed_in(url, given.email, given.password) for _ in range(2))
    watches = [
        Watch("chat page", lambda: got(reader, f"{url}/")),
        Watch("list page", lambda: got(reader, shelf)),
    ]
    if given.key:
        watches.append(Watch("answer", lambda: asked(url, given.key)))
    begun = time.monotonic()
    for watch in watches:
        watch.start()
    time.sleep(10)
    report(watches, "before")
    begun = time.monotonic()
    send(writer, url, given.collection, given.files)
    print(f"accepted {given.files} files in {time.monotonic() - begun:.1f} s")
    report(watches, "while they were sent")
    wait(writer, shelf)
    print(f"all read after {time.monotonic() - begun:.1f} s")
    report(watches, "while they were read")
    time.sleep(20)
    report(watches, "while their vectors were made")
    for watch in watches:
        watch.stop()


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    for name in ("url", "email", "password", "collection"):
        parser.add_argument(name)
    parser.add_argument("files", nargs="?", type=int, default=1000)
    parser.add_argument("--key", default="")
    return parser.parse_args()


def got(opener: OpenerDirector, page: str) -> None:
    opener.open(page).read()


def asked(url: str, key: str) -> None:
    question = {"role": "user", "content": "When do enterprise customers get budget alerts?"}
    body = json.dumps({"model": "citeweb-quote", "messages": [question]}).encode()
    headers = {"Authorization": f"Bearer {key}", "Content-Type": "application/json"}
    answer = json.load(build_opener().open(Request(f"{url}/v1/chat/completions", body, headers)))
    assert answer["citations"], answer


def report(watches: "list[Watch]", when: str) -> None:
    for watch in watches:
        watch.report(when)


def signed_in(url: str, email: str, password: str) -> OpenerDirector:
    opener = build_opener(HTTPCookieProcessor(http.cookiejar.CookieJar()))
    fields = {
        "login": email,
        "password": password,
        "csrfmiddlewaretoken": token(opener, f"{url}/accounts/login/"),
    }
    opener.open(f"{url}/accounts/login/", urlencode(fields).encode()).read()
    return opener


def token(opener: OpenerDirector, page: str) -> str:
    found = re.search(r'name="csrfmiddlewaretoken" value="([^"]+)"', opener.open(page).read().decode())
    assert found, f"no form on {page}"
    return found[1]


def send(opener: OpenerDirector, url: str, collection: str, files: int) -> None:
    csrf, batch, run = token(opener, f"{url}/sources/{collection}/"), str(uuid.uuid4()), uuid.uuid4().hex[:6]
    for first in range(0, files, AT_ONCE):
        fields = {
            "csrfmiddlewaretoken": csrf,
            "collection": collection,
            "batch": batch,
            "next": "/sources/progress/",
        }
        names = [f"{run}-{number}" for number in range(first, min(first + AT_ONCE, files))]
        body, kind = multipart(
            fields, {f"{name}.md": f"# {name}\n\nThe note {name} says so.\n" for name in names}
        )
        opener.open(Request(f"{url}/sources/upload/", body, {"Content-Type": kind})).read()


def multipart(fields: dict[str, str], files: dict[str, str]) -> tuple[bytes, str]:
    mark = uuid.uuid4().hex
    parts = [
        f'Content-Disposition: form-data; name="{name}"\r\n\r\n{value}' for name, value in fields.items()
    ]
    parts += [
        f'Content-Disposition: form-data; name="documents"; filename="{name}"\r\n'
        f"Content-Type: text/markdown\r\n\r\n{content}"
        for name, content in files.items()
    ]
    body = "".join(f"--{mark}\r\n{part}\r\n" for part in parts) + f"--{mark}--\r\n"
    return body.encode(), f"multipart/form-data; boundary={mark}"


def wait(opener: OpenerDirector, shelf: str) -> None:
    while re.search(r'id="follow"', opener.open(shelf).read().decode()):
        time.sleep(2)


class Watch(threading.Thread):
    """Does one thing about four times a second and keeps how long each took."""

    def __init__(self, name: str, look: Callable[[], None]) -> None:
        super().__init__(daemon=True)
        self._name, self._look = name, look
        self._took: list[float] = []
        self._ended = threading.Event()

    def run(self) -> None:
        while not self._ended.wait(0.25):
            begun = time.monotonic()
            self._look()
            self._took.append(time.monotonic() - begun)

    def report(self, when: str) -> None:
        took, self._took = self._took, []
        told = f"median {statistics.median(took):.2f} s, worst {max(took):.2f} s" if took else "never came"
        print(f"  {self._name} {when}: {told}, {len(took)} times", flush=True)

    def stop(self) -> None:
        self._ended.set()
        self.join()


if __name__ == "__main__":
    main()
