// What the session is measured against: libcurl used from C, in three shapes, on small GETs over kept-alive connections.
//
//   peers easy URL COUNT       one easy handle in a loop: the floor of a sequential client
//   peers handoff URL COUNT    a multi handle on its own thread; each request is handed over and waited for with a condition
//                              variable: the session's own design, without Swift
//   peers multi URL COUNT N    one multi loop with N requests in flight
//   peers http2 URL COUNT N CA  the same with N streams of HTTP/2 on one connection over TLS; CA is the file of its authority
//   peers spin COUNT           no libcurl: the hand-over of `handoff` alone, for the share that is the machine's
//
// Prints one line of JSON: what was run, seconds of wall time, seconds of processor time, bytes of bodies. Each shape makes the
// least that a correct program can: handles are reused, nothing is set twice that does not change.
#define _GNU_SOURCE
#include <curl/curl.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

enum { WARM_UP = 200, MOST_IN_FLIGHT = 1024 };

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static double processor_time(void) {
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec)
        + (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6;
}

static void fail(const char *what, const char *why) {
    fprintf(stderr, "peers: %s: %s\n", what, why);
    exit(1);
}

// A body is collected, as a client that returns it must.
struct body {
    char *bytes;
    size_t count;
    size_t capacity;
};

static size_t take(char *bytes, size_t size, size_t count, void *context) {
    struct body *body = context;
    size_t added = size * count;
    if (body->count + added > body->capacity) {
        size_t capacity = (body->count + added) * 2;
        char *grown = realloc(body->bytes, capacity);
        if (!grown) return 0;
        body->bytes = grown;
        body->capacity = capacity;
    }
    memcpy(body->bytes + body->count, bytes, added);
    body->count += added;
    return added;
}

static CURL *make_easy(const char *url, struct body *body) {
    CURL *easy = curl_easy_init();
    if (!easy) fail("curl_easy_init", "no handle");
    curl_easy_setopt(easy, CURLOPT_URL, url);
    curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, take);
    curl_easy_setopt(easy, CURLOPT_WRITEDATA, body);
    curl_easy_setopt(easy, CURLOPT_PRIVATE, body);
    curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
    return easy;
}

static void check(CURL *easy, CURLcode result) {
    long status = 0;
    if (result != CURLE_OK) fail("transfer", curl_easy_strerror(result));
    curl_easy_getinfo(easy, CURLINFO_RESPONSE_CODE, &status);
    if (status != 200) fail("transfer", "the status is not 200");
}

static void report(const char *shape, long count, double wall, double processor, unsigned long long bytes) {
    printf("{\"shape\":\"%s\",\"count\":%ld,\"wall\":%.6f,\"processor\":%.6f,\"bytes\":%llu}\n",
           shape, count, wall, processor, bytes);
}

static void run_easy(const char *url, long count) {
    struct body body = {0};
    CURL *easy = make_easy(url, &body);
    unsigned long long bytes = 0;
    double wall = 0, processor = 0;
    for (long i = -WARM_UP; i < count; i++) {
        if (i == 0) wall = now(), processor = processor_time();
        body.count = 0;
        check(easy, curl_easy_perform(easy));
        if (i >= 0) bytes += body.count;
    }
    report("easy", count, now() - wall, processor_time() - processor, bytes);
    curl_easy_cleanup(easy);
    free(body.bytes);
}

// The hand-over: one slot, filled by the caller, emptied by the loop's thread, which fills in the result.
struct handoff {
    pthread_mutex_t lock;
    pthread_cond_t done;
    CURLM *multi;
    CURL *submitted;
    bool is_done;
    bool is_stopping;
    CURLcode result;
};

