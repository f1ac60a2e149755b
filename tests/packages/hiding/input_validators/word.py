import re
import sys

sys.exit(42 if re.fullmatch("hide [1-9][0-9]{0,3}\\n", sys.stdin.read()) else 43)
