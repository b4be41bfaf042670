"""The demo's libraries: files and folders of the student and of the instructor, what they share, and who opened it.

Everything goes through the services of files, dated in the past. Each library is written in one transaction, and only
for a user who has no files.
"""

import base64
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import partial
from io import BytesIO

from django.db import transaction

from apps.accounts.models import User
from apps.courses.models import Course
from apps.files import services as files
from apps.files.models import File, Folder, Share, ShareOpening, Upload
from studyplatform.demo import drawn_files as drawn
from studyplatform.demo.library import CONTENT

STUDENT, INSTRUCTOR = "student@example.com", "instructor@example.com"
GEOLOGIST, STATISTICIAN = "morag.sinclair@example.com", "priya.raman@example.com"
ALGEBRA = "linear-algebra-geometrically"
REPLACE = f"conflict {base64.b64encode(b'replace').decode()}"  # upload metadata: a new version of the file
What = ShareOpening.What


@dataclass(frozen=True)
class KeptFile:
    """A file of a library. ``path``: its folders and its name. A path that comes twice becomes a second version."""

    days_ago: float
    path: str
    content: Callable[[], bytes]


@dataclass(frozen=True)
class Opened:
    """An opening of a share. ``email`` empty: by someone who was not signed in."""

    days_ago: float
    what: What
    email: str = ""


@dataclass(frozen=True)
class Shared:
    """A share with the course of a slug, or, without one, a link that expires in ``expires_in`` days."""

    days_ago: float
    path: str
    course: str = ""
    expires_in: float = 0
    password: str = ""
    max_downloads: int | None = None
    opened: tuple[Opened, ...] = ()
    is_revoked: bool = False


@dataclass(frozen=True)
class UserLibrary:
    """What one user has. ``binned``: paths, and how many days ago they were moved to the bin."""

    email: str
    files: tuple[KeptFile, ...]
    shares: tuple[Shared, ...] = ()
    binned: dict[str, float] = field(default_factory=dict)


def text_file(name: str) -> Callable[[], bytes]:
    """What reads a text of the demo's content."""
    return (CONTENT / "files" / name).read_bytes


def _scans() -> bytes:
    pages = {"walk-5-beds.jpg": drawn.tilted_beds(), "field-notebook.txt": text_file("field-notebook.txt")()}
    return drawn.archive(pages)


EIGENVECTORS = [
    "An eigenvector is an arrow that keeps its line when the matrix moves the plane.\n"
    "It may become longer, shorter, or point the other way.",
    "1.  Subtract the unknown stretch from the diagonal.\n"
    "2.  Set the determinant to zero. This gives the stretches.\n"
    "3.  For each stretch, solve for the arrow.",
    "Example: the matrix with the rows (2, 1) and (1, 2) stretches (1, 1) by 3\nand leaves (1, -1) as it is.",
]
PROBLEMS = [
    "Draw before you calculate. The second page has squares.",
    "1.  Where does the shear send the arrow (2, 1)?\n2.  What is the area of the unit square after two shears?",
    "3.  Find a matrix that turns the plane by 45 degrees.\n4.  Which matrices can't be undone? Draw why.",
]
SURVEY = [
    "Use the table of sixty journeys.",
    "1.  Draw the histogram. Where is its middle?\n2.  How far is a usual journey from it?",
]

