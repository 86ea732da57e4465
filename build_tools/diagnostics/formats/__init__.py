"""How are findings told: to a person, to a program, to a code host?"""
