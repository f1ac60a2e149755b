/* Row 6: two threads, each below the limit, both together above it.
   expect: cpu_ms >= 100 */
#include <pthread.h>
#include <time.h>
static void *burn(void *unused) {
    struct timespec now;
    do clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    while (now.tv_sec == 0 && now.tv_nsec < 360000000);
    return unused;
}
int main(void) {
    pthread_t one, two;
    if (pthread_create(&one, 0, burn, 0) || pthread_create(&two, 0, burn, 0)) return 9;
    pthread_join(one, 0);
    pthread_join(two, 0);
}
