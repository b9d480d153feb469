#ifndef FETTLE_CURL_SHIM_STATE_H
#define FETTLE_CURL_SHIM_STATE_H

#include <curl/curl.h>

// Initialises libcurl once per process and returns its status.
CURLcode curl_shim_initialised(void);

#endif