static void *run_loop(void *context) {
    struct handoff *shared = context;
    while (true) {
        pthread_mutex_lock(&shared->lock);
        CURL *submitted = shared->submitted;
        shared->submitted = NULL;
        bool is_stopping = shared->is_stopping;
        pthread_mutex_unlock(&shared->lock);
        if (is_stopping) return NULL;
        if (submitted) curl_multi_add_handle(shared->multi, submitted);
        int running = 0;
        curl_multi_perform(shared->multi, &running);
        int left = 0;
        for (CURLMsg *message; (message = curl_multi_info_read(shared->multi, &left));) {
            if (message->msg != CURLMSG_DONE) continue;
            CURLcode result = message->data.result;
            curl_multi_remove_handle(shared->multi, message->easy_handle);
            pthread_mutex_lock(&shared->lock);
            shared->result = result;
            shared->is_done = true;
            pthread_cond_signal(&shared->done);
            pthread_mutex_unlock(&shared->lock);
        }
        curl_multi_poll(shared->multi, NULL, 0, 1000, NULL);
    }
}

static void run_handoff(const char *url, long count) {
    struct handoff shared = {.multi = curl_multi_init()};
    if (!shared.multi) fail("curl_multi_init", "no handle");
    pthread_mutex_init(&shared.lock, NULL);
    pthread_cond_init(&shared.done, NULL);
    struct body body = {0};
    CURL *easy = make_easy(url, &body);
    pthread_t thread;
    if (pthread_create(&thread, NULL, run_loop, &shared)) fail("pthread_create", "no thread");
    unsigned long long bytes = 0;
    double wall = 0, processor = 0;
    for (long i = -WARM_UP; i < count; i++) {
        if (i == 0) wall = now(), processor = processor_time();
        body.count = 0;
        pthread_mutex_lock(&shared.lock);
        shared.submitted = easy;
        shared.is_done = false;
        pthread_mutex_unlock(&shared.lock);
        curl_multi_wakeup(shared.multi);
        pthread_mutex_lock(&shared.lock);
        while (!shared.is_done) pthread_cond_wait(&shared.done, &shared.lock);
        CURLcode result = shared.result;
        pthread_mutex_unlock(&shared.lock);
        check(easy, result);
        if (i >= 0) bytes += body.count;
    }
    report("handoff", count, now() - wall, processor_time() - processor, bytes);
    pthread_mutex_lock(&shared.lock);
    shared.is_stopping = true;
    pthread_mutex_unlock(&shared.lock);
    curl_multi_wakeup(shared.multi);
    pthread_join(thread, NULL);
    curl_easy_cleanup(easy);
    curl_multi_cleanup(shared.multi);
    free(body.bytes);
}

// With an authority's file, HTTP/2 over TLS on one connection.
static void run_multi(const char *url, long count, long in_flight, const char *authority) {
    CURLM *multi = curl_multi_init();
    if (!multi) fail("curl_multi_init", "no handle");
    if (authority) curl_multi_setopt(multi, CURLMOPT_MAX_HOST_CONNECTIONS, 1L);
    long connections = 0;
    static struct body bodies[MOST_IN_FLIGHT];
    static CURL *easies[MOST_IN_FLIGHT];
    long started = 0, finished = -WARM_UP;
    unsigned long long bytes = 0;
    double wall = now(), processor = processor_time();
    for (long i = 0; i < in_flight; i++) {
        easies[i] = make_easy(url, &bodies[i]);
        if (authority) {
            curl_easy_setopt(easies[i], CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_2TLS);
            curl_easy_setopt(easies[i], CURLOPT_PIPEWAIT, 1L);
            curl_easy_setopt(easies[i], CURLOPT_CAINFO, authority);
        }
        curl_multi_add_handle(multi, easies[i]);
        started++;
    }
    while (finished < count) {
        int running = 0;
        curl_multi_perform(multi, &running);
        int left = 0;
        bool is_done = false;
        for (CURLMsg *message; (message = curl_multi_info_read(multi, &left));) {
            if (message->msg != CURLMSG_DONE) continue;
            CURL *easy = message->easy_handle;
            struct body *body = NULL;
            check(easy, message->data.result);
            if (authority) {
                long opened = 0, version = 0;
                curl_easy_getinfo(easy, CURLINFO_NUM_CONNECTS, &opened);
                curl_easy_getinfo(easy, CURLINFO_HTTP_VERSION, &version);
                connections += opened;
                if (version != CURL_HTTP_VERSION_2_0) fail("transfer", "it is not HTTP/2");
            }
            curl_easy_getinfo(easy, CURLINFO_PRIVATE, (char **)&body);
            curl_multi_remove_handle(multi, easy);
            is_done = true;
            if (++finished == 0) wall = now(), processor = processor_time();
            if (finished > 0) bytes += body->count;
            if (started < count + WARM_UP) {
                body->count = 0;
                curl_multi_add_handle(multi, easy);
                started++;
            }
        }
        // What was just added is to be started before waiting.
        if (!is_done && finished < count) curl_multi_poll(multi, NULL, 0, 1000, NULL);
    }
    if (authority && connections != 1) fail("transfer", "there is more than one connection");
    report(authority ? "http2" : "multi", count, now() - wall, processor_time() - processor, bytes);
    for (long i = 0; i < in_flight; i++) {
        curl_easy_cleanup(easies[i]);
        free(bodies[i].bytes);
    }
    curl_multi_cleanup(multi);
}

