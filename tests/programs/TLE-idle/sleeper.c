/* Row 2: sleeps. The clock ends it, it computed nothing.
   expect: wall_ms >= 2200
   expect: cpu_ms <= 40 */
#include <unistd.h>
int main(void) { for (;;) sleep(100); }
