internal import Postgres

/// What the author of a script may read about a statement that PostgreSQL rejected.
///
/// PostgreSQL's messages help an author, but some quote the value of a row. An upgrade converts and checks the
/// rows of every company, and these are not the author's to read.
struct ScriptFault {
  /// The line of the error; the first one of the statement if PostgreSQL did not tell it.
  let line: Int
  /// PostgreSQL's message, without values of rows.
  let reason: String
  /// PostgreSQL's hint about a name or a notation; nil if it has none.
  let advice: String?

  /// Creates the description of an error in a statement of a file.
  init(_ error: PostgresError, in statement: ScriptStatement) {
    let place = Self.place(of: error, in: statement.text)
    let before = statement.text.unicodeScalars.prefix(max(0, (place ?? 1) - 1))
    line = statement.line + before.count { $0 == "\n" }
    let state = error.sqlState?.rawValue ?? ""
    // An error with a place was found in the text of the statement, before any row was read.
    reason = state.hasPrefix("22") && place == nil ? Self.withoutValues(error.message) : error.message
    // Errors of syntax and names, about which the hint cannot quote a row.
    advice = state.hasPrefix("42") ? error.hint.map(Self.clause) : nil
  }

  /// The position of an error in a statement, which PostgreSQL ran by itself or in `core.run_as_author`.
  private static func place(of error: PostgresError, in text: String) -> Int? {
    error.innerStatement == text ? error.innerPosition : error.position
  }

  /// Replaces what a message quotes, from its first quotation mark to its last: a value may contain some.
  private static func withoutValues(_ message: String) -> String {
    guard let first = message.firstIndex(of: "\""), let last = message.lastIndex(of: "\"") else {
      return message
    }
    return message[..<first] + "\"…\"" + message[last...].dropFirst()
  }

  /// A sentence as the first part of another one.
  private static func clause(_ sentence: String) -> String {
    let words = sentence.hasSuffix(".") ? sentence.dropLast() : sentence[...]
    return words.prefix(1).lowercased() + words.dropFirst()
  }
}
