"""How are a program's evidence and its device's facts made, by building and running it?"""
