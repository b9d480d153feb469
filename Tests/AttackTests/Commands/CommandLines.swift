import FoundationEssentials
import TestDatabase

/// A line for each command that acts in a company, about the objects of company B.
///
/// A number in braces is the id of that row of ``TwoCompanies``; a test compares the lines with the grammar.
enum CommandLines {
  /// The words of each line.
  static func all(files folder: String) -> [[String]] {
    text.split(separator: "\n").map { line in
      line.split(separator: " ").map { word in
        switch word {
        case "{slug}": return "company-b"
        case "{owner}": return "owner@b.example"
        case "{csv}": return "\(folder)/intruder.csv"
        case "{overlay}": return "\(folder)/overlay.yaml"
        case "{workflow}": return "\(folder)/entry.workflow.yaml"
        case _ where word.hasPrefix("{"):
          let number = Int(word.dropFirst().dropLast()) ?? 0
          return TwoCompanies.id("b", number).uuidString.lowercased()
        default: return String(word)
        }
      }
    }
  }

  /// The files that the lines name.
  static let files = [
    "intruder.csv": "name,text\r\nIntruder,Intruder\r\n",
    "overlay.yaml": """
    overlay: maintenance.entry@2
    company: company-b
    tighten:
      transitions:
        pause: { disabled: true }
    """,
    "entry.workflow.yaml": """
    workflow: maintenance.entry
    version: 2
    initial: pending
    states: { pending: { label: Waiting, category: open } }
    transitions: {}
    """,
  ]

  /// The commands that work without a company and take no `--as`: the operator's alone.
  static let operators: Set = [
    "version", "up", "down", "work", "serve", "console", "migrate", "doctor", "key show", "key accept",
    "demo make",
    "demo load", "demo refresh",
    "verify", "backup init", "backup run", "backup list", "backup verify", "backup test", "backup schedule",
    "backup metrics",
    "restore", "postgres list", "postgres upgrade", "postgres revert",
    "api document", "api check-provider", "mail test", "mail verify",
    "sync epoch", "psql", "company create", "company import", "company list", "member search",
    "member disable",
    "member enable", "member remove-second-factor", "member password-link", "person export", "person erase",
    "invite redeem", "role permissions", "apply", "diff", "app list", "app show", "app lint", "app install",
    "app upgrade", "app uninstall", "trip share open", "record types", "workflow lint", "queue list",
    "queue maintain", "report list", "completion", "manual",
  ]

