#include "CCurlShim.h"

#include <arpa/inet.h>
#include <curl/curl.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "CCurlShimState.h"

typedef struct {
  const curl_shim_request *request;
  curl_shim_result *result;
  bool is_refused;
} exchange;

static pthread_once_t once = PTHREAD_ONCE_INIT;
static CURLcode initialised = CURLE_FAILED_INIT;

// curl_global_init is not safe on several threads in every version of libcurl.
static void initialise(void) { initialised = curl_global_init(CURL_GLOBAL_DEFAULT); }

CURLcode curl_shim_initialised(void) {
  pthread_once(&once, initialise);
  return initialised;
}

// Checks the address right before libcurl connects to it. A check of the URL, or of a name lookup of our own, would
// allow DNS rebinding: the name could resolve to another address at the second lookup.
static curl_socket_t open_socket(void *pointer, curlsocktype purpose, struct curl_sockaddr *address) {
  exchange *self = pointer;
  bool is_allowed = false;
  if (purpose == CURLSOCKTYPE_IPCXN && address->family == AF_INET) {
    const struct sockaddr_in *v4 = (const struct sockaddr_in *)(const void *)&address->addr;
    is_allowed = self->request->allows_address(self->request->context, (const uint8_t *)&v4->sin_addr, 4);
  } else if (purpose == CURLSOCKTYPE_IPCXN && address->family == AF_INET6) {
    const struct sockaddr_in6 *v6 = (const struct sockaddr_in6 *)(const void *)&address->addr;
    is_allowed = self->request->allows_address(self->request->context, (const uint8_t *)&v6->sin6_addr, 16);
  }
  if (!is_allowed) {
    self->is_refused = true;
    return CURL_SOCKET_BAD;
  }
  return socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
}

// Keeps at most response_limit bytes of the response, then ends the transfer.
static size_t receive(char *bytes, size_t size, size_t count, void *pointer) {
  exchange *self = pointer;
  curl_shim_result *result = self->result;
  size_t room = self->request->response_limit - result->response_length;
  size_t length = size * count;
  size_t taken = length < room ? length : room;
  if (taken > 0) {
    uint8_t *grown = realloc(result->response, result->response_length + taken);
    if (grown == NULL) return 0;
    memcpy(grown + result->response_length, bytes, taken);
    result->response = grown;
    result->response_length += taken;
  }
  if (taken < length) result->is_truncated = true;
  return taken;
}

static int progress(void *pointer, curl_off_t a, curl_off_t b, curl_off_t c, curl_off_t d) {
  (void)a, (void)b, (void)c, (void)d;
  exchange *self = pointer;
  return self->request->is_cancelled(self->request->context) ? 1 : 0;
}

static CURLcode configure(CURL *handle, exchange *self, struct curl_slist *headers) {
  const curl_shim_request *request = self->request;
  CURLcode code = CURLE_OK;
#define SET(option, value) \
  if (code == CURLE_OK) code = curl_easy_setopt(handle, option, value)
  SET(CURLOPT_NOSIGNAL, 1L);
#if LIBCURL_VERSION_NUM >= 0x075500
  SET(CURLOPT_PROTOCOLS_STR, "http,https");
#else
  SET(CURLOPT_PROTOCOLS, (long)(CURLPROTO_HTTP | CURLPROTO_HTTPS));
#endif
  SET(CURLOPT_FOLLOWLOCATION, 0L);
  // A proxy from the environment would bypass the address check.
  SET(CURLOPT_PROXY, "");
  SET(CURLOPT_DISALLOW_USERNAME_IN_URL, 1L);
  SET(CURLOPT_SSL_VERIFYPEER, 1L);
  SET(CURLOPT_SSL_VERIFYHOST, 2L);
  SET(CURLOPT_SSLVERSION, (long)CURL_SSLVERSION_TLSv1_2);
  if (request->ca_file != NULL) SET(CURLOPT_CAINFO, request->ca_file);
  SET(CURLOPT_OPENSOCKETFUNCTION, open_socket);
  SET(CURLOPT_OPENSOCKETDATA, self);
  SET(CURLOPT_WRITEFUNCTION, receive);
  SET(CURLOPT_WRITEDATA, self);
  SET(CURLOPT_XFERINFOFUNCTION, progress);
  SET(CURLOPT_XFERINFODATA, self);
  SET(CURLOPT_NOPROGRESS, 0L);
  SET(CURLOPT_CONNECTTIMEOUT_MS, request->connect_timeout_ms);
  SET(CURLOPT_TIMEOUT_MS, request->timeout_ms);
  SET(CURLOPT_HTTPHEADER, headers);
  if (request->is_get) {
    SET(CURLOPT_HTTPGET, 1L);
  } else {
    SET(CURLOPT_POST, 1L);
    // Without a pointer libcurl would read the body from standard input.
    SET(CURLOPT_POSTFIELDS, request->body == NULL ? "" : (const char *)request->body);
    SET(CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)request->body_length);
  }
  if (request->method != NULL) {
    if (strcmp(request->method, "HEAD") == 0) SET(CURLOPT_NOBODY, 1L);
    SET(CURLOPT_CUSTOMREQUEST, request->method);
  }
  if (request->aws_sigv4 != NULL) SET(CURLOPT_AWS_SIGV4, request->aws_sigv4);
  if (request->username != NULL) {
    SET(CURLOPT_USERNAME, request->username);
    SET(CURLOPT_PASSWORD, request->password == NULL ? "" : request->password);
  }
  SET(CURLOPT_URL, request->url);
