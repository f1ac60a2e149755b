/* Tries to install a filter of its own that refuses almost everything, the end included; it is not installed. Prints before. */
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>
int main(void) {
    int a, b;
    if (scanf("%d %d", &a, &b) != 2) return 9;
    printf("%d\n", a + b);
    fflush(stdout);
    struct sock_filter code[] = {
        {0x20, 0, 0, 0},
        {0x15, 0, 1, SYS_exit_group},
        {0x06, 0, 0, SECCOMP_RET_ALLOW},
        {0x06, 0, 0, SECCOMP_RET_ERRNO | 1},
    };
    struct sock_fprog filter = {4, code};
    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter);
    _exit(0);
}
