/// The words that other programs use for commands of this one.
enum CommandSynonyms {
  /// Words for one thing. The commands of this program among them are suggested for the others, the first that exists.
  private static let verbs: [[String]] = [
    ["update", "set", "rename", "patch", "edit", "change", "modify", "put", "alter"],
    ["delete", "remove", "revoke", "withdraw", "discard", "rm", "del", "destroy", "drop", "erase"],
    ["add", "create", "invite", "define", "enqueue", "new", "make", "insert", "register", "post"],
    ["list", "ls", "all", "index", "search", "find"],
    ["show", "get", "view", "describe", "info", "cat", "read", "display", "inspect"],
    ["do", "transition", "move", "apply", "perform", "fire"],
    ["restore", "undelete", "recover", "undo"],
    ["export", "dump", "download"],
    ["import", "load", "upload", "ingest"],
    ["retry", "rerun", "redo", "requeue"],
    ["cancel", "abort", "kill", "stop"],
    ["pause", "suspend", "disable"],
    ["resume", "unpause", "enable", "activate"],
    ["history", "log", "changes", "versions"],
  ]

  /// Words for the things that commands at the first place are about.
  private static let nouns = [
    "device": "sync devices", "devices": "sync devices", "phone": "sync devices", "user": "member",
    "users": "member", "people": "member", "worker": "work", "server": "serve", "start": "up", "run": "up",
    "stop": "down", "order": "entry", "workorder": "entry", "asset": "machine", "equipment": "machine",
    "hours": "time", "permission": "role", "permissions": "role", "tenant": "company", "tenants": "company",
    "organisation": "company", "hook": "webhook", "cron": "schedule", "task": "job", "tasks": "job",
    "check": "doctor", "health": "doctor", "status": "doctor", "sql": "psql", "notification": "inbox",
    "notifications": "inbox", "import": "record import", "photo": "file", "photos": "file", "gdpr": "person",
    "init": "up", "upgrade": "migrate", "license": "entitlement", "setup": "up",
  ]

  /// Returns the command that a word means; nil if it is no synonym of one of the names.
  ///
  /// - Parameter names: the commands at the word's place.
  static func command(for word: String, among names: [String]) -> String? {
    let word = word.lowercased()
    if let noun = nouns[word], names.contains(String(noun.prefix { $0 != " " })), names.contains("company") {
      return noun
    }
    return verbs.first { $0.contains(word) }?.first { names.contains($0) }
  }
}
