"""Who gets the seats of a team: addresses, invitations, the domain; and what the team sees of them."""

import csv
import io
import re
import threading
from datetime import timedelta
from functools import partial

import pytest
from django.core import mail
from django.db import connection, transaction
from django.utils import timezone

from apps.accounts.models import Notification, User
from apps.accounts.services import delete_account
from apps.billing.access import has_premium
from apps.billing.errors import (
    NoFreeSeat,
    SeatChanged,
    SeatChangesUsedUp,
    SeatHeld,
    SeatInvitationOfAnother,
    SeatInvitationUnknown,
    SeatInvitationUsed,
    SeatListRefused,
    SeatsClosed,
    TeamInUse,
)
from apps.billing.models import Grant, Order, Seat, SeatPack, SeatUse, Team
from apps.billing.queries import held_seats, seat_use, team_seats
from apps.billing.services import seat_assignment as assignment
from apps.billing.services import seat_changes, team_care
from apps.billing.services import seat_invitations as invitations
from apps.billing.services import seat_taking as taking
from apps.billing.services import seats as lifecycle
from apps.learning.models import Attempt, Enrollment, LessonProgress, WatchedDay
from apps.learning.services import enroll
from studyplatform.kit import jobs
from studyplatform.kit.errors import AppError
from studyplatform.kit.models import Job
from studyplatform.kit.web.private_text import hide_secrets
from tests.factories.accounts import PASSWORD, UserFactory
from tests.factories.courses import CourseFactory, LessonFactory
from tests.factories.learning import NoteFactory, QuizFactory
from tests.factories.seats import open_seats
from tests.factories.selling import PaidCourseFactory, SubscriptionFactory
from tests.factories.topics import make_post, make_topic

pytestmark = pytest.mark.database


@pytest.fixture
def now():
    return timezone.now()


@pytest.fixture
def maeve(db):
    return UserFactory(email="maeve@halden.example", first_name="Maeve", last_name="Quinlan")


@pytest.fixture
def pack(maeve, now):
    """Three free Premium seats of Halden Instruments."""
    pack = open_seats(owner=maeve, now=now - timedelta(days=60))
    Team.objects.filter(pk=pack.team_id).update(name="Halden Instruments")
    pack.team.refresh_from_db()
    return pack


def person(name, **given):
    return UserFactory(email=f"{name}@halden.example", first_name=name.title(), **given)


def assign(pack, *addresses, now=None, user=None):
    course = pack.course_id
    return assignment.assign_seats(
        user=user or pack.team.owner, team=pack.team, course_id=course, addresses=list(addresses),
        now=now or timezone.now(),
    )  # fmt: skip


def key_in_mail() -> str:
    jobs.run_pending("default")
    [key] = re.findall(r"/seats/([\w-]+)", mail.outbox[-1].body)[:1]
    return key


# --- Assigning --------------------------------------------------------------------------------------


def test_accounts_get_a_seat_at_once_and_others_an_invitation(pack, now):
    lena = person("lena")
    unproved = person("greta", email_verified_at=None)
    found = assign(pack, "lena@halden.example", "ravi@halden.example", "greta@halden.example")
    assert (found.given, found.invited) == ([lena], ["ravi@halden.example", "greta@halden.example"])
    assert has_premium(lena)
    assert not has_premium(unproved)
    told = Notification.objects.get(user=lena, kind="billing.seat_given")
    assert told.params["team"] == "Halden Instruments"
    assert team_seats.meter_of(Seat.objects.all()) == team_seats.Meter(used=1, invited=2, free=0)
    again = assign(pack, "lena@halden.example", "ravi@halden.example")
    assert (again.given, again.invited, len(again.known)) == ([], [], 2)
    with pytest.raises(SeatListRefused, match="No seat is free"):
        assign(pack, "one@halden.example")


def test_a_list_is_assigned_as_a_whole_or_not_at_all(pack):
    with pytest.raises(SeatListRefused, match="3 seats are free, and you entered 4 new addresses"):
        assign(pack, *(f"p{number}@halden.example" for number in range(4)))
    assert team_seats.meter_of(Seat.objects.all()).free == 3
    jobs.run_pending("default")
    assert not mail.outbox


