import API
import Apps
import Domain
import Engine
import EngineFixtures
import FoundationEssentials
import Postgres
import Store
import TestDatabase
import TestTools

/// Visitors of the trip planner, whose records become a member's.
extension SyncWorld {
  /// A visitor plans a trip, a member claims it, and the visitor comes back: the trip must leave the visitor's device.
  mutating func visit(_ generator: inout SeededRandom) async throws {
    let (shop, number) = (api.shop, generator.next() >> 24)
    let email = "visitor-\(shop.company.slug)-\(number)@visitors.example"
    func join() async throws -> MemberRow {
      try await Members(shop.hall.operators).add(
        shop.operatorContext,
        email: email,
        name: "Visitor",
        role: "user"
      )
    }
    let member = try await join()
    try await shop.hall.superuser.execute(
      "update core.app_user set kind = 'visitor' where id = \(member.userID)"
    )
    let caller = TestCaller(
      kind: .browser,
      acting: ActingContext(company: shop.company, actor: .member(member.userID), user: member.userID),
      user: member.userID,
      session: UUID()
    )
    var device = try await TestDevice.register(api, as: caller, app: "trips")
    let plan = Self.id(&generator)
    let made = try await device.push([
      device.change("trips.plan", plan, "create", ["fields": ["title": "Lofoten"]])
    ])
    if made.kinds != ["applied"] { problems.append("a visitor's trip is answered with \(made.text)") }
    let shown = try await device.pull().compactMap { $0["id"]?.string }
    if !shown.contains(plan.text) { problems.append("the visitor does not get their own trip") }
    let services = shop.hall.services
    let count = try await VisitorClaim(services, try await Records.open(services)).claim(
      shop.acting("admin"),
      visitor: member.userID
    )
    if count != 1 { problems.append("\(count) records of a visitor were claimed instead of one") }
    _ = try await join()
    let left = try await device.pull().filter { $0["op"] == "leave" }.compactMap { $0["id"]?.string }
    if !left.contains(plan.text) { problems.append("a claimed trip stays on the visitor's device") }
  }
}
