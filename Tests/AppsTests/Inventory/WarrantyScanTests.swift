import Apps
import Domain
import Engine
import EngineFixtures
import FoundationEssentials
import Postgres
import Store
import Testing

/// One notice before a warranty ends, whatever happens to the item.
@Suite(.timeLimit(.minutes(60))) struct WarrantyScanTests {
  @Test(arguments: [(31, 0), (30, 1), (12, 1), (0, 1), (-1, 0)])
  func `an item is told of from thirty days before to the last day`(_ days: Int, _ count: Int) async throws {
    let house = try await Household.open()
    let item = try await house.item(daysLeft: days)
    try await house.scan()
    #expect(try await house.alerts(item).count == count)
  }

  @Test func `scanning again tells nothing again, also several at once`() async throws {
    let house = try await Household.open()
    let item = try await house.item(daysLeft: 12)
    try await withThrowingTaskGroup { group in
      for _ in 0..<4 { group.addTask { try await house.scan() } }
      for _ in 0..<2 { group.addTask { try await house.scan(item) } }
      try await group.waitForAll()
    }
    let alerts = try await house.alerts(item)
    #expect(alerts.count == 1 && alerts[0].state == "sent")
    #expect(alerts[0].day == (try await house.day(12)).description)
    #expect(alerts[0].to == house.shop.members["user"]?.userID, "whoever made the item")
  }

  @Test func `an alert that was read stays read, however often it is scanned`() async throws {
    let house = try await Household.open()
    let item = try await house.item(daysLeft: 12)
    try await house.scan()
    let company = house.shop.company.id
    try await house.shop.engine.superuser.transaction(.inside(company, mode: .engine)) { tx in
      try tx.execute(
        "update core.notification set state = 'read' where company_id = \(company) and record_id = \(item)"
      )
    }
    try await house.scan()
    try await house.scan(item)
    #expect(try await house.alerts(item).map(\.state) == ["read"])
  }

  @Test func `a last day that the seller states counts instead of the months`() async throws {
    let house = try await Household.open()
    let last = try await house.day(12).description
    let item = try await house.item(["warranty_months": 24, "warranty_until": .string(last)])
    let shown = try await house.show(item)
    #expect(shown.text("warranty_expires_on") == last && shown.text("warranty_status") == "expiring")
    #expect(try await house.shop.report("v1_warranty_cover", "warranty, next_expiry") == ["expiring|\(last)"])
    try await house.scan(item)
    #expect(try await house.alerts(item).map(\.day) == [last])
    try await house.update(item, ["warranty_until": .null])
    #expect(try await house.show(item).text("warranty_status") == "active")
    let early = try await refused { try await house.update(item, ["warranty_until": "2000-01-01"]) }
    #expect(early.code == .invalidDate)
    let bare = try await house.item(["warranty_until": .string(last)])
    let jobs = try await house.shop.engine.superuser.value(
      "select count(*) from core.job where kind = 'warranty.scan' and cause_id = \(bare)",
      as: Int64.self
    )
    #expect(jobs == 1)
  }

  @Test func `without a warranty there is no alert`() async throws {
    let house = try await Household.open()
    let item = try await house.item(["warranty_months": 0])
    try await house.scan()
    #expect(try await house.alerts(item).isEmpty)
  }

  @Test func `an edit moves the alert`() async throws {
    let house = try await Household.open()
    let item = try await house.item(daysLeft: 12)
    try await house.scan(item)
    let first = try await house.day(12).adding(months: -12)
    try await house.update(item, ["purchase_date": .string(first.adding(days: 8).description)])
    try await house.scan(item)
    let moved = try await house.alerts(item)
    #expect(moved.map(\.state) == ["cancelled", "sent"])
    #expect(moved.last?.day == (try await house.show(item)).text("warranty_expires_on"))

    try await house.update(item, ["warranty_months": 24])
    try await house.scan(item)
    #expect(try await house.alerts(item).map(\.state) == ["cancelled", "cancelled"])

    try await house.update(item, ["purchase_date": .string(first.description), "warranty_months": 12])
    try await house.scan(item)
    #expect(try await house.alerts(item).map(\.state) == ["sent", "cancelled"], "a day that comes back")
  }

  @Test func `a deletion cancels an alert that nobody has read`() async throws {
    let house = try await Household.open()
    let (item, read) = (try await house.item(daysLeft: 12), try await house.item(daysLeft: 12))
    try await house.scan()
    let company = house.shop.company.id
    try await house.shop.engine.superuser.transaction(.inside(company, mode: .engine)) { tx in
      try tx.execute(
        "update core.notification set state = 'read' where company_id = \(company) and record_id = \(read)"
      )
      try tx.execute("update inventory.item set deleted_at = now() where company_id = \(company)")
    }
    try await house.scan()
    #expect(try await house.alerts(item).map(\.state) == ["cancelled"])
    #expect(try await house.alerts(read).map(\.state) == ["read"])
  }

  @Test func `when the item's maker has left, the owner is told`() async throws {
    let house = try await Household.open()
    let item = try await house.item(daysLeft: 12, as: "user2")
    _ = try await Members(house.shop.engine.operators).setStatus(
      house.shop.operatorContext,
      member: "user2",
      status: .removed
    )
    try await house.scan()
    #expect(try await house.alerts(item).map(\.to) == [house.shop.members["owner"]?.userID])
  }

  @Test func `another company's items are not looked at`() async throws {
    let (house, other) = (try await Household.open(), try await Household.open())
    let item = try await other.item(daysLeft: 12)
    try await house.scan()
    #expect(try await other.alerts(item).isEmpty)
  }

  @Test func `the days that are left are counted where the company is`() async throws {
    // These time zones differ by more than a day, so their dates always differ.
    let (east, west) = (
      try await Household.open(timeZone: "Pacific/Kiritimati"),
      try await Household.open(timeZone: "Pacific/Pago_Pago")
    )
    let (eastern, western) = (try await east.day(0), try await west.day(0))
    #expect(eastern > western)
    for house in [east, west] {
      let shown = try await house.show(try await house.item(daysLeft: 0))
      #expect(shown.text("days_remaining") == "0" && shown.text("warranty_status") == "expiring")
    }
  }
}
