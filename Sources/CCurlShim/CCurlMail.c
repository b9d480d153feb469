#include "CCurlMail.h"

#include <curl/curl.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "CCurlShimState.h"

typedef struct {
  const curl_shim_mail_request *request;
  curl_shim_mail_result *result;
  size_t sent;
  bool is_remote;
  bool has_quit;
} submission;

static bool is_loopback(const struct curl_sockaddr *address) {
  if (address->family == AF_INET) {
    const struct sockaddr_in *v4 = (const struct sockaddr_in *)(const void *)&address->addr;
    return (ntohl(v4->sin_addr.s_addr) >> 24) == 127;
  }
  if (address->family != AF_INET6) return false;
  const struct sockaddr_in6 *v6 = (const struct sockaddr_in6 *)(const void *)&address->addr;
  return IN6_IS_ADDR_LOOPBACK(&v6->sin6_addr);
}

// Checks the address right before libcurl connects to it, because a name such as localhost can resolve to any.
static curl_socket_t open_socket(void *pointer, curlsocktype purpose, struct curl_sockaddr *address) {
  submission *self = pointer;
  if (!self->request->requires_tls && (purpose != CURLSOCKTYPE_IPCXN || !is_loopback(address))) {
    self->is_remote = true;
    return CURL_SOCKET_BAD;
  }
  return socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
}

static size_t read_message(char *bytes, size_t size, size_t count, void *pointer) {
  submission *self = pointer;
  size_t rest = self->request->message_length - self->sent;
  size_t length = size * count < rest ? size * count : rest;
  memcpy(bytes, self->request->message + self->sent, length);
  self->sent += length;
  return length;
}

// Keeps the last answer of the server. The answer to QUIT says nothing about the message.
static size_t receive_answer(char *bytes, size_t size, size_t count, void *pointer) {
  submission *self = pointer;
  curl_shim_mail_result *result = self->result;
  size_t length = size * count;
  if (self->has_quit || length < 3) return length;
  int status = 0;
  for (size_t index = 0; index < 3; index++) {
    if (bytes[index] < '0' || bytes[index] > '9') return length;
    status = status * 10 + (bytes[index] - '0');
  }
  size_t start = length > 3 ? 4 : 3;
  size_t end = length;
  while (end > start && (bytes[end - 1] == '\r' || bytes[end - 1] == '\n')) end--;
  size_t kept = end - start < sizeof result->answer - 1 ? end - start : sizeof result->answer - 1;
  memcpy(result->answer, bytes + start, kept);
  result->answer[kept] = 0;
  result->status = status;
  return length;
}

static size_t ignore(char *bytes, size_t size, size_t count, void *pointer) {
  (void)bytes, (void)pointer;
  return size * count;
}

static bool begins(const char *bytes, size_t length, const char *word) {
  return length >= strlen(word) && memcmp(bytes, word, strlen(word)) == 0;
}

// Follows the commands that libcurl sends. Nothing of them is kept: AUTH carries the password.
static int follow(CURL *handle, curl_infotype type, char *bytes, size_t length, void *pointer) {
  (void)handle;
  submission *self = pointer;
  curl_shim_mail_result *result = self->result;
  if (type != CURLINFO_HEADER_OUT) return 0;
  if (begins(bytes, length, "AUTH ")) result->stage = CURL_SHIM_MAIL_AUTH;
  if (begins(bytes, length, "MAIL FROM:")) result->stage = CURL_SHIM_MAIL_SENDER;
  if (begins(bytes, length, "RCPT TO:")) result->stage = CURL_SHIM_MAIL_RECIPIENT;
  if (begins(bytes, length, "DATA\r\n") && result->stage == CURL_SHIM_MAIL_RECIPIENT) {
    result->stage = CURL_SHIM_MAIL_CONTENT;
  }
  if (begins(bytes, length, "QUIT\r\n")) self->has_quit = true;
  return 0;
}

static int progress(void *pointer, curl_off_t a, curl_off_t b, curl_off_t c, curl_off_t d) {
  (void)a, (void)b, (void)c, (void)d;
  submission *self = pointer;
  return self->request->is_cancelled(self->request->context) ? 1 : 0;
}

