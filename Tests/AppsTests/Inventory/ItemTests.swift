import Apps
import Domain
import Engine
import EngineFixtures
import FoundationEssentials
import Postgres
import Store
import Testing

/// Items, tags and categories, and dynamic collections.
@Suite(.timeLimit(.minutes(60))) struct ItemTests {
  @Test func `an item comes back as it was given, null apart from empty`() async throws {
    let house = try await Household.open()
    let bare = try await house.show(try await house.item())
    #expect(bare["purchase_price"] == .null && bare["location"] == .null && bare["tags"] == [])
    #expect(bare.text("is_favorite") == "false" && bare.text("warranty_status") == "none")
    let id = try await house.item([
      "name": " Röntgen \"X\" ", "purchase_price": "1234.5", "currency": "sek",
      "tags": ["Garage", "garage", "old"],
      "location": "Attic", "is_favorite": true, "serial_no": "", "receipt_text": "Total 1 234,50",
    ])
    let full = try await house.show(id)
    #expect(full.text("name") == "Röntgen \"X\"" && full.text("purchase_price") == "1234.50")
    #expect(full.text("currency") == "SEK" && full["tags"] == ["Garage", "old"])
    #expect(full["serial_no"] == "" && full["vendor"] == .null)
    #expect(full["is_high_value"] == true && full["has_receipt"] == false)
  }

  @Test(
    arguments: [
      (["purchase_price": "12.345"], .invalidNumber), (["purchase_price": "-1"], .invalidNumber),
      (["warranty_months": "1.5"], .invalidNumber), (["warranty_months": -1], .invalidNumber),
      (["warranty_months": 1201], .invalidNumber), (["currency": "euro"], .invalidInput),
      (["tags": ["a,b"]], .invalidInput), (["purchase_date": "2025-02-29"], .invalidDate),
      (["warranty_until": "2000-01-01"], .invalidDate), (["warranty_until": "soon"], .invalidDate),
      (["warranty_expires_on": "2025-01-01"], .fieldNotEditable), (["name": " "], .missingFields),
    ] as [(JSONObject, ErrorCode)]
  )
  func `an invalid item is refused`(_ fields: JSONObject, _ code: ErrorCode) async throws {
    let house = try await Household.open()
    let error = try await refused { try await house.item(fields) }
    #expect(error.code == code, "\(error)")
  }

  @Test func `a tag is renamed on every item in one transaction, with history and feed`() async throws {
    let house = try await Household.open()
    var items: [UUID] = []
    for number in 0..<12 {
      items.append(
        try await house.item([
          "name": .string("Item \(number)"), "tags": .strings(["gardn", "x\(number % 3)"]),
        ])
      )
    }
    let other = try await house.item(["tags": ["kitchen"]])
    #expect(
      try await house.labels.tags(house.shop.acting("user")).map(\.name) == [
        "gardn", "kitchen", "x0", "x1", "x2",
      ]
    )
    let count = try await house.labels.renameTag(house.shop.acting("user"), "Gardn", to: "garden")
    #expect(count == 12)
    for item in items {
      let shown = try await house.show(item)
      #expect(shown["tags"]?.array?.first == "garden" && shown.text("version") == "2")
      #expect(try await house.shop.count("history", of: item) == 2)
    }
    #expect(try await house.show(other).text("version") == "1")
    let moments = try await house.shop.engine.superuser.value(
      """
      select count(distinct (h.occurred_at, h.request_id)) from core.history h
      where h.company_id = \(house.shop.company.id) and h.record_type = 'inventory.item' and h.seq = 2
      """,
      as: Int.self
    )
    #expect(moments == 1, "one transaction")
    #expect(try await Integrity(shop: house.shop).faults() == [])
  }

  @Test func `tags merge into one, each once on an item`() async throws {
    let house = try await Household.open()
    let both = try await house.item(["tags": ["gardn", "tool", "garten"]])
    let one = try await house.item(["tags": ["garden"]])
    let acting = house.shop.acting("user")
    let taken = try await refused { _ = try await house.labels.renameTag(acting, "gardn", to: "garden") }
    #expect(taken.code == .alreadyExists && taken.hint.contains("merge"))
    #expect(try await house.labels.mergeTags(acting, ["gardn", "garten"], into: "garden") == 1)
    #expect(try await house.show(both)["tags"] == ["garden", "tool"])
    #expect(try await house.show(one).text("version") == "1", "it had the tag already")
    let missing = try await refused {
      _ = try await house.labels.mergeTags(acting, ["gradne"], into: "garden")
    }
    #expect(missing.code == .notFound)
  }

  @Test func `a category is renamed, and joined to another only when told to`() async throws {
    let house = try await Household.open()
    let (first, second) = (
      try await house.item(["category": "Tols"]), try await house.item(["category": "tols"])
    )
    try await house.item(["category": "Tools"])
    let acting = house.shop.acting("user")
    let taken = try await refused { _ = try await house.labels.renameCategory(acting, "tols", to: "Tools") }
    #expect(taken.code == .alreadyExists)
    #expect(try await house.labels.renameCategory(acting, "tols", to: "Tools", merging: true) == 2)
    for item in [first, second] { #expect(try await house.show(item).text("category") == "Tools") }
    let categories = try await house.labels.categories(acting)
    #expect(categories.map(\.name) == ["Tools"] && categories.map(\.count) == [3])
  }

  @Test func `renaming requires the permission to edit items`() async throws {
    let house = try await Household.open()
    let item = try await house.item(["tags": ["gardn"]])
    let error = try await refused {
      _ = try await house.labels.renameTag(house.shop.acting("viewer"), "gardn", to: "garden")
    }
    #expect(error.code == .forbidden)
    #expect(try await house.show(item)["tags"] == ["gardn"])
  }

  @Test func `renames that cross each other leave every item whole`() async throws {
    let house = try await Household.open()
    for number in 0..<10 { try await house.item(["name": .string("\(number)"), "tags": ["a", "b"]]) }
    let acting = house.shop.acting("user")
    try await withThrowingTaskGroup { group in
      for (old, new) in [("a", "c"), ("b", "d"), ("a", "e"), ("b", "f")] {
        group.addTask {
          // The second rename finds no item with its tag, or renames the tag again.
          do { _ = try await house.labels.renameTag(acting, old, to: new) } catch let error as DomainError {
            #expect(error.code == .notFound)
          }
        }
      }
      try await group.waitForAll()
    }
    let labels = try await house.labels.tags(acting)
    #expect(labels.map(\.count).allSatisfy { $0 == 10 } && labels.count == 2, "\(labels.map(\.name))")
    #expect(try await Integrity(shop: house.shop).faults() == [])
  }

  @Test func `collections have what SQL counts, through the list path`() async throws {
    let house = try await Household.open()
    let acting = house.shop.acting("user")
    for days in [5, 20, 40, -3, -200] { _ = try await house.item(daysLeft: days) }
    try await house.item(["purchase_price": "499.99", "location": "Garage", "is_favorite": true])
    try await house.item(["purchase_price": "500", "location": "Garage", "category": "Garden"])
    try await house.item(["location": "Attic", "is_favorite": true])
    _ = try await house.collections.save(
      acting,
      name: "My garage",
      pairs: ["location=Garage", "is_favorite=true"]
    )
    let expected = [
      "expiring": 2, "expired": 2, "high-value": 1, "no-receipt": 8, "favourites": 2, "category:garden": 1,
      "category:tools": 7, "location:Attic": 1, "location:Garage": 2, "My garage": 1,
    ]
    let collections = try await house.collections.list(acting)
    #expect(Dictionary(uniqueKeysWithValues: collections.map { ($0.name, $0.count) }) == expected)
    for collection in collections {
      let query = try await house.collections.query(acting, collection.name)
      let items = try await house.shop.records.list(acting, type: "inventory.item", query)
      #expect(items.count == collection.count, "\(collection.name)")
    }
    let unknown = try await refused { _ = try await house.collections.query(acting, "expirng") }
    #expect(unknown.code == .notFound && unknown.hint == "did you mean expiring?")
  }

  @Test func `a saved filter names columns that items have`() async throws {
    let house = try await Household.open()
    let acting = house.shop.acting("user")
    for (filter, code) in [
      (["locatoin": "Garage"], .unknownFields), (["tags": ["a"]], .invalidInput),
      (["company_id": "x"], .unknownFields),
    ] as [(JSONObject, ErrorCode)] {
      let error = try await refused {
        _ = try await house.shop.records.create(
          acting,
          type: "inventory.saved_collection",
          fields: ["name": "X", "filter": .object(filter)]
        )
      }
      #expect(error.code == code, "\(filter)")
    }
    let builtIn = try await refused {
      _ = try await house.collections.save(acting, name: "Expired", pairs: ["location=x"])
    }
    #expect(builtIn.code == .alreadyExists)
  }

  @Test(arguments: ["tags = array['a', null]", "purchase_price = -1", "purchase_price = 'NaN'"])
  func `SQL refuses a value that the command refuses too`(_ change: String) async throws {
    let house = try await Household.open()
    let id = try await house.item()
    let company = house.shop.company.id
    let error = await #expect(throws: PostgresError.self) {
      try await house.shop.engine.superuser.transaction(.inside(company, mode: .import)) { tx in
        try tx.execute(
          "update inventory.item set \(SQL(trusted: change)) where company_id = \(company) and id = \(id)"
        )
      }
    }
    #expect(error?.sqlState == .checkViolation, "\(change)")
  }

  @Test func `a list by purchase reads its index`() async throws {
    let house = try await Household.open()
    let company = house.shop.company.id
    // Enough items that the index is the cheapest plan, and current statistics. With a test's few rows all
    // plans cost the same, and the choice depends on the last autovacuum.
    try await house.shop.engine.superuser.transaction(
      .inside(company, mode: .import, statementTimeout: .seconds(300))
    ) { tx in
      try tx.execute(
        """
        insert into inventory.item (company_id, id, name, category, purchase_date)
        select \(company), gen_random_uuid(), 'Item ' || n, 'tools', date '2015-01-01' + n
        from generate_series(1, 4000) n
        """
      )
      try tx.execute("analyze inventory.item")
    }
    var query = RecordQuery()
    query.sort = "-purchase_date"
    query.limit = 20
    let plan = try await house.shop.records.explain(house.shop.operatorContext, type: "inventory.item", query)
    #expect(plan.contains { $0.contains("item_company_id_purchase_date_id_idx") }, "\(plan)")
    #expect(!plan.contains { $0.contains("Sort") }, "\(plan)")
  }
}
