import Domain
import Engine
import EngineFixtures
import FoundationEssentials
import Postgres
import Store
import Synchronization
import Testing

/// Lists: filters on all column types, order, pages, and no SQL injection.
@Suite(.timeLimit(.minutes(60))) struct ListingTests {
  private static let type = "maintenance.entry"

  private func refs(_ shop: Workshop, _ conditions: String..., as name: String = "user") async throws
    -> [String]
  {
    var query = RecordQuery()
    query.conditions = try conditions.map { try RecordCondition(parsing: $0) }
    query.sort = "external_ref"
    return try await shop.records.list(shop.acting(name), type: Self.type, query)
      .compactMap { $0["external_ref"]?.string }
  }

  /// Creates six entries: estimates 0 to 5, due on the first of successive months, the last two without a due
  /// date.
  private func six() async throws -> Workshop {
    let shop = try await Workshop.open()
    for number in 0..<6 {
      var fields: JSONObject = [
        "external_ref": .string("W\(number)"), "estimated_hours": .integer(number),
        "description": .string(number == 3 ? "100% of the _pump_" : "hose \(number)"), "priority": 2,
      ]
      if number < 4 { fields["due_on"] = .string("2026-0\(number + 1)-01") }
      if number == 2, let user = shop.members["user"]?.userID { fields["assigned_to"] = .id(user) }
      _ = try await shop.entry("user", fields)
    }
    return shop
  }

  @Test func `conditions compare by the type of their column`() async throws {
    let shop = try await six()
    #expect(try await refs(shop, "estimated_hours>=4") == ["W4", "W5"])
    #expect(try await refs(shop, "estimated_hours>1.5", "estimated_hours<=3") == ["W2", "W3"])
    #expect(try await refs(shop, "due_on<2026-02-15") == ["W0", "W1"])
    #expect(try await refs(shop, "due_on is null") == ["W4", "W5"])
    #expect(try await refs(shop, "due_on=") == ["W4", "W5"])
    #expect(try await refs(shop, "due_on is not null", "due_on!=2026-01-01") == ["W1", "W2", "W3"])
    #expect(try await refs(shop, "due_on!=2026-01-01").count == 5, "what has no day has not that day either")
    #expect(try await refs(shop, "assigned_to is not null") == ["W2"])
    #expect(try await refs(shop, "external_ref in W1, W5") == ["W1", "W5"])
    #expect(try await refs(shop, "external_ref not in W1,W5") == ["W0", "W2", "W3", "W4"])
    #expect(try await refs(shop, "description~PUMP") == ["W3"])
    #expect(try await refs(shop, "description~0% of") == ["W3"])
    #expect(try await refs(shop, "description~_p") == ["W3"], "_ and % stand for themselves")
    #expect(try await refs(shop, "description!~hose") == ["W3"])
    #expect(try await refs(shop, "status=pending", "priority in 1,2").count == 6)
    #expect(try await refs(shop, "created_at>2020-01-01T00:00:00Z").count == 6)
  }

  @Test(arguments: [
    ("estimated_hours>=many", ErrorCode.invalidNumber, "estimated_hours"),
    ("due_on<tomorrow", .invalidDate, "due_on"), ("created_at>noon", .invalidInstant, "created_at"),
    ("assigned_to=ana", .invalidID, "assigned_to"), ("priority=2.5", .invalidNumber, "priority"),
    ("assigned_to>00000000-0000-0000-0000-000000000000", .invalidInput, "assigned_to"),
    ("discription~x", .unknownFields, "discription"), ("company_id is null", .unknownFields, "company_id"),
  ])
  func `a condition that makes no sense names its column`(text: String, code: ErrorCode, column: String)
    async throws
  {
    let shop = try await Workshop.open(roles: ["user"])
    let error = try await refused { _ = try await refs(shop, text) }
    #expect(error.code == code)
    #expect(error.message.contains(column))
    #expect(error.category == .invalid)
  }

  @Test(arguments: ["", "=", "status", "status ?? x", "a b=c", "status in ", "1=1 or true", "status is none"])
  func `an invalid condition is refused`(text: String) {
    #expect(throws: DomainError.self) { try RecordCondition(parsing: text) }
  }

  @Test(arguments: [
    "description='; drop table maintenance.entry; --", "description~%' or '1'='1",
    "external_ref in a','b,'); select pg_sleep(9); --", "description!=\\'", "description=$1",
  ])
  func `SQL in a value stays a value`(text: String) async throws {
    let shop = try await Workshop.open(roles: ["user"])
    _ = try await shop.entry("user", ["external_ref": "A"])
    _ = try await refs(shop, text)
    #expect(try await refs(shop).count == 1)
  }

  @Test(arguments: ["created_at; drop table x", "-", "id desc", "history_hash", "description", "v.id"])
  func `SQL in an order is an unknown column`(sort: String) async throws {
    let shop = try await Workshop.open(roles: ["user"])
    var query = RecordQuery()
    query.sort = sort
    let error = try await refused { [query] in
      _ = try await shop.records.list(shop.acting("user"), type: Self.type, query)
    }
    #expect(error.code == .unknownFields)
  }

  @Test(arguments: [
    nil, "due_on", "-due_on", "priority,-due_on", "-estimated_hours,due_on", "status",
    "-reported_on,priority",
  ])
  func `pages put together are the whole list, without gap or repetition`(sort: String?) async throws {
    let shop = try await six()
    _ = try await shop.entry("user", ["external_ref": "W6", "due_on": "2026-01-01"])
    var query = RecordQuery()
    query.sort = sort
    let whole = try await shop.records.list(shop.acting("user"), type: Self.type, query).map { $0["id"] }
    for size in [1, 2, 3, 7] {
      var paged: [JSONValue?] = []
      query.limit = size
      query.after = nil
      repeat {
        let page = try await shop.records.page(shop.acting("user"), type: Self.type, query)
        #expect(page.records.count <= size)
        paged += page.records.map { $0["id"] }
        query.after = page.next
      } while query.after != nil
      #expect(paged == whole, "in pages of \(size)")
    }
  }

  @Test func `inserts and deletes between two pages move no record past the cursor`() async throws {
    let shop = try await six()
    var query = RecordQuery()
    query.sort = "external_ref,created_at"
    query.sort = "estimated_hours"
    query.limit = 3
    let first = try await shop.records.page(shop.acting("user"), type: Self.type, query)
    _ = try await shop.entry("user", ["external_ref": "earlier", "estimated_hours": 0])
    _ = try await shop.entry("user", ["external_ref": "later", "estimated_hours": 4])
    let gone = try #require(first.records.first?["id"]?.string.flatMap(UUID.init(uuidString:)))
    _ = try await shop.records.delete(shop.acting("admin"), type: Self.type, id: gone)
    query.after = first.next
    query.limit = 10
    let rest = try await shop.records.page(shop.acting("user"), type: Self.type, query)
    #expect(rest.records.compactMap { $0["external_ref"]?.string } == ["W3", "W4", "later", "W5"])
    #expect(rest.next == nil)
  }

  @Test func `a cursor of another list, another company or nobody's making is refused or harmless`()
    async throws
  {
    let shop = try await six()
    let other = try await six()
    var query = RecordQuery()
    query.limit = 2
    let page = try await shop.records.page(shop.acting("user"), type: Self.type, query)
    let cursor = try #require(page.next)
    query.after = cursor
    let theirs = try await other.records.page(other.acting("user"), type: Self.type, query)
    let own = Set(try await refs(other, as: "user"))
    #expect(theirs.records.allSatisfy { own.contains($0["external_ref"]?.string ?? "") })
    // A byte that is no UTF-8 must not become another character.
    var bytes = Array(#"{"t":"maintenance.entry","s":"external_ref","i":"\#(UUID())","v":["?"]}"#.utf8)
    bytes[bytes.count - 4] = 0xFF
    let faulty = Data(bytes).base64EncodedString().filter { $0 != "=" }.replacing("/", with: "_")
    for (sort, text) in [
      ("due_on", cursor), ("external_ref", faulty), (nil, cursor + "A"), (nil, "e30"), (nil, ""),
      (nil, "%%%"),
    ] as [(String?, String)] {
      query.sort = sort
      query.after = text
      let error = try await refused { [query] in
        _ = try await shop.records.page(shop.acting("user"), type: Self.type, query)
      }
      #expect(error.code == .invalidInput)
    }
  }

  @Test func `everything is streamed as of one moment, a few rows at a time`() async throws {
    let shop = try await six()
    let seen = Collected()
    try await shop.records.stream(shop.acting("user"), type: Self.type, RecordQuery()) { seen.add($0) }
    #expect(seen.count == 6)
    let error = try await refused {
      try await shop.records.stream(shop.acting("user"), type: Self.type, RecordQuery(), permission: "export")
      {
        _ in
      }
    }
    #expect(error.code == .forbidden)
  }

  @Test func `a list in the order of an index is read from it, also from the middle`() async throws {
    let shop = try await Workshop.open(roles: [])
    let machine = JSONValue.id(shop.machine)
    let meter = try await shop.records.create(
      shop.operatorContext,
      type: "maintenance.meter",
      fields: ["machine_id": machine, "name": "Oil", "unit": "h"]
    ).id
    try await shop.engine.superuser.transaction(
      .inside(shop.company.id, mode: .import, statementTimeout: .seconds(300))
    ) { tx in
      try tx.execute(
        """
        insert into maintenance.meter_reading (company_id, id, meter_id, value, taken_at)
        select \(shop.company.id), gen_random_uuid(), \(meter), n, timestamptz '2026-01-01' + n * interval '1 hour'
        from generate_series(1, 20000) n
        """
      )
      try tx.execute("analyze maintenance.meter_reading")
    }
    var query = RecordQuery()
    query.conditions = [RecordCondition("meter_id", .equal, meter.uuidString)]
    query.sort = "-taken_at"
    query.limit = 20
    for _ in 0..<3 {
      let plan = try await shop.records.explain(
        shop.operatorContext,
        type: "maintenance.meter_reading",
        query
      )
      // Two indexes have this order; the planner may read either.
      #expect(plan.contains { $0.contains("Index Scan Backward") }, "\(plan)")
      #expect(!plan.contains { $0.contains("Seq Scan") || $0.hasSuffix("->  Sort") }, "\(plan)")
      query.after = try await shop.records.page(
        shop.operatorContext,
        type: "maintenance.meter_reading",
        query
      ).next
      #expect(query.after != nil)
    }
    let place = try await shop.records.explain(shop.operatorContext, type: "maintenance.meter_reading", query)
    #expect(place.contains { $0.contains("Index Cond") && $0.contains("taken_at <=") }, "\(place)")
    let member = try await refused { [query] in
      _ = try await shop.records.explain(shop.acting("owner"), type: "maintenance.meter_reading", query)
    }
    #expect(member.code == .forbidden)
  }
}

/// Counts the elements that a stream delivers on its own thread.
final class Collected: Sendable {
  private let documents = Mutex<[JSONObject]>([])

  var count: Int { documents.withLock { $0.count } }
  var all: [JSONObject] { documents.withLock { $0 } }

  func add(_ document: JSONObject) { documents.withLock { $0.append(document) } }
}
