/// The rows that a role reaches by a statement in the context of company A.
enum Reach: Int, Sendable, Comparable {
  /// The statement is refused.
  case nothing
  /// The statement is allowed, but reaches no row of another company.
  case own
  /// The statement reads or writes rows of company B, or acts on the whole table.
  case all

  static func < (a: Reach, b: Reach) -> Bool { a.rawValue < b.rawValue }
}

/// A way to touch a table.
enum Verb: String, Sendable, CaseIterable {
  /// Reads all columns that the role may read.
  case select
  /// Exports them by COPY.
  case copyTo
  /// Inserts a copy of company B's row.
  case insert
  /// Inserts it on top of company B's row.
  case upsert
  /// Changes company B's rows.
  case update
  /// Moves company A's rows to company B.
  case move
  /// Deletes company B's rows.
  case delete
  /// Empties the table.
  case truncate
  /// Imports rows by COPY.
  case copyFrom
  /// Locks the table against everybody.
  case lock
}
