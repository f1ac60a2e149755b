/* The first thread ends, another one goes on and prints: the program ends when all have. */
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>
static void *print(void *unused) {
    int a, b;
    usleep(50000);
    if (scanf("%d %d", &a, &b) == 2) printf("%d\n", a + b);
    return unused;
}
int main(void) {
    pthread_t thread;
    if (pthread_create(&thread, 0, print, 0)) return 8;
    pthread_exit(0);
}
