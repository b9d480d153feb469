import API
import Domain
import Engine
import EngineFixtures
import FoundationEssentials
import Testing

/// A wrong member of a body is refused with the same code by all routes.
@Suite(.timeLimit(.minutes(60)), .app("maintenance")) struct BodyMemberTests {
  @Test func `ids, numbers, times and unknown members are refused with one code each by every body`()
    async throws
  {
    let shop = try await Workshop.open()
    let api = try await APIFixture.open(shop) { services in
      let records = try await Records.open(services)
      return RecordRoutes(services, records).routes + FileRoutes(services, records).routes
        + SyncRoutes(services, records, hub: HintHub(key: [])).routes
        + PeopleRoutes(services, about: AboutSettings(version: "1", signIn: ["password"])).routes
        + WebhookRoutes(services).routes
    }
    let owner = try api.member("owner")
    let entry = "\(RecordRouteTests.entries)/\(try await shop.entry().text)"
    let bodies: [(path: String, body: JSONObject, code: ErrorCode)] = [
      (RecordRouteTests.machines, ["id": "x"], .invalidID), ("\(entry)/comments", ["id": 1], .invalidID),
      ("/v1/sync/devices", ["id": "x", "name": "Phone"], .invalidID),
      ("/v1/sync/push", ["device_id": "x"], .invalidID),
      ("/v1/sync/exchange", ["push": ["device_id": true]], .invalidID),
      ("/v1/me/inbox/read", ["ids": ["x"]], .invalidID),
      ("\(entry)/restore", ["version": "x"], .invalidNumber),
      ("\(entry)/restore", ["version": 0], .invalidNumber),
      ("/v1/invites", ["role": "user", "uses": "2"], .invalidNumber),
      ("/v1/invites", ["role": "user", "days": 366], .invalidNumber),
      ("/v1/sync/devices", ["id": .id(UUID()), "name": "Phone", "schema_version": "1"], .invalidNumber),
      ("/v1/sync/exchange", ["push": ["device_id": .id(UUID())], "limit": 0], .invalidNumber),
      ("/v1/webhooks/\(UUID().text)/redeliver", ["since": "today"], .invalidInstant),
      ("\(entry)/comments", ["bdy": "x"], .unknownFields), ("/v1/invites", ["rolle": "user"], .unknownFields),
      ("/v1/sync/push", ["device": "x"], .unknownFields), ("/v1/batch", ["ops": []], .unknownFields),
    ]
    for (path, body, code) in bodies {
      let answer = try await api.post(path, body, as: owner)
      #expect(answer.code == code, "\(path) \(JSONValue.object(body)): \(answer.text)")
    }
  }
}
