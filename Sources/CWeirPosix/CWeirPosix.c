#ifdef __linux__
#define _GNU_SOURCE
#endif

#include "CWeirPosix.h"

#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <sys/socket.h>

ssize_t weir_send(int socket, const struct iovec *vectors, int count) {
    struct msghdr message;
    memset(&message, 0, sizeof message);
    message.msg_iov = (struct iovec *)vectors;
    message.msg_iovlen = count;
#ifdef MSG_NOSIGNAL
    return sendmsg(socket, &message, MSG_NOSIGNAL);
#else
    return sendmsg(socket, &message, 0);
#endif
}

void weir_name_thread(const char *name) {
    char text[16];
    strncpy(text, name, sizeof text - 1);
    text[sizeof text - 1] = 0;
#ifdef __linux__
    pthread_setname_np(pthread_self(), text);
#elif defined(__APPLE__)
    pthread_setname_np(text);
#endif
}

#ifdef __linux__

#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

int weir_epoll_create(void) { return epoll_create1(EPOLL_CLOEXEC); }

int weir_epoll_add(int epoll, int descriptor, uint64_t token, int writing) {
    struct epoll_event event;
    memset(&event, 0, sizeof event);
    event.events = EPOLLIN | EPOLLRDHUP | EPOLLET | (writing ? EPOLLOUT : 0);
    event.data.u64 = token;
    return epoll_ctl(epoll, EPOLL_CTL_ADD, descriptor, &event);
}

static int wait_for(int epoll, struct epoll_event *events, int capacity, int64_t timeout) {
    if (timeout <= 0) return epoll_wait(epoll, events, capacity, timeout < 0 ? -1 : 0);
#ifdef SYS_epoll_pwait2
    // struct __kernel_timespec: 64 bit on every architecture.
    struct { int64_t seconds, nanoseconds; } limit = {timeout / 1000000000, timeout % 1000000000};
    int count = (int)syscall(SYS_epoll_pwait2, epoll, events, capacity, &limit, NULL, 0);
    // Old kernels do not have the call, and sandboxes refuse what they do not know.
    if (count >= 0 || (errno != ENOSYS && errno != EPERM)) return count;
#endif
    int64_t milliseconds = (timeout - 1) / 1000000 + 1;
    return epoll_wait(epoll, events, capacity, milliseconds > 86400000 ? 86400000 : (int)milliseconds);
}

int weir_epoll_wait(int epoll, struct weir_event *events, int capacity, int64_t timeout) {
    struct epoll_event raw[256];
    int count = wait_for(epoll, raw, capacity < 256 ? capacity : 256, timeout);
    for (int i = 0; i < count; i++) {
        uint32_t bits = raw[i].events;
        events[i].token = raw[i].data.u64;
        events[i].flags = (bits & EPOLLIN ? WEIR_READABLE : 0) | (bits & EPOLLOUT ? WEIR_WRITABLE : 0) |
                          (bits & EPOLLRDHUP ? WEIR_PEER_CLOSED : 0) |
                          (bits & (EPOLLHUP | EPOLLERR) ? WEIR_HANG_UP : 0);
    }
    return count;
}

int weir_eventfd(void) { return eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK); }

int weir_accept(int listener) { return accept4(listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK); }

void weir_tighten_timers(void) { prctl(PR_SET_TIMERSLACK, 1UL); }

#endif
