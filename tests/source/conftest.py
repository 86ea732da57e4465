from hypothesis import settings

# Two cores shared with a compiler: a slow example is no failure.
settings.register_profile("course", deadline=None)
settings.load_profile("course")
