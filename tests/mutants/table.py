"""Faults, one at a time in the product, that the tests of ``make test`` must see."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Mutant:
    """A fault: in ``file``, ``new`` stands instead of ``old``. ``tests`` are those that are expected to see it."""

    name: str
    file: str
    old: str
    new: str
    tests: tuple[str, ...]


ACCOUNTS = (
    Mutant(
        "a code of the authenticator app works twice",
        "apps/accounts/services/two_factor.py",
        "if step > after and secrets.compare_digest(",
        "if secrets.compare_digest(",
        ("tests/accounts/test_two_factor.py",),
    ),
    Mutant(
        "a sign-in token never expires",
        "apps/accounts/services/sign_in_tokens.py",
        "return row.user if row.expires_at > now and row.user.uid == uid",
        "return row.user if row.user.uid == uid",
        ("tests/accounts/test_sign_in_tokens.py",),
    ),
    Mutant(
        "the personal tokens of a blocked user work",
        "apps/accounts/services/personal_tokens.py",
        "if row.revoked_at is not None or not row.user.is_active:",
        "if row.revoked_at is not None:",
        ("tests/accounts/test_personal_tokens.py",),
    ),
    Mutant(
        "a sixth guess at a password before the lock",
        "apps/accounts/services/password_check.py",
        "if row.failures >= settings.LOGIN_FAILURES:",
        "if row.failures > settings.LOGIN_FAILURES:",
        ("tests/accounts/test_lock.py",),
    ),
    Mutant(
        "an undo of unsubscribing works for another user",
        "apps/accounts/services/unsubscribing.py",
        "    if uid != str(subscription.user.uid):\n        return False\n",
        "",
        ("tests/accounts/test_notification_choices.py", "tests/accounts/test_notifications.py"),
    ),
    Mutant(
        "a password reset leaves the sessions open",
        "apps/accounts/services/password_reset.py",
        "        end_all_access(user=user)\n",
        "",
        ("tests/accounts/test_reset_password.py",),
    ),
)

COURSES = (
    Mutant(
        "a review is declined without a comment",
        "apps/courses/services/review.py",
        "    if outcome != Outcome.APPROVED and not comment:\n        raise CommentMissing\n",
        "",
        ("tests/courses/test_review.py",),
    ),
    Mutant(
        "nobody hears that a course was suspended",
        "apps/courses/services/review.py",
        "        publish(CourseSuspended(course_id=course.pk))\n",
        "",
        ("tests/courses/test_review.py", "tests/learning/test_notices.py"),
    ),
    Mutant(
        "an attempt cannot draw all questions",
        "apps/courses/services/quizzes.py",
        "        if draw_count > pool:",
        "        if draw_count >= pool:",
        ("tests/courses/test_quizzes.py", "tests/learning/test_drawing.py"),
    ),
    Mutant(
        "two lessons require each other",
        "apps/courses/services/outline.py",
        "circle = wanted & dependents_of(course, lesson)",
        "circle = wanted & {lesson.pk}",
        ("tests/courses/test_outline.py",),
    ),
    Mutant(
        "a changed outline is not searched",
        "apps/courses/services/outline.py",
        "    index_course(course_id=course.pk)\n    publish(OutlineChanged",
        "    publish(OutlineChanged",
        ("tests/courses/test_outline.py", "tests/courses/test_search.py"),
    ),
    Mutant(
        "a course that was published can be deleted as a draft",
        "apps/courses/policies.py",
        "return None if course.status == Status.DRAFT and course.published_at is None else CourseInUse()",
        "return None if course.status == Status.DRAFT else CourseInUse()",
        ("tests/courses/test_create_course.py", "tests/courses/test_studio_pages.py"),
    ),
)

LEARNING = (
    Mutant(
        "what a device claims to have watched offline is not cut",
        "apps/learning/services/offline_progress.py",
        "int(passed * watching.MAX_SPEED) + watching.ALLOWANCE)",
        "lesson.duration)",
        ("tests/learning/test_offline_changes.py",),
    ),
    Mutant(
        "a device watches offline more than since the server knows it",
        "apps/learning/services/offline_progress.py",
        "progress.watched), sending.seconds_left(device))",
        "progress.watched), lesson.duration)",
        ("tests/learning/test_offline_changes.py",),
    ),
    Mutant(
        "offline seconds of a former video count for the new one",
        "apps/learning/services/offline_progress.py",
        "        raise VideoReplaced\n",
        "        pass\n",
        ("tests/learning/test_offline_changes.py",),
    ),
    Mutant(
        "the latest device to come back decides the position",
        "apps/learning/services/offline_progress.py",
        "latest_position(progress, place, window.place(watched.made_at), now)",
        "latest_position(progress, place, now, now)",
        ("tests/learning/test_offline_changes.py",),
    ),
    Mutant(
        "an offline attempt past its time limit leaves the attempt unused",
        "apps/learning/services/offline_attempts.py",
        "    attempt.submitted_at = timing.submitted_at  #",
        "    if is_late:\n        raise QuizTimeOver\n    attempt.submitted_at = timing.submitted_at  #",
        ("tests/learning/test_offline_changes.py",),
    ),
    Mutant(
        "papers of other devices don't hold attempts",
        "apps/learning/services/offline_papers.py",
        "others.count() >= left",
        "others.count() < 0",
        ("tests/learning/test_offline_papers.py",),
    ),
    Mutant(
        "offline attempts are numbered as they arrive",
        "apps/learning/services/offline_attempts.py",
        "    if not later:\n",
        "    if True:\n",
        ("tests/learning/test_offline_changes.py",),
    ),
    Mutant(
        "an offline paper is marked twice",
        "apps/learning/services/offline_attempts.py",
        "        if paper.attempt is not None:\n            return _answer_again(paper.attempt, answered)\n",
        "",
        ("tests/learning/test_offline_changes.py",),
    ),
    Mutant(
        "papers keep answers that were corrected",
        "apps/learning/services/remarking.py",
        "    _note_in_papers(asking, present, extend_lease)\n",
        "",
        ("tests/learning/test_offline_consequences.py",),
    ),
    Mutant(
        "a crash of one offline change holds up the others",
        "apps/learning/services/offline_changes.py",
        "        return Outcome.later(ServerError(), CRASH_WAIT)\n",
        "        raise\n",
        ("tests/learning/test_offline_changes.py",),
    ),
    Mutant(
        "an offline change that can't be taken yet is remembered as refused",
        "apps/learning/services/offline_changes.py",
        "    if outcome.state == LATER:\n        raise _NotYet(outcome)\n",
        "",
        ("tests/learning/test_offline_changes.py",),
    ),
    Mutant(
        "a video is complete only after more than nine tenths",
        "apps/learning/activity/watching.py",
        "watched >= duration * COMPLETE_AT",
        "watched > duration * COMPLETE_AT",
        ("tests/learning/test_watching.py", "tests/learning/test_progress.py"),
    ),
    Mutant(
        "many small messages each use the allowance",
        "apps/learning/activity/watching.py",
        "in_all = int(since_start.total_seconds() * MAX_SPEED) + ALLOWANCE - watched",
        "in_all = int(since_start.total_seconds() * MAX_SPEED) + ALLOWANCE",
        ("tests/learning/test_watching.py", "tests/learning/test_progress.py", "tests/learning/test_hostile.py"),
    ),
    Mutant(
        "a closed attempt takes other answers silently",
        "apps/learning/services/quizzes.py",
        "            if attempt.answers != valid:\n                raise AttemptClosed\n",
        "",
        ("tests/learning/test_quizzes.py",),
    ),
    Mutant(
        "the pass mark itself does not pass",
        "apps/learning/services/quizzes.py",
        "earned * 100 >= quiz.pass_percent * points",
        "earned * 100 > quiz.pass_percent * points",
        ("tests/learning/test_quizzes.py",),
    ),
    Mutant(
        "one attempt more than allowed",
        "apps/learning/services/quizzes.py",
        "len(attempts) >= quiz.max_attempts",
        "len(attempts) > quiz.max_attempts",
        ("tests/learning/test_quizzes.py",),
    ),
    Mutant(
        "no milestone at exactly its percent",
        "apps/learning/services/completion.py",
        "enrollment.milestone < mark <= enrollment.percent",
        "enrollment.milestone < mark < enrollment.percent",
        ("tests/learning/test_progress.py", "tests/learning/test_student_milestones.py"),
    ),
    Mutant(
        "time that was learned counts twice",
        "apps/learning/services/learning_time.py",
        "start = since if row.learned_until is None else max(since, row.learned_until)",
        "start = since",
        ("tests/learning/test_learned_days.py", "tests/learning/test_reading.py"),
    ),
    Mutant(
        "answers of the tutor go on while an attempt is open",
        "apps/learning/services/quizzes.py",
        "            publish(AttemptOpened(user_id=enrollment.user_id, lesson_id=quiz.lesson_id))\n",
        "",
        ("tests/learning/test_quizzes.py", "tests/tutor/test_withheld.py"),
    ),
)

FILES = (
    Mutant(
        "one download more than a link allows",
        "apps/files/services/share_links.py",
        'Q(downloads__lt=F("max_downloads"))',
        'Q(downloads__lte=F("max_downloads"))',
        ("tests/files/test_sharing.py", "tests/files/test_shared_access.py"),
    ),
    Mutant(
        "the download of a shared file works in another browser",
        "apps/files/services/share_links.py",
        "    if mark != _mark(browser):\n        raise errors.LinkOfAnother\n",
        "",
        ("tests/files/test_sharing.py", "tests/files/test_shared_access.py"),
    ),
    Mutant(
        "a file is shared with a course of others",
        "apps/files/services/sharing.py",
        "    if course not in policies.course_members().courses_of(by):\n        raise PermissionRefused\n",
        "",
        ("tests/files/test_sharing.py", "tests/files/test_shared_access.py"),
    ),
    Mutant(
        "links to videos never expire",
        "apps/files/services/media_links.py",
        "    if expires_at <= now:\n        raise LinkExpired\n",
        "",
        ("tests/files/test_media.py",),
    ),
    Mutant(
        "bytes with a wrong checksum are kept",
        "apps/files/services/receiving.py",
        "    if isinstance(error, errors.FileTooLarge) or (checksum and error):\n        position = begin\n",
        "",
        ("tests/files/test_uploads.py", "tests/files/test_upload_attacks.py"),
    ),
    Mutant(
        "emptying the bin deletes what came to it since",
        "apps/files/services/bin.py",
        "files = File.objects.of(user.pk).filter(deleted_at__lte=until)",
        "files = File.objects.of(user.pk).filter(deleted_at__isnull=False)",
        ("tests/files/test_library.py", "tests/files/test_long_library.py"),
    ),
    Mutant(
        "the same storage warning is sent again",
        "apps/files/services/allowances.py",
        "    if level > warned:",
        "    if level >= warned:",
        ("tests/files/test_allowances.py",),
    ),
)

FORUM = (
    Mutant(
        "replies on a topic that the author may not see",
        "apps/forum/services/posts.py",
        "        if not Topic.objects.seen_by(author).filter(pk=topic.pk).exists():\n            raise NotFound\n",
        "",
        ("tests/forum/test_posts.py", "tests/forum/test_api.py", "tests/forum/test_leaks.py"),
    ),
    Mutant(
        "replies on a closed topic",
        "apps/forum/policies.py",
        "return TopicLocked() if topic.is_locked and not moderates(user, topic.board) else None",
        "return None",
        ("tests/forum/test_posts.py", "tests/forum/test_api.py"),
    ),
    Mutant(
        "a withdrawn post stays in the notifications",
        "apps/forum/services/posts.py",
        "    forget_post(post)\n    if post.is_opening:\n",
        "    if post.is_opening:\n",
        ("tests/forum/test_notifying.py", "tests/forum/test_moderation.py"),
    ),
    Mutant(
        "one post more in five minutes before a review",
        "apps/forum/services/screening.py",
        ".count() >= MOST_IN_FIVE_MINUTES",
        ".count() > MOST_IN_FIVE_MINUTES",
        ("tests/forum/test_screening.py",),
    ),
    Mutant(
        "any number of files in a message",
        "apps/forum/services/messages.py",
        "    if len(files) > MOST_FILES:\n        raise errors.TooManyAttachments(most=MOST_FILES)\n    enforce",
        "    enforce",
        ("tests/forum/test_messages.py",),
    ),
    Mutant(
        "any number of messages in one conversation",
        "apps/forum/services/messages.py",
        '        rate_limits.consume("message-conversation", f"{user.pk} in {conversation.pk}", now=now)\n',
        "",
        ("tests/forum/test_messages.py",),
    ),
    Mutant(
        "a moderator bans an admin",
        "apps/forum/policies.py",
        "return ModeratorNotBanned() if user.is_admin or (board is not None and moderates(user, board)) else None",
        "return None",
        ("tests/forum/test_moderation.py", "tests/forum/test_moderation_pages.py"),
    ),
)

BILLING = (
    Mutant(
        "an entry balances over all currencies together",
        "apps/billing/services/ledger/posting.py",
        "    if any(sums.values()):",
        "    if sum(sums.values()):",
        ("tests/billing/test_ledger.py",),
    ),
    Mutant(
        "another entry under the same key is taken as posted",
        "apps/billing/services/ledger/posting.py",
        "(entry.kind != kind or lines_of(entry) != lines)",
        "(entry.kind != kind)",
        ("tests/billing/test_ledger.py",),
    ),
    Mutant(
        "a disputed payment is refunded",
        "apps/billing/services/refunds.py",
        "if not 0 < amount <= row.left or _is_disputed(row):",
        "if not 0 < amount <= row.left:",
        ("tests/billing/test_refunds.py",),
    ),
    Mutant(
        "one use of a promo code more than allowed",
        "apps/billing/services/promo.py",
        "if uses_by(code, user) >= code.limit_per_user:\n            raise _used_by_you(code)\n        return",
        "if uses_by(code, user) > code.limit_per_user:\n            raise _used_by_you(code)\n        return",
        ("tests/billing/test_promo.py",),
    ),
    Mutant(
        "a payout takes what was refunded since",
        "apps/billing/services/payouts.py",
        "amount = min(payout.amount, left.get((payout.instructor_id, payout.currency), 0))",
        "amount = payout.amount",
        ("tests/billing/test_payouts.py",),
    ),
    Mutant(
        "instructors earn from watching their own courses",
        "apps/billing/services/premium_shares.py",
        '.exclude(course__pricing=Course.Pricing.FREE).exclude(course__instructor=F("user"))',
        ".exclude(course__pricing=Course.Pricing.FREE)",
        ("tests/billing/test_premium_shares.py",),
    ),
    Mutant(
        "events that were never verified are handled again",
        "apps/billing/services/webhooks.py",
        "filter(pk__in=list(triggers), valid=True)",
        "filter(pk__in=list(triggers))",
        ("tests/billing/test_books_pages.py",),
    ),
    Mutant(
        "a payout is sent twice after a crash",
        "apps/billing/services/payouts.py",
        "found = sender.find(payout.key)\n",
        "found = []\n",
        ("tests/billing/test_payouts.py", "tests/billing/test_transfers.py"),
    ),
    Mutant(
        "a payout that was transferred can be marked as failed",
        "apps/billing/services/payout_outcomes.py",
        "    if payout.method == PayoutAccount.Method.BANK or payout.state not in (State.PROCESSING, State.SENT):\n"
        "        return return_amount",
        "    if True:\n        return return_amount",
        ("tests/billing/test_sequences.py",),
    ),
    Mutant(
        "a dispute won in part gives everything back in the books",
        "apps/billing/services/disputes.py",
        "ledger.DisputeMoves(state.withdrawn, state.reinstated, state.fee",
        "ledger.DisputeMoves(state.withdrawn, state.withdrawn * bool(state.reinstated), state.fee",
        ("tests/billing/test_sequences.py",),
    ),
)

TUTOR = (
    Mutant(
        "an answer continues while the next question is asked",
        "apps/tutor/services/questions.py",
        "        _stop_all(locked, now)\n        return _add(",
        "        return _add(",
        ("tests/tutor/test_chats.py",),
    ),
    Mutant(
        "an edited question keeps what followed it",
        "apps/tutor/services/questions.py",
        "        chat.exchanges.filter(position__gt=locked.position).delete()\n",
        "",
        ("tests/tutor/test_chats.py",),
    ),
    Mutant(
        "the model reads refused questions again",
        "apps/tutor/services/preparing.py",
        "        if answer is not None and answer.kind == Answer.Kind.FILTERED:\n            continue\n",
        "",
        ("tests/tutor/test_stored.py",),
    ),
    Mutant(
        "continuing a stopped answer is no question",
        "apps/tutor/services/answering.py",
        "                count_question(user=user, course_id=answer.exchange.chat.course_id, now=now)\n",
        "                count_continuation(user=user, now=now)\n",
        ("tests/tutor/test_stored.py", "tests/tutor/test_chats.py"),
    ),
    Mutant(
        "the last passage cannot be cited",
        "apps/tutor/grounding.py",
        "if 0 < one <= self._count]",
        "if 0 < one < self._count]",
        ("tests/tutor/test_injections.py", "tests/tutor/test_sources.py"),
    ),
    Mutant(
        "the tutor reads the transcript of a locked lesson",
        "apps/tutor/services/preparing.py",
        '    if lesson_of(user, lesson.uid).verdict is not None:\n        return ""\n',
        "",
        ("tests/tutor/test_entitlements.py", "tests/tutor/test_stored.py"),
    ),
)

KIT = (
    Mutant(
        "two workers claim the same job",
        "studyplatform/kit/jobs/queue.py",
        "Job.objects.filter(due, pk=row.pk, lease_token=row.lease_token).update(",
        "Job.objects.filter(pk=row.pk).update(",
        ("tests/kit/test_jobs.py",),
    ),
    Mutant(
        "one request more than a limit allows",
        "studyplatform/kit/web/rate_limits.py",
        "if row.count + amount <= most:",
        "if row.count + amount <= most + 1:",
        ("tests/kit/test_limits.py", "tests/accounts/test_limits.py"),
    ),
    Mutant(
        "a page of any host opens a websocket",
        "studyplatform/kit/web/origins.py",
        "    if not validate_host(name, settings.ALLOWED_HOSTS):\n        return False\n",
        "",
        ("tests/kit/test_sockets.py", "tests/kit/test_limits.py"),
    ),
    Mutant(
        "a cell that begins with @ is a formula in spreadsheets",
        "studyplatform/kit/text/csv_lines.py",
        r'{"=", "+", "-", "@"}',
        r'{"=", "+", "-"}',
        ("tests/kit/test_money.py",),
    ),
)

ISLANDS = (
    Mutant(
        "a token is used until its last moment",
        "assets/shared/auth/token.ts",
        "exp * 1000 > now + LEEWAY_SECONDS * 1000",
        "exp * 1000 > now",
        ("assets/shared/auth/token.test.ts",),
    ),
    Mutant(
        "a page in the background sends requests",
        "assets/shared/hooks/retry.ts",
        'if (left === null || document.visibilityState === "hidden") return;',
        "if (left === null) return;",
        ("assets/shared/hooks/retry.test.ts",),
    ),
    Mutant(
        "a replaced text of a note comes back",
        "assets/shared/notes/content.ts",
        "if (edit.revision <= (replaced.get(edit.key) ?? 0)) continue;",
        "if (edit.revision < (replaced.get(edit.key) ?? 0)) continue;",
        ("assets/shared/notes/content.test.ts",),
    ),
    Mutant(
        "an upload is given up when the disk is full",
        "assets/shared/uploads/transfers.ts",
        '  "STORE_FULL",\n',
        "",
        ("assets/shared/uploads/transfers.test.ts", "assets/islands/uploader/Uploader.test.tsx"),
    ),
    Mutant(
        "a jump counts as watched",
        "assets/islands/player/engine/watched.ts",
        "time >= open[1] && time - open[1] <= LONGEST_STEP",
        "time >= open[1]",
        ("assets/islands/player/engine/watched.test.ts",),
    ),
    Mutant(
        "the newest drafts are forgotten",
        "assets/shared/composer/drafts.ts",
        "names.sort((a, b) => age(b) - age(a)).slice(MOST)",
        "names.sort((a, b) => age(a) - age(b)).slice(MOST)",
        ("assets/shared/composer/drafts.test.ts",),
    ),
    Mutant(
        "a piece of an answer that is missing goes unnoticed",
        "assets/islands/tutor/merging.ts",
        "  if (offset > shown.length) return null;\n",
        "",
        ("assets/islands/tutor/merging.test.ts",),
    ),
    Mutant(
        "a completion is lost when the session has ended",
        "assets/lesson/outbox.ts",
        "[0, 401, 408, 429].includes(error.status)",
        "[408, 429].includes(error.status)",
        ("assets/lesson/completions.test.ts",),
    ),
)

MUTANTS = (*ACCOUNTS, *COURSES, *LEARNING, *FILES, *FORUM, *BILLING, *TUTOR, *KIT, *ISLANDS)
