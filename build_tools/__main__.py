"""How does `python -m build_tools` start the command line?"""

from build_tools.command import main

main()
