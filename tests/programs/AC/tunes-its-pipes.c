/* Turns every knob of the pipes that it was given. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <unistd.h>
int main(void) {
    int a, b;
    if (scanf("%d %d", &a, &b) != 2) return 9;
    signal(SIGIO, SIG_IGN);
    for (int handle = 0; handle < 3; handle++) {
        fcntl(handle, F_SETPIPE_SZ, 4096);
        fcntl(handle, F_SETOWN, 1);
        fcntl(handle, F_SETSIG, SIGKILL);
        fcntl(handle, F_SETLEASE, F_WRLCK);
        fcntl(handle, F_SETFL, O_NONBLOCK | O_DIRECT | O_APPEND | O_ASYNC);
        ioctl(handle, FIONBIO, &(int){1});
        ioctl(handle, FIOASYNC, &(int){1});
        lseek(handle, 0, SEEK_END);
    }
    printf("%d\n", a + b);
}
