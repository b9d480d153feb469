import FoundationEssentials
import Postgres
import TestDatabase
import TestTools
import Testing

enum Colour: String, PostgresTextEnum, CaseIterable { case red, green, blue = "deep blue" }
struct Key: RawRepresentable, PostgresRawRepresentable, Hashable { let rawValue: UUID }

@Suite(.timeLimit(.minutes(60))) struct CodecTests {
  typealias Value = PostgresEncodable & PostgresDecodable & Equatable

  /// Sends random values, alone, null and in arrays, and compares them with the values read back and with the
  /// server's text of each value.
  func roundTrip<T: Value>(
    _ type: T.Type,
    _ seed: UInt64,
    cast: StaticString,
    _ make: (inout SeededRandom) throws -> T,
    text: (T) -> String
  ) async throws {
    var random = SeededRandom(seed: seed)
    let values = try (0..<200).map { _ in try make(&random) }
    let texts = values.map(text)
    let gaps = values.map { Bool.random(using: &random) ? $0 : nil }
    let column = SQL(stringLiteral: cast)
    try await withDatabase { database in
      try await database.session { session in
        for (value, text) in zip(values, texts) {
          let row = try session.first(
            "select \(value), \(value) is not distinct from (\(text)::text)::\(column)",
            T.self,
            Bool.self
          )
          #expect(row?.0 == value, "seed \(seed)")
          #expect(row?.1 == true, "\(text), seed \(seed)")
        }
        #expect(try session.value("select \(values)", as: [T].self) == values)
        #expect(try session.value("select \(gaps)", as: [T?].self) == gaps)
        #expect(try session.value("select \([] as [T])", as: [T].self) == [])
        #expect(try session.value("select \(nil as T?)", as: T?.self) == nil)
        #expect(try session.value("select \(nil as [T]?)", as: [T]?.self) == nil)
        #expect(try session.value("select \(texts)::text[]::\(column)[] = \(values)", as: Bool.self))
      }
    }
  }

  static let seeds: [UInt64] = [1, 2]

  @Test(arguments: seeds) func `booleans and integers make the round trip`(seed: UInt64) async throws {
    try await roundTrip(Bool.self, seed, cast: "bool", { .random(using: &$0) }, text: { "\($0)" })
    try await roundTrip(
      Int16.self,
      seed,
      cast: "int2",
      { .random(in: .min ... .max, using: &$0) },
      text: { "\($0)" }
    )
    try await roundTrip(
      Int32.self,
      seed,
      cast: "int4",
      { .random(in: .min ... .max, using: &$0) },
      text: { "\($0)" }
    )
    try await roundTrip(
      Int64.self,
      seed,
      cast: "int8",
      { .random(in: .min ... .max, using: &$0) },
      text: { "\($0)" }
    )
    try await roundTrip(
      Int.self,
      seed,
      cast: "int8",
      { .random(in: .min ... .max, using: &$0) },
      text: { "\($0)" }
    )
  }

  @Test(arguments: seeds) func `doubles make the round trip to the last bit`(seed: UInt64) async throws {
    try await roundTrip(
      Double.self,
      seed,
      cast: "float8",
      { random in
        let value = Double(bitPattern: random.next())
        return value.isNaN ? -.infinity : value
      },
      text: { $0.isInfinite ? ($0 < 0 ? "-Infinity" : "Infinity") : "\($0)" }
    )
  }

  static func randomText(_ random: inout SeededRandom) -> String {
    let pieces = [
      "a", "Z", "'", "\"", "\\", "\n", "\t", ",", "{", "}", "NULL", "é", "日本", "👩‍🔧", "e\u{301}", " ", "$1",
    ]
    return (0..<Int.random(in: 0...12, using: &random)).map { _ in pieces.randomElement(using: &random) ?? ""
    }.joined()
  }

  @Test(arguments: seeds) func `text, bytes and JSON make the round trip`(seed: UInt64) async throws {
    try await roundTrip(String.self, seed, cast: "text", Self.randomText, text: { $0 })
    try await roundTrip(
      [UInt8].self,
      seed,
      cast: "bytea",
      { random in
        (0..<Int.random(in: 0...40, using: &random)).map { _ in UInt8.random(in: 0...255, using: &random) }
      },
      text: { bytes in
        "\\x" + bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
      }
    )
    try await roundTrip(
      JSON.self,
      seed,
      cast: "jsonb",
      { JSON(text: "{\"n\": [\(Int.random(in: 0...999, using: &$0)), null]}") },
      text: \.text
    )
  }

  @Test(arguments: seeds) func `keys, enums and wrappers make the round trip`(seed: UInt64) async throws {
    func uuid(_ random: inout SeededRandom) -> UUID {
      withUnsafeBytes(of: (random.next(), random.next())) { UUID(uuid: $0.load(as: uuid_t.self)) }
    }
    try await roundTrip(UUID.self, seed, cast: "uuid", uuid, text: \.uuidString)
    try await roundTrip(
      Key.self,
      seed,
      cast: "uuid",
      { Key(rawValue: uuid(&$0)) },
      text: \.rawValue.uuidString
    )
    try await roundTrip(
      Colour.self,
      seed,
      cast: "text",
      { Colour.allCases.randomElement(using: &$0) ?? .red },
      text: \.rawValue
    )
  }

  @Test(arguments: seeds) func `times make the round trip to the microsecond`(seed: UInt64) async throws {
    let first = try #require(Instant(rfc3339: "0001-01-01T00:00:00Z")).microseconds
    let last = try #require(Instant(rfc3339: "9999-12-31T23:59:59Z")).microseconds
    try await roundTrip(
      Instant.self,
      seed,
      cast: "timestamptz",
      { Instant(microseconds: .random(in: first...last, using: &$0)) },
      text: \.rfc3339
    )
    try await roundTrip(
      LocalDate.self,
      seed,
      cast: "date",
      { LocalDate(daysSince1970: .random(in: -719_162...2_932_896, using: &$0)) },
      text: \.description
    )
    try await roundTrip(
      LocalTime.self,
      seed,
      cast: "time",
      { try #require(LocalTime(microseconds: .random(in: 0...86_400_000_000, using: &$0))) },
      text: \.description
    )
  }

  @Test(arguments: seeds) func `decimal numbers make the round trip digit by digit`(seed: UInt64) async throws
  {
    func digits(_ range: ClosedRange<Int>, _ random: inout SeededRandom) -> String {
      (0..<Int.random(in: range, using: &random)).map { _ in
        Bool.random(using: &random) ? "0" : String(Int.random(in: 0...9, using: &random))
      }.joined()
    }
    try await roundTrip(
      ExactDecimal.self,
      seed,
      cast: "numeric",
      { random in
        let sign = Bool.random(using: &random) ? "-" : ""
        let fraction = digits(0...30, &random)
        let whole = digits(0...30, &random).drop { $0 == "0" }
        let text = "\(sign)\(whole.isEmpty ? "0" : whole)\(fraction.isEmpty ? "" : ".\(fraction)")"
        return try #require(ExactDecimal(text))
      },
      text: \.description
    )
    try await withDatabase { database in
      for text in ["1.50", "-0.000100", "123456789.987654321", "0", "0.00", "-10000", "\(Int64.min)"] {
        let read = try await database.value("select (\(text)::text)::numeric", as: ExactDecimal.self)
        #expect(read.description == text)
        let number = try #require(ExactDecimal(text))
        #expect(try await database.value("select \(number)::text", as: String.self) == text)
      }
      for (text, written) in [
        ("1.5e3", "1500"), ("1.50e1", "15.0"), ("12e-6", "0.000012"),
        ("-7E307", "-7" + String(repeating: "0", count: 307)),
      ] {
        let number = try #require(ExactDecimal(text))
        #expect(try await database.value("select \(number)::text", as: String.self) == written)
        #expect(try await database.value("select \(number)", as: ExactDecimal.self) == number)
      }
      for other in ["NaN", "Infinity", "-Infinity", String(repeating: "9", count: 65), "1e400"] {
        await #expect(throws: PostgresError.self, "\(other)") {
          try await database.value("select (\(other)::text)::numeric", as: ExactDecimal.self)
        }
      }
    }
  }

  @Test func `infinite times are kept, dates beyond the calendar are errors`() async throws {
    try await withDatabase { database in
      for time in [Instant.distantPast, .distantFuture] {
        let row = try await database.first("select \(time), \(time)::text", Instant.self, String.self)
        #expect(row?.0 == time)
        #expect(row?.1 == time.rfc3339)
      }
      await #expect(throws: PostgresError.self) {
        try await database.value("select 'infinity'::date", as: LocalDate.self)
      }
    }
  }

  @Test func `the types of a schema are read as text, and every integer as Int`() async throws {
    try await withDatabase { database in
      try await database.execute("drop type if exists codec_mood")
      try await database.execute("create type codec_mood as enum ('red', 'green')")
      #expect(try await database.value("select \(Colour.green)::codec_mood", as: Colour.self) == .green)
      #expect(try await database.value("select 'red'::codec_mood", as: String.self) == "red")
      #expect(
        try await database.value("select \([Colour.red])::text[]::codec_mood[]", as: [Colour].self) == [.red]
      )
      let sql: SQL =
        "select 1::int2, 2::int4, 3::int8, 'a'::varchar, 'b'::bpchar, 'c'::name, '{}'::json, 1.5::float4"
      let row = try await database.first(
        sql,
        Int.self,
        Int.self,
        Int32.self,
        String.self,
        String.self,
        String.self,
        JSON.self,
        Double.self
      )
      let columns = try #require(row)
      #expect(columns.0 == 1 && columns.1 == 2 && columns.2 == 3 && columns.7 == 1.5)
      #expect([columns.3, columns.4, columns.5, columns.6.text] == ["a", "b", "c", "{}"])
    }
  }

  @Test func `a column of another type is an error that names the column and both types`() async throws {
    try await withDatabase { database in
      func message<T: PostgresDecodable & Sendable>(_ sql: SQL, _ type: T.Type) async -> String {
        do {
          _ = try await database.value(sql, as: type)
          return "no error"
        } catch {
          let error = error as? PostgresError
          #expect(error?.kind == .decoding)
          #expect(error?.statement == sql.text)
          return error?.message ?? "another error"
        }
      }
      #expect(
        await message("select now() as at", UUID.self)
          == "column 1 \"at\" is timestamp with time zone (OID 1184), which cannot be read as UUID"
      )
      #expect(
        await message("select null::int8 as n", Int.self) == "column 1 \"n\" is null, but Int64 was requested"
      )
      #expect(await message("select 70000 as n", Int16.self) == "column 1 \"n\" does not fit into Int16")
      #expect(await message("select array[array[1]] as a", [Int].self).contains("2 dimensions"))
      #expect(await message("select '10.0.0.1'::inet as a", String.self).contains("OID 869"))
      #expect(await message("select gen_random_uuid() as a", [Int].self).contains("uuid"))
      #expect(await message("select 1 where false", Int.self).contains("no row"))
    }
  }

  @Test func `a row with more or fewer columns than asked for is an error`() async throws {
    try await withDatabase { database in
      await #expect(throws: PostgresError.self) { try await database.rows("select 1, 2", Int.self) }
      await #expect(throws: PostgresError.self) { try await database.rows("select 1", Int.self, Int.self) }
    }
  }
}
