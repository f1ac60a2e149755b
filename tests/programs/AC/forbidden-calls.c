/* Row 36: young, large or privileged parts of the kernel. */
#define _GNU_SOURCE
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/reboot.h>
#include <sys/swap.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/timex.h>
#include <termios.h>
#include <unistd.h>
static int got;
static void refused(const char *what, long result) {
    if (result >= 0) { printf("%s was allowed\n", what); got = 1; }
}
int main(void) {
    int a, b;
    char block[256] = {0};
    if (scanf("%d %d", &a, &b) != 2) return 9;
    refused("io_uring", syscall(SYS_io_uring_setup, 1, block));
    refused("bpf", syscall(SYS_bpf, 0, block, 48));
    refused("userfaultfd", syscall(SYS_userfaultfd, 1));
    refused("perf", syscall(SYS_perf_event_open, block, 0, -1, -1, 0));
    refused("unshare", unshare(CLONE_NEWUSER));
    refused("clone3", syscall(SYS_clone3, 0, 0));
    int flags[] = {CLONE_NEWUSER, CLONE_NEWNS, CLONE_NEWPID, CLONE_NEWNET, CLONE_NEWIPC, CLONE_NEWUTS, CLONE_NEWCGROUP, CLONE_NEWUSER | CLONE_NEWPID};
    for (int i = 0; i < 8; i++) {
        long child = syscall(SYS_clone, flags[i] | 17, 0, 0, 0, 0);
        if (child == 0) _exit(0);
        refused("clone into a namespace", child);
    }
    /* The flags are 64 bits wide; the high half must not hide the low one. */
    long child = syscall(SYS_clone, 0x100000000UL | CLONE_NEWUSER | 17, 0, 0, 0, 0);
    if (child == 0) _exit(0);
    refused("clone with high bits", child);
    refused("socket with high bits", syscall(SYS_socket, 0x100000000UL | 2, 1, 0));
    refused("kexec", syscall(SYS_kexec_load, 0, 0, 0, 0));
    refused("init_module", syscall(SYS_init_module, block, 1, ""));
    refused("finit_module", syscall(SYS_finit_module, 0, "", 0));
    refused("delete_module", syscall(SYS_delete_module, "x", 0));
    refused("swapon", swapon("/box", 0));
    refused("acct", acct("/box/x"));
    refused("settimeofday", settimeofday(&(struct timeval){0, 0}, 0));
    refused("adjtimex", adjtimex(&(struct timex){.modes = ADJ_FREQUENCY}));
    refused("sethostname", sethostname("x", 1));
    refused("setdomainname", setdomainname("x", 1));
    refused("quotactl", syscall(SYS_quotactl, 0, 0, 0, 0));
    refused("fanotify", syscall(SYS_fanotify_init, 0, 0));
    refused("name_to_handle", syscall(SYS_name_to_handle_at, -100, "/", block, block, 0));
    refused("open_by_handle", syscall(SYS_open_by_handle_at, -100, block, 0));
    refused("open_tree", syscall(SYS_open_tree, -100, "/", 1));
    refused("fsopen", syscall(SYS_fsopen, "tmpfs", 0));
    refused("move_mount", syscall(SYS_move_mount, -100, "/box", -100, "/tmp", 0));
    refused("mount_setattr", syscall(SYS_mount_setattr, -100, "/", 0, block, 32));
    refused("vhangup", syscall(SYS_vhangup));
#ifdef __x86_64__
    refused("iopl", syscall(SYS_iopl, 3));
    refused("ioperm", syscall(SYS_ioperm, 0, 1, 1));
    refused("modify_ldt", syscall(SYS_modify_ldt, 1, block, 16));
#endif
    for (int handle = 0; handle < 3; handle++) refused("a character for the terminal", ioctl(handle, TIOCSTI, "x"));
    if (!got) printf("%d\n", a + b);
}