def test_an_invitation_is_accepted_once_by_the_one_with_its_link(pack, now):
    assign(pack, "ravi@halden.example")
    key = key_in_mail()
    assert "never see answers" in mail.outbox[-1].body
    assert key not in str(Seat.objects.values())
    other = UserFactory(email="ravi@home.example", first_name="Ravi")
    seat = taking.accept_invitation(user=other, key=key, now=now)
    assert has_premium(other)
    # The team knows him by the address that it invited, not by his own.
    use = SeatUse.objects.get(seat=seat)
    assert (use.user, use.email, use.given_by) == (other, "ravi@halden.example", None)
    with pytest.raises(SeatInvitationUsed):
        taking.accept_invitation(user=person("eva"), key=key, now=now)
    assert invitations.seat_by_used_key(user=other, key=key) == seat
    for wrong in ("", "x", "y" * 5000, key + "x"):
        with pytest.raises(SeatInvitationUnknown):
            invitations.invitation_by_key(wrong)


def test_an_invitation_belongs_to_the_account_with_its_address(pack, now):
    assign(pack, "ravi@halden.example", "ife@halden.example")
    keys = {seat.email: invitations.key_of(seat) for seat in Seat.objects.exclude(email="")}
    ife, stranger = person("ife"), UserFactory()
    with pytest.raises(SeatInvitationOfAnother):
        taking.accept_invitation(user=stranger, key=keys["ife@halden.example"], now=now)
    # Ife follows the link of Ravi: she takes the seat that is hers, and his waits for him.
    seat = taking.accept_invitation(user=ife, key=keys["ravi@halden.example"], now=now)
    assert (seat.holder, SeatUse.objects.get().email) == (ife, "ife@halden.example")
    assert Seat.objects.get(email="ravi@halden.example").holder is None
    with pytest.raises(SeatHeld):
        taking.accept_invitation(user=ife, key=keys["ravi@halden.example"], now=now)


def test_an_invitation_is_sent_again_and_canceled(pack, maeve, now):
    assign(pack, "ravi@halden.example")
    key, seat = key_in_mail(), Seat.objects.get(email="ravi@halden.example")
    Job.objects.filter(uid=seat.mail_uid).update(state="failed")
    [view] = team_seats.people_of(pack.team, team_seats.people_in(Seat.objects.all(), pack.team, now=now), now=now)
    assert view.state == "failed"
    assignment.send_invitation_again(user=maeve, seat=seat, now=now)
    assert key_in_mail() == key
    [view] = team_seats.people_of(pack.team, team_seats.people_in(Seat.objects.all(), pack.team, now=now), now=now)
    assert view.state == "invited"
    with pytest.raises(SeatChanged):
        assignment.cancel_invitation(user=maeve, seat=seat, address="other@halden.example", now=now)
    assignment.cancel_invitation(user=maeve, seat=seat, address="ravi@halden.example", now=now)
    with pytest.raises(SeatInvitationUnknown):
        taking.accept_invitation(user=person("ravi"), key=key, now=now)
    with pytest.raises(SeatChanged):
        assignment.send_invitation_again(user=maeve, seat=seat, now=now)
    assert team_seats.meter_of(Seat.objects.all()).free == 3


def test_paused_and_ended_seats_are_not_given(pack, now):
    assign(pack, "ravi@halden.example")
    key, ravi = key_in_mail(), person("ravi")
    lifecycle.pause_pack(pack=pack, now=now)
    with pytest.raises(SeatsClosed, match="paused"):
        taking.accept_invitation(user=ravi, key=key, now=now)
    with pytest.raises(SeatsClosed, match="paused"):
        assign(pack, "ife@halden.example")
    assert held_seats.offers_for(ravi, now=now) == []
    lifecycle.resume_pack(pack=pack, now=now)
    taking.accept_invitation(user=ravi, key=key, now=now)
    lifecycle.end_pack(pack=pack, reason=SeatPack.End.OVER, now=now)
    with pytest.raises(SeatsClosed, match="ended"):
        assign(pack, "ife@halden.example")


# --- The domain -------------------------------------------------------------------------------------


