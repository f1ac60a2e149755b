/* Row 47: a line that doubles thirty times. */
#define A(x) x x
#define B(x) A(A(A(A(x))))
#define C(x) B(B(x))
int main(void) { C(C(C(C(;)))) return 0; }
