print("x")
while input().startswith("find"):
    while True:
        pass
