#pragma once

#include <spawn.h>

/// Lets a program start without any descriptor but the standard ones.
///
/// The program closes them itself when it starts: a list made before would lack those that another thread opens meanwhile.
/// Returns 0, or an error as posix_spawn does.
int cspawn_close_others(posix_spawn_file_actions_t *actions);

/// Lets a program start in a folder. Returns 0, or an error as posix_spawn does.
int cspawn_enter(posix_spawn_file_actions_t *actions, const char *folder);
