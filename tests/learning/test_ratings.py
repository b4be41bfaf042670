"""Ratings and reviews: who may write, reply, vote, report and decide, and what is counted."""

from datetime import timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from apps.accounts.models import Notification
from apps.learning import services
from apps.learning.errors import NotEnrolled, OwnCourseRated, OwnRatingJudged, RatingChanged, RatingTooEarly
from apps.learning.models import Enrollment, Rating, RatingDecision, RatingReport
from studyplatform.kit.errors import NotFound
from tests.factories.accounts import UserFactory
from tests.factories.learning import EnrollmentFactory, RatingFactory


@pytest.fixture
def learner(leo, enrollment):
    Enrollment.objects.filter(pk=enrollment.pk).update(percent=20)
    return leo


@pytest.fixture
def rating(learner, course, now) -> Rating:
    return services.rate_course(user=learner, course=course, stars=4, text="Clear <b>maps</b>.", now=now)


def figures(course) -> tuple[int, int]:
    course.refresh_from_db()
    return course.rating_count, course.rating_sum


def test_each_enrollment_has_one_rating_and_the_figures_follow(learner, course, now):
    other = EnrollmentFactory(course=course, percent=100).user
    services.rate_course(user=learner, course=course, stars=2, text="Hm.", now=now)
    services.rate_course(user=other, course=course, stars=5, text="", now=now)
    row = services.rate_course(
        user=learner, course=course, stars=4, text=" Better on a second look. ", now=now + timedelta(days=1)
    )

    assert figures(course) == (2, 9)
    assert (row.text, row.is_edited) == ("Better on a second look.", True)


def test_only_learners_with_a_fifth_of_the_course_rate_it(leo, mia, ada, sam, enrollment, course, now):
    def rate(user):
        return services.rate_course(user=user, course=course, stars=1, text="", now=now)

    Enrollment.objects.filter(pk=enrollment.pk).update(percent=19)
    for user, refusal in [(leo, RatingTooEarly), (mia, NotEnrolled), (ada, OwnCourseRated), (sam, OwnCourseRated)]:
        with pytest.raises(refusal):
            rate(user)
    assert figures(course) == (0, 0)


def test_a_rating_can_be_changed_after_lessons_were_added(rating, learner, course, now):
    Enrollment.objects.filter(user=learner).update(percent=12)

    assert services.rate_course(user=learner, course=course, stars=3, text="", now=now).stars == 3


def test_deleting_can_be_undone_for_a_day(rating, learner, course, mia, now):
    services.vote_helpful(rating=rating, user=mia, on=True, now=now)
    for _ in range(2):
        services.delete_rating(user=learner, course=course, now=now)
    assert figures(course) == (0, 0)
    services.restore_rating(user=learner, course=course)
    assert figures(course) == (1, 4)
    assert Rating.objects.get().helpful_count == 1

    services.delete_rating(user=learner, course=course, now=now)
    services.forget_rating(rating_id=rating.pk, now=now + timedelta(hours=23))
    assert Rating.objects.exists()
    services.forget_rating(rating_id=rating.pk, now=now + timedelta(hours=24))
    assert not Rating.objects.exists()
    with pytest.raises(NotFound):
        services.restore_rating(user=learner, course=course)


def test_a_new_text_after_a_deletion_starts_again(rating, learner, course, ada, mia, now):
    services.vote_helpful(rating=rating, user=mia, on=True, now=now)
    services.reply_to_rating(rating=rating, by=ada, text="Thank you.", now=now)
    services.delete_rating(user=learner, course=course, now=now)
    row = services.rate_course(user=learner, course=course, stars=1, text="No.", now=now + timedelta(days=1))

    assert (row.pk, row.helpful_count, row.reply, row.is_edited) == (rating.pk, 0, "", False)
    assert figures(course) == (1, 1)


def test_a_hidden_rating_does_not_count_and_stays_hidden(rating, learner, course, mia, sam, now):
    services.report_rating(rating=rating, user=mia, reason="insult", comment="Rude", now=now)
    seen = rating.updated_at.isoformat()
    services.decide_rating(rating=rating, by=sam, kind="hide", seen=seen, reason="Rude.", now=now)

    assert figures(course) == (0, 0)
    assert RatingReport.objects.get().state == "upheld"
    services.delete_rating(user=learner, course=course, now=now)
    row = services.rate_course(user=learner, course=course, stars=5, text="Again", now=now + timedelta(hours=1))
    assert row.hidden_at
    assert figures(course) == (0, 0)
    services.decide_rating(rating=rating, by=sam, kind="show", seen=row.updated_at.isoformat(), reason="", now=now)
    assert figures(course) == (1, 5)
    assert list(RatingDecision.objects.values_list("kind", flat=True).order_by("pk")) == ["hide", "show"]


