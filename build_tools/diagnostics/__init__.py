"""What can go wrong, and how it is said."""
