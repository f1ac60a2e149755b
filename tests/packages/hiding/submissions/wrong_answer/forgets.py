print("x" if input().startswith("hide") else 5)
