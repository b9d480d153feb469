# Where tests keep their databases. Sourced, not run.

# The tests make hundreds of databases and throw them away: in memory their files cost a fraction, where there is room.
# Not where programs may not run: some tests make one.
test_in_memory() {
  local room memory
  if [ -z "${TMPDIR:-}" ] && [ -w /dev/shm ] && ! grep -q ' /dev/shm .*noexec' /proc/mounts; then
    room="$(df --output=avail -BG /dev/shm | tail -n 1 | tr -dc 0-9)"
    memory="$(awk '/^MemAvailable/ { print int($2 / 1048576) }' /proc/meminfo)"
    if [ "$room" -ge 14 ] && [ "$memory" -ge 14 ]; then export TMPDIR=/dev/shm; fi
  fi
}
