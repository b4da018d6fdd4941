// nghttp2's server side with its unions, lists and callbacks made plain.
#include "CWeirNghttp2.h"
#include <nghttp2/nghttp2.h>
#include <stdlib.h>
#include <string.h>

// Since 1.57, and where its mending of CVE-2023-44487 was taken over: nghttp2's own limit of streams that the peer resets.
__attribute__((weak)) extern void nghttp2_option_set_stream_reset_rate_limit(
    nghttp2_option *option, uint64_t burst, uint64_t rate);

struct weir_h2 {
    nghttp2_session *session;
    weir_h2_callbacks callbacks;
    /// That of the call which runs.
    void *context;
};

static weir_h2_frame plain(const nghttp2_frame_hd *head) {
    weir_h2_frame frame = {0};
    frame.type = head->type;
    frame.flags = head->flags;
    frame.stream = head->stream_id;
    frame.length = head->length;
    return frame;
}

static weir_h2_frame plain_whole(const nghttp2_frame *frame) {
    weir_h2_frame result = plain(&frame->hd);
    switch (frame->hd.type) {
    case NGHTTP2_DATA:
        result.data_length = frame->hd.length > frame->data.padlen ? frame->hd.length - frame->data.padlen : 0;
        break;
    case NGHTTP2_HEADERS: result.begins_request = frame->headers.cat == NGHTTP2_HCAT_REQUEST; break;
    case NGHTTP2_RST_STREAM: result.code = frame->rst_stream.error_code; break;
    case NGHTTP2_GOAWAY: result.code = frame->goaway.error_code; break;
    default: break;
    }
    return result;
}

// MARK: Callbacks

static int on_begin_headers(nghttp2_session *session, const nghttp2_frame *frame, void *user) {
    (void)session;
    weir_h2 *me = user;
    int begins = frame->headers.cat == NGHTTP2_HCAT_REQUEST;
    return me->callbacks.begin_fields(me->context, frame->hd.stream_id, begins) ? NGHTTP2_ERR_CALLBACK_FAILURE : 0;
}

static int on_header(
    nghttp2_session *session, const nghttp2_frame *frame, const uint8_t *name, size_t name_count, const uint8_t *value,
    size_t value_count, uint8_t flags, void *user) {
    (void)session;
    (void)flags;
    weir_h2 *me = user;
    int result = me->callbacks.field(me->context, frame->hd.stream_id, name, name_count, value, value_count);
    return result ? NGHTTP2_ERR_CALLBACK_FAILURE : 0;
}

/// A field that is not valid makes its request malformed (RFC 9113, section 8.1.1), which nghttp2 does only when it is told.
static int on_invalid_header(
    nghttp2_session *session, const nghttp2_frame *frame, const uint8_t *name, size_t name_count, const uint8_t *value,
    size_t value_count, uint8_t flags, void *user) {
    (void)session;
    (void)name;
    (void)name_count;
    (void)value;
    (void)value_count;
    (void)flags;
    weir_h2 *me = user;
    me->callbacks.invalid(me->context, frame->hd.stream_id, "A field has a byte in it that it must not have");
    return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE;
}

static int on_frame_recv(nghttp2_session *session, const nghttp2_frame *received, void *user) {
    (void)session;
    weir_h2 *me = user;
    weir_h2_frame frame = plain_whole(received);
    me->callbacks.frame(me->context, &frame);
    return 0;
}

static int on_invalid_frame_recv(nghttp2_session *session, const nghttp2_frame *frame, int error, void *user) {
    (void)session;
    weir_h2 *me = user;
    me->callbacks.invalid(me->context, frame->hd.stream_id, nghttp2_strerror(error));
    return 0;
}

static int on_data_chunk_recv(
    nghttp2_session *session, uint8_t flags, int32_t stream, const uint8_t *bytes, size_t count, void *user) {
    (void)session;
    (void)flags;
    weir_h2 *me = user;
    me->callbacks.data(me->context, stream, bytes, count);
    return 0;
}

