"""What pages and commands read of billing."""