def test_people_at_the_domain_take_free_seats(pack, maeve, now):
    lena, outside = person("lena"), UserFactory(email="lena@sub.halden.example")
    team_care.open_domain(user=maeve, team=pack.team, is_open=True)
    [offer] = held_seats.offers_for(lena, now=now)
    assert (offer.team, offer.is_invitation) == (pack.team, False)
    for other in (outside, UserFactory(email="x@nothalden.example"), person("unproved", email_verified_at=None)):
        assert held_seats.offers_for(other, now=now) == []
    with pytest.raises(SeatChanged):
        taking.take_offered_seat(user=outside, team=pack.team, course_id=None, now=now)
    taking.take_offered_seat(user=lena, team=pack.team, course_id=None, now=now)
    assert held_seats.offers_for(lena, now=now) == []
    with pytest.raises(SeatHeld):
        taking.take_offered_seat(user=lena, team=pack.team, course_id=None, now=now)
    assign(pack, "a@halden.example", "b@halden.example")
    ravi = person("ravi")
    assert held_seats.offers_for(ravi, now=now) == []
    with pytest.raises(NoFreeSeat):
        taking.take_offered_seat(user=ravi, team=pack.team, course_id=None, now=now)


def test_a_domain_closes_when_its_owner_has_another_address_or_hands_over(pack, maeve, now):
    team_care.open_domain(user=maeve, team=pack.team, is_open=True)
    lena = person("lena")
    maeve.email = "maeve@elsewhere.example"
    maeve.save()
    assert held_seats.offers_for(lena, now=now) == []
    with pytest.raises(SeatChanged):
        taking.take_offered_seat(user=lena, team=pack.team, course_id=None, now=now)
    maeve.email = "maeve@gmail.com"
    maeve.save()
    pack.team.refresh_from_db()
    with pytest.raises(SeatListRefused):
        team_care.open_domain(user=maeve, team=pack.team, is_open=True)


def test_who_is_invited_takes_that_seat_also_without_the_link(pack, maeve, browser_of, now):
    """Reports: discourse #2501, #40025; license-manager #430."""
    team_care.open_domain(user=maeve, team=pack.team, is_open=True)
    browser_of(maeve).post(f"/billing/teams/{pack.team.uid}", {"emails": "RAVI@Halden.Example\nife@halden.example"})
    ravi = person("ravi")
    [offer] = held_seats.offers_for(ravi, now=now)
    assert offer.is_invitation
    seat = taking.take_offered_seat(user=ravi, team=pack.team, course_id=None, now=now)
    assert seat == Seat.objects.get(holder=ravi)
    assert team_seats.meter_of(Seat.objects.all()) == team_seats.Meter(used=1, invited=1, free=1)
    assert assign(pack, "ravi@halden.example").known == ["ravi@halden.example"]
    # One address of a list is refused by what comes after it: nothing of the list is kept, no email is sent.
    jobs.run_pending("default")
    sent = len(mail.outbox)
    person("lena")
    with pytest.raises(SeatListRefused):
        assign(pack, "lena@halden.example", "new@halden.example")
    jobs.run_pending("default")
    assert len(mail.outbox) == sent
    assert team_seats.meter_of(Seat.objects.all()).free == 1


# --- Changing hands ---------------------------------------------------------------------------------


@pytest.mark.long
def test_a_seat_changes_hands_twenty_times_in_a_year(maeve, now):
    pack = open_seats(owner=maeve, count=1, now=now - timedelta(days=300))
    first = now - timedelta(days=200)
    people = [person(f"p{number}") for number in range(22)]
    for number, each in enumerate(people[:21]):
        at = first + timedelta(days=number)
        assign(pack, each.email, now=at)
        seat = Seat.objects.get()
        assignment.take_back(user=maeve, seat=seat, holder_uid=str(each.uid), now=at + timedelta(hours=1))
    at = first + timedelta(days=21)
    with pytest.raises(SeatChangesUsedUp) as refused:
        assign(pack, people[21].email, now=at)
    again = first + timedelta(days=1) + seat_changes.YEAR
    assert f"{again:%Y}" in refused.value.day
    assert seat_changes.changes_again_at(Seat.objects.get(), now=at) == again
    assert assign(pack, people[21].email, now=again + timedelta(seconds=1)).given == [people[21]]


