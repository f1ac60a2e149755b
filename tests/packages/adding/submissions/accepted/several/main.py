import other
