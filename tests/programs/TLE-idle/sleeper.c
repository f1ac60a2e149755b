/* Row 2: sleeps. Wall-clock time ends it; it computed nothing, its start apart.
   expect: wall_ms >= 2200
   expect: cpu_ms <= 200 */
#include <unistd.h>
int main(void) { for (;;) sleep(100); }
