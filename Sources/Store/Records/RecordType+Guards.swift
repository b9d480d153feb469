internal import Domain
package import Postgres

/// Predicates that PostgreSQL evaluates on records: guards, and conditions of edit rules and hooks.
extension RecordType {
  /// Returns an expression for the answers of predicates about a document, as an array in their order.
  ///
  /// The time of most predicates hardly depends on the record. If one has a regular expression or reads
  /// arrays, the statement gets a time limit, and the error names the predicate.
  ///
  /// - Parameters:
  ///   - document: an expression of type `jsonb`.
  ///   - records: the maximum number of records that the statement reads.
  package func answers(_ predicates: [String], about document: SQL, records: Int = 1) -> SQL {
    guard !predicates.isEmpty else { return "'{}'::boolean[]" }
    guard predicates.allSatisfy({ GuardPath($0).isBounded(besides: documentColumns) }) else {
      let answers: SQL = "core.guard_answers(\(document), \(predicates))"
      return answers.limited(to: GuardPath.slowest + .milliseconds(2) * (records - 1))
    }
    return """
      array(
        select jsonb_path_match(\(document), g.path::jsonpath, '{}', true)
        from unnest(\(predicates)) with ordinality g (path, n)
        order by g.n
      )
      """
  }
}
