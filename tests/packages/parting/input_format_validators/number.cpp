#include <cstdio>

int main() {
    int number;
    char rest[2];
    return std::scanf("%d%1[\n]", &number, rest) == 2 && number >= 4 && std::getchar() == EOF ? 42 : 1;
}
