import Postgres
import Store
import TestDatabase
import Testing

/// All statements about a company's rows contain a condition on the company.
///
/// Row-level security is a safety net, not a replacement for that condition, and a distributed PostgreSQL
/// uses it to find the node of a statement. The test checks the SQL in the sources, the only origin of SQL.
@Suite struct StatementTests {
  struct Statement: Sendable, CustomTestStringConvertible {
    let file: String
    let line: Int
    let text: String

    var testDescription: String { "\(file):\(line)" }
  }

  /// Statements that work across companies on purpose: a part of their text, and the reason.
  private static let exceptions: [(file: String, text: String, reason: String)] = [
    (
      "Store/Workflows/TimerStore.swift", "where t.due_at <= now()",
      "workers fire the timers of all companies"
    ),
    (
      "Store/Jobs/ScheduleStore.swift", "where s.next_at <= now()",
      "workers fire the schedules of all companies"
    ),
    (
      "Engine/SignIn/OwnCompanies.swift", "where m.company_id = (select core.current_company())",
      "asks about the company that the transaction entered"
    ),
    (
      "Store/Jobs/QueueRule.swift", "from core.job_pause p", "operators see the rules of all companies"
    ),
    (
      "Engine/Erasure/PersonExport.swift", "where a.created_by = \\(user)",
      "an operator exports a person from all companies"
    ),
    (
      "Engine/Erasure/PersonTexts.swift", "where m.user_id = \\(user)",
      "an operator erases a person in all companies"
    ),
    (
      "Engine/Archives/HistoryReseal.swift", "jsonb_populate_record(null::core.history",
      "the rows are those of an archive, and no table's"
    ),
    (
      "fettle/Commands/Backup/StoredFiles.swift", "from core.blob b",
      "a restore compares the files of all companies with the store"
    ),
    (
      "Store/Health/PrivilegeHealth.swift", "row-level security is not forced on %s",
      "names tables and reads none of their rows"
    ),
    (
      "Store/Apps/ManifestWriter.swift", "select core.attach_record",
      "names a table and reads none of its rows"
    ),
    (
      "Store/Apps/ManifestWriter.swift", "update core.record_type t",
      "names a view for its columns and reads none of its rows"
    ),
    (
      "Store/Records/RecordStatements+Asking.swift", "cross join lateral jsonb_populate_record(null::",
      "names a table for its columns and reads none of its rows"
    ),
    ("Store/Records/RecordWrites.swift", "insert into \\(table)", "company_id leads the joined names"),
    (
      "Store/Apps/TableRule+Records.swift", "b.attrelid = 'core.record_base'",
      "names the template of records, which never holds a row"
    ),
    (
      "Store/Apps/TableRule+References.swift", "case when r.target = 'core.membership'",
      "names a table and reads none of its rows"
    ),
    ("Store/Records/RecordStatements.swift", "insert into \\(table)", "company_id leads the joined names"),
    (
      "Engine/Reports/ReportAccess.swift", "exists (select from core.permission p where p.name",
      "reads the catalogue for the tables behind a view"
    ),
    (
      "Store/Apps/AppUninstaller.swift", "delete from core.company_app c where c.app",
      "an app that goes is forgotten by all companies"
    ),
    (
      "Store/Apps/StatusCheck.swift", "where k.conrelid = to_regclass(",
      "names a table for its constraints and reads none of its rows"
    ),
  ]

  private static func statements() throws -> [Statement] {
    let verbs = [
      "select ", "select\n", "insert into ", "update ", "delete from ", "with ", "copy ", "lock ",
      "truncate ",
    ]
    return try SourceTree.files(below: "Sources")
      // A client's store is a file of its own, with the records of one company.
      .filter { file in
        file.hasSuffix(".swift") && !["Postgres/", "Bench/", "FettleClient/"].contains { file.hasPrefix($0) }
      }
      .flatMap { file in
        try StringLiterals.read(SourceTree.text("Sources/\(file)"))
          .map { Statement(file: file, line: $0.line, text: String($0.text.drop { $0.isWhitespace })) }
          .filter { statement in verbs.contains { statement.text.hasPrefix($0) } }
      }
  }

  /// The tenant relations in a statement, by name or by the interpolation of a record type's relation.
  private static func relations(in text: String, among names: [String]) -> [String] {
    let dynamic = ["\\(table)", "\\(view)", "\\(type.table)", "\\(type.view)", "\\(self.table)"]
    return dynamic.filter { text.contains($0) }
      + names.filter { name in
        text.ranges(of: name).contains { range in
          let next = range.upperBound < text.endIndex ? text[range.upperBound] : " "
          return !(next.isLetter || next.isNumber || next == "_")
        }
      }
  }

  /// True if a statement binds the company: compares it with a value, or inserts it as a column.
  static func bindsCompany(_ text: String) -> Bool {
    let squeezed = text.split { $0.isWhitespace }.joined(separator: " ")
    let compared = ["company_id = \\(", "company_id = any (\\(", "c.id = \\("].contains {
      squeezed.contains($0)
    }
    let inserted = squeezed.hasPrefix("insert into") && squeezed.contains("(company_id,")
    return compared || inserted || squeezed.contains("(id, company_id,")
  }

  private static func tenantRelations() async throws -> [String] {
    try await TwoCompanies.shared().superuser.rows(
      """
      select n.nspname || '.' || c.relname
      from pg_class c
      join pg_namespace n on n.oid = c.relnamespace
      join pg_attribute a on a.attrelid = c.oid and a.attname = 'company_id' and not a.attisdropped
      where n.nspowner = 'fettle_owner'::regrole and n.nspname <> 'report' and c.relkind in ('r', 'p', 'v')
      """,
      String.self
    )
  }

  @Test func `every statement about a company's rows binds the company`() async throws {
    let names = try await Self.tenantRelations()
    let concerned = try Self.statements().filter { !Self.relations(in: $0.text, among: names).isEmpty }
    #expect(concerned.count > 60, "so that the sources were read")
    for statement in concerned where !Self.bindsCompany(statement.text) {
      let isNamed = Self.exceptions.contains { $0.file == statement.file && statement.text.contains($0.text) }
      #expect(isNamed, "\(statement.testDescription): \(statement.text)")
    }
  }

  @Test func `every named exception is there and needed`() throws {
    let statements = try Self.statements()
    for exception in Self.exceptions {
      let meant = statements.filter { $0.file == exception.file && $0.text.contains(exception.text) }
      #expect(meant.count == 1, "\(exception.file): \(exception.reason)")
      #expect(meant.allSatisfy { !Self.bindsCompany($0.text) }, "\(exception.file): \(exception.reason)")
    }
  }

  @Test func `the check finds a statement without its company`() throws {
    let source = #"""
      let id = 1 // select 1 from core.job
      try tx.rows("select j.id from core.job j where j.id = \(id) and \(f("x)"))", UUID.self)
      try tx.execute("""
        update core.feed set seq = 1
        where company_id = \(company)
        """)
      """#
    let literals = StringLiterals.read(source)
    #expect(literals.map(\.line) == [2, 2, 3])
    let names = ["core.job", "core.feed"]
    let concerned = literals.filter { !Self.relations(in: $0.text, among: names).isEmpty }
    #expect(concerned.map { Self.bindsCompany($0.text) } == [false, true])
    #expect(Self.relations(in: "select from core.job_payload", among: names).isEmpty)
  }
}
