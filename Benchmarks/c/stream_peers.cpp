// What the parsers of streams are measured against, over the same files in memory.
//
//   stream_peers memchr FILE     lines by a loop over memchr: the usual fast way
//   stream_peers simdjson FILE   the elements of a JSON array by simdjson's On-Demand interface, as their bytes
//
// Prints one line of JSON: seconds of processor time, the median of five passes, bytes, messages.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <simdjson.h>
#include <string>

static double processor_time() {
    timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return double(time.tv_sec) + double(time.tv_nsec) / 1e9;
}

static size_t lines(const simdjson::padded_string &text, size_t &length) {
    const char *place = text.data();
    const char *end = place + text.size();
    size_t count = 0;
    while (const void *found = memchr(place, '\n', size_t(end - place))) {
        const char *line_end = static_cast<const char *>(found);
        length += size_t(line_end - place);
        count++;
        place = line_end + 1;
    }
    return count;
}

static size_t elements(simdjson::ondemand::parser &parser, const simdjson::padded_string &text, size_t &length) {
    size_t count = 0;
    auto document = parser.iterate(text);
    for (auto element : document.get_array()) {
        simdjson::ondemand::object object;
        std::string_view bytes;
        if (element.get_object().get(object) || object.raw_json().get(bytes)) return 0;
        length += bytes.size();
        count++;
    }
    return count;
}

int main(int count, char **arguments) {
    if (count != 3) {
        fprintf(stderr, "usage: stream_peers memchr|simdjson FILE\n");
        return 2;
    }
    auto loaded = simdjson::padded_string::load(arguments[2]);
    if (loaded.error()) {
        fprintf(stderr, "stream_peers: %s cannot be read\n", arguments[2]);
        return 1;
    }
    const simdjson::padded_string &text = loaded.value_unsafe();
    const bool is_lines = strcmp(arguments[1], "memchr") == 0;
    simdjson::ondemand::parser parser;
    double times[5];
    size_t found = 0, length = 0;
    for (double &time : times) {
        const double before = processor_time();
        found = is_lines ? lines(text, length) : elements(parser, text, length);
        time = processor_time() - before;
    }
    if (found == 0 || length == 0) {
        fprintf(stderr, "stream_peers: %s has no messages\n", arguments[2]);
        return 1;
    }
    std::sort(times, times + 5);
    printf("{\"shape\":\"%s\",\"wall\":%.9f,\"bytes\":%zu,\"count\":%zu}\n", arguments[1], times[2], text.size(), found);
    return 0;
}
