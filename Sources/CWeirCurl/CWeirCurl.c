// Calls of libcurl that Swift cannot make.
#define _GNU_SOURCE
#include "CWeirCurl.h"
#include <dlfcn.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

CURLcode weir_easy_set_callbacks(CURL *easy, const weir_callbacks *callbacks, void *context) {
    CURLcode code = CURLE_OK;
#define WEIR_SET(option, value) \
    if (code == CURLE_OK) code = curl_easy_setopt(easy, option, value)
    WEIR_SET(CURLOPT_PRIVATE, context);
    WEIR_SET(CURLOPT_WRITEFUNCTION, callbacks->write);
    WEIR_SET(CURLOPT_WRITEDATA, context);
    WEIR_SET(CURLOPT_HEADERFUNCTION, callbacks->header);
    WEIR_SET(CURLOPT_HEADERDATA, context);
    WEIR_SET(CURLOPT_READFUNCTION, callbacks->read);
    WEIR_SET(CURLOPT_READDATA, context);
    WEIR_SET(CURLOPT_SEEKFUNCTION, callbacks->seek);
    WEIR_SET(CURLOPT_SEEKDATA, context);
    WEIR_SET(CURLOPT_DEBUGFUNCTION, callbacks->debug);
    WEIR_SET(CURLOPT_DEBUGDATA, context);
    WEIR_SET(CURLOPT_RESOLVER_START_FUNCTION, callbacks->resolver_start);
    WEIR_SET(CURLOPT_RESOLVER_START_DATA, context);
    WEIR_SET(CURLOPT_OPENSOCKETFUNCTION, callbacks->opensocket);
    WEIR_SET(CURLOPT_OPENSOCKETDATA, context);
    WEIR_SET(CURLOPT_PREREQFUNCTION, callbacks->prereq);
    WEIR_SET(CURLOPT_PREREQDATA, context);
    if (code == CURLE_OK) {
        // Not every TLS library has it; without it the start of the handshake stays unknown.
        CURLcode optional = curl_easy_setopt(easy, CURLOPT_SSL_CTX_FUNCTION, callbacks->ssl_ctx);
        if (optional == CURLE_OK) WEIR_SET(CURLOPT_SSL_CTX_DATA, context);
    }
#undef WEIR_SET
    return code;
}

CURLcode weir_easy_set_long(CURL *easy, CURLoption option, long value) { return curl_easy_setopt(easy, option, value); }
CURLcode weir_easy_set_offset(CURL *easy, CURLoption option, curl_off_t value) {
    return curl_easy_setopt(easy, option, value);
}
CURLcode weir_easy_set_pointer(CURL *easy, CURLoption option, const void *value) {
    return curl_easy_setopt(easy, option, value);
}
CURLcode weir_easy_set_blob(CURL *easy, CURLoption option, const void *bytes, size_t count) {
    struct curl_blob blob = {(void *)bytes, count, CURL_BLOB_COPY};
    return curl_easy_setopt(easy, option, &blob);
}

CURLcode weir_easy_get_long(CURL *easy, CURLINFO info, long *value) { return curl_easy_getinfo(easy, info, value); }
CURLcode weir_easy_get_offset(CURL *easy, CURLINFO info, curl_off_t *value) {
    return curl_easy_getinfo(easy, info, value);
}
CURLcode weir_easy_get_string(CURL *easy, CURLINFO info, const char **value) {
    return curl_easy_getinfo(easy, info, value);
}
void *weir_easy_context(CURL *easy) {
    void *context = NULL;
    curl_easy_getinfo(easy, CURLINFO_PRIVATE, &context);
    return context;
}

