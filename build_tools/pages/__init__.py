"""What does a region, table, transcript, chart or claim look like as HTML?"""
