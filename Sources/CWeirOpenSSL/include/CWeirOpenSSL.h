// TLS over memory, and certificates made in memory: what a test server needs of OpenSSL, most of which is macros.
// Sources/WeirServer/TLS/OpenSSL.swift is the only caller.
//
// Ownership: each `make`, `accept` and `connect` returns an object that its caller owns and frees once with the `free` of its
// type. Objects keep alive what they need of others, which may be freed in any order. An identity and a context may be shared
// by threads once made; a connection belongs to one thread at a time.
#ifndef WEIR_OPENSSL_H
#define WEIR_OPENSSL_H

#include <stddef.h>
#include <stdint.h>

#pragma clang assume_nonnull begin

/// Where functions that can fail write the reason, ended by a zero.
enum { WEIR_TLS_REASON_SIZE = 256 };

// MARK: Identities

/// A private key on P-256 and its certificate.
typedef struct weir_tls_identity weir_tls_identity;

/// What a certificate says.
typedef struct weir_tls_template {
    const char *common_name;
    /// As OpenSSL's configuration spells them, "DNS:localhost,IP:127.0.0.1", or NULL.
    const char *_Nullable alternative_names;
    /// Seconds since 1970.
    int64_t not_before;
    int64_t not_after;
    /// Whether it may sign others.
    int is_authority;
    /// Whether it is a client's rather than a server's.
    int is_client;
} weir_tls_template;

/// Makes a key and a certificate signed by the issuer, or by itself if there is none; NULL with a reason on failure.
weir_tls_identity *_Nullable weir_tls_identity_make(
    const weir_tls_template *request, const weir_tls_identity *_Nullable issuer, char *reason);
void weir_tls_identity_free(weir_tls_identity *identity);

enum weir_tls_part {
    WEIR_TLS_CERTIFICATE_PEM,
    WEIR_TLS_CERTIFICATE_DER,
    WEIR_TLS_KEY_PEM,
    /// SHA-256 of the SubjectPublicKeyInfo.
    WEIR_TLS_KEY_DIGEST,
};

/// Copies a part out: its size, or 0 on failure or if the room is too small.
size_t weir_tls_identity_copy(const weir_tls_identity *identity, enum weir_tls_part part, uint8_t *room, size_t size);

// MARK: Contexts

/// What connections have in common.
typedef struct weir_tls_context weir_tls_context;

typedef struct weir_tls_server_options {
    const weir_tls_identity *identity;
    /// Who signs clients' certificates.
    const weir_tls_identity *_Nullable client_authority;
    /// 0: none is asked for; 1: one is asked for; 2: one must be given.
    int client_certificates;
    /// As on the wire: 0x0303 is TLS 1.2, 0x0304 is TLS 1.3.
    int minimum_version;
    int maximum_version;
    /// Protocols in the order of preference, each with its length in the byte before; none if the count is 0.
    const uint8_t *_Nullable protocols;
    size_t protocols_count;
    /// Whether sessions can be resumed, by tickets.
    int resumes;
} weir_tls_server_options;

weir_tls_context *_Nullable weir_tls_server_context(const weir_tls_server_options *options, char *reason);

typedef struct weir_tls_client_options {
    /// Whose signature the server's certificate must have; NULL trusts any.
    const weir_tls_identity *_Nullable authority;
    const weir_tls_identity *_Nullable identity;
    int minimum_version;
    int maximum_version;
    const uint8_t *_Nullable protocols;
    size_t protocols_count;
} weir_tls_client_options;

/// A client's context; it keeps the latest session, which the next connection of the context resumes. Not for threads.
weir_tls_context *_Nullable weir_tls_client_context(const weir_tls_client_options *options, char *reason);
void weir_tls_context_free(weir_tls_context *context);

// MARK: Connections

/// One side of a connection, with memory where the network would be.
typedef struct weir_tls weir_tls;

/// NULL when memory runs out.
weir_tls *_Nullable weir_tls_accept(weir_tls_context *context);
/// With a host, its name is sent and must be in the server's certificate.
weir_tls *_Nullable weir_tls_connect(weir_tls_context *context, const char *_Nullable host);
void weir_tls_free(weir_tls *tls);

enum weir_tls_result {
    WEIR_TLS_DONE,
    /// More bytes must be fed.
    WEIR_TLS_WANTS_INPUT,
    /// The peer has said that nothing more comes.
    WEIR_TLS_ENDED,
    /// The connection is broken; what there is of output says so to the peer.
    WEIR_TLS_FAILED,
};

/// Takes bytes from the network, by copying them: 1, or 0 when memory runs out.
int weir_tls_feed(weir_tls *tls, const void *bytes, size_t count);
/// Bytes that were fed and not used yet.
size_t weir_tls_unused(const weir_tls *tls);

/// Bytes for the network that were not told to be sent; they stay where they are until the next call with this connection.
size_t weir_tls_output(const weir_tls *tls, const uint8_t *_Nullable *_Nonnull bytes);
/// Takes bytes off the output.
void weir_tls_sent(weir_tls *tls, size_t count);

enum weir_tls_result weir_tls_handshake(weir_tls *tls);
enum weir_tls_result weir_tls_read(weir_tls *tls, void *room, size_t size, size_t *count);
/// Encrypts all bytes; WEIR_TLS_DONE or WEIR_TLS_FAILED.
enum weir_tls_result weir_tls_write(weir_tls *tls, const void *bytes, size_t count);
/// Says to the peer that nothing more comes.
void weir_tls_finish(weir_tls *tls);

/// What was agreed on; texts live as long as the connection.
typedef struct weir_tls_facts {
    uint16_t version;
    uint16_t cipher_suite;
    int is_resumed;
    /// Not ended by a zero.
    const uint8_t *_Nullable protocol;
    size_t protocol_count;
    /// The name that the client asked for, or "".
    const char *server_name;
} weir_tls_facts;

weir_tls_facts weir_tls_get_facts(const weir_tls *tls);
/// Writes the peer's certificate's subject in the form of RFC 2253, ended by a zero and cut to fit: its length, 0 if there is none.
size_t weir_tls_peer_subject(const weir_tls *tls, char *room, size_t size);
/// The code of the fatal alert that the peer sent, or -1.
int weir_tls_alert_received(const weir_tls *tls);
/// The code of the fatal alert that was sent, or -1.
int weir_tls_alert_sent(const weir_tls *tls);
/// Why it failed, in OpenSSL's words.
const char *weir_tls_reason(const weir_tls *tls);

/// The name of an alert's code, as OpenSSL has it.
const char *weir_tls_alert_name(int code);

#pragma clang assume_nonnull end
#endif