// OpenSSL is found at run time among what libcurl has loaded, so that it is libcurl's own copy, of whatever version.
static struct {
    int (*version)(const void *ssl);
    const void *(*current_cipher)(const void *ssl);
    uint32_t (*cipher_id)(const void *cipher);
    int (*session_reused)(const void *ssl);
    void (*alpn_selected)(const void *ssl, const unsigned char **data, unsigned int *length);
    void (*set_keylog_callback)(void *ctx, void (*callback)(const void *ssl, const char *line));
    void *(*get_ctx)(const void *ssl);
    int (*get_ex_new_index)(int class_index, long argl, void *argp, void *new_func, void *dup_func, void *free_func);
    int (*set_ex_data)(void *ctx, int index, void *data);
    void *(*get_ex_data)(const void *ctx, int index);
} tls;
static pthread_once_t tls_once = PTHREAD_ONCE_INIT;
// Where a context keeps the path of its log; -1 when there is no such place.
static int tls_log_index = -1;

static void tls_free_path(void *parent, void *path, void *data, int index, long argl, void *argp) {
    (void)parent, (void)data, (void)index, (void)argl, (void)argp;
    free(path);
}

static void tls_find(void) {
#define WEIR_FIND(field, name) *(void **)&tls.field = dlsym(RTLD_DEFAULT, name)
    WEIR_FIND(version, "SSL_version");
    WEIR_FIND(current_cipher, "SSL_get_current_cipher");
    WEIR_FIND(cipher_id, "SSL_CIPHER_get_id");
    WEIR_FIND(session_reused, "SSL_session_reused");
    WEIR_FIND(alpn_selected, "SSL_get0_alpn_selected");
    WEIR_FIND(set_keylog_callback, "SSL_CTX_set_keylog_callback");
    WEIR_FIND(get_ctx, "SSL_get_SSL_CTX");
    WEIR_FIND(get_ex_new_index, "CRYPTO_get_ex_new_index");
    WEIR_FIND(set_ex_data, "SSL_CTX_set_ex_data");
    WEIR_FIND(get_ex_data, "SSL_CTX_get_ex_data");
#undef WEIR_FIND
    // 1 is CRYPTO_EX_INDEX_SSL_CTX; the path goes with its context.
    if (tls.get_ex_new_index) tls_log_index = tls.get_ex_new_index(1, 0, NULL, NULL, NULL, (void *)tls_free_path);
}

int weir_easy_tls(CURL *easy, weir_tls *found) {
    struct curl_tlssessioninfo *session = NULL;
    if (curl_easy_getinfo(easy, CURLINFO_TLS_SSL_PTR, &session) != CURLE_OK) return 0;
    if (!session || session->backend != CURLSSLBACKEND_OPENSSL || !session->internals) return 0;
    pthread_once(&tls_once, tls_find);
    if (!tls.version || !tls.current_cipher || !tls.cipher_id) return 0;
    const void *cipher = tls.current_cipher(session->internals);
    if (!cipher) return 0;
    memset(found, 0, sizeof *found);
    found->version = (uint16_t)tls.version(session->internals);
    // The low half is the number on the wire; the high half is OpenSSL's own mark.
    found->cipher_suite = (uint16_t)(tls.cipher_id(cipher) & 0xFFFF);
    found->resumed = tls.session_reused ? tls.session_reused(session->internals) != 0 : -1;
    const unsigned char *name = NULL;
    unsigned int length = 0;
    if (tls.alpn_selected) tls.alpn_selected(session->internals, &name, &length);
    if (name && length < sizeof found->alpn) memcpy(found->alpn, name, length);
    return 1;
}

static void tls_log(const void *ssl, const char *line) {
    const char *path = tls.get_ex_data(tls.get_ctx(ssl), tls_log_index);
    if (!path) return;
    int file = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (file < 0) return;
    // One write for each line, so that those of several threads do not mix.
    size_t length = strlen(line);
    char *text = malloc(length + 1);
    if (text) {
        memcpy(text, line, length);
        text[length] = '\n';
        ssize_t written = write(file, text, length + 1);
        (void)written;
        memset(text, 0, length);
        free(text);
    }
    close(file);
}

