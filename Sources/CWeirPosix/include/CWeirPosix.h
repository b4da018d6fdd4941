// System calls that the Glibc module does not have. On Apple platforms only the portable part is there.
#ifndef CWEIR_POSIX_H
#define CWEIR_POSIX_H

#include <stdint.h>
#include <sys/types.h>
#include <sys/uio.h>

/// Sends what fits of the vectors without ever raising SIGPIPE: the number of bytes, or -1 with errno set.
///
/// Where MSG_NOSIGNAL is missing the socket must have SO_NOSIGPIPE set.
ssize_t weir_send(int socket, const struct iovec *vectors, int count);

/// Names the calling thread, for debuggers and `top`; at most 15 bytes are kept.
void weir_name_thread(const char *name);

#ifdef __linux__

/// What epoll reported: the token given at registration, and EPOLL* bits as WEIR_* below.
struct weir_event {
    uint64_t token;
    uint32_t flags;
};

enum {
    WEIR_READABLE = 1,
    WEIR_WRITABLE = 2,
    WEIR_PEER_CLOSED = 4,
    WEIR_HANG_UP = 8,
};

/// A new epoll descriptor, closed on exec; the caller owns it.
int weir_epoll_create(void);

/// Registers a descriptor edge-triggered, for reading and, if asked, for writing.
int weir_epoll_add(int epoll, int descriptor, uint64_t token, int writing);

/// Waits for events, at most `timeout` nanoseconds (negative: for ever), with nanosecond resolution where the
/// kernel has epoll_pwait2 and milliseconds, rounded up, elsewhere. The number of events, or -1 with errno set.
int weir_epoll_wait(int epoll, struct weir_event *events, int capacity, int64_t timeout);

/// A new non-blocking eventfd, closed on exec; the caller owns it.
int weir_eventfd(void);

/// Accepts one connection as a non-blocking descriptor, closed on exec; the caller owns it.
int weir_accept(int listener);

/// Lets the kernel wake the calling thread as close to its timeouts as it can.
void weir_tighten_timers(void);

#endif
#endif
