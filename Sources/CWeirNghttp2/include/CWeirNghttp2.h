// The server's side of HTTP/2 over memory: nghttp2 with its unions, lists and callbacks made plain.
// Sources/WeirServer/HTTP2/HTTP2Session.swift is the only caller.
//
// Ownership: weir_h2_make returns a session that its caller owns and frees once. The context that is given to a call is handed
// to the callbacks that run inside of it, and is not kept. Bytes that callbacks get belong to nghttp2 and live until they return.
// A session belongs to one thread at a time. A callback may call all functions but weir_h2_receive, weir_h2_send and weir_h2_free.
#ifndef WEIR_NGHTTP2_H
#define WEIR_NGHTTP2_H

#include <stddef.h>
#include <stdint.h>

#pragma clang assume_nonnull begin

/// Types of frames (RFC 9113, section 6).
enum {
    WEIR_H2_DATA = 0,
    WEIR_H2_HEADERS = 1,
    WEIR_H2_PRIORITY = 2,
    WEIR_H2_RST_STREAM = 3,
    WEIR_H2_SETTINGS = 4,
    WEIR_H2_PUSH_PROMISE = 5,
    WEIR_H2_PING = 6,
    WEIR_H2_GOAWAY = 7,
    WEIR_H2_WINDOW_UPDATE = 8,
    WEIR_H2_CONTINUATION = 9,
};

enum {
    WEIR_H2_END_STREAM = 1,
    WEIR_H2_ACK = 1,
};

/// A frame that was received or sent.
typedef struct weir_h2_frame {
    uint8_t type;
    uint8_t flags;
    int32_t stream;
    /// The payload's length.
    size_t length;
    /// Of DATA, the length without padding.
    size_t data_length;
    /// Of HEADERS, whether they begin a request.
    int begins_request;
    /// The error code of RST_STREAM and GOAWAY.
    uint32_t code;
} weir_h2_frame;

enum {
    /// Nothing can be sent now; weir_h2_resume says when.
    WEIR_H2_DEFER = -1,
};

/// What became of the body when bytes of it were asked for.
enum {
    WEIR_H2_MORE = 0,
    WEIR_H2_LAST = 1,
    /// It is at its end, and trailers were submitted.
    WEIR_H2_TRAILERS_FOLLOW = 2,
};

/// What a session tells; of those that return an int, 0 goes on.
typedef struct weir_h2_callbacks {
    /// A block of fields begins; not 0 ends the connection.
    int (*begin_fields)(void *context, int32_t stream, int begins_request);
    /// A field; not 0 ends the connection.
    int (*field)(
        void *context, int32_t stream, const uint8_t *name, size_t name_count, const uint8_t *value, size_t value_count);
    /// A frame arrived whole and is valid; HEADERS with all that belongs to their block.
    void (*frame)(void *context, const weir_h2_frame *frame);
    /// A piece of a body.
    void (*data)(void *context, int32_t stream, const uint8_t *bytes, size_t count);
    /// A stream is gone.
    void (*closed)(void *context, int32_t stream, uint32_t code);
    /// A frame was given out whole; it ends where the bytes given out so far end.
    void (*sent)(void *context, const weir_h2_frame *frame);
    /// Fills in bytes of a body: how many, or WEIR_H2_DEFER; `end` is WEIR_H2_MORE and the like.
    ptrdiff_t (*read)(void *context, int32_t stream, uint8_t *room, size_t size, int *end);
    /// A frame was invalid; nghttp2 has dealt with it, and tells why.
    void (*invalid)(void *context, int32_t stream, const char *reason);
} weir_h2_callbacks;

/// What the server's SETTINGS say.
typedef struct weir_h2_settings {
    uint32_t concurrent_streams;
    uint32_t stream_window;
    uint32_t connection_window;
    uint32_t frame_size;
    uint32_t field_section_size;
} weir_h2_settings;

typedef struct weir_h2 weir_h2;

/// NULL when memory runs out. The callbacks are copied.
weir_h2 *_Nullable weir_h2_make(const weir_h2_callbacks *callbacks, const weir_h2_settings *settings);
void weir_h2_free(weir_h2 *session);

/// Takes bytes from the network: 0, or nghttp2's error when the connection cannot go on.
int weir_h2_receive(weir_h2 *session, void *context, const uint8_t *bytes, size_t count);
/// Gives out bytes for the network, which live until the next call: their number, 0 if there are none, or nghttp2's error.
ptrdiff_t weir_h2_send(weir_h2 *session, void *context, const uint8_t *_Nullable *_Nonnull bytes);
/// Whether the connection has anything left to read or send.
int weir_h2_is_alive(const weir_h2 *session);

/// Fields one after the other, with the lengths of name and value of each.
typedef struct weir_h2_fields {
    const uint8_t *bytes;
    const uint32_t *lengths;
    size_t count;
} weir_h2_fields;

// Each returns 0 or nghttp2's error.

int weir_h2_submit_informational(weir_h2 *session, int32_t stream, weir_h2_fields fields);
/// The head of an answer, with or without a body, which `read` is asked for.
int weir_h2_submit_head(weir_h2 *session, int32_t stream, weir_h2_fields fields, int has_body);
int weir_h2_submit_trailers(weir_h2 *session, int32_t stream, weir_h2_fields fields);
int weir_h2_submit_reset(weir_h2 *session, int32_t stream, uint32_t code);
/// GOAWAY with the last stream that is served (negative: the latest); streams up to it go on.
int weir_h2_submit_goaway(weir_h2 *session, int32_t last_stream, uint32_t code, const char *text);
/// Asks for the body again after WEIR_H2_DEFER.
int weir_h2_resume(weir_h2 *session, int32_t stream);
/// Gives back bytes of the connection's window, or of a stream's.
int weir_h2_consume_connection(weir_h2 *session, size_t count);
int weir_h2_consume_stream(weir_h2 *session, int32_t stream, size_t count);

/// What an error of nghttp2 means.
const char *weir_h2_text(int error);

#pragma clang assume_nonnull end
#endif
