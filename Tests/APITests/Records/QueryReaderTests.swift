import API
import Domain
import Engine
import Testing

@Suite struct QueryReaderTests {
  private static let reader = QueryReader(columns: ["status", "description", "machine_id", "id"])

  private func read(_ query: String) throws -> ListRequest {
    let pairs = try #require(PercentCoding.query(query))
    return try Self.reader.read(pairs)
  }

  private func code(_ query: String) throws -> ErrorCode? {
    do {
      _ = try read(query)
      return nil
    } catch let error as DomainError {
      return error.code
    }
  }

  @Test func `without parameters, a list has 50 live records without actions`() throws {
    let request = try read("")
    #expect(request.query.limit == 50)
    #expect(!request.query.deleted)
    #expect(!request.includesAllowed)
    #expect(request.query.conditions.isEmpty)
    #expect(request.fields == nil)
  }

  @Test func `all parameters are read`() throws {
    let request = try read(
      "where=status%20in%20a,b&where=description~leak&q=oil&sort=-created_at,id&limit=7&after=abc&deleted=true"
        + "&include=allowed&fields=id,status&status=pending&machine_id="
    )
    #expect(
      request.query.conditions == [
        RecordCondition("status", .isIn, ["a", "b"]), RecordCondition("description", .contains, "leak"),
        RecordCondition("status", .equal, "pending"), RecordCondition("machine_id", .isNull, []),
      ]
    )
    #expect(request.query.search == "oil")
    #expect(request.query.sort == "-created_at,id")
    #expect(request.query.limit == 7)
    #expect(request.query.after == "abc")
    #expect(request.query.deleted)
    #expect(request.includesAllowed)
    #expect(request.fields == ["id", "status"])
  }

  @Test(arguments: ["200", "201", "100000", "999999999"])
  func `a limit above 200 counts as 200`(limit: String) throws {
    #expect(try read("limit=\(limit)").query.limit == 200)
  }

  @Test(arguments: ["0", "-1", "", "1.5", "1e3", "%2B5", "9999999999", "ten", "%D9%A1"])
  func `a limit that is no positive whole number is refused`(limit: String) throws {
    #expect(try code("limit=\(limit)") == .invalidNumber)
  }

  @Test(arguments: ["colour=red", "company_id=1", "Where=status=a", "dry_run=true", "=a", "limit%20=1"])
  func `an unknown parameter is refused`(query: String) throws {
    #expect(try code(query) == .unknownFields)
  }

  @Test(arguments: [
    "limit=1&limit=2", "q=a&q=b", "status=a&status=b", "after=a&after=a", "deleted=true&deleted=false",
  ])
  func `only where may be repeated`(query: String) throws {
    #expect(try code(query) == .invalidInput)
  }

  @Test(arguments: [
    "deleted=yes", "deleted=", "include=history", "include=", "after=", "sort=", "sort=id,-id",
    "sort=a,b,c,d,e,f",
    "fields=", "fields=id,id", "where=1=1", "where=", "where=drop%20table",
  ])
  func `an invalid value is refused`(query: String) throws {
    #expect(try code(query) == .invalidInput)
  }

  @Test func `there are at most 20 conditions, short forms included`() throws {
    let nineteen = Array(repeating: "where=status=a", count: 19).joined(separator: "&")
    #expect(try read("\(nineteen)&status=b").query.conditions.count == 20)
    #expect(try code("\(nineteen)&status=b&description=c") == .invalidInput)
    #expect(try code("\(nineteen)&where=id=a&where=id=b") == .invalidInput)
  }

  @Test func `a search text has at most 200 characters`() throws {
    #expect(try read("q=\(String(repeating: "a", count: 200))").query.search?.count == 200)
    #expect(try code("q=\(String(repeating: "a", count: 201))") == .valueTooLong)
  }

  @Test func `a transition of many records has conditions, a limit and dry_run only`() throws {
    let reader = QueryReader(
      columns: ["status"],
      defaultLimit: 1_000,
      mostRecords: 1_000,
      acceptsDryRun: true
    )
    let request = try reader.read([("status", "pending"), ("dry_run", "true"), ("limit", "5000")])
    #expect(request.dryRun)
    #expect(request.query.limit == 1_000)
    for name in ["sort", "after", "deleted", "include", "fields"] {
      #expect(throws: DomainError.self) { try reader.read([(name, "true")]) }
    }
  }
}
