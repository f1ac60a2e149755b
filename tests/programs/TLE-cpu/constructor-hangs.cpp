// Never comes to main.
struct Hangs { Hangs() { for (;;) __asm__ volatile(""); } } hangs;
int main() { }
