n = int(input())
print(n * (n + 1) // 2 if n < 10**6 else -1)
