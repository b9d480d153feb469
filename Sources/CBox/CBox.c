#define _GNU_SOURCE
#include "CBox.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#if defined(__x86_64__)
#define C_BOX_ARCH AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define C_BOX_ARCH AUDIT_ARCH_AARCH64
#else
#error "name the architecture of the filter"
#endif

// The numbers of newer system calls, which the headers may lack. They are the same on all architectures.
enum {
  NR_io_uring_setup = 425, NR_io_uring_enter = 426, NR_io_uring_register = 427, NR_pidfd_send_signal = 424,
  NR_pidfd_open = 434, NR_clone3 = 435, NR_pidfd_getfd = 438, NR_landlock_create_ruleset = 444,
  NR_landlock_add_rule = 445, NR_landlock_restrict_self = 446,
};

#define DENY(number) \
  BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (number), 0, 1), BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM)

static int filter_calls(void) {
  struct sock_filter rules[] = {
    // The calls of another architecture have other numbers.
    BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, arch)),
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, C_BOX_ARCH, 1, 0),
    BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
    BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
#if defined(__x86_64__)
    // The calls of x32 have this bit.
    BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, 0x40000000, 0, 1),
    BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
#endif
    // Networks, and the sockets of this machine.
    DENY(__NR_socket), DENY(__NR_socketpair), DENY(__NR_connect), DENY(__NR_bind), DENY(__NR_listen),
    DENY(__NR_accept), DENY(__NR_accept4), DENY(__NR_sendto), DENY(__NR_sendmsg), DENY(__NR_sendmmsg),
    DENY(__NR_recvfrom), DENY(__NR_recvmsg), DENY(__NR_recvmmsg),
    DENY(NR_io_uring_setup), DENY(NR_io_uring_enter), DENY(NR_io_uring_register),
    // Other processes of the same user, such as the worker.
    DENY(__NR_ptrace), DENY(__NR_process_vm_readv), DENY(__NR_process_vm_writev), DENY(__NR_kcmp),
    DENY(NR_pidfd_open), DENY(NR_pidfd_getfd), DENY(NR_pidfd_send_signal), DENY(__NR_kill),
    DENY(__NR_rt_sigqueueinfo), DENY(__NR_rt_tgsigqueueinfo),
    // Namespaces and mounts, and what has often been a way into the kernel.
    DENY(__NR_unshare), DENY(__NR_setns), DENY(__NR_mount), DENY(__NR_umount2), DENY(__NR_pivot_root),
    DENY(__NR_chroot), DENY(__NR_bpf), DENY(__NR_perf_event_open), DENY(__NR_userfaultfd), DENY(__NR_add_key),
    DENY(__NR_request_key), DENY(__NR_keyctl),
    // The flags of clone3 are in memory, which a filter cannot read; libraries then use clone.
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, NR_clone3, 0, 1),
    BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_clone, 0, 4),
    BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[0])),
    BPF_JUMP(
      BPF_JMP | BPF_JSET | BPF_K,
      CLONE_NEWUSER | CLONE_NEWNET | CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWIPC | CLONE_NEWUTS | CLONE_NEWCGROUP,
      0,
      1
    ),
    BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
    BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  struct sock_fprog program = { .len = sizeof rules / sizeof rules[0], .filter = rules };
  return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0) == 0;
}

// As in linux/landlock.h; each version of the interface knows more of the members.
struct ruleset {
  uint64_t files, net, scoped;
};
struct __attribute__((packed)) beneath {
  uint64_t access;
  int32_t parent;
};
enum {
  EXECUTE = 1 << 0, WRITE_FILE = 1 << 1, READ_FILE = 1 << 2, READ_DIR = 1 << 3,
  // All rights that concern a file and not a folder.
  OF_FILE = EXECUTE | WRITE_FILE | READ_FILE | 1 << 14,
};

static void allow(int ruleset, const char *path, uint64_t access) {
  int parent = open(path, O_PATH | O_CLOEXEC);
  if (parent < 0) return;
  struct stat status;
  if (fstat(parent, &status) == 0 && !S_ISDIR(status.st_mode)) access &= OF_FILE;
  struct beneath rule = { .access = access, .parent = parent };
  syscall(NR_landlock_add_rule, ruleset, 1, &rule, 0);
  close(parent);
}

static int limit_files(const char *folder) {
  long version = syscall(NR_landlock_create_ruleset, NULL, 0, 1);
  if (version < 1) return 0;
  // Version 2 adds moving between folders, 3 truncation; 4 adds TCP, and 6 sockets without a file, and signals.
  uint64_t all = version >= 3 ? (1 << 15) - 1 : version == 2 ? (1 << 14) - 1 : (1 << 13) - 1;
  struct ruleset rules = { .files = all, .net = version >= 4 ? 3 : 0, .scoped = version >= 6 ? 3 : 0 };
  size_t size = version >= 6 ? 24 : version >= 4 ? 16 : 8;
  int ruleset = (int)syscall(NR_landlock_create_ruleset, &rules, size, 0);
  if (ruleset < 0) return 0;
  static const char *const programs[] = { "/usr", "/bin", "/sbin", "/lib", "/lib64", "/etc/ld.so.cache",
    "/etc/alternatives", "/etc/fonts", NULL };
  for (int index = 0; programs[index]; index++) {
    allow(ruleset, programs[index], (EXECUTE | READ_FILE | READ_DIR) & all);
  }
  allow(ruleset, "/dev/null", (READ_FILE | WRITE_FILE | 1 << 14) & all);
  allow(ruleset, "/dev/zero", READ_FILE);
  allow(ruleset, "/dev/urandom", READ_FILE);
  allow(ruleset, folder, all & ~(uint64_t)EXECUTE);
  int done = syscall(NR_landlock_restrict_self, ruleset, 0) == 0;
  close(ruleset);
  return done;
}

int c_box_enter(const char *folder) {
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return 0;
  int parts = limit_files(folder) ? C_BOX_FILES : 0;
  if (filter_calls() && c_box_holds()) parts |= C_BOX_FILTER;
  return parts;
}

int c_box_holds(void) {
  int made = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (made < 0) return errno == EPERM;
  close(made);
  return 0;
}
