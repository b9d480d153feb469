import Postgres
import TestDatabase
import Testing

/// A server that refuses writes: a standby, or one that an operator made read-only.
@Suite(.timeLimit(.minutes(60))) struct ReadOnlyServerTests {
  private func open(poolSize: Int) async throws -> (superuser: Database, database: Database, name: String) {
    let test = try await TestDatabase.makeEmpty()
    let superuser = test.connect(as: "postgres", poolSize: 1)
    try await superuser.execute("create table note (text text)")
    return (superuser, test.connect(as: "postgres", poolSize: poolSize), test.parameters["dbname"] ?? "")
  }

  private func setReadOnly(_ isReadOnly: Bool, _ superuser: Database, _ name: String) async throws {
    let value: SQL = isReadOnly ? "on" : "off"
    try await superuser.transaction { tx in
      try tx.execute("set local transaction_read_only = off")
      try tx.execute("alter database \(identifier: name) set default_transaction_read_only = \(value)")
    }
  }

  @Test func `a refused write is a lost connection, and its connection is replaced`() async throws {
    let (superuser, database, name) = try await open(poolSize: 1)
    try await setReadOnly(true, superuser, name)
    let server: SQL = "select pg_backend_pid()"
    let before = try await database.value(server, as: Int32.self)
    let refusal = await #expect(throws: PostgresError.self) {
      try await database.execute("insert into note values ('a')")
    }
    #expect(refusal?.kind == .connection && refusal?.sqlState == .readOnlySQLTransaction)
    #expect(refusal?.isTransient == true)
    #expect(try await database.value(server, as: Int32.self) != before)
    await superuser.close()
    await database.close()
  }

  @Test func `a pooled connection to a server that became read-only is replaced without an error`()
    async throws
  {
    let (superuser, database, name) = try await open(poolSize: 1)
    try await setReadOnly(true, superuser, name)
    // The connection keeps the setting with which it was made.
    _ = try await database.value("select 1", as: Int.self)
    try await setReadOnly(false, superuser, name)
    try await database.execute("insert into note values ('a')")
    try await database.transaction { tx in try tx.execute("insert into note values ('b')") }
    #expect(try await superuser.value("select count(*)::int from note", as: Int.self) == 2)
    await superuser.close()
    await database.close()
  }

  @Test func `a write in a transaction that the program declared read-only is its own mistake`() async throws
  {
    let (superuser, database, _) = try await open(poolSize: 1)
    let server = try await database.value("select pg_backend_pid()", as: Int32.self)
    let refusal = await #expect(throws: PostgresError.self) {
      try await database.transaction(TransactionOptions(readOnly: true)) { tx in
        try tx.execute("insert into note values ('a')")
      }
    }
    #expect(refusal?.kind == .server)
    #expect(try await database.value("select pg_backend_pid()", as: Int32.self) == server)
    await superuser.close()
    await database.close()
  }
}