static CURLcode configure(CURL *handle, submission *self, struct curl_slist *recipients) {
  const curl_shim_mail_request *request = self->request;
  CURLcode code = CURLE_OK;
#define SET(option, value) \
  if (code == CURLE_OK) code = curl_easy_setopt(handle, option, value)
  SET(CURLOPT_NOSIGNAL, 1L);
#if LIBCURL_VERSION_NUM >= 0x075500
  SET(CURLOPT_PROTOCOLS_STR, "smtp,smtps");
#else
  SET(CURLOPT_PROTOCOLS, (long)(CURLPROTO_SMTP | CURLPROTO_SMTPS));
#endif
  SET(CURLOPT_PROXY, "");
  SET(CURLOPT_DISALLOW_USERNAME_IN_URL, 1L);
  SET(CURLOPT_USE_SSL, request->requires_tls ? (long)CURLUSESSL_ALL : (long)CURLUSESSL_NONE);
  SET(CURLOPT_SSL_VERIFYPEER, 1L);
  SET(CURLOPT_SSL_VERIFYHOST, 2L);
  SET(CURLOPT_SSLVERSION, (long)CURL_SSLVERSION_TLSv1_2);
  if (request->ca_file != NULL) SET(CURLOPT_CAINFO, request->ca_file);
  if (request->user != NULL) {
    SET(CURLOPT_USERNAME, request->user);
    SET(CURLOPT_PASSWORD, request->password);
  }
  SET(CURLOPT_OPENSOCKETFUNCTION, open_socket);
  SET(CURLOPT_OPENSOCKETDATA, self);
  SET(CURLOPT_HEADERFUNCTION, receive_answer);
  SET(CURLOPT_HEADERDATA, self);
  SET(CURLOPT_WRITEFUNCTION, ignore);
  SET(CURLOPT_DEBUGFUNCTION, follow);
  SET(CURLOPT_DEBUGDATA, self);
  SET(CURLOPT_VERBOSE, 1L);
  SET(CURLOPT_XFERINFOFUNCTION, progress);
  SET(CURLOPT_XFERINFODATA, self);
  SET(CURLOPT_NOPROGRESS, 0L);
  SET(CURLOPT_CONNECTTIMEOUT_MS, request->connect_timeout_ms);
  SET(CURLOPT_TIMEOUT_MS, request->timeout_ms);
  SET(CURLOPT_MAIL_FROM, request->sender);
  SET(CURLOPT_MAIL_RCPT, recipients);
  SET(CURLOPT_READFUNCTION, read_message);
  SET(CURLOPT_READDATA, self);
  SET(CURLOPT_UPLOAD, 1L);
  SET(CURLOPT_INFILESIZE_LARGE, (curl_off_t)request->message_length);
  SET(CURLOPT_URL, request->url);
#undef SET
  return code;
}

static curl_shim_mail_outcome outcome(CURLcode code, const submission *self) {
  if (code == CURLE_OK) return CURL_SHIM_MAIL_ACCEPTED;
  if (self->is_remote) return CURL_SHIM_MAIL_REMOTE;
  switch (code) {
    case CURLE_ABORTED_BY_CALLBACK: return CURL_SHIM_MAIL_CANCELLED;
    case CURLE_USE_SSL_FAILED: return CURL_SHIM_MAIL_UNENCRYPTED;
    case CURLE_URL_MALFORMAT:
    case CURLE_UNSUPPORTED_PROTOCOL: return CURL_SHIM_MAIL_INVALID;
    // libcurl has many codes for a refusal; the status of the last answer decides.
    default: return self->result->status >= 400 ? CURL_SHIM_MAIL_ANSWERED : CURL_SHIM_MAIL_UNREACHABLE;
  }
}

void curl_shim_mail(const curl_shim_mail_request *request, curl_shim_mail_result *result) {
  memset(result, 0, sizeof *result);
  result->outcome = CURL_SHIM_MAIL_UNREACHABLE;
  CURLcode code = curl_shim_initialised();
  if (code == CURLE_OK) {
    submission self = {.request = request, .result = result};
    CURL *handle = curl_easy_init();
    struct curl_slist *recipients = curl_slist_append(NULL, request->recipient);
    bool is_complete = handle != NULL && recipients != NULL;
    code = is_complete ? configure(handle, &self, recipients) : CURLE_OUT_OF_MEMORY;
    if (code == CURLE_OK) code = curl_easy_perform(handle);
    result->outcome = outcome(code, &self);
    curl_slist_free_all(recipients);
    // Sends QUIT, so self must outlive it.
    curl_easy_cleanup(handle);
  }
  // Not CURLOPT_ERRORBUFFER: its text contains addresses.
  strncpy(result->reason, curl_easy_strerror(code), sizeof result->reason - 1);
}
