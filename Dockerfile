# Penstock over HTTP: `penstock serve` in a small image, as a user without rights.
#
#   docker build -t penstock .
#   openssl rand -hex 32 > token && chmod 644 token    # clients have to show it: the container can be reached from outside
#   docker run --rm -p 127.0.0.1:8808:8808 -v "$PWD/token:/run/secrets/token:ro" penstock \
#     --token-file /run/secrets/token --url http://your-server:9000/mcp
#
# Everything after the image's name goes to `penstock serve`. Servers that are commands (npx, uvx) need an image of their
# own that starts FROM this one and adds them.
FROM python:3.13-slim AS build
WORKDIR /src
COPY pyproject.toml README.md LICENSE constraints.txt ./
COPY docs/man docs/man
COPY src src
RUN python -m venv /opt/penstock \
 && /opt/penstock/bin/pip install --no-cache-dir --disable-pip-version-check --constraint constraints.txt '.[http,redis]'

FROM python:3.13-slim
COPY --from=build /opt/penstock /opt/penstock
RUN useradd --system --uid 10001 --create-home penstock
USER 10001
ENV PATH=/opt/penstock/bin:$PATH \
    PYTHONUNBUFFERED=1 \
    PENSTOCK_STORE=memory:
EXPOSE 8808
# /healthz says that the gateway itself works; /readyz would ask the server behind it too.
HEALTHCHECK --interval=30s --timeout=3s --start-period=5s CMD \
  ["python", "-c", "import urllib.request; urllib.request.urlopen('http://127.0.0.1:8808/healthz', timeout=2)"]
ENTRYPOINT ["penstock", "serve", "--host", "0.0.0.0", "--port", "8808"]
CMD ["--help"]
