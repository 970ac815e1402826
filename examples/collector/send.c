/* Sends a desync report to a collector, over plain sockets:

       cc -O2 examples/collector/send.c -o send
       ./send 127.0.0.1 8484 "$(cat send.key)" m-17 here.desync

   It is the request that docs/guides/collector.md describes, with its answers: again where the
   collector does not take the report for now, never where it will not. There is no TLS here: send
   to a proxy of your own machine or network, or give the same request to libcurl. */

#define _POSIX_C_SOURCE 200809L

#include <errno.h>
#include <netdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

enum { TRIES = 4, SECONDS = 30, MOST = 16 * 1024 * 1024, LONGEST_WAIT = 60 };
enum { SENT = 0, REFUSED = 1, LATER = 2 };

static int send_all(int s, const void *data, size_t size)
{
    for (const char *at = data; size;) {
        ssize_t sent = send(s, at, size, MSG_NOSIGNAL);
        if (sent < 0 && errno == EINTR) continue;
        if (sent <= 0) return 0;
        at += sent;
        size -= (size_t)sent;
    }
    return 1;
}

static int connected(const char *host, const char *port)
{
    const struct addrinfo wanted = {.ai_socktype = SOCK_STREAM};
    const struct timeval limit = {.tv_sec = SECONDS};
    struct addrinfo *found, *each;
    int s = -1;
    if (getaddrinfo(host, port, &wanted, &found)) return -1;
    for (each = found; each && s < 0; each = each->ai_next) {
        s = socket(each->ai_family, each->ai_socktype, each->ai_protocol);
        if (s < 0) continue;
        setsockopt(s, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
        setsockopt(s, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
        if (connect(s, each->ai_addr, each->ai_addrlen)) close(s), s = -1;
    }
    freeaddrinfo(found);
    return s;
}

/* Names go into the request as they are: they have no character that ends a line or a word. */
static int is_plain(const char *text)
{
    for (; *text; text++)
        if (*text <= ' ' || *text > '~' || strchr("/?#&%\"\\", *text)) return 0;
    return 1;
}

/* One try. `wait` becomes the seconds that the collector asks for, or stays as it is. */
static int send_once(char *const to[4], const void *report, size_t size, int *wait)
{
    char text[2048];
    int s = connected(to[0], to[1]), status = 0;
    if (s < 0) return LATER;
    const int head = snprintf(text, sizeof text,
        "POST /reports?match=%s HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer %s\r\n"
        "Content-Length: %zu\r\nConnection: close\r\n\r\n", to[3], to[0], to[2], size);
    if (head < 0 || (size_t)head >= sizeof text) return close(s), REFUSED;
    /* A collector that refuses may answer before it has all of it: the answer is read in any case. */
    if (send_all(s, text, (size_t)head)) send_all(s, report, size);
    size_t held = 0;
    for (ssize_t got; held < sizeof text - 1; held += (size_t)got)
        if ((got = recv(s, text + held, sizeof text - 1 - held, 0)) <= 0) break;
    close(s);
    text[held] = 0;
    if (sscanf(text, "HTTP/1.%*1d %3d", &status) != 1) return LATER;
    for (char *line = text; (line = strstr(line, "\r\n")) && strncmp(line, "\r\n\r\n", 4); line += 2) {
        int asked;
        if (sscanf(line, "\r\n%*1[Rr]etry-%*1[Aa]fter: %d", &asked) == 1 && asked >= 0)
            *wait = asked < LONGEST_WAIT ? asked : LONGEST_WAIT;
    }
    if (status == 202 || status == 410) return SENT; /* 410: it was deleted on request, for good */
    if (status == 408 || status == 429 || status == 503 || status == 507) return LATER;
    const char *body = strstr(text, "\r\n\r\n");
    fprintf(stderr, "%d: %s\n", status, body ? body + 4 : "");
    return REFUSED;
}

int main(int argc, char **argv)
{
    if (argc != 6 || !is_plain(argv[1]) || !is_plain(argv[3]) || !is_plain(argv[4])) {
        fprintf(stderr, "usage: send HOST PORT KEY MATCH REPORT\n");
        return 2;
    }
    FILE *file = fopen(argv[5], "rb");
    char *report = malloc(MOST + 1);
    if (!file || !report) return perror(argv[5]), 2;
    const size_t size = fread(report, 1, MOST + 1, file);
    if (ferror(file) || size > MOST) {
        fprintf(stderr, "%s cannot be read, or has more than 16 MiB\n", argv[5]);
        return 2;
    }
    fclose(file);
    for (int try = 0, pause = 1; try < TRIES; try++, pause *= 2) {
        int wait = pause;
        const int answer = send_once(argv + 1, report, size, &wait);
        if (answer != LATER) return free(report), answer;
        if (try + 1 < TRIES) nanosleep(&(struct timespec){.tv_sec = wait}, NULL);
    }
    free(report);
    fprintf(stderr, "the collector does not take it for now\n");
    return LATER;
}
