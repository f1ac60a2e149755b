# Python can fall too.
import ctypes
ctypes.string_at(0)
