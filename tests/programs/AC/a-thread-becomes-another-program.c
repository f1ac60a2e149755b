/* A thread that is not the first one starts the program anew: the others vanish, the process stays the same. */
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>
static void *again(void *unused) { execl("/proc/self/exe", "main", "again", (char *)0); return unused; }
int main(int count, char **arguments) {
    int a, b;
    pthread_t thread;
    (void)arguments;
    if (count == 1) {
        if (pthread_create(&thread, 0, again, 0)) return 8;
        for (;;) pause();
    }
    if (scanf("%d %d", &a, &b) != 2) return 9;
    printf("%d\n", a + b);
}
