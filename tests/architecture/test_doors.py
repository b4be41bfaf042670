"""Every entry point declares its guard: pages by apps/accounts/guards, calls by permission_classes."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from django.urls import URLPattern, URLResolver, get_resolver
from rest_framework.views import APIView

# Pages that visitors may open, each with its reason.
OPEN = {
    "site:home": "what the platform is",
    "site:catalogue": "courses are public in the navigation",
    "site:suggestions": "names what the catalogue shows to everyone",
    "billing:gift-enter": "people with a code may have no account yet",
    "billing:gift-redeem": "the code is the key; redeeming asks for the session",
    "courses:co-instructor-invitation": "the link of an invitation; answering needs the invited account",
    "billing:seat-invitation": "people with a link may have no account yet; accepting asks for the session",
    "billing:bundles": "bundles are as public as the courses in them",
    "billing:bundle": "bundles are public; of one that is not for sale it shows only courses that are public",
    "site:expert": "the link is the key; without a name entered in this browser it shows nothing of the course",
    "site:expert-comment": "as site:expert",
    "site:expert-answer": "as site:expert, for threads in which somebody wrote at this link",
    "site:expert-media": "as site:expert, for the videos of its course",
    "site:expert-file": "as site:expert, for the files of its course",
    "site:expert-lesson-file": "as site:expert, for the files of its lessons",
    "site:expert-picture": "as site:expert, for pictures of threads in which somebody wrote at this link",
    "site:paths": "learning paths are as public as the courses in them",
    "site:path": "learning paths are public; its policy hides unpublished ones",
    "learning:visit": "a beacon of a public page: it counts and answers nothing",
    "site:course": "courses are public in the navigation; its policy hides drafts",
    "billing:seats-order": "what seats cost, before anyone has an account; ordering asks for the session",
    "billing:premium": "what Premium contains and costs, before anyone has an account",
    "tutor:chat": "visitors read what the tutor is; chats are those of the signed-in user",
    "forum:feed": "the feed of a board that everyone may read",
    "forum:index": "discussions are public in the navigation",
    "forum:board": "discussions are public; its policy hides the boards of courses that are not",
    "forum:tag": "discussions are public; only topics that the reader may see are listed",
    "forum:topic": "discussions are public; its policy hides held topics and those of hidden courses",
    "forum:lesson": "discussions are public; only topics that the reader may see are listed",
    "forum:post": "discussions are public; its policy hides held posts",
    "learning:course-file": "a file of a text is sent to those who may read the text",
    "forum:image": "a picture of a post is seen by those who see the post",
    "forum:file": "a file of a post is sent to those who see the post",
    "forum:post-history": "a reader of a post may read its earlier texts",
    "site:help": "help needs no account",
    "site:help-article": "help needs no account",
    "site:help-error": "an API's user follows the type of a problem here",
    "site:accessibility": "a text that everybody may read",
    "site:terms": "a text that everybody may read",
    "site:privacy": "a text that everybody may read",
    "site:status": "whether the site is well is no secret",
    "djstripe:djstripe_webhook_by_uuid": "the payment provider signs in by a signature",
    "site:service-worker": "a script that is the same for everyone",
    "site:manifest": "browsers read it to install the site, with or without a session",
    "site:offline": "helps while there is no connection",
    "site:robots": "for machines that read the site",
    "site:speculation-rules": "browsers read it, with or without a session",
    "site:sitemap": "for machines that read the site",
    "site:ready": "monitors have no account; it says only whether rows and files can be saved",
    "site:health": "load balancers have no account; it says nothing but that it is alive",
    "samples:query-and-mutation": "samples are for everyone, and each browser sees only its own list",
    "samples:api-request": "samples are for everyone, and nothing is saved",
    "samples:server-functions": "samples are for everyone, and each browser sees only its own list",
    "samples:mcp-todos": "samples are for everyone, and each browser sees only its own list",
    "samples:todos-mcp": "the key of a list is the key",
    "assistants:mcp": "programs send a token; browsers get a guide",
    "assistants:mcp-metadata": "programs read it before they have a token",
    "samples:form-simple": "samples are for everyone, and nothing is saved",
    "samples:check-form-simple": "says of what was typed what the form itself would say",
    "samples:form-address": "samples are for everyone, and nothing is saved",
    "learning:lesson": "preview lessons are open; the policy decides lesson by lesson",
    "learning:lesson-download": "preview lessons are open; the policy decides lesson by lesson",
    "learning:audio": "preview lessons are open; the policy decides lesson by lesson",
    "learning:certificate-picture": "shows no more than the page of the certificate",
    "learning:badge-issuer": "the public key, for verifiers of badges",
    "learning:badge-status": "verifiers of badges read it; bits that tell no more than the pages of the certificates",
    "learning:reviews": "reviews are public as the course is; writing one asks for the session",
    "learning:verify": "anyone may check a certificate by its code",
    "learning:certificate": "anyone may check a certificate by its code",
    "accounts:sign-in": "for those who are not signed in",
    "accounts:second-step": "for those who have proved the password and are not signed in yet",
    "accounts:sign-in-with-passkey": "for those who are not signed in",
    "accounts:register": "for those who have no account",
    "accounts:check-registration": "says of what was typed what the form itself would say",
    "accounts:check-joining": "the link in the mail is the key, as of the page that asks",
    "accounts:check-reset": "the link in the mail is the key, as of the page that asks",
    "accounts:resend-proof": "for those who have no account yet, to what they registered with",
    "accounts:provider-landing": "for those who come back from a provider",
    "accounts:provider-answer": "a provider sends browsers here; the session knows what was asked",
    "accounts:provider-start": "for those who are not signed in",
    "accounts:forgot-password": "for those who cannot sign in",
    "accounts:verify-email": "the link in the mail is opened in any browser",
    "accounts:confirm-email": "the link in the mail is opened in any browser",
    "courses:picture-file": "the picture of a course is shown to visitors; its address cannot be guessed",
    "accounts:avatar": "a picture is shown beside what its person says, to visitors too",
    "accounts:reset-password": "the link in the mail is the key",
    "accounts:unsubscribe": "the link in the mail is the key, and must work without signing in",
    "accounts:sign-out": "leads a visitor home",
    "sign-in-for-admin": "leads to the sign-in page",
    "files:file": "the signed address is the key; who got it was decided at its signing",
    "files:link": "people without an account open links, too; the signed address is the key",
    "files:link-file": "as files:link",
    "files:link-view": "as files:link",
    "files:link-thumbnail": "as files:link",
    "files:link-download": "as files:link",
    "files:link-zip": "as files:link",
    "files:link-send": "as files:link; the signed address belongs to one browser",
    "files:media": "a player asks, not a person: the signed address is the key",
    "schema": "the API's description is public",
    "docs": "the API's description is public",
    "admin:login": "never reached: sign-in-for-admin stands before it",
}
# Calls that visitors may make, each with its reason.
OPEN_CALLS = {
    "LogIn": "for those who are not signed in",
    "PasskeyOptions": "for those who are not signed in; says nothing about any account",
    "LogOut": "ends what there is, if anything",
    "CertificateCheck": "anyone may check a certificate by its code",
    "Paths": "only published learning paths are listed",
    "OnePath": "learning paths are public; its policy hides unpublished ones",
    "CourseOutline": "the outline of a listed course is public; its policy knows which are listed",
    "LessonPlayer": "preview lessons are open; the policy decides lesson by lesson",
    "SampleTodos": "samples are for everyone, and each browser has its own list; a change needs the CSRF token",
    "SampleTodo": "samples are for everyone, and each browser has its own list; a change needs the CSRF token",
    "SharedTodos": "as SampleTodos",
    "SharedTodo": "as SampleTodo",
    "SampleNames": "the names are the same for everyone",
    "Boards": "discussions are public; its policy hides the boards of courses that are not",
    "TopicList": "discussions are public; only topics that the reader may see are listed",
    "TopicDetail": "discussions are public; changes ask who makes them",
    "TopicPosts": "discussions are public; held posts are for their authors and moderators, replies ask who writes",
    "PostDetail": "discussions are public; its policy hides held posts, changes ask who makes them",
    "LessonQuiz": "preview lessons are open; the policy decides lesson by lesson",
    "OfflineShell": "the same for everyone, and browsers keep it: it names nobody",
}


@dataclass(frozen=True)
class Door:
    address: str
    name: str
    view: Any

    @property
    def view_class(self) -> type[APIView] | None:
        found = getattr(self.view, "cls", None) or getattr(self.view, "view_class", None)
        return found if isinstance(found, type) and issubclass(found, APIView) else None


def doors(patterns: list[URLPattern | URLResolver] | None = None, prefix: str = "/", space: str = "") -> Iterator[Door]:
    """Every address of the site with its view."""
    for pattern in get_resolver().url_patterns if patterns is None else patterns:
        address = prefix + str(pattern.pattern)
        if isinstance(pattern, URLResolver):
            inner = f"{space}{pattern.namespace}:" if pattern.namespace else space
            yield from doors(pattern.url_patterns, address, inner)
        else:
            yield Door(address, f"{space}{pattern.name or ''}", pattern.callback)


def calls() -> list[Door]:
    return [door for door in doors() if door.view_class is not None]


def pages() -> list[Door]:
    return [door for door in doors() if door.view_class is None]


def is_open(door: Door) -> bool:
    return getattr(door.view, "login_required", True) is False


def test_each_page_has_a_guard_or_belongs_to_the_admin() -> None:
    nameless = [
        f"{door.address} ({door.name})"
        for door in pages()
        if not hasattr(door.view, "guard") and not door.name.startswith("admin:") and door.name not in OPEN
    ]

    assert not nameless, "\n".join(nameless)


def test_open_pages_are_listed_with_their_reason() -> None:
    unlisted = {door.name or door.address for door in pages() if is_open(door)} - set(OPEN)
    stale = set(OPEN) - {door.name for door in doors() if is_open(door) or door.view_class}

    assert not unlisted, "opened without a reason"
    assert not stale, "no longer open: take it off the list"


def test_guard_and_middleware_agree() -> None:
    wrong = [
        door.address
        for door in pages()
        if hasattr(door.view, "guard") and (door.view.guard == "everyone") != is_open(door)
    ]

    assert not wrong, "\n".join(wrong)


def test_no_call_inherits_its_permission() -> None:
    silent = [
        f"{door.address} {view.__name__}"
        for door in calls()
        if (view := door.view_class)
        and view.__module__.startswith(("apps.", "studyplatform."))
        and not any("permission_classes" in vars(base) for base in view.__mro__ if base.__module__ == view.__module__)
    ]

    assert not silent, "\n".join(silent)


def test_open_calls_are_listed_with_their_reason() -> None:
    found = {
        view.__name__
        for door in calls()
        if (view := door.view_class)
        and view.__module__.startswith(("apps.", "studyplatform."))
        and {getattr(permission, "__name__", "") for permission in view.permission_classes}
        & {"AllowAny", "IsAuthenticatedOrReadOnly"}
    }

    assert found - set(OPEN_CALLS) == set(), "opened without a reason"
    assert set(OPEN_CALLS) - found == set(), "no longer open: take it off the list"


def test_there_are_pages_and_calls_to_check() -> None:
    assert len(pages()) > 10
    assert len(calls()) > 10
    assert any(is_open(door) for door in pages())
    assert any(not is_open(door) for door in pages())
