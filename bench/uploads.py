"""A thousand files through the sources page of a running server, and how quick its other pages stay meanwhile.

    python bench/uploads.py http://127.0.0.1:8000 EMAIL PASSWORD COLLECTION_ID [FILES]

Sends the files 25 at a time, as the page does, and asks for the chat page and the list from another thread. Prints
seconds; the files are read by the server's worker, which this waits for.
"""

import http.cookiejar
import re
import statistics
import sys
import threading
import time
import uuid
from urllib.parse import urlencode
from urllib.request import HTTPCookieProcessor, OpenerDirector, Request, build_opener

AT_ONCE = 25


def main() -> None:
    url, email, password, collection = sys.argv[1:5]
    files = int(sys.argv[5]) if len(sys.argv) > 5 else 1000
    writer, reader = signed_in(url, email, password), signed_in(url, email, password)
    shelf = f"{url}/sources/{collection}/"
    pages = Watch(reader, {"chat": f"{url}/", "list": shelf})
    pages.start()
    begun = time.monotonic()
    send(writer, url, collection, files)
    print(f"accepted {files} files in {time.monotonic() - begun:.1f} s")
    pages.report("while they were sent")
    wait(writer, shelf)
    print(f"all read after {time.monotonic() - begun:.1f} s")
    pages.report("while they were read")
    pages.stop()


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
    """Asks for pages four times a second and keeps how long each took."""

    def __init__(self, opener: OpenerDirector, pages: dict[str, str]) -> None:
        super().__init__(daemon=True)
        self._opener, self._pages = opener, pages
        self._took: dict[str, list[float]] = {name: [] for name in pages}
        self._ended = threading.Event()

    def run(self) -> None:
        while not self._ended.wait(0.25):
            for name, page in self._pages.items():
                begun = time.monotonic()
                self._opener.open(page).read()
                self._took[name].append(time.monotonic() - begun)

    def report(self, when: str) -> None:
        for name, took in self._took.items():
            middle, worst = statistics.median(took), max(took)
            print(f"  {name} page {when}: median {middle:.2f} s, worst {worst:.2f} s, {len(took)} times")
            took.clear()

    def stop(self) -> None:
        self._ended.set()
        self.join()


if __name__ == "__main__":
    main()
