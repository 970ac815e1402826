"""Metrics in the text format of Prometheus: kept counts, and the answers that this process gave."""

from __future__ import annotations

import time

from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response

from samebits.collector.database.tables import STATES
from samebits.collector.web.access import holder_of, service_of
from samebits.collector.web.service import Service

TYPE = "text/plain; version=0.0.4"


def metrics(request: Request) -> Response:
    """`GET /metrics`, with a key that may read."""
    holder_of(request, "read")
    return PlainTextResponse(metrics_of(service_of(request)), media_type=TYPE)


def metrics_of(service: Service) -> str:
    """All metrics as text."""
    with service.database.reading() as connection:
        counts = service.database.counts(connection)
    lines = [
        "# TYPE samebits_collector_reports gauge",
        *(f'samebits_collector_reports{{state="{s}"}} {counts.get(s, 0)}' for s in STATES),
        "# TYPE samebits_collector_bytes gauge",
        f"samebits_collector_bytes {counts.get('bytes', 0)}",
        "# TYPE samebits_collector_groups gauge",
        f"samebits_collector_groups {counts.get('groups', 0)}",
        "# TYPE samebits_collector_uptime_seconds gauge",
        f"samebits_collector_uptime_seconds {time.time() - service.started:.0f}",
        "# TYPE samebits_collector_requests_total counter",
    ]
    for (method, route, status), count in sorted(service.answered.items()):
        labels = f'method="{method}",route="{route}",status="{status}"'
        lines.append(f"samebits_collector_requests_total{{{labels}}} {count}")
    return "\n".join(lines) + "\n"


def healthz(request: Request) -> Response:
    """`GET /healthz`: 200 where the database answers, for everybody."""
    service = service_of(request)
    with service.database.reading() as connection:
        service.database.counts(connection)
    return PlainTextResponse("ok\n")
