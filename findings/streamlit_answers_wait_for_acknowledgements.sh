#!/bin/sh
# Found: on Linux each further answer on a kept connection to Streamlit takes about 40 ms longer than
# the first. The server binds its socket with protocol number 0, and asyncio sets TCP_NODELAY only on
# sockets whose number is that of TCP; head and body of an answer are two writes, and the second waits
# for a delayed acknowledgement. A page that loads fifty pictures over six connections waits 0.3 s.
# TCP_NODELAY on the listening socket, which connections inherit, takes it away.
# Version: streamlit 1.67.0 with uvicorn 0.54.0 (2026-11-28). Fails if the wait is gone.
set -eu
folder=$(mktemp -d)
trap 'kill "$server" 2>/dev/null || true; rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q streamlit==1.67.0 uvicorn==0.54.0
echo 'import streamlit as st; st.write("hello")' > "$folder/app.py"
cat > "$folder/ask.py" <<'PY'
import http.client
import statistics
import sys
import time

for _ in range(100):
    try:
        connection = http.client.HTTPConnection("127.0.0.1", int(sys.argv[1]))
        connection.request("GET", "/_stcore/health")
        connection.getresponse().read()
        break
    except OSError:
        time.sleep(0.2)
times = []
for _ in range(20):
    start = time.perf_counter()
    connection.request("GET", "/_stcore/health")
    connection.getresponse().read()
    times.append(1000 * (time.perf_counter() - start))
print(f"median of 20 answers on one connection: {statistics.median(times):.1f} ms")
assert statistics.median(times) > 25
PY
port=$(python3 -c 'import socket; s = socket.create_server(("127.0.0.1", 0)); print(s.getsockname()[1])')
"$folder/venv/bin/streamlit" run "$folder/app.py" --server.headless true --server.port "$port" \
    --server.address 127.0.0.1 > "$folder/log" 2>&1 &
server=$!
"$folder/venv/bin/python" "$folder/ask.py" "$port"
echo "as found"
