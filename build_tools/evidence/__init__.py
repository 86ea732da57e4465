"""What was measured: what are records, are they fresh, and what do they prove?"""
