# Row 43: waits for more than there is, by opening its input anew and again.
import time
while True:
    open("/dev/stdin").read(1)
    time.sleep(0.2)
