# shellcheck shell=bash
# A week offline, for `deploy/walk-devices --week`: a technician finishes 14 work orders, takes a photo of each while it is
# in progress, writes down hours, and comes back to a network that cuts answers and a server that is killed. Everything
# arrives, once and in order, and both phones show the sums that the API shows.
#
# Uses the functions of `deploy/walk-devices`: step, on, operator, answered, rows, expect, start.

# cutting_proxy PORT TARGET FOLDER: forwards connections, and cuts answers while FOLDER/cuts contains a number above 0.
cutting_proxy() {
  python3 - "$@" <<'END' &
import pathlib, random, socket, sys, threading
port, target, folder = int(sys.argv[1]), int(sys.argv[2]), pathlib.Path(sys.argv[3])
random.seed(29)
lock = threading.Lock()

def cut():
    """True if the answer of this connection is cut; takes one of the cuts that are left."""
    with lock:
        try:
            left = int((folder / "cuts").read_text())
        except (OSError, ValueError):
            return False
        if left > 0:
            (folder / "cuts").write_text(str(left - 1))
        return left > 0

def pump(source, sink, most):
    try:
        while True:
            data = source.recv(65536)
            if not data:
                break
            sink.sendall(data if most is None else data[:most])
            if most is not None:
                break
    except OSError:
        pass
    for end in (source, sink):
        try:
            end.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass

def serve(client):
    try:
        server = socket.create_connection(("127.0.0.1", target))
    except OSError:
        return client.close()
    # The server gets the request; the phone gets nothing, or the beginning of the answer.
    most = random.choice([0, 40]) if cut() else None
    threading.Thread(target=pump, args=(client, server, None), daemon=True).start()
    pump(server, client, most)

listener = socket.socket()
listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
listener.bind(("127.0.0.1", port))
listener.listen(50)
while True:
    connection, _ = listener.accept()
    threading.Thread(target=serve, args=(connection,), daemon=True).start()
END
  proxy=$!
}

# quietly PERSON COMMAND...: runs a command on a phone, and prints only that it ran.
quietly() {
  local person="$1"
  shift
  "$phone" "$@" --folder "$home/$person" >"$home/last" 2>&1 || { cat "$home/last" >&2; fail "$* failed" 'see above'; }
}

# retry_failed PERSON: does what a person does about changes and files to which no answer came three times.
retry_failed() {
  local change file
  for change in $("$phone" status --folder "$home/$1" | awk '$2 == "failed" { print $1 }'); do
    on "$1" retry "$change"
  done
  for file in $("$phone" status --folder "$home/$1" | sed -n 's/^file \([0-9a-f-]*\) .*failed.*/\1/p'); do
    on "$1" file "$file" --retry
  done
}

# sums PHONE: prints number, status, hours and machine of every work order on a phone.
sums() {
  "$phone" list maintenance.entry --columns number,status,hours_logged,machine_code --folder "$home/$1" \
    | tail -n +2 | awk '{ print $3, $4, $5 + 0, $6 }' | sort
}