  private static let text = """
    company show {slug}
    company transfer {slug} --to {owner}
    company suspend {slug}
    company archive {slug}
    company activate {slug}
    company export {slug} {slug}.zip
    company erase {slug} --now --yes
    retention show
    retention set audit --days 1
    company quota {slug} maintenance.entry=5
    company numbers {slug}
    company settings {slug}
    member list
    member add eve@people.example --role viewer
    member update {owner} --name Eve
    member role {owner} viewer
    member suspend {owner}
    member reinstate {owner}
    member remove {owner}
    invite create --role viewer
    invite list
    invite revoke {2}
    role list
    role show greaser
    role define intruder --permission maintenance.entry.read
    role delete greaser
    token create intruder --scope maintenance.entry.read
    token list
    token revoke {3}
    access explain --user {owner} --do maintenance.entry.start
    entitlement list
    entitlement grant pro
    entitlement revoke pro
    export --company {slug}
    sync status
    sync devices
    sync revoke {4}
    sync conflicts
    sync show {4}/1
    sync resolve {4}/1 --take server
    sync retry {4}
    app used
    app enable maintenance
    app disable inventory
    machine list
    machine show {10}
    machine add RM-666
    machine update {10} --name Stolen
    machine delete {10}
    machine restore {10}
    machine do take_out {10} --comment gone
    machine history {10}
    machine rename {10} Stolen
    category list
    category show {11}
    category add Intruder
    category update {11} --name Stolen
    category delete {11}
    category restore {11}
    category history {11}
    category rename {11} Stolen
    meter list
    meter show {12}
    meter add Intruder --machine {10} --unit h
    meter update {12} --name Stolen
    meter delete {12}
    meter restore {12}
    meter history {12}
    meter read {12} 99 --machine {10}
    meter correct {12} 99 --machine {10}
    meter withdraw {12} --machine {10}
    meter readings {12} --machine {10}
    plan list
    plan show {15}
    plan add Intruder --machine {10} --category {11} --every-days 3
    plan update {15} --title Stolen
    plan delete {15}
    plan restore {15}
    plan do pause {15}
    plan history {15}
    entry list
    entry show {14}
    entry add Intruder --machine {10} --category {11}
    entry update {14} --description Stolen
    entry delete {14}
    entry restore {14}
    entry do start {14}
    entry history {14}
    entry split {14} --rest Stolen --estimate 1
    entry import {csv} --map description=text
    time list {14}
    time show {16}
    time add {14} --from 10:00 --to 11:00
    time update {16} --to 12:00
    time delete {16}
    time restore {16}
    time history {16}
    item list
    item show {20}
    item add Intruder --category Tools
    item update {20} --set name=Stolen
    item category list
    item category rename Tools Stolen
    tag list
    tag rename old new
    tag merge old --into new
    collection list
    collection show {22}
    collection save Intruder --filter category=Tools
    claim list
    claim show {21}
    claim add {20} Intruder
    claim do submit {21}
    macros day
    macros range
    macros log --protein 3
    macros goal list
    macros goal set --protein 3 --carbs 3 --fat 3
    macros cycle list
    macros cycle set monday high_carb
    macros preset list
    macros preset add Intruder --protein 3
    macros preset update {26} --name Stolen
    macros profile show
    macros profile set --name Stolen
    solar site list
    solar site show {28}
    solar site add Intruder
    solar site update {28} --set name=Stolen
    solar current {28}
    solar daily {28}
    solar record {28} 3
    solar recordings
    solar sample list {28}
    solar sample add {28} --at 2026-01-02T12:00:00Z --kw 1
    solar sample import {28} {csv}
    solar sample fix {28} --at 2026-01-01T12:00:00Z --kw 9
    solar sample reset {28} --at 2026-01-01T12:00:00Z
    solar sample remove {28} --from 2026-01-01T00:00:00Z
    solar push list
    solar push retry {30}
    solar utility list
    solar utility set {28} https://attacker.example/
    trip list
    trip show {33}
    trip add Intruder
    trip update {33} --set title=Stolen
    trip do publish {33}
    trip copy {33}
    trip stop list {33}
    trip stop add {33} Intruder --day 1
    trip stop update {34} --set name=Stolen
    trip chat list
    trip chat open Intruder
    trip chat say {31} Intruder
    trip chat show {31}
    trip share list
    trip share add {33}
    trip share revoke {35}
    trip export {33}
    trip history {33}
    record list maintenance.entry
    record show maintenance.entry {14}
    record create maintenance.category name=Intruder
    record update maintenance.entry {14} description=Stolen
    record delete maintenance.entry {14}
    record restore maintenance.entry {14}
    record repair maintenance.entry
    record do maintenance.entry start {14}
    record history maintenance.entry {14}
    record comment maintenance.entry {14} Intruder
    record comments maintenance.entry {14}
    record watch maintenance.entry {14}
    record unwatch maintenance.entry {14}
    file add maintenance.machine {10} {csv} --kind photo
    file list maintenance.machine {10}
    file show {4}
    file get {4}
    file remove {4}
    file restore {4}
    record import file maintenance.category {csv} --map name=text
    record import list
    record import undo 1
    record export maintenance.entry
    workflow list
    workflow show maintenance.entry
    workflow install maintenance.entry {workflow}
    workflow activate maintenance.entry
    workflow overlay set {overlay}
    workflow overlay show maintenance.entry
    workflow overlay remove maintenance.entry
    webhook list
    webhook add https://attacker.example/ --event maintenance.entry.completed
    webhook show {7}
    webhook change {7} --active
    webhook rotate {7}
    webhook remove {7}
    webhook test {7} --wait 0
    webhook deliveries {7}
    webhook redeliver {7}
    webhook redeliver --failed
    job list
    job show {6}
    job watch {6}
    job enqueue notify.send
    job retry {6}
    job run-now {4}
    job cancel {5}
    job discard {6}
    job snooze {4} --until 2030-01-01T00:00:00Z
    queue stats
    queue pause default
    queue resume default
    queue limit default --running 1
    schedule list
    schedule add report.weekly report.print --cron @weekly --new-kind
    schedule remove report.weekly
    schedule next
    schedule run history.seal
    schedule pause history.seal
    schedule resume history.seal
    report run backlog
    history verify
    history verify maintenance.entry {14}
    audit list
    inbox list
    inbox read
    inbox preferences
    mail list
    """
}
