/* Row 41: restarts the machine, reads and fills its log. */
#include <stdio.h>
#include <sys/klog.h>
#include <sys/reboot.h>
#include <sys/syscall.h>
#include <syslog.h>
#include <unistd.h>
int main(void) {
    int a, b, got = 0;
    char text[64];
    if (scanf("%d %d", &a, &b) != 2) return 9;
    for (int how = 0; how < 4; how++)
        got += syscall(SYS_reboot, 0xfee1dead, 672274793, (int[]){0x01234567, 0x4321fedc, 0x28121969, 0}[how], "") >= 0;
    for (int kind = 0; kind < 11; kind++) got += klogctl(kind, text, sizeof text) >= 0;
    for (int i = 0; i < 1000; i++) syslog(LOG_EMERG, "hostile-left %d", i);
    if (got) printf("%d\n", got);
    else printf("%d\n", a + b);
}