def test_a_seat_is_taken_back_from_whom_the_owner_saw(pack, maeve, now):
    lena, femi = person("lena"), person("femi")
    assign(pack, lena.email)
    seat = Seat.objects.get(holder=lena)
    with pytest.raises(SeatChanged):
        assignment.take_back(user=maeve, seat=seat, holder_uid=str(femi.uid), now=now)
    assignment.take_back(user=maeve, seat=seat, holder_uid=str(lena.uid), now=now)
    assert not has_premium(lena)
    assert Notification.objects.filter(user=lena, kind="billing.seat_taken").exists()
    with pytest.raises(SeatChanged):
        assignment.take_back(user=maeve, seat=seat, holder_uid=str(lena.uid), now=now)


def test_a_holder_leaves(pack, maeve, now):
    lena = person("lena")
    assign(pack, lena.email)
    seat = Seat.objects.get(holder=lena)
    taking.leave_seat(user=lena, seat=seat, now=now)
    assert not has_premium(lena)
    assert Notification.objects.filter(user=maeve, kind="billing.seat_left").count() == 1
    assert [(use.user, use.email) for use in team_seats.history_of(seat)] == [(lena, "lena@halden.example")]


# --- What the team sees -----------------------------------------------------------------------------


def learn(user, course, day, minutes, lesson=None):
    WatchedDay.objects.create(
        user=user, course=course, day=day.date(), seconds=40 * minutes, other_seconds=20 * minutes
    )
    enrollment = user.enrollments.get(course=course)
    lesson = lesson or LessonFactory(section__course=course)
    LessonProgress.objects.create(enrollment=enrollment, lesson=lesson, started_at=day, updated_at=day)


def test_use_is_of_courses_that_the_seat_opened_on_days_with_the_seat(pack, maeve, now):
    lena = person("lena")
    own = PaidCourseFactory(title="Own", status="published")
    rivers = CourseFactory(title="Rivers", status="published", pricing="premium")
    assign(pack, lena.email, now=now - timedelta(days=20))
    enroll(user=lena, course=rivers, now=now - timedelta(days=20))
    WatchedDay.objects.create(user=lena, course=own, day=now.date(), seconds=3600)  # not by the seat
    WatchedDay.objects.create(
        user=lena, course=rivers, day=(now - timedelta(days=25)).date(), seconds=3600
    )  # before it
    learn(lena, rivers, now - timedelta(days=3), 90)

    seat = Seat.objects.select_related("pack").get(holder=lena)
    use = seat_use.use_of(pack.team, [seat], now=now)[seat.pk]
    assert [(one.course, one.seconds) for one in use.courses] == [(rivers, 5400)]
    assert use.seen_at == now - timedelta(days=3)
    assert sum(week.seconds for week in seat_use.weeks_of(pack.team, now=now)) == 5400
    assert not seat_use.unused(Seat.objects.all(), pack.team, now=now).exists()
    assert seat_use.unused(Seat.objects.all(), pack.team, now=now + timedelta(days=12)).get() == seat

    # After the seat was taken back, the hours of the team stay, and those that follow are nobody's business.
    assignment.take_back(user=maeve, seat=seat, holder_uid=str(lena.uid), now=now)
    later = now + timedelta(days=2)
    WatchedDay.objects.create(user=lena, course=rivers, day=later.date(), seconds=3600)
    assert sum(week.seconds for week in seat_use.weeks_of(pack.team, now=later)) == 5400


def test_what_someone_learned_by_a_subscription_is_theirs_until_it_ended(pack, now):
    lena = person("lena")
    rivers = CourseFactory(title="Rivers", status="published", pricing="premium")
    subscription = SubscriptionFactory(user=lena, started_at=now - timedelta(days=40))
    enroll(user=lena, course=rivers, now=now - timedelta(days=30))
    assign(pack, lena.email, now=now - timedelta(days=20))
    WatchedDay.objects.create(user=lena, course=rivers, day=(now - timedelta(days=10)).date(), seconds=3600)
    seat = Seat.objects.select_related("pack").get(holder=lena)
    assert seat_use.use_of(pack.team, [seat], now=now)[seat.pk].courses == []
    type(subscription).objects.filter(pk=subscription.pk).update(status="ended", ended_at=now - timedelta(days=5))
    WatchedDay.objects.create(user=lena, course=rivers, day=(now - timedelta(days=2)).date(), seconds=1800)
    assert seat_use.use_of(pack.team, [seat], now=now)[seat.pk].seconds == 1800
    assert sum(week.seconds for week in seat_use.weeks_of(pack.team, now=now)) == 1800