static int on_stream_close(nghttp2_session *session, int32_t stream, uint32_t code, void *user) {
    (void)session;
    weir_h2 *me = user;
    me->callbacks.closed(me->context, stream, code);
    return 0;
}

static int on_frame_send(nghttp2_session *session, const nghttp2_frame *sent, void *user) {
    (void)session;
    weir_h2 *me = user;
    weir_h2_frame frame = plain_whole(sent);
    me->callbacks.sent(me->context, &frame);
    return 0;
}

static ssize_t read_body(
    nghttp2_session *session, int32_t stream, uint8_t *room, size_t size, uint32_t *flags, nghttp2_data_source *source,
    void *user) {
    (void)session;
    (void)source;
    weir_h2 *me = user;
    int end = WEIR_H2_MORE;
    ptrdiff_t count = me->callbacks.read(me->context, stream, room, size, &end);
    if (count < 0) return NGHTTP2_ERR_DEFERRED;
    if (end != WEIR_H2_MORE) *flags |= NGHTTP2_DATA_FLAG_EOF;
    if (end == WEIR_H2_TRAILERS_FOLLOW) *flags |= NGHTTP2_DATA_FLAG_NO_END_STREAM;
    return count;
}

// MARK: Sessions

static int set_up(weir_h2 *me, const weir_h2_settings *settings) {
    nghttp2_session_callbacks *callbacks = NULL;
    nghttp2_option *option = NULL;
    int made = nghttp2_session_callbacks_new(&callbacks) == 0 && nghttp2_option_new(&option) == 0;
    if (made) {
        nghttp2_session_callbacks_set_on_begin_headers_callback(callbacks, on_begin_headers);
        nghttp2_session_callbacks_set_on_header_callback(callbacks, on_header);
        nghttp2_session_callbacks_set_on_invalid_header_callback(callbacks, on_invalid_header);
        nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks, on_frame_recv);
        nghttp2_session_callbacks_set_on_invalid_frame_recv_callback(callbacks, on_invalid_frame_recv);
        nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks, on_data_chunk_recv);
        nghttp2_session_callbacks_set_on_stream_close_callback(callbacks, on_stream_close);
        nghttp2_session_callbacks_set_on_frame_send_callback(callbacks, on_frame_send);
        // Windows open when the server has room, not when bytes arrive.
        nghttp2_option_set_no_auto_window_update(option, 1);
        // Closed streams are not kept for what later ones say of their priority.
        nghttp2_option_set_no_closed_streams(option, 1);
        // The server counts floods of every kind itself, and has a limit that can be set.
        if (nghttp2_option_set_stream_reset_rate_limit)
            nghttp2_option_set_stream_reset_rate_limit(option, UINT32_MAX, UINT32_MAX);
        made = nghttp2_session_server_new2(&me->session, callbacks, me, option) == 0;
    }
    nghttp2_option_del(option);
    nghttp2_session_callbacks_del(callbacks);
    if (!made) return 0;
    nghttp2_settings_entry entries[] = {
        {NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS, settings->concurrent_streams},
        {NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, settings->stream_window},
        {NGHTTP2_SETTINGS_MAX_FRAME_SIZE, settings->frame_size},
        {NGHTTP2_SETTINGS_MAX_HEADER_LIST_SIZE, settings->field_section_size},
        // No tree of priorities (RFC 9113, section 5.3.2), which is what floods of PRIORITY work on.
        {NGHTTP2_SETTINGS_NO_RFC7540_PRIORITIES, 1},
    };
    return nghttp2_submit_settings(me->session, NGHTTP2_FLAG_NONE, entries, sizeof entries / sizeof entries[0]) == 0 &&
        nghttp2_session_set_local_window_size(
            me->session, NGHTTP2_FLAG_NONE, 0, (int32_t)settings->connection_window) == 0;
}

weir_h2 *weir_h2_make(const weir_h2_callbacks *callbacks, const weir_h2_settings *settings) {
    weir_h2 *me = calloc(1, sizeof *me);
    if (!me) return NULL;
    me->callbacks = *callbacks;
    if (set_up(me, settings)) return me;
    weir_h2_free(me);
    return NULL;
}

