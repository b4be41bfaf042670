"""What instructors learn about their learners (docs/adr/0069-rollups.md).

Counting (jobs, ``manage.py rebuild_rollups``): ``counting`` with ``counting_days``, ``counting_lessons`` and
``counting_learners``; the rules without a database: ``activity``, ``risk``, ``retention``, ``moments``, ``items``,
``smallest_group``.

Reading, for pages. `courses.scope_of(user, slug)` says what somebody may read at this moment, in one query; the other
functions take it and ask no more about rights. What too few learners would show is None.

=============================================  =====================================================================
``courses.scope_of(user, slug="")``            `Scope`: all courses that the user teaches, or the chosen one
``courses.courses_read_by(user)``              the same courses as a query; ``course_read_by(user, slug)``: one
``metrics.metrics_of(scope, now=)``            the eight metrics, with those of 30 days ago; ``describe_metrics()``
``series.series_of(scope, period)``            figures of each day of a `Period`, zeros filled in
``series.series_with_before(scope, period)``   the same with the period before
``series.group_series(series, step)``          the same per week or month
``funnel.funnel_of(scope, period)``            from the course page to completion
``lessons.lessons_of(course)``                 the figures of each lesson of a course (primary key), in order
``lessons.stuck_lessons(scope)``               where most learners are stuck or fail now
``lessons.lessons_standing_out(scope)``        left within 15 seconds; most bookmarked
``curves.retention_of(lesson)``                retention per second of a video, with its `Moments`
``curves.usual_band(scope, besides=lesson)``   what is usual at each percent of the length
``quizzes.items_of(quiz)``                     the questions of a quiz
``learners.minutes_per_day(rows, today)``      for sparklines: minutes on each of the last 30 days
``learners.count_at_risk(scope)``              how many learners are at risk, by reason; ``risk.describe_risks()``
=============================================  =====================================================================

Lists of learners filter and sort by ``Enrollment`` and its ``rollup`` (`EnrollmentRollup`: risk, risk_since,
risk_lesson, quiz_percent, seconds). Join it from the left: who has just enrolled has none until the next run.
"""