def test_the_page_and_the_file_say_who_has_a_seat_and_how_it_is_used(pack, maeve, browser_of, now):
    lena = person("lena", last_name="=Ostrom")
    rivers = CourseFactory(title="Rivers", status="published", pricing="premium")
    assign(pack, lena.email, "ravi@halden.example", now=now - timedelta(days=20))
    enroll(user=lena, course=rivers, now=now - timedelta(days=20))
    learn(lena, rivers, now - timedelta(days=3), 90)
    browser, address = browser_of(maeve), f"/billing/teams/{pack.team.uid}"
    page = browser.get(address).content.decode()
    for said in ("Halden Instruments", "2 of 3 seats assigned", "1.5 h", "lena@halden.example", "ravi@halden.example"):
        assert said in page
    seat = Seat.objects.get(holder=lena)
    detail = browser.get(f"{address}/seats/{seat.uid}").content.decode()
    assert "Rivers" in detail
    assert "Who had this seat" in detail
    written = b"".join(browser.get(f"{address}/usage.csv").streaming_content)
    assert written.startswith(b"\xef\xbb\xbf")
    rows = list(csv.reader(io.StringIO(written.decode("utf-8-sig"))))
    assert [row[1] for row in rows[1:]] == ["lena@halden.example", "ravi@halden.example"]
    assert rows[1][5:7] == ["1", "1.5"]
    for found in (
        f"{address}?show=unused",
        f"{address}?show=invited",
        f"{address}?q=ostrom+lena",
        f"{address}?q=%00",
    ):
        assert browser.get(found).status_code == 200
    assert browser_of(lena).get(f"/billing/teams/{pack.team.uid}").status_code == 404


def test_addresses_that_are_refused_are_named_and_nothing_is_lost(pack, maeve, browser_of):
    browser, address = browser_of(maeve), f"/billing/teams/{pack.team.uid}"
    typed = "ok@halden.example\nravi(at)halden.example\nno one"
    answer = browser.post(address, {"emails": typed})
    page = answer.content.decode()
    assert answer.status_code == 422
    assert "ravi(at)halden.example" in page
    assert "“one”" in page
    assert "ok@halden.example" in page
    assert team_seats.meter_of(Seat.objects.all()).free == 3
    assert browser.post(address, {"emails": ""}).status_code == 422
    assert browser.post(address, {"emails": "x@y.example " * 3000}).status_code == 422
    assert browser.post(address, {"emails": "ok@halden.example", "is_domain_open": "on"}).status_code == 302
    pack.team.refresh_from_db()
    assert (pack.team.domain, pack.team.is_domain_open) == ("halden.example", True)
    assert Seat.objects.get(email="ok@halden.example").holder is None


# --- Privacy and size -------------------------------------------------------------------------------


def test_the_team_reads_no_answers_scores_notes_chats_or_posts(pack, maeve, browser_of, now):
    lena = UserFactory(email="lena.private@home.example", first_name="Lena")
    rivers = CourseFactory(title="Rivers", status="published", pricing="premium")
    private = CourseFactory(title="Own affairs", status="published", pricing="free")
    assign(pack, "lena@halden.example", now=now - timedelta(days=20))
    taking.accept_invitation(user=lena, key=key_in_mail(), now=now - timedelta(days=20))
    enrollment = enroll(user=lena, course=rivers, now=now - timedelta(days=20))
    enroll(user=lena, course=private, now=now)
    lesson = LessonFactory(section__course=rivers, title="Secret lesson", kind="quiz")
    quiz = QuizFactory(lesson=lesson)
    Attempt.objects.create(
        enrollment=enrollment, quiz=quiz, number=1, started_at=now, submitted_at=now, percent=37,
        answers={"q": "wrong-answer"},
    )  # fmt: skip
    NoteFactory(user=lena, lesson=lesson, course=rivers, text="note-of-lena")
    make_post(make_topic(author=lena, title="topic-of-lena"), author=lena, source="post-of-lena")
    browser, address = browser_of(maeve), f"/billing/teams/{pack.team.uid}"
    seat = Seat.objects.get(holder=lena)
    pages = [browser.get(path).content.decode() for path in (address, f"{address}/seats/{seat.uid}", "/billing/teams")]
    pages.append(b"".join(browser.get(f"{address}/usage.csv").streaming_content).decode())
    assert "Lena" in pages[0]
    assert "Rivers" in pages[1]
    for page in pages:
        for secret in (
            "lena.private@home.example", "Own affairs", "Secret lesson", "wrong-answer", "37%", "37 %", "note-of-lena",
            "topic-of-lena", "post-of-lena",
        ):  # fmt: skip
            assert secret not in page


