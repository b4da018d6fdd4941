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

#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/sock_diag.h>
#include <netinet/in.h>
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

// The addresses of the peer's socket, as the kernel knows it: its source is our peer's name.
static int fill_names(int socket, struct inet_diag_req_v2 *request) {
    struct sockaddr_storage own, peer;
    socklen_t own_size = sizeof own, peer_size = sizeof peer;
    if (getsockname(socket, (struct sockaddr *)&own, &own_size) != 0) return -1;
    if (getpeername(socket, (struct sockaddr *)&peer, &peer_size) != 0) return -1;
    request->sdiag_family = own.ss_family;
    if (own.ss_family == AF_INET) {
        struct sockaddr_in *ours = (struct sockaddr_in *)&own, *theirs = (struct sockaddr_in *)&peer;
        request->id.idiag_sport = theirs->sin_port;
        request->id.idiag_dport = ours->sin_port;
        request->id.idiag_src[0] = theirs->sin_addr.s_addr;
        request->id.idiag_dst[0] = ours->sin_addr.s_addr;
    } else if (own.ss_family == AF_INET6) {
        struct sockaddr_in6 *ours = (struct sockaddr_in6 *)&own, *theirs = (struct sockaddr_in6 *)&peer;
        request->id.idiag_sport = theirs->sin6_port;
        request->id.idiag_dport = ours->sin6_port;
        memcpy(request->id.idiag_src, &theirs->sin6_addr, 16);
        memcpy(request->id.idiag_dst, &ours->sin6_addr, 16);
    } else {
        return -1;
    }
    return 0;
}

int weir_peer_is_orphan(int socket_descriptor) {
    struct {
        struct nlmsghdr header;
        struct inet_diag_req_v2 request;
    } message;
    memset(&message, 0, sizeof message);
    message.header.nlmsg_len = sizeof message;
    message.header.nlmsg_type = SOCK_DIAG_BY_FAMILY;
    message.header.nlmsg_flags = NLM_F_REQUEST;
    message.request.sdiag_protocol = IPPROTO_TCP;
    message.request.idiag_states = ~0U;
    message.request.id.idiag_cookie[0] = message.request.id.idiag_cookie[1] = INET_DIAG_NOCOOKIE;
    if (fill_names(socket_descriptor, &message.request) != 0) return -1;

    int netlink = socket(AF_NETLINK, SOCK_DGRAM | SOCK_CLOEXEC, NETLINK_SOCK_DIAG);
    if (netlink < 0) return -1;
    union {
        struct nlmsghdr header;
        char bytes[4096];
    } reply;
    ssize_t size = -1;
    if (send(netlink, &message, sizeof message, 0) == (ssize_t)sizeof message) {
        // The kernel has answered by the time the call returns.
        size = recv(netlink, &reply, sizeof reply, MSG_DONTWAIT);
    }
    close(netlink);
    if (size < (ssize_t)sizeof reply.header || !NLMSG_OK(&reply.header, (unsigned)size)) return -1;
    if (reply.header.nlmsg_type == NLMSG_ERROR) {
        struct nlmsgerr *error = NLMSG_DATA(&reply.header);
        return reply.header.nlmsg_len >= NLMSG_LENGTH(sizeof *error) && error->error == -ENOENT ? 1 : -1;
    }
    if (reply.header.nlmsg_type != SOCK_DIAG_BY_FAMILY) return -1;
    if (reply.header.nlmsg_len < NLMSG_LENGTH(sizeof(struct inet_diag_msg))) return -1;
    struct inet_diag_msg *found = NLMSG_DATA(&reply.header);
    return found->idiag_inode == 0;
}

#endif
