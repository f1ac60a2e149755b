# Row 31: the same from Python, names too.
import socket, urllib.request
a, b = map(int, input().split()[:2])
got = []
for what in (
    lambda: socket.create_connection(("127.0.0.1", 22), 1),
    lambda: socket.create_connection(("1.1.1.1", 53), 1),
    lambda: socket.getaddrinfo("example.com", 80),
    lambda: socket.create_server(("", 8080)),
    lambda: urllib.request.urlopen("http://169.254.169.254/", timeout=1),
):
    try:
        what()
        got.append("a socket")
    except OSError:
        pass
print(got or a + b)
