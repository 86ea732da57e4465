"""How does the reference come from the code, so that it cannot fall behind it?"""
