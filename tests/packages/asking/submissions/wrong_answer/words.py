input()
print("three", flush=True)
