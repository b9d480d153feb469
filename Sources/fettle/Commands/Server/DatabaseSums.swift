internal import Postgres

/// The number of rows and a checksum of each table, and the state of each sequence, to compare a copy of a database with
/// its origin.
struct DatabaseSums: Equatable {
  /// By the name of the table or sequence.
  let sums: [String: String]

  /// The number of tables and sequences.
  var count: Int { sums.count }

  /// Reads all rows in one snapshot.
  ///
  /// - Parameter database: connected as a superuser, from whom row-level security hides nothing.
  static func take(_ database: Database) async throws -> DatabaseSums {
    var options = TransactionOptions()
    options.isolation = .repeatableRead
    options.readOnly = true
    options.statementTimeout = .seconds(24 * 3_600)
    return try await database.transaction(options) { tx in
      let relations = try tx.rows(
        """
        select n.nspname, c.relname, c.relkind = 'S'
        from pg_class c
        join pg_namespace n on n.oid = c.relnamespace
        where c.relkind in ('r', 'p', 'S')
          and not c.relispartition
          and c.relpersistence <> 't'
          and n.nspname not in ('pg_catalog', 'information_schema', 'pg_toast')
        order by 1, 2
        """,
        String.self,
        String.self,
        Bool.self
      )
      var sums: [String: String] = [:]
      for (schema, name, isSequence) in relations {
        // The sum does not depend on the order of the rows. No column has the alias's name.
        let query: SQL =
          isSequence
          ? "select last_value || ' ' || is_called from \(identifier: schema).\(identifier: name)"
          : """
          select count(*) || ' ' || coalesce(sum(('x' || left(md5(whole_row_::text), 15))::bit(60)::bigint), 0)
          from \(identifier: schema).\(identifier: name) whole_row_
          """
        sums["\(schema).\(name)"] = try tx.value(query, as: String.self)
      }
      return DatabaseSums(sums: sums)
    }
  }

  /// Returns the names of what differs in a copy, sorted.
  func differences(in copy: DatabaseSums) -> [String] {
    Set(sums.keys).union(copy.sums.keys).filter { sums[$0] != copy.sums[$0] }.sorted()
  }
}
