"""Read files of questions of other programs: GIFT, Aiken, Moodle XML and CSV. Nothing here writes to the database.

``reading.read_questions`` is the way in. Each format has a module; they share ``texts`` (texts and pictures),
``choices`` (choices with weights) and ``answers`` (short texts, numbers, pairs).
"""
