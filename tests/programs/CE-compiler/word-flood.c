/* Row 47: a flood of the compiler's words: they are cut. */
#define A(x) x x x x x x x x
#define B(x) A(A(A(A(x))))
int main(void) { B(undeclared_name_that_is_quite_long = no_such_thing;) return 0; }
