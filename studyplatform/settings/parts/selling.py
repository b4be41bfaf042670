"""What the platform sells, and by which rules."""

from studyplatform.settings import env

CURRENCY = env.text("CURRENCY", "usd")
INSTRUCTOR_SHARE = env.number("INSTRUCTOR_SHARE", 70)  # percent of what is paid, without tax; stored with each sale
REFUND_DAYS = env.number("REFUND_DAYS", 14)
REFUND_PERCENT = env.number("REFUND_PERCENT", 20)  # from this much of a course's lessons on, an admin decides
TAX_RATES = env.rates("TAX_RATES")  # by country, in hundredths of a percent; prices include the tax
PREMIUM_MONTHLY = env.number("PREMIUM_MONTHLY", 1400)  # minor units
PREMIUM_YEARLY = env.number("PREMIUM_YEARLY", 14000)
PREMIUM_TRIAL_DAYS = env.number("PREMIUM_TRIAL_DAYS", 7)
GRACE_DAYS = env.number("GRACE_DAYS", 7)  # how long Premium stays open after a renewal failed
