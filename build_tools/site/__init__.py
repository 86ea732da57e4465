"""How do checked pages become a site, and does the built site hold what was checked?"""
