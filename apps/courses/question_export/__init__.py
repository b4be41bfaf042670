"""Write questions as files for other programs: GIFT, Moodle XML and CSV. Nothing here reads the database.

``writing.write_questions`` is the way in. Each question is written, read again by our import and compared with what it
was: so what a format can't hold is known, and said, for every question (ADR 62).
"""
