# Row 17: the same in Python.
while True:
    print("more and more")
