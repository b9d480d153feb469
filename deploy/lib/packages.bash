# What Fettle needs from Debian to be built, run and tested: the only list of it. Sourced, not run.

# Libraries to build with, and the PostgreSQL that Fettle starts for itself.
packages=(
  pkg-config
  libpq-dev
  libssl-dev
  libcurl4-openssl-dev
  libcrypt-dev
  postgresql
)

say() { printf '==> %s\n' "$*" >&2; }

fail() {
  printf 'error: %s\n' "$1" >&2
  printf 'hint: %s\n' "$2" >&2
  exit 1
}

# Succeeds when a package, or something that serves as well, is there.
is_installed() {
  if [[ $1 == postgresql ]]; then
    # Any server will do: Debian's metapackage, one version of it, or one named by hand.
    local initdb
    for initdb in "${FETTLE_PG_BIN:-/nowhere}/initdb" /usr/lib/postgresql/*/bin/initdb; do
      [[ -x $initdb ]] && return 0
    done
    return 1
  fi
  [[ $(dpkg-query --show --showformat='${db:Status-Status}' "$1" 2>/dev/null) == installed ]]
}

as_root() {
  if [[ $EUID -eq 0 ]]; then
    "$@"
  elif command -v sudo >/dev/null; then
    sudo "$@"
  else
    fail "installing packages needs root, and there is no sudo" "as root: apt-get install ${missing[*]}"
  fi
}

apt() {
  say "apt-get $*"
  # Another installation may be under way; wait for it rather than fail.
  as_root env DEBIAN_FRONTEND=noninteractive apt-get --yes --quiet -o DPkg::Lock::Timeout=300 "$@"
}

# Installs what is missing, and touches nothing (not even the network) when nothing is.
install_packages() {
  local package
  missing=()
  for package in "${packages[@]}"; do
    is_installed "$package" || missing+=("$package")
  done
  [[ ${#missing[@]} -eq 0 ]] && return 0

  command -v apt-get >/dev/null \
    || fail "missing: ${missing[*]} (names of Debian's packages)" "install them with this system's package manager"
  say "missing: ${missing[*]}"
  apt update

  # Debian's package would create and start a server of its own on port 5432. Fettle makes a private one instead, so
  # ask it not to, for the time of this installation only.
  local setting=/etc/postgresql-common/createcluster.d/fettle-install.conf
  if [[ " ${missing[*]} " == *' postgresql '* ]]; then
    as_root mkdir -p "${setting%/*}"
    printf 'create_main_cluster = false\n' | as_root tee "$setting" >/dev/null
    # shellcheck disable=SC2064 # the path is meant as it is now
    trap "as_root rm -f '$setting'" EXIT
  fi
  apt install --no-install-recommends "${missing[@]}"
  as_root rm -f "$setting"
  trap - EXIT
}

# Where a tool is kept that is no package of its own.
tools=.build/tools

# Prints the path of promtool, which checks what is for Prometheus; fails when this machine has none.
find_promtool() {
  command -v promtool && return 0
  [[ -x $tools/promtool ]] && printf '%s\n' "$PWD/$tools/promtool"
}

# Takes promtool out of Debian's package of Prometheus, and nothing else: the package would start a server.
fetch_promtool() {
  find_promtool >/dev/null && return 0
  command -v apt-get >/dev/null || return 1
  local folder
  folder="$(mktemp -d)"
  say "apt-get download prometheus (for promtool)"
  if (cd "$folder" && apt-get --quiet --quiet -o APT::Sandbox::User=root download prometheus) >&2; then
    mkdir -p "$tools"
    dpkg-deb --fsys-tarfile "$folder"/prometheus_*.deb | tar --extract --to-stdout ./usr/bin/promtool >"$tools/promtool.new" \
      && chmod +x "$tools/promtool.new" && mv "$tools/promtool.new" "$tools/promtool"
  fi
  rm -rf "$folder"
  find_promtool >/dev/null
}

require_swift() {
  command -v swift >/dev/null \
    || fail "there is no swift on PATH" "install Swift 6.2 or later: https://www.swift.org/install/linux/"
}
