"""What browsers store to show lessons without a connection: packages of lessons, and the shell that shows them."""
