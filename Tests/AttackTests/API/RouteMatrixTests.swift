import API
import Domain
import FoundationEssentials
import Store
import Testing

/// Every route of the server, and every installed record type, is tried by every kind of caller that must not succeed.
@Suite(.timeLimit(.minutes(60))) struct RouteMatrixTests {
  @Test func `no route does more for a caller than the caller is admitted to`() async throws {
    let matrix = try await RouteMatrix.open()
    #expect(matrix.targets.count > 100)
    var cells = 0
    for target in matrix.targets {
      for caller in MatrixCaller.allCases where caller != .intruder {
        guard let isRefused = Self.refusal(of: caller, by: target) else { continue }
        let answer = await matrix.send(target, as: caller, Self.absent(target))
        cells += 1
        #expect(
          isRefused(answer.status) || Self.refusesEach(answer.body),
          "\(caller): \(target.name): \(answer.status) \(answer.body.prefix(200))"
        )
      }
    }
    print("routes × callers: \(cells) cells")
    #expect(cells > 500)
  }

  @Test func `an object of another company is answered like one that does not exist`() async throws {
    let matrix = try await RouteMatrix.open()
    var cells = 0
    for target in matrix.targets where !target.objects.isEmpty {
      let absent = await matrix.send(target, as: .intruder, Self.absent(target))
      #expect(absent.status != 500, "\(target.name): \(absent.body.prefix(200))")
      for ids in matrix.objectsOfA(target) {
        let answer = await matrix.send(target, as: .intruder, ids)
        cells += 1
        #expect(
          answer == absent,
          "\(target.name) with \(ids): \(answer.status) \(answer.body.prefix(200)), not \(absent.status)"
        )
      }
    }
    print("routes × ids of another company: \(cells) cells")
    #expect(cells > 1_000)
  }

  /// The values that the rules of apps want besides what the document requires, by type.
  private static let members: [String: JSONObject] = [
    "macros.carb_cycle": ["weekday": 5, "day_type": "rest"], "macros.entry": ["protein_g": 10],
    "macros.preset": ["protein_g": 10], "maintenance.pm_plan": ["every_days": 30],
    // A guest of the company has a name, a reading by hand a value.
    "maintenance.time_entry": ["end_time": "09:00", "user_name": "Ana"],
    "solar.recording": ["type": "manual", "value": 1, "taken_at": "2026-01-05T08:00:00Z"],
    "solar.utility_account": ["endpoint": "https://utility.example/readings"],
    "trips.message": ["author": "user"],
    "trips.stop": ["day_no": 1, "position": 1],
  ]

  @Test func `every route of the document that creates a record can succeed`() async throws {
    let matrix = try await RouteMatrix.open()
    var types = 0
    for target in matrix.targets
    where target.route.method == .post && target.route.pattern == "/v1/{app}/{type}" {
      guard let type = target.type, type.isCreatedAsRecord else { continue }
      types += 1
      var body = matrix.creation(of: type)
      let members = Self.members[type.name] ?? [:]
      for name in members.keys { body[name] = members[name] }
      let answer = await matrix.send(target, as: .owner, [], body: body)
      // Of these there is one for a person or a site, which the fixture has.
      let isThere = ["macros.profile", "solar.utility_account"].contains(type.name)
      let text = JSONValue.object(body).text
      #expect(answer.status == (isThere ? 409 : 201), "\(type.name): \(text): \(answer.body.prefix(300))")
    }
    print("types created through their routes: \(types)")
    #expect(types > 15)
  }

  /// Returns ids that name nothing.
  private static func absent(_ target: RouteMatrix.Target) -> [String] {
    target.objects.map { _ in UUID().uuidString.lowercased() }
  }

  /// Returns the test of the status by which a route refuses a caller; nil if the route admits the caller.
  private static func refusal(of caller: MatrixCaller, by target: RouteMatrix.Target) -> ((Int) -> Bool)? {
    let route = target.route
    let isOpen = [.everybody, .optional].contains(route.admission)
    let isOfPersons = [.person, .recentSignIn].contains(route.admission)
    switch caller {
    case .anonymous: return isOpen ? nil : { $0 == 401 }
    // The gate of this test still knows the session, as a process does for a minute: the transaction refuses it. An
    // invalid body or header may be refused before there is a transaction.
    case .revoked: return isOpen ? nil : { [401, 403, 404, 412, 422].contains($0) }
    case .guest:
      guard !isOpen, isOfPersons || !GuestAccess.admits(route.method, route.pattern) else { return nil }
      return { $0 == 403 }
    case .viewer:
      // A viewer writes nothing but what is their own.
      guard !isOpen, !route.method.isSafe, !isOfPersons, !isOwn(route) else { return nil }
      return { status in (400..<500).contains(status) }
    case .narrow:
      if isOfPersons { return { $0 == 403 } }
      guard !isOpen, target.type?.name != "maintenance.meter", !isOwn(route) else { return nil }
      return { status in (400..<500).contains(status) && status != 401 }
    case .intruder, .owner: return nil
    }
  }

  /// True for the answer of a bulk transition that was refused for each record.
  private static func refusesEach(_ body: String) -> Bool {
    let results = body.matches(of: /"result":"([a-z ]+)"/).map(\.output.1)
    return !results.isEmpty && results.allSatisfy { $0 == "refused" }
  }

  /// True for routes of the caller's own account, inbox and subscriptions, of the description of the server, and for the
  /// lists of imports and of types, which have those of the types that the caller may read.
  private static func isOwn(_ route: Route) -> Bool {
    route.pattern == "/v1/me" || route.pattern.hasPrefix("/v1/me/") || route.pattern.hasSuffix("/watch")
      || route.pattern.hasPrefix("/v1/about") || route.pattern == "/v1/imports"
      || route.pattern == "/v1/types"
  }
}
