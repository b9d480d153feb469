internal import Terminal

/// The result of one check.
package struct CheckFinding {
  let name: String
  let state: String
  let finding: String
  let remedy: String?

  package init(_ name: String, _ state: String, _ finding: String, remedy: String?) {
    self.name = name
    self.state = state
    self.finding = finding
    self.remedy = remedy
  }
}

extension OutputOptions {
  /// Prints a line per check. People read a remedy below its finding; programs get it as a field.
  ///
  /// - Parameter noun: the name of the column of checks.
  package func print(findings: [CheckFinding], of noun: String) throws {
    let state = Column("state", kind: .status(["ok": .green, "warning": .yellow, "failed": .red]))
    let finding = Column("finding", kind: .advice)
    guard isForPeople else {
      return try print(
        Table(
          columns: [Column(noun), state, finding, Column("remedy", kind: .advice)],
          rows: findings.map {
            [.string($0.name), .string($0.state), .string($0.finding), .optional($0.remedy)]
          }
        )
      )
    }
    try print(
      Table(
        columns: [state, Column(noun, kind: .id), finding],
        rows: findings.map {
          let remedy = $0.remedy.map { [Cell.string("→ \($0)")] } ?? []
          return [.string($0.state), .string($0.name), .list([.string($0.finding)] + remedy)]
        }
      )
    )
  }
}
