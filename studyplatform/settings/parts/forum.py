"""The discussions."""

from studyplatform.settings import env

FORUM_NEW_ACCOUNT_DAYS = env.number("FORUM_NEW_ACCOUNT_DAYS", 7)  # posts of younger accounts are reviewed first
FORUM_REPORTS_TO_HIDE = env.number("FORUM_REPORTS_TO_HIDE", 3)  # so many accounts that are not new hide a post
