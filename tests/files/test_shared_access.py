"""What a share opens to whom: the people of a course, the contents of a folder, who is noted, what lists cost."""

import io
import threading
import zipfile
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.db import close_old_connections, connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from apps.accounts.models import User
from apps.courses.models import Course
from apps.files import errors, policies, services
from apps.files.exports import export_files
from apps.files.models import File, Folder, Share, ShareOpening
from apps.files.pages import shared_entries
from apps.files.services import Selection
from apps.files.sharing_queries import sharing_of, states_of
from apps.learning.models import Enrollment
from tests.factories.accounts import UserFactory
from tests.factories.courses import CourseFactory
from tests.factories.files import CourseShareFactory, FileFactory, FolderFactory, ShareLinkFactory
from tests.factories.learning import EnrollmentFactory

NOW = timezone.now


@pytest.fixture(autouse=True)
def _folders(own_folders, db):
    """Files in a folder of the test."""


@pytest.fixture
def kim(course: Course) -> User:
    """A learner of the same course as Leo."""
    return EnrollmentFactory(course=course, user__username="kim").user


def address(share: Share) -> str:
    return f"/s/{services.link_token(share)}"


# --- The people of a course ---------------------------------------------------------------------


def test_only_the_people_of_a_course_open_what_is_shared_with_it(
    browser_of, leo, kim, ada, mia, eve, sam, enrollment, course
):
    file = FileFactory(owner=leo, name="field-notes.pdf")
    share = CourseShareFactory(owner=leo, file=file, course=course.uid)
    pages = [
        f"/files/shared/{share.uid}",
        *(f"/files/shared/{share.uid}/{file.uid}{end}" for end in ("", "/view", "/download")),
    ]

    for who in (kim, ada):
        site = browser_of(who)
        assert "field-notes.pdf" in site.get("/files/shared").content.decode()
        assert [site.get(page).status_code for page in pages] == [200] * 4
        assert site.get(pages[3]).getvalue() == b"%PDF-1.7 a page"
    for who in (mia, eve, sam):  # not even an admin
        site = browser_of(who)
        assert "field-notes.pdf" not in site.get("/files/shared").content.decode()
        assert [site.get(page).status_code for page in pages] == [404] * 4
    assert {Client().get(page).status_code for page in pages} == {302}


def leave(share: Share, kim: User) -> None:
    Enrollment.objects.filter(user=kim).update(revoked_at=NOW())


def owner_leaves(share: Share, kim: User) -> None:
    Enrollment.objects.filter(user=share.owner).update(revoked_at=NOW())


def revoke(share: Share, kim: User) -> None:
    services.revoke_share(share=share, by=share.owner, now=NOW())


def block(share: Share, kim: User) -> None:
    User.objects.filter(pk=share.owner_id).update(is_active=False)


def bin_it(share: Share, kim: User) -> None:
    services.move_to_bin(selection=Selection(files=[share.file] if share.file else []), by=share.owner, now=NOW())


@pytest.mark.parametrize("end", [leave, owner_leaves, revoke, block, bin_it])
def test_access_of_a_course_ends_at_once(browser_of, leo, kim, enrollment, course, end):
    share = CourseShareFactory(owner=leo, course=course.uid)
    assert share.file
    site = browser_of(kim)
    pages = [f"/files/shared/{share.uid}", f"/files/shared/{share.uid}/{share.file.uid}/download"]
    assert [site.get(page).status_code for page in pages] == [200, 200]

    end(share, kim)

    assert [site.get(page).status_code for page in pages] == [404, 404]
    assert share.file.name not in site.get("/files/shared").content.decode()


def test_an_instructor_who_teaches_no_longer_is_out(browser_of, leo, ada, enrollment, course):
    share = CourseShareFactory(owner=leo, course=course.uid)
    User.objects.filter(pk=ada.pk).update(role="student")

    assert browser_of(ada).get(f"/files/shared/{share.uid}").status_code == 404


def test_a_link_is_no_share_with_a_course_and_the_other_way_around(browser_of, leo, kim, enrollment, course):
    link, with_course = ShareLinkFactory(owner=leo), CourseShareFactory(owner=leo, course=course.uid)

    assert browser_of(kim).get(f"/files/shared/{link.uid}").status_code == 404
    assert Client().get(address(with_course)).status_code == 404


# --- Folders ------------------------------------------------------------------------------------