def test_a_decision_is_about_the_text_that_was_read(rating, learner, course, mia, sam, ada, now):
    services.report_rating(rating=rating, user=mia, reason="spam", comment="", now=now)
    seen = rating.updated_at.isoformat()
    services.rate_course(user=learner, course=course, stars=4, text="Better.", now=now + timedelta(hours=1))

    with pytest.raises(RatingChanged):
        services.decide_rating(rating=rating, by=sam, kind="hide", seen=seen, reason="", now=now)
    with pytest.raises(NotFound):
        services.decide_rating(rating=rating, by=ada, kind="hide", seen=seen, reason="", now=now)


def test_a_dismissed_report_opens_again_only_for_another_text(rating, learner, course, mia, sam, now):
    def report(at):
        services.report_rating(rating=rating, user=mia, reason="spam", comment="", now=at)
        return RatingReport.objects.get().state

    report(now)
    services.decide_rating(rating=rating, by=sam, kind="keep", seen=rating.updated_at.isoformat(), reason="", now=now)
    assert report(now + timedelta(hours=1)) == "dismissed"
    services.rate_course(user=learner, course=course, stars=1, text="Buy!", now=now + timedelta(hours=2))
    assert report(now + timedelta(hours=3)) == "open"


def test_votes_count_once_and_not_for_oneself(rating, learner, mia, now):
    counts = [services.vote_helpful(rating=rating, user=mia, on=on, now=now) for on in (True, True, False, False)]

    assert counts == [1, 1, 0, 0]
    with pytest.raises(OwnRatingJudged):
        services.vote_helpful(rating=rating, user=learner, on=True, now=now)


def test_only_the_instructor_replies_and_the_learner_is_told_once(rating, learner, ada, eve, sam, now):
    for user in (eve, sam, learner):
        with pytest.raises(NotFound):
            services.reply_to_rating(rating=rating, by=user, text="Hello", now=now)
    services.reply_to_rating(rating=rating, by=ada, text="Thank you.", now=now)
    services.reply_to_rating(rating=rating, by=ada, text="Thank you!", now=now + timedelta(hours=1))

    rating.refresh_from_db()
    assert (rating.reply, rating.replied_at, rating.reply_changed_at) == ("Thank you!", now, now + timedelta(hours=1))
    told = Notification.objects.values_list("user", "kind").order_by("pk")
    assert list(told) == [(ada.pk, "learning.reviewed"), (learner.pk, "learning.review_answered")]
    services.reply_to_rating(rating=rating, by=ada, text="", now=now)
    rating.refresh_from_db()
    assert (rating.reply, rating.replied_at) == ("", None)


def test_the_page_escapes_and_offers_what_its_reader_may_do(rating, learner, ada, mia, client, browser_of, course):
    address = f"/courses/{course.slug}/reviews"
    page = client.get(address).content.decode()
    assert "Clear &lt;b&gt;maps&lt;/b&gt;." in page
    assert "Leo M." in page
    assert "Publish review" not in page
    assert "Save changes" in browser_of(learner).get(address).content.decode()
    assert "Your public reply" in browser_of(ada).get(address).content.decode()
    assert "Your public reply" not in browser_of(mia).get(address).content.decode()
    assert 'value="1"' in browser_of(mia).get(address).content.decode()  # the vote


