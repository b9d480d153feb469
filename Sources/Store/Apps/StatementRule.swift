package import Domain

/// The kinds of statement that an app's SQL may contain, recognised by their first words.
///
/// An allow-list, because a deny-list would never be complete. The words only give a better message early:
/// ``AppAuthor`` limits what a statement can do, and ``AppFence`` detects its effects.
package enum StatementRule {
  private static let allowed: Set<String> = [
    "create", "alter", "drop", "comment", "grant", "revoke", "insert", "update", "delete", "merge",
  ]
  private static let transactionControl: Set<String> = [
    "begin", "start", "commit", "end", "rollback", "abort", "savepoint", "release", "prepare",
  ]
  private static let settings: Set<String> = ["set", "reset", "discard"]
  /// Objects of the server or the database, which `create`, `alter` and `drop` may not name.
  private static let others: Set<String> = [
    "role", "user", "group", "database", "tablespace", "extension", "event", "language", "trusted",
    "procedural", "server", "publication", "subscription", "system", "access", "cast", "transform", "foreign",
    "default", "large", "owned",
  ]
  private static let writing: Set<String> = ["insert", "update", "delete", "merge"]

  /// True if the statement writes rows.
  static func writes(_ statement: ScriptStatement) -> Bool {
    writing.contains(firstWords(statement.text).first ?? "")
  }

  /// Returns the finding about a statement that must not run; nil if the statement is allowed.
  package static func refusal(of statement: ScriptStatement, at path: String) -> ManifestDiagnostic? {
    let words = firstWords(statement.text)
    let shown = words.map { $0.uppercased() }.joined(separator: " ")
    guard let first = words.first else {
      return ManifestDiagnostic(.statementNotAllowed, path, "this is not a statement", "remove it")
    }
    if transactionControl.contains(first) {
      return ManifestDiagnostic(
        .transactionControl,
        path,
        "\(shown) would end or split the installer's transaction",
        "remove it: the whole app is installed in one transaction"
      )
    }
    if settings.contains(first) {
      return ManifestDiagnostic(
        .sessionSetting,
        path,
        "\(shown) changes how the following statements run",
        "remove it, and write names with their schema"
      )
    }
    guard allowed.contains(first) else {
      let all = allowed.sorted().joined(separator: ", ")
      return ManifestDiagnostic(
        .statementNotAllowed,
        path,
        "\(shown) is not allowed in an app's SQL",
        "use only \(all)"
      )
    }
    if ["create", "alter", "drop"].contains(first),
      let second = words.dropFirst().first(where: { $0 != "or" && $0 != "replace" }),
      others.contains(second)
    {
      return ManifestDiagnostic(
        .changesOthers,
        path,
        "\(shown) changes objects that do not belong to the app",
        "change only tables, views and functions of the app's own schema"
      )
    }
    return nil
  }

  /// Returns the finding about a statement that PostgreSQL rejected for lack of privileges.
  static func refusal(unprivileged statement: ScriptStatement, reason: String, at path: String)
    -> ManifestDiagnostic
  {
    let first = firstWords(statement.text).first ?? ""
    return writing.contains(first)
      ? ManifestDiagnostic(
        .writesRows,
        path,
        "the statement writes rows that do not belong to the app: \(reason)",
        "write only the app's own reference tables; to fill a new column of records, declare a default"
      )
      : ManifestDiagnostic(
        .changesOthers,
        path,
        "the statement needs rights that an app does not have: \(reason)",
        "change only tables, views and functions of the app's own schema"
      )
  }

  /// Returns up to three words at the beginning of a statement, in lower case.
  private static func firstWords(_ text: String) -> [String] {
    var words: [String] = []
    var word = ""
    for byte in text.utf8 {
      let letter = byte | 0x20
      if (0x61...0x7A).contains(letter) || byte == 0x5F {
        word.unicodeScalars.append(Unicode.Scalar(byte == 0x5F ? byte : letter))
        continue
      }
      if !word.isEmpty { words.append(word) }
      word = ""
      guard words.count < 3, byte == 0x20 || byte == 0x0A || byte == 0x09 || byte == 0x0D else { break }
    }
    if !word.isEmpty { words.append(word) }
    return Array(words.prefix(3))
  }
}
