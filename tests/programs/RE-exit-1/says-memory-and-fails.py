# Says that its memory is used up, with hardly any in use: words are no measurement.
import sys
input()
sys.exit("MemoryError")
