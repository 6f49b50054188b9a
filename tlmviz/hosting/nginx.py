"""nginx before several app processes: every visitor stays with one of them, and scripts and fonts are kept by nginx."""

from __future__ import annotations

import resource
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

from tlmviz.errors import Error
from tlmviz.parent import end_with_parent

from .addresses import LOOPBACK
from .limits import CONNECTIONS, LINK, PATIENCE

CONFIG_FILE = "nginx.conf"
COOKIE = "tlmviz"  # which process
# Visitors without the cookie are given one; its hash chooses the process. Where that does not answer, the next one is
# asked, request by request, and its visitors go on there, from their links. None is ever left out for a while
# (max_fails): one answer that nginx cannot read would close it to everybody, and a websocket, which ends late, would be
# the only one let in to try.
PART = 16_384  # bytes of a buffer; an answer's head holds a link and less than that
CONFIG = """daemon off;
worker_processes 1;
pid {folder}/nginx.pid;
error_log {folder}/nginx.log warn;
worker_rlimit_nofile {files};
events {{ worker_connections {connections}; }}
http {{
  include {mime};
  access_log off;
  server_tokens off;
  client_max_body_size 2m;
  large_client_header_buffers 4 {link};
  proxy_buffer_size {answer};
  proxy_buffers 16 {part};
  proxy_busy_buffers_size {answer};
  proxy_connect_timeout 2s;
  client_header_timeout {patience}s;
  client_body_timeout {patience}s;
  send_timeout {patience}s;
  reset_timedout_connection on;
{proxies}
  real_ip_header X-Forwarded-For;
  real_ip_recursive on;
  limit_conn_zone $counted zone=address:10m;
  limit_conn_status 429;
  client_body_temp_path {folder}/body;
  proxy_temp_path {folder}/proxy;
  fastcgi_temp_path {folder}/fastcgi;
  uwsgi_temp_path {folder}/uwsgi;
  scgi_temp_path {folder}/scgi;
  proxy_cache_path {folder}/kept levels=1:2 keys_zone=kept:4m max_size=200m;
  map $remote_addr $counted {{
    ~^::ffff: $remote_addr;
    "~^(?<network>(?:[0-9a-f]+:){{4}}|[0-9a-f:]*::)" $network;
    default $remote_addr;
  }}
  map $http_upgrade $connection_upgrade {{ default upgrade; "" ""; }}
  map $cookie_{cookie} $visitor {{ "" $request_id; default $cookie_{cookie}; }}
  map $http_x_forwarded_proto $scheme_before {{ https https; default $scheme; }}
  map $scheme_before $secure {{ https "; Secure"; default ""; }}
  map $cookie_{cookie} $welcome {{ "" "{cookie}=$request_id; Path=/; HttpOnly; SameSite=Lax$secure"; default ""; }}
  upstream app {{
    hash $visitor consistent;
{servers}
    keepalive 64;
  }}
  server {{
    listen {listen};
    proxy_http_version 1.1;
    proxy_set_header Host $http_host;
    proxy_set_header X-Forwarded-For $remote_addr;
    proxy_set_header X-Forwarded-Proto $scheme_before;
    proxy_set_header Upgrade $http_upgrade;
    proxy_set_header Connection $connection_upgrade;
    proxy_next_upstream error timeout http_502;
{limit}
    error_page 414 /too-long;
    location = /too-long {{
      internal;
      default_type text/plain;
      return 414 "This link is longer than {link} bytes, the most that is taken; shorten the text in it.";
    }}
    location / {{
      add_header Set-Cookie $welcome;
      proxy_read_timeout 1h;
      proxy_pass http://app;
    }}
    location ~ ^/(static|vendored|gallery)/ {{
      proxy_cache kept;
      proxy_cache_key $uri;
      proxy_cache_lock on;
      proxy_cache_valid 200 1d;
      proxy_pass http://app;
    }}
  }}
}}
"""
MIME = """types {
  text/html html; text/css css; application/javascript js mjs; application/json json map; image/svg+xml svg;
  image/png png; font/woff2 woff2; text/plain txt;
}
"""


def executable() -> str:
    """Where nginx is. Raises Error where it is not."""
    found = shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin:/usr/local/sbin")
    if not found:
        raise Error(
            "Several processes need nginx before them, which is not installed; get it from your package manager "
            "(apt-get install nginx-light), or serve with --processes 1."
        )
    return found


def write(
    folder: Path, port: int, addresses: Sequence[str], proxies: Sequence[str] = (), tabs: int = 0, bind: str = ""
) -> Path:
    """Write nginx's configuration for what serves the app at these addresses, HOST:PORT each, and return its path.

    Visitors stay with one of them by a cookie. What says who asks is believed of this machine and of `proxies`,
    addresses or networks. An address has as many connections as so many `tabs` need; 0 stands for no limit. It listens
    at the address `bind`, or at all of this machine's.
    """
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "mime.types").write_text(MIME)
    servers = "\n".join(f"    server {each} max_fails=0;" for each in addresses)
    config = folder / CONFIG_FILE
    files = min(32_768, resource.getrlimit(resource.RLIMIT_NOFILE)[1])
    believed = "\n".join(f"  set_real_ip_from {each};" for each in (*LOOPBACK, *proxies))
    listen = f"[{bind}]:{port}" if ":" in bind else f"{bind}:{port}" if bind else port
    limit = f"    limit_conn address {CONNECTIONS * tabs};" if tabs else ""
    config.write_text(
        CONFIG.format(
            folder=folder,
            mime=folder / "mime.types",
            cookie=COOKIE,
            servers=servers,
            listen=listen,
            files=files,
            connections=files // 2,
            patience=PATIENCE,
            proxies=believed,
            limit=limit,
            link=LINK,
            answer=LINK + PART,
            part=PART,
        )
    )
    return config


def start(binary: str, folder: Path) -> subprocess.Popen[bytes]:
    """nginx with the configuration that was written to a folder."""
    files = ["-c", str(folder / CONFIG_FILE), "-p", str(folder), "-e", str(folder / "nginx.log")]
    return subprocess.Popen([binary, *files], preexec_fn=end_with_parent)
