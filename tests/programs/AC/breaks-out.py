# Row 30: roots, mounts and namespaces, from Python.
import ctypes, os
a, b = map(int, input().split()[:2])
libc = ctypes.CDLL(None, use_errno=True)
got = []
def refused(what, result):
    if result >= 0:
        got.append(what)
refused("chroot", libc.chroot(b"/box"))
refused("mount", libc.mount(b"none", b"/box", b"tmpfs", 0, b""))
refused("bind", libc.mount(b"/", b"/box", None, 4096, None))
refused("remount", libc.mount(b"none", b"/usr", None, 32, None))
refused("umount", libc.umount2(b"/usr", 2))
refused("umount proc", libc.umount2(b"/proc", 2))
refused("pivot_root", libc.syscall(155, b".", b"."))
for flag in (0x10000000, 0x20000, 0x40000000, 0x08000000, 0x04000000, 0x02000000, 0x20000000, 0x00000080):
    refused("unshare %x" % flag, libc.unshare(flag))
for name in os.listdir("/proc/self/ns"):
    try:
        handle = os.open("/proc/self/ns/" + name, os.O_RDONLY)
    except OSError:
        continue
    refused("setns " + name, libc.setns(handle, 0))
os.mkdir("jail")
here = os.open(".", os.O_RDONLY)
for _ in range(64):
    os.chdir("..")
if sorted(os.listdir("/")) != sorted(os.listdir(".")) or os.path.exists("/etc/shadow"):
    got.append("the root's parent")
for call in ("setuid", "setgid", "seteuid", "setegid"):
    refused(call, getattr(libc, call)(0))
refused("setgroups", libc.setgroups(1, (ctypes.c_int * 1)(0)))
print(got if got else a + b)