#undef SET
  return code;
}

// Returns the seconds of Retry-After, 0 without it. libcurl also gives 0 for a number that it cannot represent.
static int64_t retry_after(CURL *handle) {
  curl_off_t seconds = 0;
  curl_easy_getinfo(handle, CURLINFO_RETRY_AFTER, &seconds);
#if LIBCURL_VERSION_NUM >= 0x075400
  struct curl_header *field = NULL;
  if (seconds <= 0 && curl_easy_header(handle, "Retry-After", 0, CURLH_HEADER, -1, &field) == CURLHE_OK) {
    size_t digits = strspn(field->value, "0123456789");
    if (field->value[digits] == 0 && strspn(field->value, "0") < digits) return INT64_MAX;
  }
#endif
  return seconds;
}

static curl_shim_outcome outcome(CURL *handle, CURLcode code, const exchange *self) {
  long status = 0;
  curl_easy_getinfo(handle, CURLINFO_RESPONSE_CODE, &status);
  // A response truncated by response_limit is complete as far as its status is concerned.
  if (code == CURLE_OK || (code == CURLE_WRITE_ERROR && self->result->is_truncated)) {
    self->result->status = status;
    self->result->retry_after_seconds = retry_after(handle);
    return CURL_SHIM_ANSWERED;
  }
  if (self->is_refused) return CURL_SHIM_REFUSED;
  switch (code) {
    case CURLE_ABORTED_BY_CALLBACK: return CURL_SHIM_CANCELLED;
    // Not CURLE_UNSUPPORTED_PROTOCOL: libcurl also reports it for a response that is not HTTP.
    case CURLE_URL_MALFORMAT:
    case CURLE_LOGIN_DENIED: return CURL_SHIM_INVALID;
    default: return CURL_SHIM_UNREACHABLE;
  }
}

static void perform(exchange *self) {
  const curl_shim_request *request = self->request;
  curl_shim_result *result = self->result;
  CURL *handle = curl_easy_init();
  struct curl_slist *headers = NULL;
  bool is_complete = handle != NULL;
  for (size_t index = 0; is_complete && index < request->header_count; index++) {
    struct curl_slist *longer = curl_slist_append(headers, request->headers[index]);
    is_complete = longer != NULL;
    if (is_complete) headers = longer;
  }
  CURLcode code = is_complete ? configure(handle, self, headers) : CURLE_OUT_OF_MEMORY;
  if (code == CURLE_OK) code = curl_easy_perform(handle);
  if (handle != NULL) result->outcome = outcome(handle, code, self);
  // Not CURLOPT_ERRORBUFFER: its text contains addresses.
  strncpy(result->reason, curl_easy_strerror(code), sizeof result->reason - 1);
  curl_slist_free_all(headers);
  curl_easy_cleanup(handle);
}

void curl_shim_post(const curl_shim_request *request, curl_shim_result *result) {
  memset(result, 0, sizeof *result);
  result->outcome = CURL_SHIM_UNREACHABLE;
  if (curl_shim_initialised() == CURLE_OK) {
    exchange self = {.request = request, .result = result};
    perform(&self);
  } else {
    strncpy(result->reason, curl_easy_strerror(initialised), sizeof result->reason - 1);
  }
}

void curl_shim_free(curl_shim_result *result) {
  free(result->response);
  result->response = NULL;
  result->response_length = 0;
}
