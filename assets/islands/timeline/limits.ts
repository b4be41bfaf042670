/** Characters of a note. The server takes three times as many: what several devices wrote at once is joined. */
export const MAX_LENGTH = 10_000;
/** Characters of the name of a moment, so that it stays a line. */
export const MAX_LABEL = 120;
