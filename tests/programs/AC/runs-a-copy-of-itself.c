/* Row 38: writes itself into its working folder and starts that: it may, and what it starts is behind the same walls. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
int main(int count, char **arguments) {
    int a, b;
    (void)arguments;
    if (count == 1) {
        int from = open("/proc/self/exe", O_RDONLY), to = open("/box/copy", O_CREAT | O_WRONLY, 0700);
        if (from < 0 || to < 0) return 7;
        while (sendfile(to, from, 0, 1 << 20) > 0);
        close(from), close(to);
        chmod("/box/copy", 06755);
        execl("/box/copy", "copy", "again", (char *)0);
        return 8;
    }
    if (scanf("%d %d", &a, &b) != 2) return 9;
    if (geteuid() == 0 || socket(AF_INET, SOCK_STREAM, 0) >= 0 || unshare(CLONE_NEWUSER) >= 0 || setuid(0) >= 0) puts("the copy is free");
    else printf("%d\n", a + b);
}
