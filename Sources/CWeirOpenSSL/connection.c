// One side of a TLS connection, with memory where the network would be.
#include "internal.h"
#include <openssl/bio.h>
#include <openssl/x509.h>
#include <stdlib.h>
#include <string.h>

struct weir_tls {
    SSL *ssl;
    /// Both belong to `ssl`.
    BIO *input;
    BIO *output;
    /// How much of the output was sent.
    size_t sent;
    int alert_received;
    int alert_sent;
    char reason[WEIR_TLS_REASON_SIZE];
};

static void take_information(const SSL *ssl, int where, int value) {
    if (!(where & SSL_CB_ALERT) || value >> 8 != SSL3_AL_FATAL) return;
    weir_tls *tls = SSL_get_app_data(ssl);
    if (where & SSL_CB_READ) tls->alert_received = value & 0xFF;
    if (where & SSL_CB_WRITE) tls->alert_sent = value & 0xFF;
}

static weir_tls *make(weir_tls_context *context) {
    weir_tls *tls = calloc(1, sizeof *tls);
    if (!tls) return NULL;
    tls->alert_received = -1;
    tls->alert_sent = -1;
    tls->ssl = SSL_new(context->ssl);
    tls->input = BIO_new(BIO_s_mem());
    tls->output = BIO_new(BIO_s_mem());
    if (!tls->ssl || !tls->input || !tls->output) {
        BIO_free(tls->input);
        BIO_free(tls->output);
        SSL_free(tls->ssl);
        free(tls);
        ERR_clear_error();
        return NULL;
    }
    SSL_set_bio(tls->ssl, tls->input, tls->output);
    SSL_set_app_data(tls->ssl, tls);
    SSL_set_info_callback(tls->ssl, take_information);
    return tls;
}

weir_tls *weir_tls_accept(weir_tls_context *context) {
    weir_tls *tls = make(context);
    if (tls) SSL_set_accept_state(tls->ssl);
    return tls;
}

weir_tls *weir_tls_connect(weir_tls_context *context, const char *host) {
    weir_tls *tls = make(context);
    if (!tls) return NULL;
    SSL_set_connect_state(tls->ssl);
    int isReady = !host || (SSL_set_tlsext_host_name(tls->ssl, host) == 1 && SSL_set1_host(tls->ssl, host) == 1);
    if (isReady && context->session) isReady = SSL_set_session(tls->ssl, context->session) == 1;
    if (isReady) return tls;
    weir_tls_free(tls);
    return NULL;
}

void weir_tls_free(weir_tls *tls) {
    // However it ended, its session can be resumed: else OpenSSL spoils it, though a client has taken it.
    SSL_set_shutdown(tls->ssl, SSL_SENT_SHUTDOWN | SSL_RECEIVED_SHUTDOWN);
    SSL_free(tls->ssl);
    free(tls);
}

int weir_tls_feed(weir_tls *tls, const void *bytes, size_t count) {
    if (count == 0) return 1;
    size_t taken = 0;
    return BIO_write_ex(tls->input, bytes, count, &taken) == 1 && taken == count;
}

size_t weir_tls_unused(const weir_tls *tls) { return BIO_ctrl_pending(tls->input); }

size_t weir_tls_output(const weir_tls *tls, const uint8_t **bytes) {
    char *base = NULL;
    long count = BIO_get_mem_data(tls->output, &base);
    *bytes = (const uint8_t *)base + tls->sent;
    return count > 0 ? (size_t)count - tls->sent : 0;
}

void weir_tls_sent(weir_tls *tls, size_t count) {
    tls->sent += count;
    if (tls->sent < BIO_ctrl_pending(tls->output)) return;
    tls->sent = 0;
    (void)BIO_reset(tls->output);
}