@pytest.mark.long
def test_five_hundred_seats_cost_as_few_queries_as_five(maeve, browser_of, now, django_assert_max_num_queries):
    pack = open_seats(owner=maeve, count=500, now=now - timedelta(days=60))
    rivers = CourseFactory(title="Rivers", status="published", pricing="premium")
    lesson = LessonFactory(section__course=rivers)
    users = User.objects.bulk_create(
        User(email=f"u{n}@halden.example", username=f"u{n}", email_verified_at=now) for n in range(480)
    )
    rows = list(pack.rows.order_by("position"))
    for seat, user in zip(rows, users, strict=False):
        seat.holder, seat.assigned_at = user, now - timedelta(days=30)
    Seat.objects.bulk_update(rows[:480], ["holder", "assigned_at"])
    since = now - timedelta(days=30)
    SeatUse.objects.bulk_create(
        SeatUse(seat=seat, user=seat.holder, email=seat.holder.email, started_at=since) for seat in rows[:480]
    )
    Grant.objects.bulk_create(
        Grant(user=seat.holder, course=rivers, source="premium", seat=seat, created_at=since) for seat in rows[:480]
    )
    WatchedDay.objects.bulk_create(WatchedDay(user=user, course=rivers, day=now.date(), seconds=600) for user in users)
    enrollments = Enrollment.objects.bulk_create(
        Enrollment(user=user, course=rivers, enrolled_at=since, last_activity_at=now) for user in users
    )
    LessonProgress.objects.bulk_create(
        LessonProgress(enrollment=one, lesson=lesson, started_at=now, updated_at=now) for one in enrollments[:400]
    )
    browser, address = browser_of(maeve), f"/billing/teams/{pack.team.uid}"
    browser.get(address)
    with django_assert_max_num_queries(16):
        page = browser.get(f"{address}?page=3").content.decode()
    assert "480 of 500 seats assigned" in page
    assert "80 seats have not been used" in page
    with django_assert_max_num_queries(12):
        browser.get(f"{address}?show=unused&q=u4")
    with django_assert_max_num_queries(4 + 5 * 6):
        written = b"".join(browser.get(f"{address}/usage.csv").streaming_content).decode("utf-8-sig")
    assert len(written.splitlines()) == 481


# --- Pages of holders -------------------------------------------------------------------------------


def test_a_visitor_follows_the_link_signs_in_and_accepts(client, browser_of, pack, now):
    assign(pack, "ravi@halden.example")
    key = key_in_mail()
    shown = client.get(f"/seats/{key}").content.decode()
    assert "Halden Instruments has a seat for you" in shown
    assert "never see answers" in shown
    assert "ravi@halden.example" not in shown
    assert "maeve@halden.example" not in shown
    assert f"/auth/register?next=/seats/{key}" in shown
    assert client.post(f"/seats/{key}")["Location"] == f"/auth/login?next=/seats/{key}"
    SubscriptionFactory(user=(ravi := UserFactory()), period_end=now + timedelta(days=9), started_at=now)
    unproved = browser_of(UserFactory(email_verified_at=None)).post(f"/seats/{key}")
    assert (unproved.status_code, "verify" in unproved.content.decode().lower()) == (403, True)
    browser = browser_of(ravi)
    assert "still renews until you cancel it" in browser.get(f"/seats/{key}").content.decode()
    assert browser.post(f"/seats/{key}")["Location"] == "/courses/?price=premium"
    assert browser.get(f"/seats/{key}")["Location"] == "/billing/teams"
    assert client.get(f"/seats/{key}").status_code == 409
    assert client.get("/seats/nonsense").status_code == 404
    assert "has been used" in client.get(f"/seats/{key}").content.decode()
    assert key not in hide_secrets(f"GET /seats/{key}")


