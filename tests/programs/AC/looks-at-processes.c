/* Row 28: other processes' memory, environment and files; tracing; its own memory is its own. */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>
static int got;
static void refused(const char *what, long result) {
    if (result >= 0) { printf("%s was allowed\n", what); got = 1; }
}
static void closed(const char *path) { refused(path, open(path, O_RDONLY)); }
int main(void) {
    int a, b;
    char path[64], text[64];
    if (scanf("%d %d", &a, &b) != 2) return 9;
    struct iovec here = {text, sizeof text}, there = {text, sizeof text};
    for (int i = 0; i < 3; i++) {
        int pid = i == 0 ? 1 : i == 1 ? getppid() : 2;
        if (pid == 0 || pid == getpid()) continue;
        static const char *names[] = {"mem", "environ", "maps", "root/etc/shadow", "cwd", "exe", "fd/0", "auxv", "syscall", "stack"};
        for (int j = 0; j < 10; j++) { sprintf(path, "/proc/%d/%s", pid, names[j]); closed(path); }
        refused("attach", ptrace(PTRACE_ATTACH, pid, 0, 0));
        refused("seize", ptrace(PTRACE_SEIZE, pid, 0, 0));
        refused("read memory", process_vm_readv(pid, &here, 1, &there, 1, 0));
        refused("write memory", process_vm_writev(pid, &here, 1, &there, 1, 0));
        int handle = (int)syscall(SYS_pidfd_open, pid, 0);
        if (handle >= 0) refused("take a descriptor", syscall(SYS_pidfd_getfd, handle, 0, 0));
        refused("compare", syscall(SYS_kcmp, pid, getpid(), 0, 0, 0));
    }
    refused("trace me", ptrace(PTRACE_TRACEME, 0, 0, 0));
    /* Nobody but itself is seen. */
    DIR *all = opendir("/proc");
    for (struct dirent *entry; all && (entry = readdir(all));)
        if (atoi(entry->d_name) > 1 && atoi(entry->d_name) != getpid()) { printf("process %s is seen\n", entry->d_name); got = 1; }
    if (!got) printf("%d\n", a + b);
}