@pytest.fixture
def tree(leo: User) -> dict[str, Any]:
    """A shared folder with a folder and a file within, and beside it what is not shared."""
    outside = FolderFactory(owner=leo, name="Outside")
    top = FolderFactory(owner=leo, name="Walks", parent=outside)
    inner = FolderFactory(owner=leo, name="2024", parent=top)
    return {
        "outside": outside, "top": top, "inner": inner,
        "file": FileFactory(owner=leo, folder=inner, name="cliff.pdf"),
        "sibling": FileFactory(owner=leo, folder=outside, name="diary.pdf"),
        "foreign": FileFactory(name="foreign.pdf"),
        "share": ShareLinkFactory(owner=leo, folder=top, file=None),
    }  # fmt: skip


def reaches(share: Share, file: File) -> set[int]:
    """The statuses of all addresses of a file through a share."""
    visitor, at = Client(), f"{address(share)}/{file.uid}"
    found = {visitor.get(at).status_code, visitor.get(f"{at}/view").status_code}
    led = visitor.post(f"{at}/download")
    return found | {visitor.get(led["Location"]).status_code if led.status_code == 303 else led.status_code}


def folder_status(share: Share, folder: Folder) -> int:
    return Client().get(address(share), {"folder": folder.uid}).status_code


def test_a_shared_folder_opens_what_is_within_it_and_nothing_else(tree):
    share, page = tree["share"], Client().get(address(tree["share"])).content.decode()

    assert "2024" in page
    assert "Outside" not in page
    assert "cliff.pdf" in Client().get(address(share), {"folder": tree["inner"].uid}).content.decode()
    assert reaches(share, tree["file"]) == {200}
    for other in (tree["sibling"], tree["foreign"]):
        assert reaches(share, other) == {404}
    for folder in (tree["outside"], FolderFactory(owner=tree["foreign"].owner)):
        assert folder_status(share, folder) == 404
    for text in ("x", "../..", "00000000-0000-0000-0000-000000000000", "\0"):
        assert Client().get(address(share), {"folder": text}).status_code == 404


def test_every_folder_of_a_shared_folder_can_be_reached(tree, monkeypatch):
    monkeypatch.setattr(shared_entries, "PAGE", 2)
    top, at = tree["top"], address(tree["share"])
    for name in ("a", "b"):
        FolderFactory(owner=top.owner, parent=top, name=name)
    for name in ("c.pdf", "d.pdf"):
        FileFactory(owner=top.owner, folder=top, name=name)

    pages = [Client().get(at, {"page": number}).content.decode() for number in (1, 2, 3)]

    names = [">2024<", ">a<", ">b<", ">c.pdf<", ">d.pdf<"]
    assert [[name for name in names if name in page] for page in pages] == [names[:2], names[2:4], names[4:]]
    assert all(f"?page={other}" in pages[0] for other in (2, 3))
    assert ['id="files-h">2 files' in page for page in pages] == [False, True, True]


def test_a_shared_folder_follows_every_move(leo, tree):
    share = tree["share"]
    services.move_entries(selection=Selection(folders=[tree["top"]]), to=None, by=leo)
    assert reaches(share, tree["file"]) == {200}

    services.move_entries(selection=Selection(files=[tree["sibling"]]), to=tree["inner"], by=leo)
    assert reaches(share, tree["sibling"]) == {200}

    services.move_entries(selection=Selection(folders=[tree["inner"]]), to=None, by=leo)
    assert reaches(share, tree["file"]) == {404}
    assert folder_status(share, tree["inner"]) == 404


def test_what_is_in_the_bin_is_left_out(leo, tree):
    share, file = tree["share"], tree["file"]
    services.move_to_bin(selection=Selection(files=[file]), by=leo, now=NOW())
    assert reaches(share, file) == {404}
    services.restore_entries(selection=Selection(files=[file]), by=leo, now=NOW())
    assert reaches(share, file) == {200}

    services.move_to_bin(selection=Selection(folders=[tree["inner"]]), by=leo, now=NOW())
    assert reaches(share, file) == {404}
    services.move_to_bin(selection=Selection(folders=[tree["top"]]), by=leo, now=NOW())
    assert Client().get(address(share)).status_code == 404


