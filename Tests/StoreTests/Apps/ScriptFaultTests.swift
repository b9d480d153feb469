import Domain
import Postgres
import Store
import TestDatabase
import Testing

/// The messages for authors whose SQL is refused: PostgreSQL's own, with the line of the error.
@Suite(.serialized) struct ScriptFaultTests {
  private static func refusal(_ app: ExampleApp, _ database: TestDatabase? = nil) async throws -> DomainError
  {
    let own: TestDatabase
    if let database { own = database } else { own = try await TestDatabase.make() }
    let admin = own.connect(poolSize: 1)
    let error = try await Refusal.of { _ = try await AppInstaller(admin).install(app.package()) }
    await admin.close()
    return error
  }

  @Test(arguments: [
    // A misspelt word, a forgotten parenthesis, a misspelt type, a wrong constant, a misspelt column, another table.
    (
      "tables/01_trees.sql", "variety         text not null", "variety         text not nul",
      #"tables/01_trees.sql:11 failed: syntax error at or near "nul" [42601]"#, nil
    ),
    (
      "tables/01_trees.sql", "primary key (company_id, id),", "primary key (company_id, id,",
      #"tables/01_trees.sql:16 failed: syntax error at or near "foreign" [42601]"#, nil
    ),
    (
      "tables/01_trees.sql", "planted_on      date", "planted_on      day",
      #"tables/01_trees.sql:12 failed: type "day" does not exist [42704]"#, nil
    ),
    (
      "tables/01_trees.sql", "kilograms > 0 and", "kilograms > 'none' and",
      #"tables/01_trees.sql:36 failed: invalid input syntax for type numeric: "none" [22P02]"#, nil
    ),
    (
      "views/v_tree.sql", "t.variety, t.planted_on", "t.varietyy, t.planted_on",
      "views/v_tree.sql:6 failed: column t.varietyy does not exist [42703]",
      #"perhaps you meant to reference the column "t.variety"; fix the statement"#
    ),
    (
      "reports/v1_yield.sql", "from orchard.tree t", "from orchard.trees t",
      #"reports/v1_yield.sql:10 failed: relation "orchard.trees" does not exist [42P01]"#, nil
    ),
  ])
  func `a mistake is reported with its line`(
    file: String,
    right: String,
    wrong: String,
    message: String,
    hint: String?
  ) async throws {
    let error = try await Self.refusal(try ExampleApp.read().replacing(right, with: wrong, in: file))
    #expect(error.code == .migrationFailed)
    #expect(error.message == "orchard: \(message)")
    #expect(error.hint.hasPrefix(hint ?? "fix the statement and install the app again"), "\(error)")
  }

  @Test(arguments: ["integer", "date", "numeric", "uuid", "jsonb"])
  func `a refused upgrade does not quote the rows of companies`(type: String) async throws {
    let database = try await TestDatabase.make()
    let app = try ExampleApp.read()
    let admin = database.connect(poolSize: 1)
    _ = try await AppInstaller(admin).install(app.package())
    await admin.close()
    let superuser = database.connect(as: "postgres", poolSize: 1)
    try await superuser.transaction { tx in
      try tx.execute("set local session_replication_role = replica")
      try tx.execute(
        """
        insert into orchard.tree (company_id, id, created_by, code, variety, status, status_category)
        values (gen_random_uuid(), gen_random_uuid(), null, 'T-1', 'our "secret" graft', 'growing', 'open')
        """
      )
    }
    await superuser.close()
    let next = try app.replacing("version: 1", with: "version: 2", in: "orchard.app.yaml")
      .adding(
        "changes/0001_value.sql",
        "-- Reads.\nalter table orchard.tree\n  add check ((variety::\(type))::text <> '');\n"
      )
    let error = try await Self.refusal(next, database)
    #expect(!"\(error.message) \(error.hint) \(error.details)".contains("secret"), "\(error)")
    #expect(error.code == .migrationFailed)
    #expect(
      error.message.hasPrefix("orchard: changes/0001_value.sql:2 failed: invalid input syntax for type")
    )
    // JSON's message quotes nothing: the value is in the detail, which is never told.
    #expect(error.message.contains("\"…\" [22") || type == "jsonb", "\(error)")
  }
}
