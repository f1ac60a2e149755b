/* Row 32: every family of sockets but the local one is refused, AF_VSOCK, AF_NETLINK, AF_ALG and AF_PACKET among them. */
#include <stdio.h>
#include <sys/socket.h>
int main(void) {
    int a, b, got = 0;
    if (scanf("%d %d", &a, &b) != 2) return 9;
    for (int family = 0; family < 64; family++)
        for (int kind = 1; kind < 6; kind++)
            if (family != AF_UNIX && (socket(family, kind, 0) >= 0 || socket(family, kind | SOCK_CLOEXEC, 1) >= 0)) { printf("family %d, kind %d\n", family, kind); got = 1; }
    if (!got) printf("%d\n", a + b);
}
