// Calls of libcurl that Swift cannot make: the variadic ones, typed. Each returns libcurl's own code.
// Sources/WeirClient/Curl/Curl.swift is the only caller.
#ifndef WEIR_CURL_H
#define WEIR_CURL_H

#include <curl/curl.h>
#include <stddef.h>
#include <stdint.h>

#pragma clang assume_nonnull begin

/// Tells the processor that the thread waits for another one's store.
static inline void weir_curl_relax(void) {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__) || defined(__arm__)
    __asm__ volatile("yield");
#endif
}

/// The callbacks of a transfer; all of them get the same context.
typedef struct weir_callbacks {
    size_t (*write)(char *bytes, size_t size, size_t count, void *context);
    size_t (*header)(char *bytes, size_t size, size_t count, void *context);
    size_t (*read)(char *bytes, size_t size, size_t count, void *context);
    int (*seek)(void *context, curl_off_t offset, int origin);
    int (*debug)(CURL *easy, curl_infotype type, char *bytes, size_t count, void *context);
    int (*resolver_start)(void *_Nullable state, void *_Nullable reserved, void *context);
    curl_socket_t (*opensocket)(void *context, curlsocktype purpose, struct curl_sockaddr *address);
    CURLcode (*ssl_ctx)(CURL *easy, void *ssl_ctx, void *context);
    int (*prereq)(void *context, char *_Nullable remote_ip, char *_Nullable local_ip, int remote_port, int local_port);
} weir_callbacks;

/// Sets all callbacks and their context. libcurl keeps `context`, not `callbacks`.
CURLcode weir_easy_set_callbacks(CURL *easy, const weir_callbacks *callbacks, void *context);

CURLcode weir_easy_set_long(CURL *easy, CURLoption option, long value);
CURLcode weir_easy_set_offset(CURL *easy, CURLoption option, curl_off_t value);
/// For strings (libcurl copies them), and for lists and memory (libcurl keeps the pointer).
CURLcode weir_easy_set_pointer(CURL *easy, CURLoption option, const void *_Nullable value);
/// libcurl copies the bytes.
CURLcode weir_easy_set_blob(CURL *easy, CURLoption option, const void *bytes, size_t count);

CURLcode weir_easy_get_long(CURL *easy, CURLINFO info, long *value);
CURLcode weir_easy_get_offset(CURL *easy, CURLINFO info, curl_off_t *value);
/// The text is libcurl's and lives until the next transfer of the handle.
CURLcode weir_easy_get_string(CURL *easy, CURLINFO info, const char *_Nullable *_Nonnull value);
/// The transfer's context, as given to weir_easy_set_callbacks.
void *_Nullable weir_easy_context(CURL *easy);

/// What a TLS handshake led to.
typedef struct weir_tls {
    /// As on the wire.
    uint16_t version;
    uint16_t cipher_suite;
    /// Whether an earlier session was taken up again; -1 where that cannot be told.
    int resumed;
    /// The protocol that was agreed on (ALPN), zero-terminated; empty when there was none.
    char alpn[32];
} weir_tls;

/// What is known of the transfer's TLS connection; valid during the transfer only.
/// Returns 0 when there is none, or when libcurl's TLS library is not OpenSSL.
int weir_easy_tls(CURL *easy, weir_tls *tls);

/// Appends the key material of the context's connections to a file; with a null path nothing is written, whatever the
/// environment asks for. The path is copied. Returns 0 when libcurl's TLS library cannot do that.
int weir_ssl_ctx_log_keys(void *ssl_ctx, const char *_Nullable path);

CURLMcode weir_multi_set_long(CURLM *multi, CURLMoption option, long value);

/// A share object for TLS sessions and, if asked for, cookies, with locks of its own; free it with weir_share_free after the
/// last easy handle.
CURLSH *_Nullable weir_share_make(int cookies, void *_Nullable *_Nonnull locks);
void weir_share_free(CURLSH *share, void *locks);

/// The easy handle, the result and the context of the next transfer that is done; 0 when there is none.
int weir_multi_next_done(CURLM *multi, CURL *_Nullable *_Nonnull easy, CURLcode *result);

/// What libcurl was built with; never null in practice.
curl_version_info_data *_Nullable weir_version(void);

/// Names the calling thread, for debuggers and for `ps -L`.
void weir_thread_set_name(const char *name);
/// Opens the socket that libcurl asks for, which a child process does not inherit; CURL_SOCKET_BAD and errno if it cannot.
curl_socket_t weir_socket_open(const struct curl_sockaddr *address);

// Keeps a socket that is not connected yet from taking much more than it can send: so many bytes may be unsent, and segments are
// not larger than those of Ethernet, as those of a loopback interface are. Closing it resets the connection: what it still holds is
// not sent. A failure changes nothing.
void weir_socket_limit_unsent(curl_socket_t socket, int bytes);

#pragma clang assume_nonnull end
#endif
