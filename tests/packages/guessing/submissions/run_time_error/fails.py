input()
print(2, flush=True)
raise SystemExit(7)
