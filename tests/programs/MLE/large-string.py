# One string of ten gigabytes.
text = "x" * 10 ** 10
print(len(text))
