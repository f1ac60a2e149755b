/* What the machine has one limit of, or charges to nobody: filters on sockets and of its own, contexts for
 * asynchronous input and output, reserved huge pages, and marks that keep others off a core. */
#define _GNU_SOURCE
#include <errno.h>
#include <linux/filter.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>
static int got;
static void refused(const char *what, long result) {
    if (result >= 0) { printf("%s was allowed\n", what); got = 1; }
}
static void unknown(const char *what, long result) {
    if (result >= 0 || errno != ENOSYS) { printf("%s: %ld %d\n", what, result, errno); got = 1; }
}
int main(void) {
    int a, b, on = 1;
    unsigned long context = 0;
    char block[256] = {0};
    if (scanf("%d %d", &a, &b) != 2) return 9;
    struct sock_filter code[] = {{BPF_RET | BPF_K, 0, 0, 1}};
    struct sock_fprog filter = {1, code};
    int kinds[] = {SOCK_STREAM, SOCK_DGRAM, SOCK_SEQPACKET};
    for (int i = 0; i < 3; i++) {
        int local = socket(AF_UNIX, kinds[i], 0);
        refused("a filter on a socket", setsockopt(local, SOL_SOCKET, 26, &filter, sizeof filter));
        /* The level and the option have 32 bits; what stands above them must not hide them. */
        refused("a filter with high bits", syscall(SYS_setsockopt, local, 0x100000000UL | SOL_SOCKET, 0x100000000UL | 26, &filter, sizeof filter));
        refused("a program on a socket", setsockopt(local, SOL_SOCKET, 50, &on, sizeof on));
        refused("a filter for a group", setsockopt(local, SOL_SOCKET, 51, &filter, sizeof filter));
        refused("a program for a group", setsockopt(local, SOL_SOCKET, 52, &on, sizeof on));
        refused("a locked filter", setsockopt(local, SOL_SOCKET, 44, &on, sizeof on));
        refused("no filter", setsockopt(local, SOL_SOCKET, 27, &on, sizeof on));
        if (setsockopt(local, SOL_SOCKET, SO_SNDBUF, &(int){65536}, sizeof(int))) { puts("no other option is allowed"); got = 1; }
    }
    refused("a filter of its own", prctl(PR_SET_SECCOMP, 2 /* SECCOMP_MODE_FILTER */, &filter));
    unknown("seccomp", syscall(SYS_seccomp, 1 /* SECCOMP_SET_MODE_FILTER */, 0, &filter));
    unknown("io_setup", syscall(SYS_io_setup, 1024, &context));
    unknown("memfd_secret", syscall(447, 0));
    unknown("memfd_create of huge pages", syscall(SYS_memfd_create, "x", 4 /* MFD_HUGETLB */));
    refused("huge pages", (long)mmap(0, 2 << 20, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_HUGETLB, -1, 0) == -1 ? -1 : 0);
    refused("a core of its own", prctl(62 /* PR_SCHED_CORE */, 1 /* CREATE */, 0, 0 /* this thread */, 0));
    /* Calls that are newer than the list of the known. */
    unknown("471", syscall(471, block, block, block, 0, 0, 0));
    unknown("500", syscall(500, block, block, block, 0, 0, 0));
    unknown("1000000", syscall(1000000, block, block, block, 0, 0, 0));
    if (!got) printf("%d\n", a + b);
}
