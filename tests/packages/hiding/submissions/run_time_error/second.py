print("x" if input().startswith("hide") else 1 // 0)