void weir_h2_free(weir_h2 *me) {
    nghttp2_session_del(me->session);
    free(me);
}

int weir_h2_receive(weir_h2 *me, void *context, const uint8_t *bytes, size_t count) {
    me->context = context;
    ssize_t result = nghttp2_session_mem_recv(me->session, bytes, count);
    return result < 0 ? (int)result : 0;
}

ptrdiff_t weir_h2_send(weir_h2 *me, void *context, const uint8_t **bytes) {
    me->context = context;
    return nghttp2_session_mem_send(me->session, bytes);
}

int weir_h2_is_alive(const weir_h2 *me) {
    return nghttp2_session_want_read(me->session) || nghttp2_session_want_write(me->session);
}

// MARK: Frames

/// Most heads are as small as this; others take memory for a moment.
enum { SMALL = 32 };

static nghttp2_nv *list(weir_h2_fields fields, nghttp2_nv *small) {
    nghttp2_nv *all = fields.count <= SMALL ? small : malloc(fields.count * sizeof *all);
    if (!all) return NULL;
    // nghttp2 copies the bytes.
    uint8_t *next = (uint8_t *)fields.bytes;
    for (size_t index = 0; index < fields.count; index++) {
        uint32_t name = fields.lengths[2 * index], value = fields.lengths[2 * index + 1];
        all[index] = (nghttp2_nv){next, next + name, name, value, NGHTTP2_NV_FLAG_NONE};
        next += name + value;
    }
    return all;
}

int weir_h2_submit_informational(weir_h2 *me, int32_t stream, weir_h2_fields fields) {
    nghttp2_nv small[SMALL], *all = list(fields, small);
    if (!all) return NGHTTP2_ERR_NOMEM;
    int result = nghttp2_submit_headers(me->session, NGHTTP2_FLAG_NONE, stream, NULL, all, fields.count, NULL);
    if (all != small) free(all);
    return result;
}

int weir_h2_submit_head(weir_h2 *me, int32_t stream, weir_h2_fields fields, int has_body) {
    nghttp2_nv small[SMALL], *all = list(fields, small);
    if (!all) return NGHTTP2_ERR_NOMEM;
    nghttp2_data_provider body = {.source = {.ptr = NULL}, .read_callback = read_body};
    int result = nghttp2_submit_response(me->session, stream, all, fields.count, has_body ? &body : NULL);
    if (all != small) free(all);
    return result;
}

int weir_h2_submit_trailers(weir_h2 *me, int32_t stream, weir_h2_fields fields) {
    nghttp2_nv small[SMALL], *all = list(fields, small);
    if (!all) return NGHTTP2_ERR_NOMEM;
    int result = nghttp2_submit_trailer(me->session, stream, all, fields.count);
    if (all != small) free(all);
    return result;
}

int weir_h2_submit_reset(weir_h2 *me, int32_t stream, uint32_t code) {
    return nghttp2_submit_rst_stream(me->session, NGHTTP2_FLAG_NONE, stream, code);
}

int weir_h2_submit_goaway(weir_h2 *me, int32_t last, uint32_t code, const char *text) {
    if (last < 0) last = nghttp2_session_get_last_proc_stream_id(me->session);
    return nghttp2_submit_goaway(me->session, NGHTTP2_FLAG_NONE, last, code, (const uint8_t *)text, strlen(text));
}

int weir_h2_resume(weir_h2 *me, int32_t stream) { return nghttp2_session_resume_data(me->session, stream); }

int weir_h2_consume_connection(weir_h2 *me, size_t count) {
    return nghttp2_session_consume_connection(me->session, count);
}

int weir_h2_consume_stream(weir_h2 *me, int32_t stream, size_t count) {
    return nghttp2_session_consume_stream(me->session, stream, count);
}

const char *weir_h2_text(int error) { return nghttp2_strerror(error); }
