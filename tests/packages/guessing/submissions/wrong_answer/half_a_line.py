print(input(), end="", flush=True)
