import Testing

/// The choice of built-in functions that a reporting login may not call is written twice: the role script runs
/// before there is a schema that could hold a function, and `fettle doctor` may not trust what the script did.
@Suite struct BuiltinListTests {
  /// The conditions about a function `p`, from its schema to its arguments, without comments and indentation.
  private static func choice(in path: String) throws -> [String] {
    let lines = try SourceTree.text(path).split(separator: "\n").map { line in
      String(line.drop { $0 == " " })
    }
    let first = try #require(lines.firstIndex(of: "where p.pronamespace = 'pg_catalog'::regnamespace"))
    let last = try #require(lines[first...].firstIndex { $0.hasPrefix("and 'internal'::regtype <> all") })
    return lines[first...last].filter { !$0.hasPrefix("--") }
  }

  @Test func `the role script revokes the functions that doctor looks for`() throws {
    let revoked = try Self.choice(in: "sql/roles/roles.sql")
    #expect(revoked == (try Self.choice(in: "sql/core/routines/access/open_builtins.sql")))
    #expect(revoked.count > 8)
  }
}
