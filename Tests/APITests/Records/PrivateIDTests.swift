import API
import Domain
import EngineFixtures
import FoundationEssentials
import Testing

/// The id of a private record tells nobody but its owner that the record exists.
@Suite(.timeLimit(.minutes(60)), .app("trips")) struct PrivateIDTests {
  @Test func `a create with the id of a colleague's private record is not told that it exists`() async throws
  {
    let api = try await TestDevice.api()
    let (owner, colleague) = (try api.member("admin"), try api.member("user"))
    let id = UUID()
    let fields: JSONObject = ["id": .id(id), "title": "Lofoten"]
    #expect(try await api.post("/v1/trips/conversation", fields, as: owner).status == 201)
    let path = "/v1/trips/conversation/\(id)"
    #expect(try await api.get(path, as: colleague).code == .notFound)
    let made = try await api.post("/v1/trips/conversation", fields, as: colleague)
    #expect(made.code == .invalidID && !made.text.contains("exists"), "\(made.text)")
    let batch: JSONObject = [
      "operations": [
        ["op": "create", "type": "trips.conversation", "id": .id(id), "fields": ["title": "Mine"]]
      ]
    ]
    let batched = try await api.post("/v1/batch", batch, as: colleague)
    #expect(batched.code == .invalidID && !batched.text.contains("exists"), "\(batched.text)")
    var device = try await TestDevice.register(api, as: colleague, app: nil)
    let pushed = try await device.push([
      device.change("trips.conversation", id, "create", ["fields": ["title": "Mine"]])
    ])
    #expect(pushed.results.first?["code"] == "invalid_id", "\(pushed.text)")
    #expect(!pushed.text.contains("exists"))
    // The record is as it was.
    #expect(try await api.get(path, as: owner).json["title"] == "Lofoten")
  }
}
