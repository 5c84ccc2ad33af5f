"""Keeps each machine's pictures of pages from outliving their documents.

A purge is a job of one machine and empties that machine's cache. The others look for themselves, every few minutes
and when they start: what their caches hold of a version that is gone, they remove. Nobody could open it meanwhile,
because a picture is asked for by its version, whose row the door looks up first.
"""

from sources.page_cache import forget_page_images, versions_kept
from sources.versions import still_there

# So long after a purge, at most, pictures lie on other machines.
SECONDS_BETWEEN = 300


def forget_pages_of_purged() -> int:
    """Remove this machine's pictures of versions that are gone; return of how many versions."""
    kept = versions_kept()
    gone = set(kept).difference(still_there(kept))
    for version_id in gone:
        forget_page_images(version_id)
    return len(gone)
