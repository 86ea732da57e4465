"""Which programs and regions are there, and what do their headers and declarations say?"""