def test_a_new_version_is_what_others_get(leo, tree):
    file = tree["file"]
    file.current = FileFactory(owner=leo, content=b"%PDF new").current
    file.save()

    visitor = Client()
    led = visitor.post(f"{address(tree['share'])}/{file.uid}/download")["Location"]

    assert visitor.get(led).getvalue() == b"%PDF new"


def test_a_shared_folder_is_downloaded_as_a_zip_that_counts_once(leo, tree):
    share = tree["share"]
    Share.objects.filter(pk=share.pk).update(max_downloads=1)

    answer = Client().post(f"{address(share)}/zip", {"folder": tree["inner"].uid})
    packed = zipfile.ZipFile(io.BytesIO(answer.getvalue()))

    assert packed.namelist() == ["2024/", "2024/cliff.pdf"]
    assert Client().post(f"{address(share)}/zip").status_code == 410
    assert Client().get(f"{address(share)}/zip").status_code == 405
    share.refresh_from_db()
    assert share.downloads == 1


def test_a_folder_outside_is_not_zipped(tree):
    assert Client().post(f"{address(tree['share'])}/zip", {"folder": tree["outside"].uid}).status_code == 404
    assert Share.objects.get().downloads == 0


# --- Who opened it ------------------------------------------------------------------------------


def test_the_owner_sees_who_opened_a_share(browser_of, leo, kim, enrollment, course):
    share = CourseShareFactory(owner=leo, course=course.uid)
    assert share.file
    for _ in range(3):
        browser_of(kim).get(f"/files/shared/{share.uid}")
    browser_of(kim).get(f"/files/shared/{share.uid}", headers={"Sec-Purpose": "prefetch;prerender"})
    browser_of(kim).get(f"/files/shared/{share.uid}/{share.file.uid}/download")
    assert "Your own visits aren't recorded" in browser_of(leo).get(f"/files/shared/{share.uid}").content.decode()

    assert set(ShareOpening.objects.values_list("user__username", "what")) == {("kim", "view"), ("kim", "download")}
    page = browser_of(leo).get(f"/files/links/{share.uid}").content.decode()
    assert page.count(kim.display_name) == 2
    assert browser_of(kim).get(f"/files/links/{share.uid}").status_code == 404


def test_visitors_fill_one_row_an_hour(leo):
    share = ShareLinkFactory(owner=leo)
    for _ in range(5):
        Client().get(address(share))
    services.record_opening(share=share, user=None, what=ShareOpening.What.VIEW, now=NOW() + timedelta(hours=1))

    assert ShareOpening.objects.filter(share=share, user=None).count() == 2


def test_a_page_that_only_asks_for_the_password_is_not_noted(leo):
    share = ShareLinkFactory(owner=leo, password="pbkdf2_sha256$1$x$x")

    Client().get(address(share))

    assert not ShareOpening.objects.exists()


# --- Lists --------------------------------------------------------------------------------------


def test_the_list_of_links_says_in_what_state_each_is(browser_of, leo, enrollment, course):
    def link(**facts: Any) -> Share:
        return ShareLinkFactory(owner=leo, **facts)

    binned = link()
    shares = {
        "active": link(),
        "expired": link(expires_at=NOW()),
        "used_up": link(max_downloads=1, downloads=1),
        "revoked": link(revoked_at=NOW(), expires_at=NOW()),
        "binned": binned,
        "left": CourseShareFactory(owner=leo, course=CourseFactory().uid),
    }
    bin_it(binned, leo)
    binned.refresh_from_db()

    courses = policies.course_members().courses_of(leo)
    found = states_of([Share.objects.get(pk=share.pk) for share in shares.values()], courses=courses, now=NOW())

    assert [each.state for each in found] == list(shares)
    answer = browser_of(leo).get("/files/links")
    assert answer.status_code == 200
    page = answer.content.decode()
    assert services.link_token(shares["active"]) in page
    assert all(services.link_token(share) not in page for name, share in shares.items() if name != "active")


@pytest.mark.parametrize(
    ("facts", "state"),
    [
        ({"expires_at": NOW() - timedelta(hours=1)}, "expired"),
        ({"max_downloads": 1, "downloads": 1}, "used_up"),
        ({"max_downloads": 1, "downloads": 1, "expires_at": NOW() - timedelta(hours=1)}, "used_up"),
        ({"expires_at": NOW() + timedelta(days=1)}, "revoked"),
    ],
)
def test_a_removed_link_is_listed_by_what_ended_it_first(leo, facts, state):
    share = ShareLinkFactory(owner=leo, **facts)
    services.revoke_share(share=share, by=leo, now=NOW())
    share.refresh_from_db()

    assert [each.state for each in states_of([share], courses={}, now=NOW() + timedelta(days=2))] == [state]


