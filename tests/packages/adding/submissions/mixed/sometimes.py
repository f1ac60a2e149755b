# @EXPECTED_RESULTS@: RUN-ERROR, WRONG-ANSWER
a, b = map(int, input().split())
print(a + b, "small" if a < 400 else [][0])
