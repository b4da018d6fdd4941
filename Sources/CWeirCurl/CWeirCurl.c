// Calls of libcurl that Swift cannot make.
#define _GNU_SOURCE
#include "CWeirCurl.h"
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>

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
    WEIR_SET(CURLOPT_SOCKOPTFUNCTION, callbacks->sockopt);
    WEIR_SET(CURLOPT_SOCKOPTDATA, context);
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
static int (*tls_version)(const void *ssl);
static const void *(*tls_current_cipher)(const void *ssl);
static uint32_t (*tls_cipher_id)(const void *cipher);
static pthread_once_t tls_once = PTHREAD_ONCE_INIT;

static void tls_find(void) {
    tls_version = (int (*)(const void *))dlsym(RTLD_DEFAULT, "SSL_version");
    tls_current_cipher = (const void *(*)(const void *))dlsym(RTLD_DEFAULT, "SSL_get_current_cipher");
    tls_cipher_id = (uint32_t(*)(const void *))dlsym(RTLD_DEFAULT, "SSL_CIPHER_get_id");
}

int weir_easy_tls(CURL *easy, uint16_t *version, uint16_t *cipher_suite) {
    struct curl_tlssessioninfo *session = NULL;
    if (curl_easy_getinfo(easy, CURLINFO_TLS_SSL_PTR, &session) != CURLE_OK) return 0;
    if (!session || session->backend != CURLSSLBACKEND_OPENSSL || !session->internals) return 0;
    pthread_once(&tls_once, tls_find);
    if (!tls_version || !tls_current_cipher || !tls_cipher_id) return 0;
    const void *cipher = tls_current_cipher(session->internals);
    if (!cipher) return 0;
    *version = (uint16_t)tls_version(session->internals);
    // The low half is the number on the wire; the high half is OpenSSL's own mark.
    *cipher_suite = (uint16_t)(tls_cipher_id(cipher) & 0xFFFF);
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

CURLSH *weir_share_make_for_cookies(void **locks) {
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
    curl_share_setopt(share, CURLSHOPT_SHARE, CURL_LOCK_DATA_COOKIE);
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
void weir_socket_set_close_on_exec(curl_socket_t socket) { fcntl(socket, F_SETFD, FD_CLOEXEC); }
