package import FoundationEssentials
package import Postgres

/// A reference column in the statement that finds records which block a deletion.
///
/// The types in the statement are numbered; the type of the records to delete is number 0.
package struct DeletionBranch: Sendable {
  /// The type that refers.
  package let type: RecordType
  /// The column that refers.
  package let column: String
  /// The number of the type that it refers to.
  package let target: Int32
  /// The number of the referring type; nil if its records are never deleted with the target.
  package let number: Int32?

  package init(type: RecordType, column: String, target: Int32, number: Int32?) {
    self.type = type
    self.column = column
    self.target = target
    self.number = number
  }

  /// Returns the statement that selects those of `ids` which cannot be deleted: a live record outside the
  /// deletion refers to them, or to a record that is deleted with them.
  ///
  /// - Parameters:
  ///   - cascades: the columns through which records are deleted along.
  ///   - obstacles: the columns that block a deletion, at least one.
  package static func blocked(
    company: UUID,
    among ids: [UUID],
    cascades: [DeletionBranch],
    obstacles: [DeletionBranch]
  ) -> SQL {
    let start: SQL = "select 0, x.id, x.id from unnest(\(ids)) x (id)"
    let steps = cascades.map { branch in
      """
      select \(branch.number ?? -1) as n, t.id from \(branch.type.table) t
      where g.n = \(branch.target) and \(branch.refers(company))
      """ as SQL
    }
    let along: SQL =
      steps.isEmpty
      ? ""
      : " union select k.n, g.root, k.id from going g cross join lateral (\(SQL.joined(steps, separator: " union all "))) k"
    let tests = obstacles.map { branch in
      // A record deleted with the same root does not block it.
      let outside: SQL =
        branch.number.map {
          " and not exists (select from going a where a.n = \($0) and a.root = g.root and a.id = t.id)"
        } ?? ""
      // The offset keeps PostgreSQL from reading the whole table into a hash.
      return """
        g.n = \(branch.target) and exists (
          select from \(branch.type.table) t where \(branch.refers(company))\(outside) offset 0
        )
        """ as SQL
    }
    return """
      with recursive going (n, root, id) as (\(start)\(along))
      select distinct g.root from going g where \(SQL.joined(tests, separator: " or "))
      """
  }

  private func refers(_ company: UUID) -> SQL {
    "t.company_id = \(company) and t.\(identifier: column) = g.id and t.deleted_at is null"
  }
}
