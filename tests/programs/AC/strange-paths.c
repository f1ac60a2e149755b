/* Row 40: null, endless, broken and empty paths and pointers in calls. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>
int main(void) {
    static char endless[1 << 16];
    int a, b, got = 0;
    if (scanf("%d %d", &a, &b) != 2) return 9;
    memset(endless, 'x', sizeof endless - 1);
    got += syscall(SYS_openat, -100, 0, 0, 0) >= 0 || errno != EFAULT;
    got += syscall(SYS_openat, -100, 1, 0, 0) >= 0 || errno != EFAULT;
    got += syscall(SYS_execve, 0, 0, 0) >= 0;
    got += syscall(SYS_execve, "/app/main", 1, 1) >= 0;
    got += open(endless, O_RDONLY) >= 0 || errno != ENAMETOOLONG;
    got += open("", O_RDONLY) >= 0 || errno != ENOENT;
    got += syscall(SYS_write, 1, (void *)8, 100) >= 0;
    got += syscall(SYS_read, 0, (void *)8, 100) > 0;
    int file = open("hostile-left \x1b[31m\xff\xfe\n\r\t\"'$(reboot)`reboot`;", O_CREAT | O_WRONLY, 0644);
    if (file < 0) got = 50;
    static char deep[256];
    memset(deep, 'd', 255);
    for (int i = 0; i < 100; i++) if (mkdir(deep, 0700) || chdir(deep)) got = 60;
    if (got) printf("%d\n", got);
    else printf("%d\n", a + b);
}
