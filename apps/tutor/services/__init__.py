"""Everything that changes what the tutor stores, and its answers.

``indexing`` is not imported here: it loads NumPy, which only the worker and those who ask need.
"""

from apps.tutor.services.answering import (
    POLLED_AFTER,
    answer_now,
    continue_answer,
    generate_later,
    practice_cards,
    rate_answer,
    stop_answer,
    stop_explaining,
    topic_of,
)
from apps.tutor.services.asking import ask
from apps.tutor.services.chats import (
    change_scope,
    delete_chat,
    delete_chats_of,
    forget_chat,
    rename_chat,
    restore_chat,
)
from apps.tutor.services.limits import count_question
from apps.tutor.services.planning import index_course_later, index_published
from apps.tutor.services.questions import Asked, ask_again, ask_in_chat, edit_question, start_chat
from apps.tutor.services.settling import (
    count_todos,
    count_todos_later,
    remember_topic,
    reopen_question,
    settle_question,
)
from apps.tutor.services.switches import copy_switches, set_switches

__all__ = [
    "POLLED_AFTER",
    "Asked",
    "answer_now",
    "ask",
    "ask_again",
    "ask_in_chat",
    "change_scope",
    "continue_answer",
    "copy_switches",
    "count_question",
    "count_todos",
    "count_todos_later",
    "delete_chat",
    "delete_chats_of",
    "edit_question",
    "forget_chat",
    "generate_later",
    "index_course_later",
    "index_published",
    "practice_cards",
    "rate_answer",
    "remember_topic",
    "rename_chat",
    "reopen_question",
    "restore_chat",
    "set_switches",
    "settle_question",
    "start_chat",
    "stop_answer",
    "stop_explaining",
    "topic_of",
]
