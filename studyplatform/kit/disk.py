"""The error numbers of the operating system that mean there is no space left."""

import errno

# The device is full; the quota of the server's account is used up; the file exceeds the server's size limit.
NO_SPACE = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})
