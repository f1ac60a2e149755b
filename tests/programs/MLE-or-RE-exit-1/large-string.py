# One string of ten gigabytes. A machine that has as much lets it begin, and the limit ends it;
# another one refuses it at once, and a program that has used nothing has not used its memory up.
text = "x" * 10 ** 10
print(len(text))