def test_the_forms_of_the_page(learner, ada, eve, mia, sam, client, browser_of, course):
    address = f"/courses/{course.slug}/reviews"
    mine = browser_of(learner)
    assert mine.post(address, {"text": "Without stars"}).status_code == 422
    assert "Without stars" in mine.post(address, {"text": "Without stars"}).content.decode()
    assert mine.post(address, {"stars": "5", "text": "x" * 2001}).status_code == 422
    assert mine.post(address, {"stars": "5", "text": "Line\x00"}).status_code == 422
    assert mine.post(address, {"stars": "5", "text": "Good"}).status_code == 302
    row = Rating.objects.get()
    assert client.post(address, {"stars": "5"}).status_code in {302, 401}
    browser_of(mia).post(address, {"stars": "5"})
    assert Rating.objects.count() == 1
    browser_of(eve).post(f"{address}/{row.pk}/reply", {"reply": "Hi"})
    assert not Rating.objects.get().reply
    assert browser_of(ada).post(f"{address}/{row.pk}/reply", {"reply": " "}).status_code == 422
    assert browser_of(ada).post(f"{address}/{row.pk}/reply", {"reply": "Hi"}).status_code == 302
    mine.post(f"{address}/{row.pk}/helpful", {"on": "1"})
    assert not Rating.objects.get().helpful_count
    assert (
        browser_of(mia)
        .post(f"{address}/{row.pk}/helpful", {"on": "1", "next": "https://evil.example"})
        .headers["Location"]
        .startswith(address)
    )
    assert browser_of(mia).post(f"{address}/{row.pk}/report", {"reason": "no"}).status_code == 422
    assert browser_of(mia).post(f"{address}/{row.pk}/report", {"reason": "spam"}).status_code == 302
    queue = browser_of(sam).get("/dashboard/admin/forum?tab=ratings").content.decode()
    assert "Good" in queue
    seen = {"kind": "hide", "seen": row.updated_at.isoformat(), "reason": "Spam."}
    assert browser_of(ada).post(f"/dashboard/admin/ratings/{row.pk}", seen).status_code in {302, 403, 404}
    assert Rating.objects.shown().exists()
    browser_of(sam).post(f"/dashboard/admin/ratings/{row.pk}", seen)
    assert not Rating.objects.shown().exists()
    assert "Spam." in mine.get(address).content.decode()
    assert client.get(f"{address}/{row.pk}/report").status_code == 302
    assert browser_of(mia).get(f"{address}/{row.pk}/report").status_code == 404
    assert mine.post(f"{address}/delete").status_code == 302
    assert "restore it for a day" in mine.get(address).content.decode()
    assert mine.post(f"{address}/restore").status_code == 302


def test_a_suspended_course_shows_its_reviews_to_its_learners_only(rating, learner, mia, course, client, browser_of):
    address = f"/courses/{course.slug}/reviews"
    course.status = "suspended"
    course.save()

    assert [browser_of(learner).get(address).status_code, client.get(address).status_code] == [200, 404]
    browser_of(mia).post(f"{address}/{rating.pk}/helpful", {"on": "1"})
    assert not Rating.objects.get().helpful_count
    assert browser_of(learner).post(address, {"stars": "1"}).status_code == 302


def test_a_deleted_author_is_named_so_and_a_blocked_one_cannot_write(rating, learner, course, client, browser_of, now):
    browser = browser_of(learner)
    learner.is_active = False
    learner.save()
    assert browser.post(f"/courses/{course.slug}/reviews", {"stars": "1"}).status_code in {302, 401}
    assert Rating.objects.get().stars == 4
    learner.deleted_at = now
    learner.save()

    page = client.get(f"/courses/{course.slug}/reviews").content.decode()
    assert "Deleted user" in page
    assert "Leo" not in page


def test_the_page_sorts_filters_and_reads_a_fixed_number_of_rows(course, mia, browser_of, client):
    for stars in [5, 4, 3, 2, 1] * 5:
        author = UserFactory()
        RatingFactory(
            enrollment=EnrollmentFactory(course=course, user=author, percent=40),
            stars=stars,
            text=f"{stars} said {author.pk}",
            helpful_count=stars,
        )
    address, browser = f"/courses/{course.slug}/reviews", browser_of(mia)
    browser.get(address)
    with CaptureQueriesContext(
        connection,
    ) as queries:
        page = browser.get(address)
    assert page.content.decode().count('class="rev"') == 10
    assert len(queries) <= 12, [one["sql"][:90] for one in queries]
    assert client.get(f"{address}?stars=2").content.decode().count('class="rev"') == 5
    first = client.get(f"{address}?sort=lowest").content.decode()
    assert first.index("1 said") < first.index("2 said")
    for odd in ["?page=99", "?page=x", "?stars=9", "?sort=no", "?stars=%00"]:
        assert client.get(address + odd).status_code == 200