static void *run_echo(void *context) {
    struct handoff *shared = context;
    pthread_cond_t *wake = (pthread_cond_t *)shared->multi;
    pthread_mutex_lock(&shared->lock);
    while (!shared->is_stopping) {
        if (shared->submitted) {
            shared->submitted = NULL;
            shared->is_done = true;
            pthread_cond_signal(&shared->done);
        }
        pthread_cond_wait(wake, &shared->lock);
    }
    pthread_mutex_unlock(&shared->lock);
    return NULL;
}

static void run_spin(long count) {
    pthread_cond_t wake;
    pthread_cond_init(&wake, NULL);
    struct handoff shared = {.multi = (CURLM *)&wake};
    pthread_mutex_init(&shared.lock, NULL);
    pthread_cond_init(&shared.done, NULL);
    pthread_t thread;
    if (pthread_create(&thread, NULL, run_echo, &shared)) fail("pthread_create", "no thread");
    double wall = now(), processor = processor_time();
    for (long i = 0; i < count; i++) {
        pthread_mutex_lock(&shared.lock);
        shared.submitted = (CURL *)&wake;
        shared.is_done = false;
        pthread_cond_signal(&wake);
        while (!shared.is_done) pthread_cond_wait(&shared.done, &shared.lock);
        pthread_mutex_unlock(&shared.lock);
    }
    report("spin", count, now() - wall, processor_time() - processor, 0);
    pthread_mutex_lock(&shared.lock);
    shared.is_stopping = true;
    pthread_cond_signal(&wake);
    pthread_mutex_unlock(&shared.lock);
    pthread_join(thread, NULL);
}

static long number(const char *text, long most) {
    char *end = NULL;
    long value = strtol(text, &end, 10);
    if (end == text || *end || value < 1 || value > most) fail(text, "not a number in range");
    return value;
}

int main(int argc, char **argv) {
    const char *shape = argc > 1 ? argv[1] : "";
    const long most = 100000000;
    if (curl_global_init(CURL_GLOBAL_DEFAULT)) fail("curl_global_init", "it failed");
    if (!strcmp(shape, "easy") && argc == 4) {
        run_easy(argv[2], number(argv[3], most));
    } else if (!strcmp(shape, "handoff") && argc == 4) {
        run_handoff(argv[2], number(argv[3], most));
    } else if (!strcmp(shape, "multi") && argc == 5) {
        run_multi(argv[2], number(argv[3], most), number(argv[4], MOST_IN_FLIGHT), NULL);
    } else if (!strcmp(shape, "http2") && argc == 6) {
        run_multi(argv[2], number(argv[3], most), number(argv[4], MOST_IN_FLIGHT), argv[5]);
    } else if (!strcmp(shape, "spin") && argc == 3) {
        run_spin(number(argv[2], most));
    } else {
        fprintf(stderr, "usage: peers easy|handoff URL COUNT, peers multi URL COUNT IN-FLIGHT, "
                        "peers http2 URL COUNT IN-FLIGHT AUTHORITY, peers spin COUNT\n");
        return 2;
    }
    curl_global_cleanup();
    return 0;
}
