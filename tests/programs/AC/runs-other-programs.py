# Row 38: other programs of the machine, those with a special bit among them: they are as bound as it is.
import os, subprocess
a, b = map(int, input().split()[:2])
got = []
for command in (["su", "-c", "id"], ["mount", "-t", "tmpfs", "x", "/box"], ["passwd", "-d", "root"], ["unshare", "-r", "id"], ["ping", "-c1", "127.0.0.1"], ["newgrp"], ["chroot", "/", "id"]):
    try:
        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, timeout=5)
    except (OSError, subprocess.TimeoutExpired):
        continue
    if done.returncode == 0:
        got.append(command[0])
if subprocess.run(["sh", "-c", "id -u"], capture_output=True, text=True).stdout.strip() == "0":
    got.append("root")
print(got or a + b)
