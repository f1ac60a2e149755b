/* Takes some inotify instances, which the kernel takes long to close, and every epoll, eventfd and timerfd that it gets. */
#include <stdio.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <sys/timerfd.h>
int main(void) {
    int a, b, made = 0;
    if (scanf("%d %d", &a, &b) != 2) return 9;
    for (int i = 0; i < 8; i++) { int watch = inotify_init(); if (watch >= 0) made += inotify_add_watch(watch, "/usr", IN_ALL_EVENTS) >= 0; }
    while (epoll_create1(0) >= 0 && eventfd(0, 0) >= 0 && timerfd_create(0, 0) >= 0) made++;
    if (made > 1000) puts("too many");
    else printf("%d\n", a + b);
}
