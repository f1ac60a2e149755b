# One step of the interpreter that never ends: nobody gets a word in.
print(len(str(7 ** (10 ** 8))))
