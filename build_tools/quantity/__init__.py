"""What does a printed number mean, in which unit, to which digit?"""