LIBRARIES = (
    UserLibrary(
        INSTRUCTOR,
        files=(
            KeptFile(64, "Handouts/reading-a-matrix.md", text_file("reading-a-matrix.md")),
            KeptFile(64, "Handouts/grid-before-and-after.png", drawn.sheared_grid),
            KeptFile(63, "Handouts/problem-set-1.pdf", partial(drawn.worksheet, "Problem set 1", PROBLEMS)),
            KeptFile(40, "Drafts/lesson-ideas.md", text_file("lesson-ideas.md")),
            KeptFile(31, "Drafts/Pictures/two-openings.webp", drawn.two_openings),
            KeptFile(12, "Drafts/Pictures/turning-arrow.mp4", drawn.turning_arrow),
            KeptFile(6, "office-hours.csv", text_file("office-hours.csv")),
        ),
        shares=(
            Shared(62, "Handouts", course=ALGEBRA, opened=(Opened(20, What.VIEW, STUDENT),)),
            Shared(5, "Drafts/Pictures", expires_in=9, password="two-openings"),  # noqa: S106 (public, like the demo)
        ),
    ),
    UserLibrary(
        GEOLOGIST,
        files=(KeptFile(50, "what-to-see-at-the-quarry.jpg", drawn.quarry_face),),
        shares=(Shared(50, "what-to-see-at-the-quarry.jpg", course="field-geology-in-twelve-walks"),),
    ),
    UserLibrary(
        STATISTICIAN,
        files=(
            KeptFile(45, "sixty-journeys.png", drawn.sixty_journeys),
            KeptFile(44, "Worksheets/problem-set-1.pdf", partial(drawn.worksheet, "Problem set 1", SURVEY)),
        ),
    ),
    UserLibrary(
        STUDENT,
        files=(
            KeptFile(38, "Linear Algebra/notes-on-matrices.md", text_file("notes-on-matrices-1.md")),
            KeptFile(37.6, "Linear Algebra/practice-log.csv", text_file("practice-log.csv")),
            KeptFile(36, "Linear Algebra/shear.png", drawn.sheared_grid),
            KeptFile(34, "hedgerow-sketch.png", drawn.hedgerow),
            KeptFile(33.2, "first-plan.md", text_file("study-plan.md")),
            KeptFile(31, "Portuguese, spoken/vocabulary.csv", text_file("vocabulary.csv")),
            KeptFile(30.4, "Portuguese, spoken/ser-estar-ficar.md", text_file("ser-estar-ficar.md")),
            KeptFile(28, "Linear Algebra/Problem sets/set-1.pdf", partial(drawn.worksheet, "Problem set 1", PROBLEMS)),
            KeptFile(26, "Linear Algebra/Problem sets/set-1-with-code.md", text_file("eigenvectors-step-by-step.md")),
            KeptFile(22, "Walks, photographed/walk-3-river-bar.jpg", drawn.river_bar),
            KeptFile(20.3, "blurred.jpg", drawn.river_bar),
            KeptFile(20, "Walks, photographed/walk-5-tilted-beds.jpg", drawn.tilted_beds),
            KeptFile(19.8, "Walks, photographed/field-notebook.txt", text_file("field-notebook.txt")),
            KeptFile(16, "sixty-journeys.png", drawn.sixty_journeys),
            KeptFile(15, "Old drafts/power-iteration-1.py", text_file("power-iteration.txt")),
            KeptFile(14, "Linear Algebra/power_iteration.py", text_file("power-iteration.txt")),
            KeptFile(11, "two-notes.wav", drawn.two_notes),
            KeptFile(9, "Waves/two-openings.webp", drawn.two_openings),
            KeptFile(8.5, "Waves/turning-arrow.mp4", drawn.turning_arrow),
            KeptFile(7, "reading-list.txt", text_file("reading-list.txt")),
            KeptFile(5, "Linear Algebra/notes-on-matrices.md", text_file("notes-on-matrices.md")),
            KeptFile(4.2, "field-notebook-scans.zip", _scans),
            KeptFile(3, "study-plan.md", text_file("study-plan.md")),
            KeptFile(1.2, "Walks, photographed/Walk 7/notes.md", text_file("walk-7-notes.md")),
            KeptFile(1.1, "Walks, photographed/Walk 7/quarry-face.jpg", drawn.quarry_face),
            KeptFile(0.95, "walk-7-quarry-face.jpg", drawn.quarry_face),
            KeptFile(1.05, "eigenvectors-by-hand.pdf", partial(drawn.worksheet, "Eigenvectors, by hand", EIGENVECTORS)),
        ),
        shares=(
            Shared(33, "hedgerow-sketch.png", course="a-year-in-a-hedgerow"),
            Shared(29, "Portuguese, spoken", expires_in=-15, opened=(Opened(28, What.VIEW),)),
            Shared(13, "sixty-journeys.png", expires_in=20, is_revoked=True),
            Shared(6, "reading-list.txt", expires_in=8, max_downloads=1, opened=(Opened(5.5, What.DOWNLOAD),)),
            Shared(3.5, "field-notebook-scans.zip", expires_in=26, password="walk-7", max_downloads=20),  # noqa: S106 (public)
            Shared(
                0.9,
                "walk-7-quarry-face.jpg",
                expires_in=5.2,
                opened=(
                    Opened(0.8, What.VIEW, "joanna.pallas@example.com"),
                    Opened(0.79, What.DOWNLOAD, "joanna.pallas@example.com"),
                    Opened(0.4, What.VIEW),
                    Opened(0.15, What.VIEW, "femi.adebayo@example.com"),
                    Opened(0.14, What.DOWNLOAD, "femi.adebayo@example.com"),
                ),
            ),
            Shared(0.08, "eigenvectors-by-hand.pdf", course=ALGEBRA),
        ),
        binned={"blurred.jpg": 19, "first-plan.md": 3, "Old drafts": 2},
    ),
)


