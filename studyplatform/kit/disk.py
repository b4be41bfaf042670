"""How the system says that something could not be written because no space is left."""

import errno

# No space on the device; the quota of the server's own account; a file larger than the server may write.
FULL = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})
