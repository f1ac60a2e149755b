# What /proc tells of the machine: no path of the daemon, nobody else's processes, no environment but our own.
import os
a, b = map(int, input().split()[:2])
words = ("submissions", "problems/", "reports", "verdictd.", "/state", "hostile-suite", "/home", "/root", "/work")
got = []
for name in ("mountinfo", "mounts", "maps", "environ", "cmdline", "status", "limits", "net/unix", "net/tcp", "net/route"):
    try:
        text = open("/proc/self/" + name, errors="replace").read()
    except OSError:
        continue
    got += [name + " has " + word for word in words if word in text]
if open("/proc/self/net/dev").read().count(":") > 1:
    got.append("networks")
if "hostile-left" in open("/proc/keys").read() if os.path.exists("/proc/keys") else False:
    got.append("keys")
if os.uname().nodename != "sandbox":
    got.append(os.uname().nodename)
print(got or a + b)
