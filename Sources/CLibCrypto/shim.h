#include <openssl/sha.h>
#include <openssl/hmac.h>
#include <openssl/evp.h>
#include <openssl/rand.h>
#include <openssl/crypto.h>
// getrandom(2), which Swift's Glibc module leaves out.
#include <sys/random.h>
