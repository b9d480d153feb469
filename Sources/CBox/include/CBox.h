// A box for programs that read strangers' bytes: a filter of system calls that any process may set for itself. It needs
// no namespaces, which systemd's RestrictNamespaces= and many containers forbid.
#ifndef C_BOX_H
#define C_BOX_H

// The parts of the box, as bits.
enum {
  // No system call that reaches a network, another process or a namespace.
  C_BOX_FILTER = 1,
  // No file besides the system's programs and the folder (Landlock, Linux 5.13).
  C_BOX_FILES = 2,
};

// Puts the calling process, and all programs that it executes, into the box.
//
// folder: the only folder that the program may write, and the only one to read besides the system's.
// Returns the parts of the box; without C_BOX_FILTER, the process is not in a box.
int c_box_enter(const char *folder);

// Returns 1 if the calling process can make no socket, as in the box.
int c_box_holds(void);

#endif
