extension CommandNoun {
  /// The engine's commands; a noun cannot have one of these names.
  package static let builtIn: Set<String> = [
    "up", "down", "serve", "console", "work", "migrate", "doctor", "demo", "verify", "psql", "postgres",
    "key", "backup", "restore", "retention",
    "company",
    "member", "person", "invite", "role", "token", "access", "entitlement", "apply", "diff", "export", "file",
    "record",
    "workflow", "sync",
    "webhook", "report", "job", "queue", "schedule", "inbox", "mail", "audit", "history", "api", "app",
    "completion", "manual", "version", "help",
  ]

  /// The verbs of every noun. Only types with a workflow have `do`.
  package static let verbs = ["list", "show", "add", "update", "delete", "restore", "do", "history"]

  /// The flags of the verbs. A field with the same name has no flag; it is given with `--set`.
  package static let reserved: Set<String> = [
    "as", "ask-password", "color", "columns", "comment", "company", "database", "deleted", "dry-run", "help",
    "idempotency-key", "if-version", "limit", "output", "search", "set", "sort", "status", "version", "where",
  ]

  /// True if the text can be a noun or a flag: a letter a-z, then a-z, 0-9 and dashes; at most 40 characters.
  package static func isWord(_ text: String) -> Bool {
    guard let first = text.utf8.first, (0x61...0x7A).contains(first), text.utf8.count <= 40 else {
      return false
    }
    return text.utf8.allSatisfy { (0x61...0x7A).contains($0) || (0x30...0x39).contains($0) || $0 == 0x2D }
  }
}