def queries(site: Client, page: str) -> int:
    with CaptureQueriesContext(connection) as found:
        assert site.get(page).status_code == 200
    return len(found)


def test_lists_cost_the_same_with_many_shares(browser_of, leo, kim, enrollment, course):
    top = FolderFactory(owner=leo)
    folder = top
    for _ in range(3):
        folder = FolderFactory(owner=leo, parent=folder)
    inside = FileFactory(owner=leo, folder=folder)
    with_course = CourseShareFactory(owner=leo, file=None, folder=top, course=course.uid)
    link = ShareLinkFactory(owner=leo)
    for entry in ({"file": link.file}, {"file": None, "folder": folder}):
        CourseShareFactory(owner=leo, **entry, course=CourseFactory().uid)  # a course that the owner has left

    def grow() -> None:
        """One more row of each kind that the pages show."""
        extra = CourseFactory()
        for who in (leo, kim):
            EnrollmentFactory(user=who, course=extra)
        CourseShareFactory(owner=leo, course=extra.uid)
        ShareLinkFactory(owner=leo, file=link.file)
        ShareLinkFactory(owner=leo, file=None, folder=folder)
        FileFactory(owner=leo, folder=folder)
        FolderFactory(owner=leo, parent=top)
        FileFactory(owner=leo, folder=top)
        FolderFactory(owner=leo, parent=folder)
        services.record_opening(share=link, user=UserFactory(), what=ShareOpening.What.VIEW, now=NOW())

    assert link.file
    own, others = browser_of(leo), browser_of(kim)
    by_link = address(ShareLinkFactory(owner=leo, file=None, folder=top))
    limits = {
        (own, "/files/"): 8,
        (own, f"/files/?folder={folder.uid}"): 8,
        (own, "/files/?q=notes"): 8,
        (own, "/files/links"): 8,
        (own, f"/files/links/{link.uid}"): 8,
        (own, f"/files/{link.file.uid}"): 14,  # with where posts, messages, texts and stored versions of courses use it
        (own, f"/files/{inside.uid}"): 14,
        (own, f"/files/folders/{folder.uid}/sharing"): 8,
        (others, "/files/shared"): 8,
        (others, f"/files/shared/{with_course.uid}"): 8,
        (others, f"/files/shared/{with_course.uid}?folder={folder.uid}"): 8,
        (others, f"/files/shared/{with_course.uid}/{inside.uid}"): 8,
        # With the count of the visits from an address.
        (Client(), by_link): 12,
        (Client(), f"{by_link}?folder={folder.uid}"): 12,
        (Client(), f"{by_link}/{inside.uid}"): 12,
    }
    queries(Client(), by_link)  # the first visit begins to count
    grow()
    few = [queries(site, page) for site, page in limits]
    for _ in range(6):
        grow()

    assert [queries(site, page) for site, page in limits] == few
    assert [page for (_, page), count, limit in zip(limits, few, limits.values(), strict=True) if count > limit] == []


