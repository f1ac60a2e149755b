/* Row 34: System V memory, semaphores and queues, POSIX queues: what one test leaves the next must not find. */
#include <fcntl.h>
#include <mqueue.h>
#include <stdio.h>
#include <sys/ipc.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include <sys/shm.h>
int main(void) {
    int a, b, got = 0;
    if (scanf("%d %d", &a, &b) != 2) return 9;
    if (shmget(4711, 4096, 0600) >= 0) got |= 1;
    if (semget(4711, 1, 0600) >= 0) got |= 2;
    if (msgget(4711, 0600) >= 0) got |= 4;
    if (mq_open("/hostile-left", O_RDWR) >= 0) got |= 8;
    int shared = shmget(4711, 4096, IPC_CREAT | 0600);
    if (shared >= 0) shmat(shared, 0, 0);
    semget(4711, 1, IPC_CREAT | 0600);
    int queue = msgget(4711, IPC_CREAT | 0600);
    struct { long kind; char text[8]; } word = {1, "left"};
    if (queue >= 0) msgsnd(queue, &word, 8, IPC_NOWAIT);
    mq_open("/hostile-left", O_RDWR | O_CREAT, 0600, 0);
    if (got) printf("left: %d\n", got);
    else printf("%d\n", a + b);
}
