#ifndef FETTLE_CURL_SHIM_H
#define FETTLE_CURL_SHIM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "CCurlMail.h"

// One POST or GET request. The shim exists because curl_easy_setopt is variadic, and Swift cannot call variadic C
// functions. All pointers are borrowed for the duration of the call.
typedef struct {
  const char *url;
  const uint8_t *body;
  size_t body_length;
  bool is_get;  // false: POST with the body
  const char *method;  // another method, such as PUT with the body, HEAD or DELETE; NULL for POST or GET
  // Signs the request as AWS signature 4: provider, region and service, such as aws:amz:eu-north-1:s3; NULL for none.
  const char *aws_sigv4;
  const char *username;  // the access key; NULL for none
  const char *password;  // the secret key
  const char *const *headers;  // "Name: value"
  size_t header_count;
  long connect_timeout_ms;
  long timeout_ms;
  size_t response_limit;
  const char *ca_file;  // NULL for the system's authorities

  void *context;  // passed to both functions below
  // Returns whether a connection to this address (4 or 16 bytes, network order) may be opened. Called for each address
  // right before its socket is opened.
  bool (*allows_address)(void *context, const uint8_t *address, size_t length);
  // Returns whether to abort the request. Called about once a second.
  bool (*is_cancelled)(void *context);
} curl_shim_request;

// The outcome of a request, as far as it decides about a retry.
typedef enum {
  CURL_SHIM_ANSWERED,     // status is set
  CURL_SHIM_REFUSED,      // allows_address returned false
  CURL_SHIM_INVALID,      // malformed URL
  CURL_SHIM_UNREACHABLE,  // name lookup, connection, TLS, timeout, malformed response
  CURL_SHIM_CANCELLED,
} curl_shim_outcome;

typedef struct {
  curl_shim_outcome outcome;
  long status;
  int64_t retry_after_seconds;  // Retry-After of the response, 0 without one
  uint8_t *response;            // at most response_limit bytes; freed by curl_shim_free
  size_t response_length;
  bool is_truncated;
  char reason[128];  // curl_easy_strerror: never an address
} curl_shim_result;

// Sends the request and waits for the response. Blocks; safe on any number of threads.
void curl_shim_post(const curl_shim_request *request, curl_shim_result *result);

// Frees the response of a result.
void curl_shim_free(curl_shim_result *result);

#endif
