import Domain
import EndToEndFixtures
import Foundation
import Postgres
import TestDatabase
import Testing
import Zip

/// A shell with a company that is exported, and its database.
struct ArchiveShell {
  let shell: Shell
  let superuser: Database

  /// Opens a shell with a fresh database.
  static func open<Value>(_ body: (ArchiveShell) async throws -> Value) async throws -> Value {
    let database = try await TestDatabase.make()
    let superuser = database.connect(as: "postgres", poolSize: 1)
    do {
      let value = try await Shell.open(database) {
        try await body(ArchiveShell(shell: $0, superuser: superuser))
      }
      await superuser.close()
      return value
    } catch {
      await superuser.close()
      throw error
    }
  }

  /// The path of a file in the folder of the shell.
  func path(_ name: String) -> String { shell.folder.appending(path: name).path }

  /// Writes a photo to the folder, and returns its path: a PNG of one point.
  func photo() throws -> String {
    let picture =
      "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
    try #require(Data(base64Encoded: picture)).write(to: URL(filePath: path("pump.png")))
    return path("pump.png")
  }

  /// Imports an archive that must be refused, and checks that nothing of it is left.
  ///
  /// - Returns: the message.
  func refusal(_ file: String, status: Int32 = 6, _ options: String...) async throws -> String {
    let before = try await companies()
    let outcome = try await shell.fettle(arguments: ["company", "import", file] + options)
    #expect(outcome.status == status, "\(outcome.status) \(outcome.errors)\(outcome.output)")
    #expect(outcome.errors.contains("hint: "), "\(outcome.errors)")
    #expect(try await companies() == before)
    #expect(storedFiles().isEmpty)
    return outcome.errors
  }

  /// Returns the number of companies and people, and of rows of the tables with most of the others.
  private func companies() async throws -> String {
    try await superuser.value(
      """
      select concat_ws(' ', (select count(*) from core.company), (select count(*) from core.app_user),
        (select count(*) from core.history), (select count(*) from core.audit))
      """,
      as: String.self
    )
  }

  /// Returns the names of the stored files.
  func storedFiles() -> [String] {
    let files = FileManager.default.enumerator(atPath: path("blobs"))?.allObjects as? [String] ?? []
    return files.map { $0.split(separator: "/").last.map(String.init) ?? "" }.filter { $0.count == 64 }
  }

  /// Returns the number and the checksum of the rows of a company by table, with every id and hash replaced by a word: two
  /// companies whose rows differ in nothing else have the same.
  func shape(of slug: String) async throws -> [String: String] {
    let id = try await superuser.value(
      "select c.id from core.company c where c.slug = \(slug)",
      as: UUID.self
    )
    var sums: [String: String] = [:]
    for table in try await tables() {
      sums["\(table.0).\(table.1)"] = try await superuser.value(
        """
        select count(*) || ' ' || coalesce(md5(string_agg(x.text, ',' order by x.text)), '')
        from (
          select regexp_replace(
            regexp_replace(t::text, '[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}', 'id', 'g'), '\\\\x([0-9a-f]{32})+', 'hash',
            'g') as text
          from \(identifier: Identifier(table.0, table.1)) t
          where t.company_id = \(id)
        ) x
        """,
        as: String.self
      )
    }
    return sums
  }

  /// Returns the ids of rows of one company that occur in the rows of another one, with the table of the latter.
  func shared(_ first: String, _ second: String) async throws -> [String] {
    let (one, two) = (try await ids(of: first), try await ids(of: second, everywhere: true))
    return two.filter { one[$0.key] != nil }.map { "\($0.key) of \(one[$0.key] ?? "") in \($0.value)" }
      .sorted()
  }

  /// Returns the ids of a company's rows with their table; with `everywhere`, every id in the texts of its rows.
  private func ids(of slug: String, everywhere: Bool = false) async throws -> [String: String] {
    let company = try await superuser.value(
      "select c.id from core.company c where c.slug = \(slug)",
      as: UUID.self
    )
    var ids = [company.uuidString.lowercased(): "core.company"]
    for table in try await tables() {
      let text: SQL = everywhere ? "t::text" : "coalesce(to_jsonb(t) ->> 'id', to_jsonb(t) ->> 'record_id')"
      for id in try await superuser.rows(
        """
        select distinct m[1]
        from \(identifier: Identifier(table.0, table.1)) t
        cross join lateral regexp_matches(\(text), '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}', 'g') m
        where t.company_id = \(company)
        """,
        String.self
      ) { ids[id] = "\(table.0).\(table.1)" }
    }
    return ids
  }

  private func tables() async throws -> [(String, String)] {
    let left = [
      "api_token", "device", "idempotency", "invite_locator", "record_link", "session", "sync_item", "upload",
      "webhook",
      "webhook_circuit", "report_login",
    ]
    return try await superuser.rows(
      """
      select n.nspname, c.relname
      from pg_class c
      join pg_namespace n on n.oid = c.relnamespace
      join pg_attribute a on a.attrelid = c.oid and a.attname = 'company_id' and not a.attisdropped
      where c.relkind in ('r', 'p') and not c.relispartition and n.nspowner = 'fettle_owner'::regrole
        and not starts_with(c.relname, 'job_') and c.relname <> all (\(left))
      """,
      String.self,
      String.self
    )
  }

  /// Writes an archive whose members are changed.
  func rewrite(
    _ archive: String,
    _ name: String,
    _ change: (inout [(name: String, bytes: [UInt8])]) throws -> Void
  ) throws -> String {
    var members: [(name: String, bytes: [UInt8])] = []
    var zip = try ZipReader(path: archive)
    while let member = try zip.next() {
      var all: [UInt8] = []
      while case let bytes = try zip.read(), !bytes.isEmpty { all += bytes }
      members.append((member.name ?? "", all))
    }
    try change(&members)
    let writer = try ZipWriter(path: path(name))
    for member in members {
      try writer.begin(member.name)
      // In pieces, as a bomb is larger than what is written at once.
      for start in stride(from: 0, to: member.bytes.count, by: 1 << 20) {
        try writer.write(Array(member.bytes[start..<min(start + (1 << 20), member.bytes.count)]))
      }
    }
    try writer.finish()
    return path(name)
  }
}
