"""What the asker may see of a source that a provider's own tool found."""

from chat.core.citations import DocumentSource, Source, WebSource
from chat.providers.base import Annotation, AnnotationKind, HostedSource
from citeweb.accounts.models import Tenant, User
from citeweb.threads import in_thread
from sources.hosted_files import HostedFile, hosted_file, hosted_passage


class Hosting:
    """Looks up one answer's hosted files; each file once."""

    def __init__(self, *, user: User, tenant: Tenant) -> None:
        self._user = user
        self._tenant = tenant
        self._files: dict[str, HostedFile | None] = {}
        self._texts: dict[str, set[str]] = {}

    async def source_of(self, event: Annotation | HostedSource) -> Source | None:
        """Return a web page, a file that the provider made, or a document of ours; None if it must not be shown.

        A file search of the provider knows nothing of our grants, so its files count only as documents of ours
        that the asker may read now.
        """
        if isinstance(event, HostedSource):
            return await self._found(event)
        match event.kind:
            case AnnotationKind.FILE:
                return await self._document(event.file_id, self._only_text(event))
            case AnnotationKind.CONTAINER_FILE | AnnotationKind.FILE_PATH:
                return WebSource(event.file_id, "", event.filename or event.title)
        return WebSource(event.source_id, event.url, event.title or event.url, event.quote)

    async def _found(self, event: HostedSource) -> Source | None:
        if not event.file_id:
            return WebSource(event.source_id, event.url, event.title or event.url, event.text)
        self._texts.setdefault(event.file_id, set()).add(event.text)
        return await self._document(event.file_id, event.text)

    def _only_text(self, event: Annotation) -> str:
        """Return what the search found in the file, if that was one thing: an annotation doesn't say which."""
        texts = self._texts.get(event.file_id, set())
        return event.quote or (next(iter(texts)) if len(texts) == 1 else "")

    async def _document(self, file_id: str, text: str) -> Source | None:
        if file_id not in self._files:
            self._files[file_id] = await in_thread(
                hosted_file, user=self._user, tenant=self._tenant, file_id=file_id
            )
        known = self._files[file_id]
        if known is None:
            return None
        passage = await in_thread(hosted_passage, user=self._user, tenant=self._tenant, file=known, text=text)
        return passage or DocumentSource(str(known.document_id), str(known.version_id), known.title, text)
