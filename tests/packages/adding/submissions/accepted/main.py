total = sum(map(int, input().split()))
print(total, "SMALL" if total < 1000 else "LARGE")
