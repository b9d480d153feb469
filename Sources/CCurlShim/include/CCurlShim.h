#ifndef FETTLE_CURL_SHIM_H
#define FETTLE_CURL_SHIM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// One POST or GET request through libcurl, whose variadic options Swift cannot call. All pointers are borrowed for
// the duration of the call.
typedef struct {
  const char *url;
  const uint8_t *body;
  size_t body_length;
  bool is_get;  // no body is sent
  const char *const *headers;  // "Name: value"
  size_t header_count;
  long connect_timeout_ms;
  long timeout_ms;
  size_t response_limit;
  const char *ca_file;  // NULL for the system's authorities

  void *context;  // passed to both functions below
  // Whether a connection to this address (4 or 16 bytes, network order) may be opened. Asked for every
  // address right before its socket is made, hence about the address that is really used.
  bool (*allows_address)(void *context, const uint8_t *address, size_t length);
  // Whether to give up; asked about once a second.
  bool (*is_cancelled)(void *context);
} curl_shim_request;

// How a request ended, in the terms that decide whether to try again.
typedef enum {
  CURL_SHIM_ANSWERED,     // status is set
  CURL_SHIM_REFUSED,      // allows_address said no
  CURL_SHIM_INVALID,      // the URL cannot be used
  CURL_SHIM_UNREACHABLE,  // name, connection, TLS, timeout, broken answer
  CURL_SHIM_CANCELLED,
} curl_shim_outcome;

typedef struct {
  curl_shim_outcome outcome;
  long status;
  int64_t retry_after_seconds;  // 0 when the server named no time
  uint8_t *response;            // at most response_limit bytes; freed by curl_shim_free
  size_t response_length;
  bool is_truncated;
  char reason[128];  // what went wrong, in libcurl's general words
} curl_shim_result;

// Sends the request and waits for its answer. Blocks; safe on any number of threads.
void curl_shim_post(const curl_shim_request *request, curl_shim_result *result);

// Frees what the result holds.
void curl_shim_free(curl_shim_result *result);

#endif
