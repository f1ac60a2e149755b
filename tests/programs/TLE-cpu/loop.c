/* Row 1: an endless loop. All CPU time up to the limit is counted.
   expect: cpu_ms >= 100 */
int main(void) { for (;;) __asm__ volatile(""); }