def test_the_library_says_how_each_entry_is_shared(browser_of, leo, enrollment, course):
    folder = FolderFactory(owner=leo)
    inner = FolderFactory(owner=leo, parent=folder)
    linked, private, inside = FileFactory(owner=leo), FileFactory(owner=leo), FileFactory(owner=leo, folder=inner)
    ShareLinkFactory(owner=leo, file=linked, expires_at=NOW() + timedelta(days=4, hours=1))
    ShareLinkFactory(owner=leo, file=private, max_downloads=1, downloads=1)
    ShareLinkFactory(owner=leo, file=private, expires_at=NOW())
    ShareLinkFactory(owner=leo, file=private, revoked_at=NOW())
    CourseShareFactory(owner=leo, file=private, course=CourseFactory().uid)  # whose course he has left
    CourseShareFactory(owner=leo, file=None, folder=folder, course=course.uid)

    def labels(files: list[File], folders: list[Folder], within: list[Folder] | None) -> list[str]:
        return [
            one.label for one in sharing_of(leo.pk, files=files, folders=folders, within=within, now=NOW()).values()
        ]

    assert labels([linked, private], [folder], []) == ["Link, 5 days left", "Private", "Course"]
    assert labels([inside], [], [folder, inner]) == ["Course"]
    assert labels([linked, inside], [inner], None) == ["Link, 5 days left", "Course", "Course"]
    assert "Link, 5 days left" in browser_of(leo).get("/files/").content.decode()
    api = browser_of(leo).get(f"/api/v1/files/?folder={inner.uid}").json()["files"]
    assert [file["sharing"] for file in api] == [{"kind": "course", "label": "Course"}]
    assert browser_of(leo).get(f"/api/v1/files/{linked.uid}/").json()["sharing"]["kind"] == "link"
    folders = browser_of(leo).get("/api/v1/files/").json()["folders"]
    folders += browser_of(leo).get(f"/api/v1/files/?folder={folder.uid}").json()["folders"]
    assert [one["sharing"]["kind"] for one in folders] == ["course", "course"]
    renamed = browser_of(leo).patch(
        f"/api/v1/files/folders/{inner.uid}/", {"name": "Deep"}, content_type="application/json"
    )
    assert renamed.json()["sharing"] == {"kind": "course", "label": "Course"}


# --- The data archive of a visitor ---------------------------------------------------------------


def test_the_archive_names_only_what_its_user_may_still_open(leo, kim, enrollment, course):
    with_course = CourseShareFactory(owner=leo, course=course.uid)
    link, revoked, expired, protected, used_up, binned = ShareLinkFactory.create_batch(6, owner=leo)
    foreign = CourseShareFactory(owner=leo, course=CourseFactory().uid)
    everything = [with_course, link, revoked, expired, protected, used_up, binned, foreign]
    for share in everything:
        services.record_opening(share=share, user=kim, what=ShareOpening.What.VIEW, now=NOW())
    Share.objects.filter(pk=revoked.pk).update(revoked_at=NOW())
    Share.objects.filter(pk=expired.pk).update(expires_at=NOW())
    Share.objects.filter(pk=protected.pk).update(password="hash")
    Share.objects.filter(pk=used_up.pk).update(max_downloads=1, downloads=1)
    services.move_to_bin(selection=Selection(files=[binned.file]), by=leo, now=NOW())
    ShareLinkFactory(owner=leo)  # which Kim has never opened

    [part] = [part for part in export_files(kim) if part.path == "files/opened_shares.json"]
    rows = list(part.rows)

    assert len(rows) == len(everything)
    assert sorted(row["name"] for row in rows if row["name"]) == sorted([with_course.file.name, link.file.name])
    assert all(row["what"] == "view" and row["opened_at"] for row in rows)


# --- Races --------------------------------------------------------------------------------------


def at_once(count: int, work: Callable[[], object]) -> list[object]:
    gate, outcomes = threading.Barrier(count), list[object]()

    def run() -> None:
        gate.wait()
        try:
            outcomes.append(work())
        except Exception as error:
            outcomes.append(error)
        finally:
            close_old_connections()
            connection.close()

    threads = [threading.Thread(target=run) for _ in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return outcomes


@pytest.mark.database
@pytest.mark.django_db(transaction=True)
def test_simultaneous_downloads_never_exceed_the_maximum(leo):
    share = ShareLinkFactory(owner=leo, max_downloads=3)

    outcomes = at_once(10, lambda: services.count_download(share=share, now=NOW()))

    assert sum(outcome is None for outcome in outcomes) == 3
    assert sum(isinstance(outcome, errors.ShareUsedUp) for outcome in outcomes) == 7
    share.refresh_from_db()
    assert share.downloads == 3


@pytest.mark.database
@pytest.mark.django_db(transaction=True)
def test_simultaneous_shares_and_visits_leave_one_row_each(leo, enrollment, course):
    file, now = FileFactory(owner=leo), NOW()
    link = ShareLinkFactory(owner=leo)

    def share_and_visit() -> object:
        services.record_opening(share=link, user=None, what=ShareOpening.What.VIEW, now=now)
        return services.share_with_course(entry=file, course=course.uid, by=leo, now=now)

    outcomes = at_once(6, share_and_visit)

    assert len({outcome.pk for outcome in outcomes if isinstance(outcome, Share)}) == 1
    assert (Share.objects.filter(file=file).count(), ShareOpening.objects.count()) == (1, 1)
