"""What does a person type, and what comes back?"""
