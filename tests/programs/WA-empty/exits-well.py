# Ends well and says nothing.
import os
print("lost", end="")
os._exit(0)
