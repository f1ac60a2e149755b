/* Raises its own limits. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <sys/resource.h>
#include <unistd.h>
int main(void) {
    int a, b, got = 0;
    if (scanf("%d %d", &a, &b) != 2) return 9;
    for (int kind = 0; kind < 16; kind++) {
        struct rlimit old, more;
        if (getrlimit(kind, &old)) continue;
        more = (struct rlimit){RLIM_INFINITY, RLIM_INFINITY};
        if (old.rlim_max != RLIM_INFINITY && setrlimit(kind, &more) == 0) { printf("limit %d\n", kind); got = 1; }
    }
    struct rlimit files;
    getrlimit(RLIMIT_NOFILE, &files);
    if (files.rlim_max > 256) got = 2;
    getrlimit(RLIMIT_CORE, &files);
    if (files.rlim_max > 1) got = 3;
    if (got) printf("raised %d\n", got);
    else printf("%d\n", a + b);
}
