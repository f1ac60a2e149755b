# An expression that tries everything.
import re
re.match(r"(a+)+$", "a" * 60 + "b")
