# Row 39: children are allowed here, and a program that uses them well is accepted.
import os
a, b = map(int, input().split()[:2])
read, write = os.pipe()
if os.fork() == 0:
    os.write(write, str(a + b).encode())
    os._exit(0)
os.wait()
print(os.read(read, 100).decode())
