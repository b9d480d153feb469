import Domain
import Engine
import EngineFixtures
import FoundationEssentials
import Postgres
import Store
import Testing

/// Names of records, and the answer to ambiguous ones.
@Suite(.timeLimit(.minutes(60))) struct RecordNameTests {
  private static let type = "trial.order"

  @Test func `a name that two records have names neither of them`() async throws {
    let shop = try await Workshop.trial()
    let first = try await shop.order("user", ["title": "Bolts M8"])
    #expect(try await shop.records.resolve(shop.operatorContext, type: Self.type, " bolts m8 ") == first.id)
    _ = try await shop.order("user", ["title": "BOLTS M8"])
    let error = try await refused {
      _ = try await shop.records.resolve(shop.operatorContext, type: Self.type, "Bolts M8")
    }
    #expect(error.code == .invalidInput && error.message.contains("more than one"))
  }

  @Test func `an id may be cut to six digits and no further`() async throws {
    let shop = try await Workshop.trial()
    let order = try await shop.order()
    let text = order.id.uuidString.lowercased()
    #expect(
      try await shop.records.resolve(shop.operatorContext, type: Self.type, String(text.prefix(8)))
        == order.id
    )
    let error = try await refused {
      _ = try await shop.records.resolve(shop.operatorContext, type: Self.type, String(text.prefix(5)))
    }
    #expect(error.code == .notFound)
    _ = try await shop.order()
    let both = try await refused {
      _ = try await shop.records.resolve(shop.operatorContext, type: Self.type, String(text.prefix(6)))
    }
    #expect(both.code == .invalidInput && both.hint.contains("more characters of the id"))
  }

  @Test(arguments: [0, -1, 100_001])
  func `a list has at least one row and at most a hundred thousand`(_ limit: Int) async throws {
    let shop = try await Workshop.trial()
    var query = RecordQuery()
    query.limit = limit
    let error = try await refused {
      _ = try await shop.records.list(shop.operatorContext, type: Self.type, query)
    }
    #expect(error.code == .invalidInput)
  }

  @Test func `a search takes every character as it is written`() async throws {
    let shop = try await Workshop.trial()
    for title in ["100% off", "under_score", #"back\slash"#, "plain"] {
      _ = try await shop.order("user", ["title": .string(title)])
    }
    for (text, found) in [
      ("0%", "100% off"), ("r_s", "under_score"), (#"\s"#, #"back\slash"#), ("PLAIN", "plain"),
    ] {
      var query = RecordQuery()
      query.search = text
      let titles = try await shop.records.list(shop.operatorContext, type: Self.type, query).map {
        $0["title"]?.string
      }
      #expect(titles == [found])
    }
    var query = RecordQuery()
    query.search = "_"
    #expect(try await shop.records.list(shop.operatorContext, type: Self.type, query).count == 1)
  }

  @Test func `deleted records are listed in the order and by the words of their table`() async throws {
    let shop = try await Workshop.trial()
    for title in ["Bolts", "Anvil"] {
      let order = try await shop.order("user", ["title": .string(title)])
      _ = try await shop.records.delete(shop.operatorContext, type: Self.type, id: order.id)
    }
    var query = RecordQuery()
    (query.deleted, query.sort) = (true, "title")
    let all = try await shop.records.list(shop.operatorContext, type: Self.type, query).map {
      $0["title"]?.string
    }
    #expect(all == ["Anvil", "Bolts"])
    query.search = "anv"
    #expect(try await shop.records.list(shop.operatorContext, type: Self.type, query).count == 1)
  }
}
