// Keys and certificates.
#include "internal.h"
#include <openssl/bio.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/x509v3.h>
#include <stdlib.h>
#include <string.h>

void weir_tls_take_reason(char *reason, const char *what) {
    unsigned long code = ERR_peek_last_error();
    const char *why = code ? ERR_reason_error_string(code) : NULL;
    snprintf(reason, WEIR_TLS_REASON_SIZE, "%s%s%s", what, why ? ": " : "", why ? why : "");
    ERR_clear_error();
}

static int add_extension(X509 *certificate, X509 *issuer, int kind, const char *value) {
    X509V3_CTX context;
    X509V3_set_ctx_nodb(&context);
    X509V3_set_ctx(&context, issuer, certificate, NULL, NULL, 0);
    X509_EXTENSION *extension = X509V3_EXT_conf_nid(NULL, &context, kind, value);
    if (!extension) return 0;
    int added = X509_add_ext(certificate, extension, -1);
    X509_EXTENSION_free(extension);
    return added;
}

static int fill(X509 *certificate, EVP_PKEY *key, const weir_tls_template *request, const weir_tls_identity *issuer) {
    // A serial number of 127 random bits: two runs' authorities must not look like one that reuses its numbers.
    unsigned char serial[16];
    if (RAND_bytes(serial, sizeof serial) != 1) return 0;
    serial[0] &= 0x7F;
    BIGNUM *number = BN_bin2bn(serial, sizeof serial, NULL);
    int hasNumber = number && BN_to_ASN1_INTEGER(number, X509_get_serialNumber(certificate));
    BN_free(number);
    if (!hasNumber || !X509_set_version(certificate, X509_VERSION_3)) return 0;

    X509_NAME *name = X509_get_subject_name(certificate);
    if (!X509_NAME_add_entry_by_txt(name, "O", MBSTRING_UTF8, (const unsigned char *)"Weir", -1, -1, 0) ||
        !X509_NAME_add_entry_by_txt(
            name, "CN", MBSTRING_UTF8, (const unsigned char *)request->common_name, -1, -1, 0) ||
        !X509_set_issuer_name(certificate, issuer ? X509_get_subject_name(issuer->certificate) : name) ||
        !ASN1_TIME_set(X509_getm_notBefore(certificate), (time_t)request->not_before) ||
        !ASN1_TIME_set(X509_getm_notAfter(certificate), (time_t)request->not_after) ||
        !X509_set_pubkey(certificate, key))
        return 0;

    X509 *signer = issuer ? issuer->certificate : certificate;
    if (!add_extension(
            certificate, signer, NID_basic_constraints, request->is_authority ? "critical,CA:TRUE" : "critical,CA:FALSE") ||
        !add_extension(
            certificate, signer, NID_key_usage,
            request->is_authority ? "critical,keyCertSign,cRLSign" : "critical,digitalSignature") ||
        !add_extension(certificate, signer, NID_subject_key_identifier, "hash") ||
        !add_extension(certificate, signer, NID_authority_key_identifier, "keyid:always"))
        return 0;
    if (!request->is_authority &&
        !add_extension(certificate, signer, NID_ext_key_usage, request->is_client ? "clientAuth" : "serverAuth"))
        return 0;
    if (request->alternative_names &&
        !add_extension(certificate, signer, NID_subject_alt_name, request->alternative_names))
        return 0;
    return X509_sign(certificate, issuer ? issuer->key : key, EVP_sha256()) > 0;
}

weir_tls_identity *weir_tls_identity_make(
    const weir_tls_template *request, const weir_tls_identity *issuer, char *reason) {
    ERR_clear_error();
    weir_tls_identity *identity = calloc(1, sizeof *identity);
    if (identity) {
        identity->key = EVP_EC_gen("P-256");
        identity->certificate = X509_new();
        if (identity->key && identity->certificate && fill(identity->certificate, identity->key, request, issuer))
            return identity;
        weir_tls_identity_free(identity);
    }
    weir_tls_take_reason(reason, "a certificate could not be made");
    return NULL;
}

void weir_tls_identity_free(weir_tls_identity *identity) {
    EVP_PKEY_free(identity->key);
    X509_free(identity->certificate);
    free(identity);
}

size_t weir_tls_identity_copy(const weir_tls_identity *identity, enum weir_tls_part part, uint8_t *room, size_t size) {
    BIO *memory = BIO_new(BIO_s_mem());
    if (!memory) return 0;
    int written = 0;
    switch (part) {
    case WEIR_TLS_CERTIFICATE_PEM: written = PEM_write_bio_X509(memory, identity->certificate); break;
    case WEIR_TLS_CERTIFICATE_DER: written = i2d_X509_bio(memory, identity->certificate); break;
    case WEIR_TLS_KEY_PEM:
        written = PEM_write_bio_PKCS8PrivateKey(memory, identity->key, NULL, NULL, 0, NULL, NULL);
        break;
    case WEIR_TLS_KEY_DIGEST: {
        unsigned char *information = NULL;
        int count = i2d_PUBKEY(identity->key, &information);
        unsigned char digest[EVP_MAX_MD_SIZE];
        unsigned int digestCount = 0;
        written = count > 0 && EVP_Digest(information, (size_t)count, digest, &digestCount, EVP_sha256(), NULL) &&
            BIO_write(memory, digest, (int)digestCount) == (int)digestCount;
        OPENSSL_free(information);
        break;
    }
    }
    char *bytes = NULL;
    long count = written ? BIO_get_mem_data(memory, &bytes) : 0;
    size_t copied = count > 0 && (size_t)count <= size ? (size_t)count : 0;
    if (copied) memcpy(room, bytes, copied);
    BIO_free(memory);
    ERR_clear_error();
    return copied;
}