def test_a_seat_is_offered_taken_shown_and_left(pack, maeve, browser_of, now):
    team_care.open_domain(user=maeve, team=pack.team, is_open=True)
    lena = person("lena")
    browser, team = browser_of(lena), pack.team
    for page in ("/me/dashboard", "/premium", "/billing/teams"):
        assert "Halden Instruments has a seat for you" in browser.get(page).content.decode()
    browser.post(f"/billing/teams/{team.uid}/take", {"kind": "premium"})
    assert has_premium(lena)
    assert "Your seat of Halden Instruments" in browser.get("/billing/teams").content.decode()
    assert "You have Premium by your seat" in browser.get("/premium").content.decode()
    assert "Your seat of Halden Instruments" in browser.get("/billing/subscriptions").content.decode()
    for kind in ("premium", "nonsense", ""):  # again, and what isn't offered
        assert browser.post(f"/billing/teams/{team.uid}/take", {"kind": kind})["Location"] == "/billing/teams"
    lifecycle.pause_pack(pack=pack, now=now)
    assert "is paused" in browser.get("/premium").content.decode()
    assert Notification.objects.filter(user=lena, kind="billing.seats_paused").exists()
    lifecycle.resume_pack(pack=pack, now=now)
    assert Notification.objects.filter(user=lena, kind="billing.seats_reopened").exists()
    seat = Seat.objects.get(holder=lena)
    browser_of(person("other")).post(f"/billing/seats/{seat.uid}/leave")
    assert has_premium(lena)
    browser.post(f"/billing/seats/{seat.uid}/leave")
    assert not has_premium(lena)


def test_a_team_is_renamed_and_handed_over(pack, maeve, sam, browser_of, now, django_capture_on_commit_callbacks):
    lena, femi = person("lena"), person("femi")
    assign(pack, lena.email)
    address = f"/billing/teams/{pack.team.uid}/settings"
    browser = browser_of(maeve)
    assert browser.post(address, {"name": " \u200b "}).status_code == 422
    assert browser.post(address, {"name": "Halden"}).status_code == 302
    assert browser.post(address, {"holder": str(femi.uid)}).status_code == 422  # has no seat
    team_care.open_domain(user=maeve, team=pack.team, is_open=True)
    Order.objects.filter(pk=pack.order_id).update(status="open")
    assert browser.post(address, {"holder": str(lena.uid)}).status_code == 422  # an invoice is unpaid
    Order.objects.filter(pk=pack.order_id).update(status="paid")
    assert browser.post(address, {"holder": str(lena.uid)}).status_code == 302
    pack.team.refresh_from_db()
    assert (pack.team.name, pack.team.owner, pack.team.is_domain_open) == ("Halden", lena, False)
    assert browser.get(f"/billing/teams/{pack.team.uid}").status_code == 404
    assert Notification.objects.filter(user=lena, kind="billing.team_received").exists()
    # An owner deletes their account once nobody else has a seat. From earlier times, there are teams with people left.
    assign(pack, femi.email, user=lena)
    with pytest.raises(TeamInUse):
        delete_account(user=lena, password=PASSWORD, browser="", now=now)
    seat = Seat.objects.get(holder=femi)
    lifecycle.take_seat(seat=seat, now=now)
    delete_account(user=lena, password=PASSWORD, browser="", now=now)
    lifecycle.give_seat(seat=seat, user=femi, by=None, now=now)
    with django_capture_on_commit_callbacks(execute=True):
        jobs.run_pending("default")
    admin = browser_of(sam)
    assert "Deleted account" in admin.get("/dashboard/admin/teams").content.decode()
    assert admin.post(address, {"holder": str(femi.uid)})["Location"] == "/dashboard/admin/teams"
    pack.team.refresh_from_db()
    assert (pack.team.owner, pack.team.title) == (femi, "A team")
    history = browser_of(femi).get(f"/billing/teams/{pack.team.uid}/seats/{pack.rows.get(position=1).uid}")
    assert "Deleted account" in history.content.decode()


