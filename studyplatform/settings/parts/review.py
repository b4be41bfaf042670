"""What goes live without a review (apps/courses/correction_policies.py)."""

from studyplatform.settings import env

# small: small corrections of texts. all: nothing. trusted: also versions of authors with three approved ones.
REVIEW_RULE = env.choice("REVIEW_RULE", ("small", "all", "trusted"))
