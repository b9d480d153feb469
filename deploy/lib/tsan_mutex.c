// Makes the standard library's Mutex visible to the thread sanitizer. deploy/sanitize links this into its thread build.
//
// Taking and releasing a free Mutex is inlined into our code, which is instrumented. A thread that has to wait calls
// _lockSlow, which is in libswiftSynchronization and is not: the sanitizer does not see that the thread waited, and
// reports a race for data that the Mutex protects. Here the three slow functions are defined once more. They call the
// library's, and tell the sanitizer about the order.
//
// These functions are not public, and the library may rename them. Every program that is linked with this file then
// ends at its start with a message.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

// Weak, because tools of the build are linked with this file too and have no sanitizer.
__attribute__((weak)) void __tsan_acquire(void *address);
__attribute__((weak)) void __tsan_release(void *address);

#define SWIFT __attribute__((swiftcall))
#define SELF __attribute__((swift_context)) void *mutex

#define LOCK "$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF"
#define TRY_LOCK "$s15Synchronization12_MutexHandleV12_tryLockSlowSbyF"
#define UNLOCK "$s15Synchronization12_MutexHandleV11_unlockSlowyyF"

typedef SWIFT void lock_function(uint32_t thread, SELF);
typedef SWIFT bool try_lock_function(SELF);
typedef SWIFT void unlock_function(SELF);

static lock_function *library_lock;
static try_lock_function *library_try_lock;
static unlock_function *library_unlock;

static void *of_library(const char *name) {
  void *function = dlsym(RTLD_NEXT, name);
  // Tools of the build do not use the library.
  if (function == NULL && dlsym(RTLD_DEFAULT, "$s15Synchronization12_MutexHandleVMn") != NULL) {
    fprintf(stderr, "tsan_mutex.c: the library has no %s; update the names in deploy/lib/tsan_mutex.c\n", name);
    abort();
  }
  return function;
}

__attribute__((constructor)) static void find_functions(void) {
  library_lock = (lock_function *)of_library(LOCK);
  library_try_lock = (try_lock_function *)of_library(TRY_LOCK);
  library_unlock = (unlock_function *)of_library(UNLOCK);
}

SWIFT void lock_slow(uint32_t thread, SELF) __asm__(LOCK);
SWIFT void lock_slow(uint32_t thread, SELF) {
  library_lock(thread, mutex);
  if (__tsan_acquire) __tsan_acquire(mutex);
}

SWIFT bool try_lock_slow(SELF) __asm__(TRY_LOCK);
SWIFT bool try_lock_slow(SELF) {
  bool locked = library_try_lock(mutex);
  if (locked && __tsan_acquire) __tsan_acquire(mutex);
  return locked;
}

SWIFT void unlock_slow(SELF) __asm__(UNLOCK);
SWIFT void unlock_slow(SELF) {
  if (__tsan_release) __tsan_release(mutex);
  library_unlock(mutex);
}
