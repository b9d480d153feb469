#ifndef FETTLE_CURL_MAIL_H
#define FETTLE_CURL_MAIL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// One mail for one recipient, submitted by SMTP. All pointers are borrowed for the duration of the call.
typedef struct {
  const char *url;        // smtp://host:port/name or smtps://host:port/name; name is the argument of EHLO
  const char *sender;     // envelope addresses, without angle brackets
  const char *recipient;
  const uint8_t *message;  // header and body with CRLF line ends, without dot-stuffing
  size_t message_length;
  const char *user;  // NULL to submit without signing in
  const char *password;
  const char *ca_file;  // NULL for the system's authorities
  // True: the connection is encrypted before anything else is sent (STARTTLS or smtps). False: plain text, and only to
  // a loopback address.
  bool requires_tls;
  long connect_timeout_ms;
  long timeout_ms;

  void *context;  // passed to is_cancelled
  // Returns whether to abort. Called about once a second.
  bool (*is_cancelled)(void *context);
} curl_shim_mail_request;

// The outcome of a submission.
typedef enum {
  CURL_SHIM_MAIL_ACCEPTED,     // the server has taken the message
  CURL_SHIM_MAIL_ANSWERED,     // the server refused; status and stage are set
  CURL_SHIM_MAIL_UNENCRYPTED,  // the server offers no TLS
  CURL_SHIM_MAIL_REMOTE,       // plain text to an address that is not loopback
  CURL_SHIM_MAIL_INVALID,      // malformed URL
  CURL_SHIM_MAIL_UNREACHABLE,  // name lookup, connection, TLS, timeout, malformed response
  CURL_SHIM_MAIL_CANCELLED,
} curl_shim_mail_outcome;

// The command that the server answered last.
typedef enum {
  CURL_SHIM_MAIL_GREETING,
  CURL_SHIM_MAIL_AUTH,
  CURL_SHIM_MAIL_SENDER,
  CURL_SHIM_MAIL_RECIPIENT,
  CURL_SHIM_MAIL_CONTENT,
} curl_shim_mail_stage;

typedef struct {
  curl_shim_mail_outcome outcome;
  curl_shim_mail_stage stage;
  int status;         // of the server's last answer, 0 without one
  char answer[512];   // the last line of that answer, without its status; bytes as received
  char reason[128];   // curl_easy_strerror: never an address
} curl_shim_mail_result;

// Submits the mail and waits for the answer. Blocks; safe on any number of threads.
void curl_shim_mail(const curl_shim_mail_request *request, curl_shim_mail_result *result);

#endif
