#include "check.h"

int main(int argc, char **argv) {
    long whole, one, other;
    std::ifstream(argv[1]) >> whole;
    long least = argc == 6 && std::string(argv[4]) == "least" ? std::atol(argv[5]) : 1;
    std::string rest;
    if (!(std::cin >> one >> other) || std::cin >> rest) refuse(argv[3], "these are not two numbers");
    if (one < least || other < least) refuse(argv[3], "a part is too small");
    if (one + other != whole) refuse(argv[3], "the sum is another one");
    return 42;
}