def test_each_state_of_a_team_has_a_page(pack, maeve, browser_of, now):
    """Paused and ended seats, seats of a course beside those of Premium, blocked accounts, addresses that change."""
    course = PaidCourseFactory(title="Rivers & Dams")
    open_seats(team=pack.team, count=2, course=course, now=now - timedelta(days=9))
    lena, femi = person("lena"), person("femi", last_name="Adebayo")
    browser, address = browser_of(maeve), f"/billing/teams/{pack.team.uid}"
    browser.post(address, {"emails": "lena@halden.example\nfemi@halden.example", "kind": str(course.uid)})
    browser.post(address, {"emails": "lena@halden.example", "kind": "premium"})
    assert Seat.objects.filter(holder=lena).count() == 2
    femi.email, femi.is_active = "femi@private.example", False
    femi.save()
    page = browser.get(address).content.decode()
    for said in (
        "Rivers &amp; Dams",
        "Account not active",
        "femi@halden.example",
        "3 of 5 seats assigned",
        "All seats",
    ):
        assert said in page
    assert "femi@private.example" not in page
    only = browser.get(f"{address}?kind=premium").content.decode()
    assert "Femi" not in only
    assert "1 of 3 seats assigned" in only
    lifecycle.pause_pack(pack=pack, now=now)
    refused = browser.post(address, {"emails": "new@halden.example", "kind": "premium"})
    assert refused.status_code == 422
    assert "paused until their invoice is paid" in refused.content.decode()
    assert "Paused" in browser_of(lena).get("/billing/teams").content.decode()
    for each in SeatPack.objects.filter(team=pack.team):
        lifecycle.end_pack(pack=each, reason=SeatPack.End.OVER, now=now)
    page = browser.get(address).content.decode()
    assert "All seats have ended" in page
    refused = browser.post(address, {"emails": "new@halden.example"}, follow=True).content.decode()
    assert "They have ended" in refused
    assert Notification.objects.filter(user=lena, kind="billing.seats_ended").count() == 2
    assert browser_of(lena).get("/billing/teams").content.decode().count("Your seat of") == 0


def test_a_course_says_that_its_seat_has_ended_or_is_paused(pack, maeve, browser_of, now):
    premium = CourseFactory(title="Tides", slug="tides", status="published", pricing="premium")
    course = PaidCourseFactory(title="Rivers", slug="rivers")
    other = open_seats(team=pack.team, count=1, course=course, now=now - timedelta(days=9))
    lena = person("lena")
    assign(pack, lena.email)
    assign(other, lena.email)
    enroll(user=lena, course=premium, now=now)
    browser, lessons = browser_of(lena), [LessonFactory(section__course=each) for each in (premium, course)]

    def says(text):
        for lesson in lessons:
            for address in (f"/courses/{lesson.course.slug}", f"/learn/{lesson.course.slug}/{lesson.slug}"):
                page = browser.get(address, follow=True).content.decode()
                assert text in page
                assert "subscription has ended" not in page

    for each in (pack, other):
        lifecycle.pause_pack(pack=each, now=now)
    says("Your seat of Halden Instruments is paused until its invoice is paid.")
    for each in (pack, other):
        lifecycle.resume_pack(pack=each, now=now)
    for seat in Seat.objects.filter(holder=lena):
        taking.leave_seat(user=lena, seat=seat, now=now)
    says("You no longer have a seat of Halden Instruments that opens this course.")


# --- At once ----------------------------------------------------------------------------------------


@pytest.mark.long
@pytest.mark.skipif(connection.vendor != "postgresql", reason="SQLite lets one write at a time")
@pytest.mark.django_db(transaction=True)
def test_of_several_who_want_the_last_seat_one_gets_it(maeve):
    with transaction.atomic():
        pack = open_seats(owner=maeve, count=1, now=timezone.now())
    team_care.open_domain(user=maeve, team=pack.team, is_open=True)
    people, outcomes, start = [person(f"p{n}") for n in range(3)], [], threading.Barrier(4)

    def wants(action):
        start.wait()
        try:
            action()
            outcomes.append("got it")
        except AppError as refusal:
            outcomes.append(refusal.code)
        finally:
            connection.close()

    now = timezone.now()
    actions = [partial(taking.take_offered_seat, user=each, team=pack.team, course_id=None, now=now) for each in people]
    actions.append(partial(assign, pack, "late@halden.example"))
    threads = [threading.Thread(target=wants, args=[action]) for action in actions]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert outcomes.count("got it") == 1
    seat = Seat.objects.get()
    assert (seat.holder is not None) != bool(seat.email)
    assert set(outcomes) <= {"got it", "NO_FREE_SEAT", "SEAT_LIST_REFUSED"}
