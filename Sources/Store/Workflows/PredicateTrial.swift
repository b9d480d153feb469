internal import Domain
internal import Postgres

/// Evaluates predicates on made-up documents, because only PostgreSQL's parser is authoritative.
enum PredicateTrial {
  /// The reason why a text cannot be used as a predicate.
  enum Fault {
    /// PostgreSQL cannot read or evaluate it; with its message.
    case unreadable(String)
    /// It takes longer than ``GuardPath/slowest``, however often it is tried.
    case slow
    /// It returns a value that is neither true nor false.
    case noPredicate
  }

  /// Returns the fault of a predicate that may read these columns; nil if it has none.
  ///
  /// Evaluates it on a document of nulls and on one of numbers. This also finds predicates that parse but
  /// cannot be evaluated. On numbers, a path that is not a predicate returns a number, which raises SQLSTATE
  /// 22038.
  static func fault(of path: String, columns: [String], _ tx: Transaction) throws -> Fault? {
    if let error = try refusal(of: path, columns, filledWith: "null", silent: true, tx) {
      return error.sqlState == .queryCanceled ? .slow : .unreadable(error.message)
    }
    switch try refusal(of: path, columns, filledWith: "1", silent: false, tx)?.sqlState {
    case let state? where state.rawValue == "22038": return .noPredicate
    case .queryCanceled?: return .slow
    default: return nil
    }
  }

  private static func refusal(
    of path: String,
    _ columns: [String],
    filledWith value: String,
    silent: Bool,
    _ tx: Transaction
  ) throws -> PostgresError? {
    let trial: SQL = """
      select jsonb_path_match(
        (select coalesce(jsonb_object_agg(c.name, \(JSON(text: value))), '{}') from unnest(\(columns)) c (name)),
        \(path)::text::jsonpath, '{}', \(silent))
      """
    let limited = trial.limited(to: GuardPath.slowest)
    var refusal: PostgresError?
    // On a busy server anything takes long now and then. What is slow by itself is so every time.
    for _ in 0..<3 {
      do {
        _ = try tx.savepoint { inner in try inner.value(limited, as: Bool?.self) }
        return nil
      } catch let error as PostgresError where error.kind == .server {
        refusal = error
        guard error.sqlState == .queryCanceled else { return error }
      }
    }
    return refusal
  }
}
