/* Row 16: the stack of a thread is as large as the program made it, and beyond it is nothing. */
#include <pthread.h>
static int down(int depth) {
    volatile char frame[512];
    frame[0] = (char)depth;
    return down(depth + 1) + frame[0];
}
static void *start(void *unused) { return down(1) ? unused : 0; }
int main(void) {
    pthread_attr_t attributes;
    pthread_t thread;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, 1 << 17);
    if (pthread_create(&thread, &attributes, start, 0)) return 9;
    pthread_join(thread, 0);
}
