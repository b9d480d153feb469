# Chooses the folder for the tests' databases. Sourced, not run.

# Uses /dev/shm if it has enough room and memory: the tests create and drop hundreds of databases.
# Does not use a noexec mount, because some tests write a program and run it.
test_in_memory() {
  local room memory
  if [ -z "${TMPDIR:-}" ] && [ -w /dev/shm ] && ! grep -q ' /dev/shm .*noexec' /proc/mounts; then
    room="$(df --output=avail -BG /dev/shm | tail -n 1 | tr -dc 0-9)"
    memory="$(awk '/^MemAvailable/ { print int($2 / 1048576) }' /proc/meminfo)"
    if [ "$room" -ge 14 ] && [ "$memory" -ge 14 ]; then export TMPDIR=/dev/shm; fi
  fi
}
