"""Where are the pages' claims, directives and numbers, and is what they say true?"""
