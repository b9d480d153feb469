import Domain
import Engine
import EngineFixtures
import Foundation
import Postgres
import Store
import Testing

/// SQL of a stolen server login in the engine's write mode.
@Suite(.timeLimit(.minutes(60))) struct ManualRecordingTests {
  @Test(arguments: ["manual", "auto"])
  func `a typed recording cannot be queued for the utility by SQL`(type: String) async throws {
    let shop = try await Workshop.open()
    let site = try await shop.records.create(
      shop.operatorContext,
      type: "solar.site",
      fields: ["name": "Roof", "timezone": "UTC"]
    ).id
    let recording = try await shop.records.create(
      shop.acting("user"),
      type: "solar.recording",
      fields: [
        "site_id": .id(site), "type": .string(type), "value": 2, "taken_at": "2026-01-01T12:00:00Z",
      ]
    ).id
    let company = shop.company.id
    let error = await #expect(throws: PostgresError.self) {
      try await shop.engine.services.database.transaction(.inside(company, mode: .engine)) { tx in
        try tx.execute(
          """
          update solar.recording
          set status = 'push_queued', status_category = 'active', version = version + 1
          where company_id = \(company) and id = \(recording)
          """
        )
      }
    }
    #expect(error?.constraint == "recording_only_auto_push_is_pushed", "\(String(describing: error))")
  }
}
