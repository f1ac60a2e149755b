/* Ways to leave a few bits for another student's program, which is run later: pages of the system's files that are or
 * are not in memory, numbers that count up for the whole machine, and marks on files that others read too.
 * None of them may be open. What a clock tells nobody can refuse; see SECURITY.md. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>
static int got;
static void refused(const char *what, long result) {
    if (result >= 0) { printf("%s was allowed\n", what); got = 1; }
}
int main(void) {
    int a, b, policy;
    char byte, block[256] = {0};
    uint64_t cookie, range[2] = {0, 4096};
    socklen_t length = sizeof cookie;
    if (scanf("%d %d", &a, &b) != 2) return 9;
    /* A shared file, and a test's input. */
    int files[] = {open("/usr/bin/env", O_RDONLY), 0};
    struct iovec one = {&byte, 1};
    for (int i = 0; i < 2; i++) {
        int file = files[i];
        refused("preadv2 of what is in memory", syscall(SYS_preadv2, file, &one, 1, 0L, 0L, 8 /* RWF_NOWAIT */));
        if (syscall(SYS_preadv2, file, &one, 1, 0L, 0L, 0) != 1) { puts("preadv2 without flags does not work"); got = 1; }
        refused("cachestat", syscall(451, file, range, block, 0));
        char *page = mmap(0, 4096, PROT_READ, MAP_SHARED, file, 0);
        if (page != MAP_FAILED) {
            refused("mincore", mincore(page, 4096, (void *)block));
            refused("a page sent out", madvise(page, 4096, 21 /* MADV_PAGEOUT */));
            refused("a page made cold", madvise(page, 4096, 20 /* MADV_COLD */));
            unsigned long nodes = 1;
            refused("a memory policy of a file", syscall(SYS_mbind, page, 4096L, 2 /* MPOL_BIND */, &nodes, 64L, 0));
            refused("where a page lies", syscall(SYS_move_pages, 0, 1L, &page, 0L, &policy, 0));
        }
        refused("extents in memory", ioctl(file, 0xc020662a /* EXT4_IOC_GET_ES_CACHE */, block));
        uint64_t hint = 2;
        refused("a hint that stays with a file", fcntl(file, 1036 /* F_SET_RW_HINT */, &hint));
        refused("a delegation", fcntl(file, 1040 /* F_SETDELEG */, block));
        refused("an attribute", syscall(463 /* setxattrat */, file, "", 0x1000, "user.mark", block, 16));
        refused("flags of a file", syscall(469 /* file_setattr */, file, "", block, 24, 0x1000));
        /* Advice is taken, since libraries give it, and not followed. */
        if (posix_fadvise(file, 0, 0, POSIX_FADV_DONTNEED) || posix_fadvise(file, 0, 0, POSIX_FADV_SEQUENTIAL)) { puts("advice is refused"); got = 1; }
        if (readahead(file, 0, 4096)) { puts("readahead is refused"); got = 1; }
    }
    if (posix_fadvise(-1, 0, 0, POSIX_FADV_DONTNEED)) { puts("advice is looked at"); got = 1; }
    uint64_t how[3] = {O_RDONLY, 0, 0x20 /* RESOLVE_CACHED */};
    refused("a name that somebody looked for", syscall(437 /* openat2 */, AT_FDCWD, "/usr/bin/env", how, sizeof how));
    int local = socket(AF_UNIX, SOCK_STREAM, 0);
    refused("the number of a socket", getsockopt(local, SOL_SOCKET, 57 /* SO_COOKIE */, &cookie, &length));
    refused("the number of a network", getsockopt(local, SOL_SOCKET, 71 /* SO_NETNS_COOKIE */, &cookie, &length));
    refused("statmount", syscall(457, block, block, sizeof block, 0));
    refused("listmount", syscall(458, block, block, 8, 0));
    refused("listns", syscall(470, block, block, 8, 0));
    refused("pages shared with whoever has the same", madvise(sbrk(0) - 4096, 0, MADV_MERGEABLE));
    if (!got) printf("%d\n", a + b);
}
