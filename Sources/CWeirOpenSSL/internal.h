// What the files of this target share.
#ifndef WEIR_OPENSSL_INTERNAL_H
#define WEIR_OPENSSL_INTERNAL_H

#include "CWeirOpenSSL.h"
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <stdio.h>

struct weir_tls_identity {
    EVP_PKEY *key;
    X509 *certificate;
};

struct weir_tls_context {
    SSL_CTX *ssl;
    unsigned char *protocols;
    unsigned int protocols_count;
    /// The session that a client's next connection resumes.
    SSL_SESSION *session;
};

/// Writes what failed and the latest of OpenSSL's reasons, and forgets those.
void weir_tls_take_reason(char *reason, const char *what);

#endif
