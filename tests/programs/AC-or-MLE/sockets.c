/* Fills local sockets, and sends them through each other. The kernel's own bounds may end before the memory limit. */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
int main(void) {
    static char block[1 << 16];
    int a, b, ends[2];
    if (scanf("%d %d", &a, &b) != 2) return 9;
    for (int i = 0; i < 500 && socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, ends) == 0; i++) {
        char space[CMSG_SPACE(2 * sizeof(int))] = {0};
        struct iovec one = {block, 1};
        struct msghdr message = {.msg_iov = &one, .msg_iovlen = 1, .msg_control = space, .msg_controllen = sizeof space};
        struct cmsghdr *head = CMSG_FIRSTHDR(&message);
        head->cmsg_level = SOL_SOCKET, head->cmsg_type = SCM_RIGHTS, head->cmsg_len = CMSG_LEN(2 * sizeof(int));
        memcpy(CMSG_DATA(head), ends, 2 * sizeof(int));
        sendmsg(ends[0], &message, 0);
        while (write(ends[0], block, sizeof block) > 0);
        close(ends[0]), close(ends[1]);
    }
    printf("%d\n", a + b);
}