def seed_library(library: UserLibrary, now: datetime) -> None:
    """Write the library of one user, unless the account does not exist or has files."""
    owner = User.objects.filter(email=library.email).first()
    if owner is None or owner.library_files.exists():
        return
    with transaction.atomic():
        for kept in library.files:
            _upload(owner, kept, now - timedelta(days=kept.days_ago))
        for shared in library.shares:
            _share(owner, shared, now)
        for path, days_ago in library.binned.items():
            entry = _entry(owner, path)
            selection = (
                files.Selection(folders=[entry]) if isinstance(entry, Folder) else files.Selection(files=[entry])
            )
            files.move_to_bin(selection=selection, by=owner, now=now - timedelta(days=days_ago))


def _upload(owner: User, kept: KeptFile, at: datetime) -> None:
    *names, name = kept.path.split("/")
    content = kept.content()
    upload = files.begin_upload(
        owner=owner,
        purpose=Upload.Purpose.FILE,
        filename=name,
        length=len(content),
        target=files.library_target(_folder(owner, names, at)),
        metadata=REPLACE,
        now=at,
    )
    files.receive_chunk(upload=upload, offset=0, read=BytesIO(content).read, now=at)


def _folder(owner: User, names: Iterable[str], at: datetime) -> Folder | None:
    folder: Folder | None = None
    for name in names:
        known = Folder.objects.of(owner.pk).present().filter(parent=folder, name=name).first()
        folder = known or files.create_folder(owner=owner, parent=folder, name=name, now=at)
    return folder


def _entry(owner: User, path: str) -> File | Folder:
    *names, name = path.split("/")
    folder = _folder(owner, names, owner.date_joined)
    file = File.objects.of(owner.pk).present().filter(folder=folder, name=name).first()
    return file or Folder.objects.of(owner.pk).present().get(parent=folder, name=name)


def _share(owner: User, shared: Shared, now: datetime) -> None:
    entry, at = _entry(owner, shared.path), now - timedelta(days=shared.days_ago)
    if not shared.course:
        share = files.create_share_link(
            entry=entry,
            by=owner,
            expires_at=now + timedelta(days=shared.expires_in),
            now=at,
            password=shared.password,
            max_downloads=shared.max_downloads,
        )
    else:
        course = Course.objects.filter(slug=shared.course).first()
        if course is None:
            return
        share = files.share_with_course(entry=entry, course=course.uid, by=owner, now=at)
    for opened in shared.opened:
        _open(share, opened, now - timedelta(days=opened.days_ago))
    if shared.is_revoked:
        files.revoke_share(share=share, by=owner, now=now - timedelta(days=1))


def _open(share: Share, opened: Opened, at: datetime) -> None:
    user = User.objects.filter(email=opened.email).first() if opened.email else None
    if opened.what == What.DOWNLOAD and share.kind == Share.Kind.LINK:
        files.count_download(share=share, now=at)
    files.record_opening(share=share, user=user, what=opened.what, now=at)
