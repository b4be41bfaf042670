"""What pages, calls and sockets read of the tutor."""
