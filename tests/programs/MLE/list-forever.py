# Row 10: the same in Python.
everything = []
while True:
    everything.append(bytearray(1 << 20))
