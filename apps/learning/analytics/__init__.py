"""What instructors learn about their learners (docs/adr/0069-rollups.md).

Counting (jobs, ``manage.py rebuild_rollups``): ``counting`` with ``counting_days``, ``counting_lessons`` and
``counting_learners``; the rules without a database: ``activity``, ``risk``, ``retention``, ``moments``, ``items``,
``smallest_group``.

Reading, for pages. All take the courses that the reader may see now, by primary key: `courses_read_by`, or
`course_read_by` for one. What too few learners would show is None.

===========================================================  ==================================================
``courses.courses_read_by(user)``                            the courses (list of `Course`) somebody teaches
``courses.course_read_by(user, slug)``                       one course; an admin may read any
``metrics.metrics_of(user, courses, now=)``                  the eight metrics, with those of 30 days ago
``series.series_of(user, courses, period)``                  figures per day of a `Period`, zeros filled in
``series.group_series(series, step)``                        the same per week or month
``funnel.funnel_of(courses, period)``                        from the course page to completion
``lessons.lessons_of(course)``                               the figures of each lesson, in order
``lessons.stuck_lessons(courses)``, ``left_early_lessons``,  the lessons that stand out, the first first
``bookmarked_lessons``
``curves.retention_of(lesson)``, ``curves.usual_band``       retention per second, with its moments; the band
``quizzes.items_of(quiz)``                                   the questions of a quiz
``learners.minutes_per_day(enrollments, today)``             for sparklines: minutes on each of the last 30 days
``learners.count_at_risk(courses)``                          how many learners are at risk, by reason
``freshness.counted_until()``                                when the jobs counted last
===========================================================  ==================================================
"""
