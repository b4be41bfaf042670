"""Small talk, requests without an object, questions about the site, arithmetic and other languages, without a model."""

from uuid import uuid4

import pytest
from django.utils import timezone

from apps.accounts.models import User
from apps.tutor import conversation, quoting, site_help
from apps.tutor.arithmetic import NotComputable, compute, show
from apps.tutor.intents import intent_of
from apps.tutor.models import Answer
from apps.tutor.queries.suggestions import follow_ups_of
from apps.tutor.services import generating, preparing
from apps.tutor.services.questions import Asked, ask_in_chat, start_chat

INTENTS = {
    "greeting": ["hi", "Hello!", "hey there", "Good morning 👋", "Guten Tag!", "नमस्ते", "你好", "how's it going?"],
    "thanks": ["thanks!", "Thank you so much", "ok thanks", "that helped, thanks", "Danke schön", "ty 🙏", "شكرا"],
    "goodbye": ["bye", "see you later", "that's all for today"],
    "agreement": ["ok", "I see", "got it", "makes sense", "yes"],
    "about_tutor": ["who are you?", "what can you do", "Are you a robot?", "help", "how does this work?"],
    "confused": [
        "I don't get it", "i dont understand", "I don’t understand this at all", "huh?", "I'm lost", "ELI5",
        "can you explain it again", "explain that in simpler words", "this makes no sense", "give me an example",
    ],
    "summary": ["can you summarize the course for me", "Summarize this", "tl;dr", "what is this course about?"],
    "quiz": ["test me", "quiz me on this", "ask me some questions", "can you test me on this lesson?"],
    "cards": ["make flash cards", "create some flashcards for this lesson"],
    "plan": ["what should I do next?", "make me a study plan", "plan my week", "what's next?"],
    "calculation": ["17*23", "what is 3 + 4?", "(2+3)*4 =", "2^10"],
    None: [
        "What is a test statistic?", "hi-fi systems", "thank you notes in business letters",
        "explain eigenvectors again",
        "summarize the treaty of Versailles", "Okay, but why does the grid slant?", "I don't understand eigenvalues",
        "help me understand matrices",
        "2019-2020", "10-12", "1.5", "What is a summary statistic?", "", "?!", "🙂",
        "determinant of [[2,1],[1,3]]", "hi " * 100,
    ],
}  # fmt: skip


def test_whole_messages_have_an_intent_and_questions_about_a_course_have_none():
    wrong = [
        (message, intent_of(message), intent)
        for intent, messages in INTENTS.items()
        for message in messages
        if intent_of(message) != intent
    ]
    assert wrong == []


def test_arithmetic_is_exact_and_bounded():
    shown = {
        "17*23": "391",
        "12/5": "2.4",
        "1/3": "1/3 ≈ 0.333333",
        "2^10": "1,024",
        "-(2+3)×4": "-20",
        "0.1+0.2": "0.3",
    }
    assert {text: show(compute(text)) for text in shown} == shown
    for text in ("1/0", "9^9^9", "2^0.5", "(1", "1+", "(" * 40 + "1" + ")" * 40, "0^-1", "7" * 40, "a+1"):
        with pytest.raises(NotComputable):
            show(compute(text))


def test_the_language_of_a_question_is_recognized_unless_it_may_be_english():
    asked = {
        "Was ist ein Eigenvektor?": "de", "O que é uma matriz?": "pt", "行列とは何ですか": "ja",
        "что такое матрица": "ru",
        "What is an eigenvector?": None, "a priori": None, "margin of error": None,
        "per capita gdp": None, "mens rea": None,
    }  # fmt: skip
    assert {text: conversation.language_of(text) for text in asked} == asked


@pytest.mark.django_db
def test_questions_about_the_site_find_their_topic_and_questions_about_courses_none(leo):
    asked = {
        "can you give me my money back": "/billing/transactions",
        "where do I find my certificate": "certificate",
        "i cant log in": "/auth/forgot-password",
        "when is the test due": "quiz",
        "stop my subscription": "/billing/subscriptions",
        "dark mode?": "appearance",
        "when is a video complete?": "90%",
    }
    for question, part in asked.items():
        found = site_help.find_help(question)
        assert found is not None, question
        assert part in found.answer(leo), question
    for question in ("What is an eigenvector?", "How does a monopolist choose its price?", "x" * 5000):
        assert site_help.find_help(question) is None, question


def say(user: User, message: str, *, course: str | None = None, chat: object = None) -> Answer:
    """Ask the tutor without a model, wait for its answer, and return it."""
    now, asked = timezone.now(), Asked(question=message, key=uuid4())
    if chat is None:
        exchange = start_chat(user=user, asked=asked, course=course, now=now)
    else:
        exchange = ask_in_chat(user=user, uid=chat.uid, asked=asked, now=now)
    claim = generating.claim(exchange.answers.get().uid, now)
    ready = preparing.prepare(claim)
    checked = preparing.check(quoting.answer(ready.prompt), ready)
    generating.finish(claim, checked, preparing.providers.Usage(), now)
    return Answer.objects.select_related("exchange__chat").get(uid=claim.uid)


@pytest.mark.django_db
def test_a_conversation_without_a_model(rivers, course, enrollment, leo):
    first = say(leo, "Hi!")
    assert first.kind == ""
    assert first.text.startswith("Hello")
    chat = first.exchange.chat

    lost = say(leo, "I don't get it", chat=chat)
    assert (lost.kind, lost.citations.count()) == ("", 0)
    assert "which word or step" in lost.text

    bend = say(leo, "Why does a river bend?", chat=chat)
    assert bend.citations.count() > 0
    again = say(leo, "I don’t understand that", chat=chat)
    assert again.kind == ""
    assert again.text.startswith("No problem.")
    shown = {one.text for one in bend.citations.all()}
    assert shown.isdisjoint(one.text for one in again.citations.all())

    assert say(leo, "thanks!", chat=chat).text.startswith("You're welcome")
    assert say(leo, "17*23", chat=chat).text.endswith("**391**")
    assert "/billing/transactions" in say(leo, "How do I get my money back?", chat=chat).text
    german = say(leo, "Warum macht der Fluss eine Kurve?", chat=chat)
    assert "English" in german.text
    assert german.citations.count() == 0


@pytest.mark.django_db
def test_a_request_without_a_course_takes_the_one_studied_last_or_lets_the_learner_choose(rivers, course, leo):
    assert "Enroll in a course first" in say(leo, "test me").text

    from tests.factories.learning import EnrollmentFactory

    EnrollmentFactory(user=leo, course=course)
    summary = say(leo, "can you summarize the course for me?")
    assert summary.exchange.mode == "summary"
    assert summary.kind == ""
    assert summary.citations.count() > 0
    assert say(leo, "Test me!").exchange.mode == "quiz"
    assert say(leo, "What should I do next?").exchange.mode == "plan"


@pytest.mark.django_db
def test_summaries_of_quizzes_are_not_indexed_and_citing_a_quiz_does_not_withhold(rivers, course, enrollment, leo):
    rivers["check"].summary = "Six questions about bends of rivers"
    rivers["check"].save()
    from apps.tutor.services.indexing import index_course

    index_course(course_id=course.pk, now=timezone.now())
    assert not rivers["check"].passages.filter(kind="summary").exists()


@pytest.mark.django_db
def test_a_heading_that_is_a_question_is_suggested_as_it_is(rivers):
    lesson = rivers["deltas"]
    lesson.passages.update(heading="Why does the mud sink?")
    assert follow_ups_of(lesson, set()) == ["Why does the mud sink?"]
