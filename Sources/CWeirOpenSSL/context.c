// What connections have in common: certificates, versions, protocols, sessions.
#include "internal.h"
#include <stdlib.h>
#include <string.h>

static int set_protocols(weir_tls_context *context, const uint8_t *protocols, size_t count) {
    if (count == 0) return 1;
    context->protocols = malloc(count);
    if (!context->protocols) return 0;
    memcpy(context->protocols, protocols, count);
    context->protocols_count = (unsigned int)count;
    return 1;
}

static int use(SSL_CTX *ssl, const weir_tls_identity *identity) {
    return SSL_CTX_use_certificate(ssl, identity->certificate) == 1 && SSL_CTX_use_PrivateKey(ssl, identity->key) == 1;
}

static int trust(SSL_CTX *ssl, const weir_tls_identity *authority) {
    return X509_STORE_add_cert(SSL_CTX_get_cert_store(ssl), authority->certificate) == 1;
}

/// A context with what both sides have in common.
static weir_tls_context *make(const SSL_METHOD *method, int minimum, int maximum, const uint8_t *protocols, size_t count) {
    weir_tls_context *context = calloc(1, sizeof *context);
    if (!context) return NULL;
    context->ssl = SSL_CTX_new(method);
    if (context->ssl && SSL_CTX_set_min_proto_version(context->ssl, minimum) == 1 &&
        SSL_CTX_set_max_proto_version(context->ssl, maximum) == 1 && set_protocols(context, protocols, count)) {
        // No renegotiation, which only costs; no record compression; and idle connections hold no buffers.
        SSL_CTX_set_options(context->ssl, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION);
        SSL_CTX_set_mode(
            context->ssl,
            SSL_MODE_RELEASE_BUFFERS | SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
        return context;
    }
    weir_tls_context_free(context);
    return NULL;
}

static int select_protocol(
    SSL *ssl, const unsigned char **out, unsigned char *count, const unsigned char *offered, unsigned int offered_count,
    void *argument) {
    (void)ssl;
    const weir_tls_context *context = argument;
    // RFC 7301, section 3.2: without a protocol in common the handshake fails.
    if (SSL_select_next_proto(
            (unsigned char **)out, count, context->protocols, context->protocols_count, offered, offered_count) !=
        OPENSSL_NPN_NEGOTIATED)
        return SSL_TLSEXT_ERR_ALERT_FATAL;
    return SSL_TLSEXT_ERR_OK;
}

/// Makes OpenSSL keep the name that a client asks for; any is served.
static int take_server_name(SSL *ssl, int *alert, void *argument) {
    (void)ssl;
    (void)alert;
    (void)argument;
    return SSL_TLSEXT_ERR_OK;
}

weir_tls_context *weir_tls_server_context(const weir_tls_server_options *options, char *reason) {
    ERR_clear_error();
    weir_tls_context *context = make(
        TLS_server_method(), options->minimum_version, options->maximum_version, options->protocols,
        options->protocols_count);
    if (!context) {
        weir_tls_take_reason(reason, "the TLS context could not be made");
        return NULL;
    }
    SSL_CTX *ssl = context->ssl;
    int isReady = use(ssl, options->identity);
    if (isReady && context->protocols_count) SSL_CTX_set_alpn_select_cb(ssl, select_protocol, context);
    SSL_CTX_set_tlsext_servername_callback(ssl, take_server_name);

    // Sessions are in tickets that the client keeps, so that none takes memory here.
    SSL_CTX_set_session_cache_mode(ssl, SSL_SESS_CACHE_OFF);
    isReady = isReady && SSL_CTX_set_session_id_context(ssl, (const unsigned char *)"weir", 4) == 1;
    if (!options->resumes) {
        SSL_CTX_set_options(ssl, SSL_OP_NO_TICKET);
        isReady = isReady && SSL_CTX_set_num_tickets(ssl, 0) == 1;
    }

    if (isReady && options->client_certificates && options->client_authority) {
        int mode = SSL_VERIFY_PEER | (options->client_certificates > 1 ? SSL_VERIFY_FAIL_IF_NO_PEER_CERT : 0);
        SSL_CTX_set_verify(ssl, mode, NULL);
        isReady = trust(ssl, options->client_authority) &&
            SSL_CTX_add_client_CA(ssl, options->client_authority->certificate) == 1;
    }
    if (isReady) return context;
    weir_tls_take_reason(reason, "the TLS context could not be set up");
    weir_tls_context_free(context);
    return NULL;
}

static int keep_session(SSL *ssl, SSL_SESSION *session) {
    weir_tls_context *context = SSL_CTX_get_app_data(SSL_get_SSL_CTX(ssl));
    SSL_SESSION_free(context->session);
    context->session = session;
    // 1: the reference is ours now.
    return 1;
}

weir_tls_context *weir_tls_client_context(const weir_tls_client_options *options, char *reason) {
    ERR_clear_error();
    weir_tls_context *context = make(
        TLS_client_method(), options->minimum_version, options->maximum_version, options->protocols,
        options->protocols_count);
    if (!context) {
        weir_tls_take_reason(reason, "the TLS context could not be made");
        return NULL;
    }
    SSL_CTX *ssl = context->ssl;
    int isReady = 1;
    if (options->authority) {
        SSL_CTX_set_verify(ssl, SSL_VERIFY_PEER, NULL);
        isReady = trust(ssl, options->authority);
    }
    if (isReady && options->identity) isReady = use(ssl, options->identity);
    // Here 0 is success.
    if (isReady && context->protocols_count)
        isReady = SSL_CTX_set_alpn_protos(ssl, context->protocols, context->protocols_count) == 0;
    SSL_CTX_set_session_cache_mode(ssl, SSL_SESS_CACHE_CLIENT | SSL_SESS_CACHE_NO_INTERNAL);
    SSL_CTX_set_app_data(ssl, context);
    SSL_CTX_sess_set_new_cb(ssl, keep_session);
    if (isReady) return context;
    weir_tls_take_reason(reason, "the TLS context could not be set up");
    weir_tls_context_free(context);
    return NULL;
}

void weir_tls_context_free(weir_tls_context *context) {
    SSL_SESSION_free(context->session);
    SSL_CTX_free(context->ssl);
    free(context->protocols);
    free(context);
}
