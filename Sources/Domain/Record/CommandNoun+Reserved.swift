extension CommandNoun {
  /// Commands of the engine; a noun cannot have their names.
  package static let builtIn: Set<String> = [
    "up", "down", "work", "migrate", "doctor", "demo", "verify", "psql", "company", "member", "invite",
    "role",
    "token", "access", "entitlement", "apply", "diff", "export", "record", "workflow", "webhook", "report",
    "job", "queue", "schedule", "inbox", "audit", "history", "app", "completion", "manual", "version", "help",
  ]

  /// Verbs that every noun has; `do` only with a workflow.
  package static let verbs = ["list", "show", "add", "update", "delete", "restore", "do", "history"]

  /// Flags of the verbs themselves. A field with the same flag is given with `--set`.
  package static let reserved: Set<String> = [
    "as", "color", "columns", "comment", "company", "database", "deleted", "dry-run", "help",
    "idempotency-key", "if-version", "limit", "output", "search", "set", "sort", "status", "version", "where",
  ]

  /// Whether a text can be typed as a noun or a flag: `a-z`, `0-9` and `-` after a letter, 40 characters at most.
  package static func isWord(_ text: String) -> Bool {
    guard let first = text.utf8.first, (0x61...0x7A).contains(first), text.utf8.count <= 40 else {
      return false
    }
    return text.utf8.allSatisfy { (0x61...0x7A).contains($0) || (0x30...0x39).contains($0) || $0 == 0x2D }
  }
}
