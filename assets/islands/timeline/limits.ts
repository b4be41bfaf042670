/** Characters of a note: MAX_LENGTH of apps/learning/api/note_serializers.py. */
export const MAX_LENGTH = 10_000;
/** Characters of the name of a moment, so that it stays a line. */
export const MAX_LABEL = 120;