int weir_ssl_ctx_log_keys(void *ssl_ctx, const char *path) {
    pthread_once(&tls_once, tls_find);
    if (!tls.set_keylog_callback) return path == NULL;
    // libcurl has set its own by now, if the environment says so.
    tls.set_keylog_callback(ssl_ctx, NULL);
    if (!path) return 1;
    if (!tls.get_ctx || !tls.set_ex_data || !tls.get_ex_data || tls_log_index < 0) return 0;
    char *copy = strdup(path);
    if (!copy) return 0;
    if (!tls.set_ex_data(ssl_ctx, tls_log_index, copy)) {
        free(copy);
        return 0;
    }
    tls.set_keylog_callback(ssl_ctx, tls_log);
    return 1;
}

CURLMcode weir_multi_set_long(CURLM *multi, CURLMoption option, long value) {
    return curl_multi_setopt(multi, option, value);
}

static void share_lock(CURL *easy, curl_lock_data data, curl_lock_access access, void *locks) {
    (void)easy, (void)access;
    pthread_mutex_lock((pthread_mutex_t *)locks + data);
}
static void share_unlock(CURL *easy, curl_lock_data data, void *locks) {
    (void)easy;
    pthread_mutex_unlock((pthread_mutex_t *)locks + data);
}

CURLSH *weir_share_make(int cookies, void **locks) {
    pthread_mutex_t *mutexes = calloc(CURL_LOCK_DATA_LAST, sizeof(pthread_mutex_t));
    CURLSH *share = curl_share_init();
    if (!mutexes || !share) {
        free(mutexes);
        if (share) curl_share_cleanup(share);
        return NULL;
    }
    for (int i = 0; i < CURL_LOCK_DATA_LAST; i++) pthread_mutex_init(&mutexes[i], NULL);
    curl_share_setopt(share, CURLSHOPT_LOCKFUNC, share_lock);
    curl_share_setopt(share, CURLSHOPT_UNLOCKFUNC, share_unlock);
    curl_share_setopt(share, CURLSHOPT_USERDATA, mutexes);
    curl_share_setopt(share, CURLSHOPT_SHARE, CURL_LOCK_DATA_SSL_SESSION);
    if (cookies) curl_share_setopt(share, CURLSHOPT_SHARE, CURL_LOCK_DATA_COOKIE);
    *locks = mutexes;
    return share;
}

void weir_share_free(CURLSH *share, void *locks) {
    curl_share_cleanup(share);
    for (int i = 0; i < CURL_LOCK_DATA_LAST; i++) pthread_mutex_destroy((pthread_mutex_t *)locks + i);
    free(locks);
}

int weir_multi_next_done(CURLM *multi, CURL **easy, CURLcode *result) {
    int left = 0;
    CURLMsg *message;
    while ((message = curl_multi_info_read(multi, &left))) {
        if (message->msg != CURLMSG_DONE) continue;
        *easy = message->easy_handle;
        *result = message->data.result;
        return 1;
    }
    return 0;
}

curl_version_info_data *weir_version(void) { return curl_version_info(CURLVERSION_NOW); }

void weir_thread_set_name(const char *name) { pthread_setname_np(pthread_self(), name); }

curl_socket_t weir_socket_open(const struct curl_sockaddr *address) {
    return socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
}

void weir_socket_limit_unsent(curl_socket_t socket, int bytes) {
    int segment = 1440;
    setsockopt(socket, IPPROTO_TCP, TCP_MAXSEG, &segment, sizeof segment);
    struct linger none = {.l_onoff = 1, .l_linger = 0};
    setsockopt(socket, SOL_SOCKET, SO_LINGER, &none, sizeof none);
#ifdef TCP_NOTSENT_LOWAT
    setsockopt(socket, IPPROTO_TCP, TCP_NOTSENT_LOWAT, &bytes, sizeof bytes);
#else
    (void)bytes;
#endif
}
