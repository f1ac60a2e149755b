/* Children that are siblings, that share everything, that end without a signal or with another one: the verdict is that of the first process. */
#define _GNU_SOURCE
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>
int main(void) {
    int a, b;
    if (scanf("%d %d", &a, &b) != 2) return 9;
    unsigned long flags[] = {CLONE_PARENT | SIGCHLD, SIGUSR1, 0, SIGKILL, CLONE_FILES | SIGCHLD, CLONE_FS | 0, CLONE_PARENT, CLONE_UNTRACED | SIGCHLD, CLONE_PTRACE | SIGCHLD, CLONE_IO | SIGSTOP};
    signal(SIGUSR1, SIG_IGN);
    for (int i = 0; i < 10; i++) {
        if (flags[i] == SIGKILL || flags[i] == (CLONE_IO | SIGSTOP)) continue;
        if (syscall(SYS_clone, flags[i], 0, 0, 0, 0) == 0) { if (i % 2) for (;;) pause(); _exit(7); }
    }
    if (fork() == 0) {
        /* Lost ones that end by a signal of their own. */
        for (int i = 0; i < 5; i++) if (syscall(SYS_clone, SIGUSR1, 0, 0, 0, 0) == 0) { setsid(); for (;;) pause(); }
        _exit(0);
    }
    usleep(20000);
    printf("%d\n", a + b);
}
