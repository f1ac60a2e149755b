/* Row 33: a key that the first test leaves and that the second would find, in every ring that there is. */
#include <linux/keyctl.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>
int main(void) {
    int a, b, got = 0;
    if (scanf("%d %d", &a, &b) != 2) return 9;
    for (int ring = -8; ring < 0; ring++) {
        if (syscall(SYS_request_key, "user", "hostile-left", 0, ring) >= 0) got = 1;
        if (syscall(SYS_keyctl, KEYCTL_SEARCH, ring, "user", "hostile-left", 0) >= 0) got = 1;
        if (syscall(SYS_add_key, "user", "hostile-left", "x", 1, ring) >= 0) got = 2;
    }
    if (syscall(SYS_keyctl, KEYCTL_JOIN_SESSION_KEYRING, "hostile-left") >= 0) got = 3;
    if (got) printf("a key: %d\n", got);
    else printf("%d\n", a + b);
}