static enum weir_tls_result result(weir_tls *tls, int returned) {
    switch (SSL_get_error(tls->ssl, returned)) {
    case SSL_ERROR_NONE: return WEIR_TLS_DONE;
    case SSL_ERROR_WANT_READ: return WEIR_TLS_WANTS_INPUT;
    case SSL_ERROR_ZERO_RETURN: return WEIR_TLS_ENDED;
    default: break;
    }
    // The first reason is the one that counts; what follows is told about a connection that is broken already.
    if (!tls->reason[0]) {
        weir_tls_take_reason(tls->reason, "TLS");
        long verified = SSL_get_verify_result(tls->ssl);
        if (verified != X509_V_OK) {
            size_t end = strlen(tls->reason);
            snprintf(
                tls->reason + end, sizeof tls->reason - end, " (%s)", X509_verify_cert_error_string(verified));
        }
    }
    ERR_clear_error();
    return WEIR_TLS_FAILED;
}

enum weir_tls_result weir_tls_handshake(weir_tls *tls) {
    ERR_clear_error();
    int returned = SSL_do_handshake(tls->ssl);
    return result(tls, returned);
}

enum weir_tls_result weir_tls_read(weir_tls *tls, void *room, size_t size, size_t *count) {
    ERR_clear_error();
    *count = 0;
    int returned = SSL_read_ex(tls->ssl, room, size, count);
    return returned == 1 ? WEIR_TLS_DONE : result(tls, returned);
}

enum weir_tls_result weir_tls_write(weir_tls *tls, const void *bytes, size_t count) {
    size_t done = 0;
    while (done < count) {
        ERR_clear_error();
        size_t taken = 0;
        int returned = SSL_write_ex(tls->ssl, (const char *)bytes + done, count - done, &taken);
        // Memory takes all there is, so that anything but progress means that the connection is broken.
        if (returned != 1 || taken == 0) {
            (void)result(tls, returned);
            return WEIR_TLS_FAILED;
        }
        done += taken;
    }
    return WEIR_TLS_DONE;
}

void weir_tls_finish(weir_tls *tls) {
    ERR_clear_error();
    if (SSL_is_init_finished(tls->ssl)) (void)SSL_shutdown(tls->ssl);
    ERR_clear_error();
}

weir_tls_facts weir_tls_get_facts(const weir_tls *tls) {
    weir_tls_facts facts = {0};
    facts.version = (uint16_t)SSL_version(tls->ssl);
    const SSL_CIPHER *cipher = SSL_get_current_cipher(tls->ssl);
    facts.cipher_suite = cipher ? SSL_CIPHER_get_protocol_id(cipher) : 0;
    facts.is_resumed = SSL_session_reused(tls->ssl);
    unsigned int count = 0;
    SSL_get0_alpn_selected(tls->ssl, &facts.protocol, &count);
    facts.protocol_count = count;
    const char *name = SSL_get_servername(tls->ssl, TLSEXT_NAMETYPE_host_name);
    facts.server_name = name ? name : "";
    return facts;
}

size_t weir_tls_peer_subject(const weir_tls *tls, char *room, size_t size) {
    X509 *certificate = SSL_get0_peer_certificate(tls->ssl);
    BIO *memory = certificate && size ? BIO_new(BIO_s_mem()) : NULL;
    if (!memory) return 0;
    int count = X509_NAME_print_ex(memory, X509_get_subject_name(certificate), 0, XN_FLAG_RFC2253) >= 0
        ? BIO_read(memory, room, (int)size - 1)
        : 0;
    BIO_free(memory);
    ERR_clear_error();
    if (count < 0) count = 0;
    room[count] = 0;
    return (size_t)count;
}

int weir_tls_alert_received(const weir_tls *tls) { return tls->alert_received; }
int weir_tls_alert_sent(const weir_tls *tls) { return tls->alert_sent; }
const char *weir_tls_reason(const weir_tls *tls) { return tls->reason; }
const char *weir_tls_alert_name(int code) { return SSL_alert_desc_string_long(code); }