week_offline() {
  local machine category orders=() photo id
  step 'Fourteen work orders, which both phones have'
  machine="$(on ana create maintenance.machine code=RM-001 name=Baler | tail -n 1)"
  category="$(on ana create maintenance.category name=Hydraulics machine_id="$machine" | tail -n 1)"
  for number in {1..14}; do
    quietly ana create maintenance.entry machine_id="$machine" category_id="$category" description="order $number"
    orders+=("$(tail -n 1 "$home/last")")
  done
  on ana sync
  answered 'waiting 0'
  on bo sync

  step 'A week without a network: 14 orders are started, photographed and completed, and 12 times hours are written down'
  local member
  member="$(curl --silent --fail --json '{"email": "bo@workshop.example", "password": "a long sentence for a password"}' \
    "$base/v1/auth/sign-in" | python3 -c 'import json, sys; print(json.load(sys.stdin)["user"])')"
  for number in {0..13}; do
    id="${orders[$number]}"
    photo="$home/photo-$number.jpg"
    vips gaussnoise "$home/noise.v" 900 700 --sigma 25 --mean 128 --seed "$number"
    vips copy "$home/noise.v" "$photo[Q=55]"
    quietly bo 'do' maintenance.entry "$id" start
    ((number >= 12)) || quietly bo create maintenance.time_entry entry_id="$id" user_id="$member" user_name='Bo Li' \
      work_date="2026-01-$((number + 10))" start_time=08:00 end_time="$((number % 8 + 10)):30"
    quietly bo photo maintenance.entry "$id" "$photo"
    quietly bo 'do' maintenance.entry "$id" complete
  done
  expect 'changes and photos that wait' 54 \
    "$("$phone" status --folder "$home/bo" | sed -n 's/^not synchronised: //p')"

  step 'Meanwhile the machine gets another code, and Ana adds an order'
  on ana patch maintenance.machine "$machine" code=RM-900
  quietly ana create maintenance.entry machine_id="$machine" category_id="$category" description='of Ana'
  on ana sync

  step 'Back on a bad network: answers are cut, the phone is killed, the server is killed'
  echo 6 >cuts
  for _ in {1..10}; do
    on bo sync || true
    retry_failed bo
    [[ $(cat cuts) != 0 ]] || break
  done
  for delay in 0.15 0.3 0.5; do
    printf 'bo$ fettle-device sync   # killed after %s s\n' "$delay"
    timeout --signal KILL "$delay" "$phone" sync --folder bo >/dev/null 2>&1 || true
  done
  kill -KILL "$server"
  wait "$server" 2>/dev/null || true
  on bo sync || true
  start
  # An upload belongs for a minute to the request of the server that was killed.
  for _ in {1..15}; do
    on bo sync || true
    ! grep -qF 'waiting 0' answer || break
    retry_failed bo
    sleep 6
  done
  on bo status
  answered 'not synchronised: 0'

  step 'Everything is there, once and in order'
  for id in "${orders[@]}"; do
    operator entry history "$id" --output json >/dev/null
    expect "history of $id" 'create start files complete' "$(python3 - <<'END'
import json
rows = json.load(open("answer"))
rows.sort(key=lambda row: row["seq"])
print(" ".join("files" if row["what"] == "edit" and "files" in json.dumps(row["changes"]) else row["what"] for row in rows))
END
)"
    expect "photos of $id" 1 "$(rows 'len(rows)' file list maintenance.entry "$id")"
  done
  for _ in {1..200}; do
    waiting=0
    for id in "${orders[@]}"; do
      [[ $(rows 'rows[0]["state"]' file list maintenance.entry "$id") == ready ]] || waiting=$((waiting + 1))
    done
    ((waiting > 0)) || break
    sleep 0.5
  done
  expect 'photos that are not ready' 0 "$waiting"
  for number in {0..13}; do
    size="$(rows 'rows[0]["size"]' file list maintenance.entry "${orders[$number]}")"
    ((size <= $(stat -c %s "photo-$number.jpg"))) || fail "photo $number is larger than it came: $size bytes" 'see above'
  done
  printf 'no photo is larger than it came\n'

  step 'Both phones show the sums of the API'
  on ana sync
  on bo sync
  "$fettle" entry list --limit 1000 --output jsonl | python3 -c '
import json, sys
for line in sys.stdin:
    row = json.loads(line)
    print(row["number"], row["status"], "%g" % float(row["hours_logged"]), row["machine_code"])' | sort >api
  for person in ana bo; do
    sums "$person" >"$person.sums"
    diff api "$person.sums" || fail "the phone of $person shows other sums" 'see the lines above'
    printf 'the phone of %s shows the sums of the API\n' "$person"
  done
  cat api
  operator sync status
  operator verify
  printf '\nThe week is complete.\n'
}
