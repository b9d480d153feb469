import FoundationEssentials
import Postgres
import Testing

@Suite(.timeLimit(.minutes(60))) struct CopyAndCursorTests {
  struct Mine: Error {}

  @Test func `a cursor hands over every row, a few at a time`() async throws {
    try await withDatabase { database in
      for (rows, fetch) in [(0, 10), (9, 10), (10, 10), (10_001, 1000)] {
        let (count, sum) = try await database.transaction { tx in
          var (count, sum) = (0, 0)
          try tx.forEach("select n from generate_series(1, \(rows)) n", Int.self, fetch: fetch) { n in
            count += 1
            sum += n
          }
          #expect(try tx.value("select count(*) from pg_cursors where name = 'c1'", as: Int.self) == 0)
          return (count, sum)
        }
        #expect(count == rows)
        #expect(sum == rows * (rows + 1) / 2)
      }
    }
  }

  @Test func `other statements run while a cursor is open, and leaving it early is fine`() async throws {
    try await withDatabase { database in
      let seen = try await database.transaction { tx in
        var seen = 0
        #expect(throws: Mine.self) {
          try tx.forEach("select generate_series(1, 100)", Int.self, fetch: 7) { n in
            seen = try tx.value("select \(n)", as: Int.self)
            if n == 20 { throw Mine() }
          }
        }
        return try tx.value("select \(seen)", as: Int.self)
      }
      #expect(seen == 20)
    }
  }

  @Test func `rows are copied in binary`() async throws {
    try await withDatabase { database in
      try await database.execute("create table copy_binary (id uuid, n int8, t text, at timestamptz)")
      let count = try await database.transaction { tx in
        try tx.copy(into: "copy_binary", columns: ["id", "n", "t", "at"]) { copy in
          for n in 0..<50_000 {
            try copy.row(UUID(), n, n % 3 == 0 ? nil : "row \(n)", Instant(microseconds: Int64(n)))
          }
        }
      }
      #expect(count == 50_000)
      let row = try await database.first(
        "select count(*), sum(n)::int8, count(t), max(at) from copy_binary",
        Int.self,
        Int.self,
        Int.self,
        Instant.self
      )
      let (rows, sum, texts, last) = try #require(row)
      #expect(rows == 50_000 && sum == 50_000 * 49_999 / 2 && texts == 33_333)
      #expect(last.microseconds == 49_999)
    }
  }

  @Test func `CSV is copied in and out`() async throws {
    try await withDatabase { database in
      try await database.execute("create table copy_csv (n int8, t text)")
      let (count, out) = try await database.transaction { tx in
        let count = try tx.copy(into: "copy_csv", columns: ["n", "t"], as: .csv(header: true)) { copy in
          try copy.write("n,t\n1,\"a, \"\"b\"\"\"\n2,")
          try copy.write([UInt8]("é\n".utf8))
        }
        var out: [UInt8] = []
        let sent = try tx.copyOut("select n, t from copy_csv order by n") { line in
          for index in line.byteOffsets { out.append(line.unsafeLoad(fromByteOffset: index, as: UInt8.self)) }
        }
        #expect(sent == 2)
        return (count, String(decoding: out, as: UTF8.self))
      }
      #expect(count == 2)
      #expect(out == "n,t\n1,\"a, \"\"b\"\"\"\n2,é\n")
    }
  }

  @Test func `a copy of bad data is an error and the connection is good for more`() async throws {
    try await withDatabase({ $0.poolSize = 1 }) { database in
      try await database.execute("create table copy_bad (n int8)")
      do {
        try await database.transaction { tx in
          try tx.copy(into: "copy_bad", columns: ["n"], as: .text) { copy in
            // Far more than the buffers can hold: the error arrives while data is still being sent.
            for _ in 0..<200 { try copy.write(String(repeating: "x\n", count: 50_000)) }
          }
        }
        Issue.record("no error")
      } catch SQLState.invalidTextRepresentation {}
      await #expect(throws: Mine.self) {
        try await database.transaction { tx in
          try tx.copy(into: "copy_bad", columns: ["n"]) { copy in
            try copy.row(1)
            throw Mine()
          }
        }
      }
      await #expect(throws: PostgresError.self) {
        try await database.transaction { tx in try tx.copy(into: "copy_nowhere", columns: ["n"]) { _ in } }
      }
      await #expect(throws: Mine.self) {
        try await database.transaction { tx in
          try tx.copyOut("select generate_series(1, 1000000)") { _ in throw Mine() }
        }
      }
      await #expect(throws: PostgresError.self) {
        try await database.transaction { tx in try tx.copyOut("select \(1)") { _ in } }
      }
      #expect(try await database.value("select count(*) from copy_bad", as: Int.self) == 0)
    }
  }

  @Test func `a failed copy can be undone by a savepoint`() async throws {
    try await withDatabase { database in
      try await database.execute("create table copy_saved (n int8)")
      try await database.transaction { tx in
        #expect(throws: PostgresError.self) {
          try tx.savepoint { tx in
            try tx.copy(into: "copy_saved", columns: ["n"], as: .text) { try $0.write("x\n") }
          }
        }
        try tx.copy(into: "copy_saved", columns: ["n"], as: .text) { try $0.write("7\n") }
      }
      #expect(try await database.rows("select n from copy_saved", Int.self) == [7])
    }
  }
}
