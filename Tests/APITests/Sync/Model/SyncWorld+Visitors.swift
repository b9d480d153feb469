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
  /// A visitor plans a trip, and a member claims it: the visitor's device goes on as the member's, with what it had
  /// waiting. The member is the owner, who has no phone: roles of those who have one may lose the right to read trips.
  mutating func visit(_ generator: inout SeededRandom) async throws {
    let (shop, number) = (api.shop, generator.next() >> 24)
    let email = "visitor-\(shop.company.slug)-\(number)@visitors.example"
    let member = try await Members(shop.engine.operators).add(
      shop.operatorContext,
      email: email,
      name: "Visitor",
      role: "user"
    )
    try await shop.engine.superuser.execute(
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
    let services = shop.engine.services
    let count = try await VisitorClaim(try await Records.open(services)).claim(
      shop.acting("owner"),
      visitor: member.userID
    )
    if count != 1 { problems.append("\(count) records of a visitor were claimed instead of one") }
    device.caller = try api.member("owner")
    device.cursor = nil
    let waiting = device.change(
      "trips.plan",
      plan,
      "patch",
      ["base_version": 1, "fields": ["title": "Senja"]]
    )
    let pushed = try await device.push([waiting])
    if pushed.kinds.first != "applied" && pushed.kinds.first != "merged" {
      problems.append("a change that waited for the claim is answered with \(pushed.text)")
    }
    let kept = try await device.pull().filter { $0["op"] == "put" && $0["id"]?.string == plan.text }
    if kept.first?["fields"]?.object?["title"] != "Senja" {
      problems.append("a claimed trip is not on the device: \(kept)")
    }
    // A member has a limited number of devices.
    _ = try await api.delete("/v1/sync/devices/\(device.id.text)", as: device.caller)
  }
}
