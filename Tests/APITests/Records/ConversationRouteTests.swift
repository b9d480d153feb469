import API
import Domain
import Engine
import EngineFixtures
import FoundationEssentials
import Testing

/// Comments, watchers and explanations of a record.
@Suite(.timeLimit(.minutes(60)), .app("maintenance")) struct ConversationRouteTests {
  @Test func `comments are added, listed, edited and withdrawn`() async throws {
    let api = try await RecordRouteTests.open()
    let (user, viewer) = (try api.member("user"), try api.member("viewer"))
    let path = "\(RecordRouteTests.entries)/\(try await api.shop.entry().text)/comments"
    let said = try await api.post(path, ["body": "ask @admin, or @nobody"], as: user)
    #expect(said.status == 201)
    #expect(said.json["mentioned"] == ["admin"])
    #expect(said.json["unknown"] == ["nobody"])
    let comment = "\(path)/\(said.json["id"]?.string ?? "")"
    #expect(try await api.patch(comment, ["body": "never mind"], as: viewer).status == 403)
    #expect(try await api.patch(comment, ["body": "never mind"], as: user).status == 200)
    let listed = try await api.get(path, as: viewer)
    #expect(listed.items.map { $0["body"] } == ["never mind"])
    #expect(listed.items.first?["edited_at"]?.string?.hasSuffix("Z") == true)
    #expect(try await api.delete(comment, as: user).status == 204)
    #expect(try await api.get(path, as: viewer).items.isEmpty)
    #expect(try await api.delete(comment, as: user).status == 404)
    #expect(try await api.post(path, ["body": " "], as: user).code == .missingFields)
    #expect(try await api.post(path, ["text": "hello"], as: user).code == .unknownFields)
    #expect(try await api.post(path, ["body": 5], as: user).code == .invalidInput)
    #expect(try await api.delete("\(path)/1", as: user).status == 404)
  }

  @Test func `watching and not watching name the watchers`() async throws {
    let api = try await RecordRouteTests.open()
    let viewer = try api.member("viewer")
    let path = "\(RecordRouteTests.machines)/RM-001/watch"
    #expect(try await api.put(path, as: viewer).json["watchers"] == ["Member viewer"])
    #expect(try await api.put(path, as: viewer).json["watchers"] == ["Member viewer"])
    #expect(try await api.delete(path, as: viewer).json["watchers"] == [])
  }

  @Test func `members ask about themselves, and with role.read about others`() async throws {
    let api = try await RecordRouteTests.open()
    let path = "\(RecordRouteTests.machines)/RM-001/explain"
    let own = try await api.get("\(path)?do=update", as: api.member("viewer"))
    #expect(own.status == 200, "\(own.text)")
    #expect(own.json["allowed"] == false)
    #expect(own.json["permission"] == "maintenance.machine.update")
    #expect(try await api.get("\(path)?do=take_out", as: api.member("admin")).json["allowed"] == true)
    let token = try await api.token("admin", scopes: ["maintenance.machine.read"])
    #expect(try await api.get("\(path)?do=update", as: token).json["allowed"] == false)
    let other = try await api.get("\(path)?do=update&member=viewer", as: api.member("owner"))
    #expect(other.json["allowed"] == false)
    #expect(try await api.get("\(path)?do=fly", as: api.member("owner")).code == .unknownPermission)
    #expect(try await api.get(path, as: api.member("owner")).code == .missingFields)
  }
}
